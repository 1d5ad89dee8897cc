//go:build linux && amd64

package image

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/machine/image/imagetest"
	"github.com/pepgo/pep/machine/pclntab"
)

// sample returns addresses of all functions of package main, and of some others.
func sample(im *Image) (pcs []uint64) {
	n := 0
	for fn := range im.Functions() {
		n++
		if fn.Package != "main" && n%7 != 0 {
			continue
		}
		// CallersFrames takes return addresses, and takes one at the entry of a function for
		// that function. So target cannot be asked for the last byte in front of one.
		for pc := fn.Entry; pc < fn.End && pc+1 < fn.Next; pc += 1 + (fn.End-fn.Entry)/64 {
			pcs = append(pcs, pc)
		}
	}
	return pcs
}

// ask runs target and returns what its runtime says about addresses.
func ask(t *testing.T, exe string, im *Image, pcs []uint64) []string {
	t.Helper()
	main := im.Named("main.main")
	if len(main) != 1 {
		t.Fatalf("%d functions main.main", len(main))
	}
	var in strings.Builder
	for _, pc := range append([]uint64{main[0].Entry}, pcs...) {
		fmt.Fprintln(&in, pc)
	}
	cmd := exec.Command(exe)
	cmd.Stdin = strings.NewReader(in.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")[1:]
}

var typeArgs = regexp.MustCompile(`\[.*\]`)

// The innermost frame is that which the program's own runtime names, for every way to
// build it. TestInlinedFramesAreThoseOfDWARF checks the others.
func TestFramesAreThoseOfTheRuntime(t *testing.T) {
	for _, v := range imagetest.Variants {
		t.Run(v.Name, func(t *testing.T) {
			exe := v.Build(t, "testdata/target")
			im, err := Open(exe)
			if err != nil {
				t.Fatal(err)
			}
			defer im.Close()
			pcs := sample(im)
			want := ask(t, exe, im, pcs)
			if len(want) != len(pcs) || len(pcs) < 5000 {
				t.Fatalf("%d answers for %d addresses, want 5000", len(want), len(pcs))
			}
			inlined, wrong := 0, 0
			for i, pc := range pcs {
				fn, ok := im.FuncForPC(pc)
				if !ok {
					t.Fatalf("no function at %#x", pc)
				}
				frames := fn.Frames(pc)
				inlined += len(frames) - 1
				f := frames[0]
				if g := fmt.Sprintf("%s %s:%d", typeArgs.ReplaceAllString(f.Func, "[...]"), f.File, f.Line); g != want[i] {
					if wrong++; wrong < 5 {
						t.Errorf("%#x: got\n%s\nwant\n%s", pc, g, want[i])
					}
				}
			}
			if inlined < 500 || wrong > 0 {
				t.Errorf("%d frames of inlined functions, want 500; %d of %d wrong", inlined, wrong, len(pcs))
			}
			if im.PIE != v.PIE || len(im.Lost()) == 0 == v.Stripped {
				t.Errorf("PIE %v, lost %q", im.PIE, im.Lost())
			}
			if im.GoVersion == "" || im.GoBuildID == "" {
				t.Errorf("release %q, build ID %q", im.GoVersion, im.GoBuildID)
			}
		})
	}
}

// Functions begin where the symbols of the linker are, and their code ends where the
// disassembler's does.
func TestFunctionsAreThoseOfTheTools(t *testing.T) {
	exe := imagetest.Variants[0].Build(t, "testdata/target")
	im, err := Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	nm, err := exec.Command("go", "tool", "nm", "-size", exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	names := map[uint64][]string{}
	for s := bufio.NewScanner(bytes.NewReader(nm)); s.Scan(); {
		f := strings.Fields(s.Text())
		if len(f) >= 4 && strings.EqualFold(f[2], "t") {
			addr, _ := strconv.ParseUint(f[0], 16, 64)
			names[addr] = append(names[addr], strings.Join(f[3:], " "))
		}
	}
	n := 0
	for fn := range im.Functions() {
		n++
		if !slices.ContainsFunc(names[fn.Entry],
			func(s string) bool { return strings.TrimSuffix(s, ".abi0") == ascii(fn.Name) }) {
			t.Errorf("%#x: got %s, nm has %q", fn.Entry, fn.Name, names[fn.Entry])
		}
		if name, off := im.Symbol(fn.Entry); off != 0 || !slices.Contains(names[fn.Entry], ascii(name)) {
			t.Errorf("%#x: symbol %s+%d, nm has %q", fn.Entry, name, off, names[fn.Entry])
		}
	}
	if n < 1000 {
		t.Errorf("%d functions, want 1000", n)
	}
	// The end of the code: the disassembly without int3 at its end.
	dis, err := exec.Command("go", "tool", "objdump", "-s", `^(main|strconv|fmt|sync|os)\.`, exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	ends, name, short := 0, "", 0
	var addr, last uint64
	check := func() {
		if name == "" || last == 0 {
			return
		}
		fn, ok := im.FuncForPC(last)
		if !ok {
			t.Errorf("%s: the last instruction, at %#x, is not in the function", name, last)
			return
		}
		ends++
		if fn.End <= last || fn.End > last+15 {
			t.Errorf("%s ends at %#x, its last instruction begins at %#x", name, fn.End, last)
		}
		if code := make([]byte, 2); im.ReadAddr(code, fn.End-2) == nil && code[0] == 0xeb && code[1] == 0xcc {
			short++
		}
	}
	for s := bufio.NewScanner(bytes.NewReader(dis)); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), "TEXT "); ok {
			check()
			name, last = rest, 0
			continue
		}
		f := strings.Fields(s.Text())
		if len(f) > 3 && f[3] != "INT" {
			if addr, err = strconv.ParseUint(strings.TrimPrefix(f[1], "0x"), 16, 64); err == nil {
				last = addr
			}
		}
	}
	check()
	if ends < 100 {
		t.Errorf("%d functions in the disassembly, want 100", ends)
	}
	t.Logf("%d functions, %d of them end with eb cc", ends, short)
}

