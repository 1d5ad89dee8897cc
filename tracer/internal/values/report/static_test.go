package report_test

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/tracer/capturetest"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/programs"
	"github.com/pepgo/pep/tracer/internal/values/report"
)

// Addresses of static data are as invariant as can be, and no candidates: the best value is that
// of the other load. Types and targets, which are addresses too, stay, and so do numbers of 32
// bits.
func TestStaticAddressesAreLeftOut(t *testing.T) {
	always := capturetest.Always(0x500010)
	p := &capturetest.Program{Data: [2]uint64{0x500000, 0x501000},
		Symbols: map[uint64]string{0x500010: "main.table", 0x402000: "main.small"},
		Functions: []capturetest.Function{{Name: "main.f", File: "x.go", Line: 1, Time: 1, Body: []capturetest.Instruction{
			// mov rcx, [rax+0x18]
			{Code: "48 8b 48 18", Line: 2, Value: always},
			// mov ecx, [rax+0x18]
			{Code: "8b 48 18", Line: 3, Value: capturetest.Always(0x500020)},
			// mov rcx, [rax+0x20]
			{Code: "48 8b 48 20", Line: 4, Value: capturetest.Mostly(3, 0.9, capturetest.Below(100))},
			// behind the data
			{Code: "48 8b 48 28", Line: 5, Value: capturetest.Always(0x501000)},
			{Code: "ff d1", Line: 6, Value: capturetest.Mostly(0x402000, 0.75, capturetest.Always(0x500030))},    // call rcx
			{Code: "48 39 c8", Line: 7, Value: capturetest.Mostly(0x500040, 0.8, capturetest.Always(0x500010))}}, // cmp rax, rcx
		}}}
	p.Image.BuildID, p.Image.Path = "ab", "app"
	db := collected(t, p, 1, 3000, 6, "operands")
	lines := func(t *report.FindTable) string {
		var list []string
		for _, r := range t.Rows {
			list = append(list, string(rune('0'+r.Line))+": "+r.Value)
		}
		slices.Sort(list)
		return strings.Join(list, ", ")
	}
	found := report.Find(db, p, report.FindOptions{})
	if got, want := lines(found), "3: 0x500020, 4: 3, 5: 0x501000, 6: main.small"; got != want || found.Static != 2 {
		t.Errorf("got %s, and %d left out, want %s, and 2", got, found.Static, want)
	}
	if text := textOf(t, found); !strings.Contains(text,
		"2 hotlists left out because the most frequent value is an address of static data; -addresses shows them") {
		t.Errorf("the text does not say that addresses are left out:\n%s", text)
	}
	shown := report.Find(db, p, report.FindOptions{Static: true})
	if got := lines(shown); !strings.Contains(got, "2: 0x500010 (address of main.table)") ||
		!strings.Contains(got, "7: 0x500040 (address)") || shown.Static != 0 {
		t.Errorf("with -addresses: got %s and %d left out", got, shown.Static)
	}
}

// What is static is what nm and the headers of a real program say.
func TestStaticOfPrograms(t *testing.T) {
	for _, mode := range []string{"exe", "pie"} {
		exe := filepath.Join(t.TempDir(), mode)
		if out, err := exec.Command("go", "build", "-buildmode="+mode, "-o", exe,
			"../../samplers/sampler/testdata/table").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		im, err := image.Open(exe)
		if err != nil {
			t.Fatal(err)
		}
		id, err := programs.BuildID(im)
		im.Close()
		if err != nil {
			t.Fatal(err)
		}
		names := programs.New("")
		defer names.Close()
		f, err := elf.Open(exe)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		symbols, err := f.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for _, s := range symbols {
			for _, name := range []string{"main.table", "main.pick", "runtime.zerobase", "runtime.mheap_",
				"go:itab.*os.File,io.Writer"} {
				if s.Name != name {
					continue
				}
				seen++
				for _, addr := range []uint64{s.Value, s.Value + s.Size - 1} {
					if got := names.Static(&capture.Image{Path: exe, BuildID: id}, addr); got != (mode == "exe") {
						t.Errorf("%s: %s at %#x: static %v", mode, name, addr, got)
					}
				}
			}
		}
		if seen < 4 {
			t.Errorf("%s: %d of the symbols are there", mode, seen)
		}
		for _, word := range []uint64{0, 1, 8, 4096, 0xffff, 1 << 31, 1 << 40, ^uint64(0)} {
			if mode == "exe" && names.Static(&capture.Image{Path: exe, BuildID: id}, word) {
				t.Errorf("%#x is an address of static data", word)
			}
		}
	}
}