// ascii replaces the middle dot, as nm does.
func ascii(s string) string { return strings.ReplaceAll(s, "·", ".") }

func TestEndOfCode(t *testing.T) {
	tests := []struct {
		name string
		code []byte
		want int
	}{
		{"no padding", []byte{0x90, 0xc3}, 2},
		{"padding", []byte{0xc3, 0xcc, 0xcc}, 1},
		{"a jump whose distance looks like padding", []byte{0x90, 0xeb, 0xcc, 0xcc, 0xcc}, 3},
		{"the same without padding", []byte{0x90, 0xeb, 0xcc}, 3},
		{"eb as the end of an instruction, then padding", []byte{0xb8, 0, 0, 0, 0xeb, 0xcc}, 5},
		{"only padding", []byte{0xcc, 0xcc}, 0},
	}
	for _, test := range tests {
		im := &Image{elf: &elf.File{Progs: []*elf.Prog{{
			ProgHeader: elf.ProgHeader{Type: elf.PT_LOAD, Vaddr: 0x1000, Filesz: uint64(len(test.code))},
			ReaderAt:   bytes.NewReader(test.code),
		}}}, r: bytes.NewReader(test.code)}
		fn := Function{Func: pclntab.Func{Entry: 0x1000, Next: 0x1000 + uint64(len(test.code))},
			End: 0x1000 + uint64(len(test.code))}
		if got := im.end(fn); got != 0x1000+uint64(test.want) {
			t.Errorf("%s: got %d, want %d", test.name, got-0x1000, test.want)
		}
	}
}

// A line has the code that the line table of addr2line has, and no other.
func TestLineCode(t *testing.T) {
	exe := imagetest.Variants[0].Build(t, "testdata/target")
	im, err := Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	source, err := os.ReadFile("testdata/target/main.go")
	if err != nil {
		t.Fatal(err)
	}
	line := 1 + strings.Count(string(source[:bytes.Index(source, []byte("return a * b"))]), "\n")
	list := im.LineCode("target/main.go", line)
	var in strings.Builder
	for _, c := range list {
		if c.Frame.Func != "main.mul" || c.Frame.Line != line || !c.Function.Contains(c.Range.Start) {
			t.Errorf("%+v", c)
		}
		for pc := c.Range.Start; pc < c.Range.End; pc++ {
			fmt.Fprintf(&in, "%#x\n", pc)
		}
	}
	var where []string
	for _, c := range list {
		where = append(where, c.Function.Name)
	}
	for _, want := range []string{"main.total", "main.square.area", "main.(*rect).area"} {
		if !slices.Contains(where, want) {
			t.Errorf("line %d is in %q, not in %s", line, where, want)
		}
	}
	cmd := exec.Command("go", "tool", "addr2line", exe)
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		if strings.Contains(s.Text(), ".go:") {
			n++
			if !strings.HasSuffix(s.Text(), fmt.Sprintf("main.go:%d", line)) {
				t.Errorf("addr2line: %s", s.Text())
			}
		}
	}
	if n < 10 {
		t.Errorf("%d addresses, want 10", n)
	}
	if list := im.LineCode("arget/main.go", line); len(list) != 0 {
		t.Errorf("a part of a name matches: %v", list)
	}
}

// Some linkers write no values into words that will be relocated.
func TestWordsToRelocateMayBeEmpty(t *testing.T) {
	data, err := os.ReadFile(imagetest.Variants[3].Build(t, "testdata/target"))
	if err != nil {
		t.Fatal(err)
	}
	read := func() *Image {
		im, err := New(io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data))))
		if err != nil {
			t.Fatal(err)
		}
		return im
	}
	im := read()
	want := im.module
	n := 0
	for _, r := range im.relocated() {
		off, err := im.FileOffset(r.at)
		if err != nil {
			t.Fatal(err)
		}
		clear(data[off : off+8])
		n++
	}
	if got := read().module; got != want || n < 1000 {
		t.Errorf("%d words cleared: module %+v, want %+v", n, got, want)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, 0o777); err != nil {
			t.Fatal(err)
		}
		return name
	}
	exe, err := os.ReadFile(imagetest.Variants[1].Build(t, "testdata/target"))
	if err != nil {
		t.Fatal(err)
	}
	arm := bytes.Clone(exe)
	arm[18] = byte(elf.EM_AARCH64)
	old := bytes.ReplaceAll(exe, []byte(pclntab.Magic), []byte("\xf0\xff\xff\xff\x00\x00\x01\x08"))
	ctool, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, file, want string }{
		{"no file", filepath.Join(dir, "none"), "no such file"},
		{"a directory", dir, "not a regular file"},
		{"a device", "/dev/zero", "not a regular file"},
		{"a script", write("script", []byte("#!/bin/sh\n")), "not an ELF executable"},
		{"another processor", write("arm", arm), "want one for linux/amd64"},
		{"a C program", ctool, "not a Go program"},
		{"an old release", write("old", old), "table of Go 1.18 or 1.19"},
		{"half a file", write("half", exe[:len(exe)/2]), ""},
	} {
		im, err := Open(test.file)
		if err == nil {
			im.Close()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.file) {
			t.Errorf("%s: got error %v, want %q", test.name, err, test.want)
		}
	}
}
