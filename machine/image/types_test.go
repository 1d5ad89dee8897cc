//go:build linux && amd64

package image

import (
	"bufio"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/pepgo/pep/machine/image/imagetest"
)

// The names of the dynamic types of a program are those that are beside the values in its source, for every
// way to build it: of types that the linker knows in the file, too, and of itabs and types that
// the program has made in its memory.
func TestTypesAreThoseOfTheProgram(t *testing.T) {
	for _, v := range imagetest.Variants {
		t.Run(v.Name, func(t *testing.T) {
			exe := v.Build(t, "testdata/types")
			file, err := Open(exe)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			cmd := exec.Command(exe)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Wait()
			defer in.Close()
			var live *Image
			static, counts := map[string]string{}, map[string]int{}
			addrs := map[uint64]string{}
			for s := bufio.NewScanner(out); s.Scan() && s.Text() != "end"; {
				fields := strings.SplitN(s.Text(), " ", 3)
				var word uint64
				if _, err := fmt.Sscanf(fields[1], "%v", &word); err != nil {
					t.Fatalf("%s: %v", s.Text(), err)
				}
				if live == nil {
					if live, err = OpenProcess(cmd.Process.Pid); err != nil {
						t.Fatal(err)
					}
					defer live.Close()
					file.Bias = live.Bias
				}
				word = live.FromProcess(word)
				kind, want := fields[0], fields[2]
				counts[kind]++
				got, ok := live.Dynamic(word)
				inFile, okFile := file.Dynamic(word)
				switch {
				case kind == "main":
					if ok || okFile {
						t.Errorf("code is the type %v", got)
					}
					continue
				case got.Name != want || !ok:
					t.Errorf("%s: the process has %+v, %v", s.Text(), got, ok)
				case (kind == "made" || kind == "reflected") && okFile:
					t.Errorf("%s: the file has %+v", s.Text(), inFile)
				case kind != "made" && kind != "reflected" && inFile != got:
					t.Errorf("%s: the file has %+v, %v, the process %+v", s.Text(), inFile, okFile, got)
				case kind == "static" && got.Addr != word:
					t.Errorf("%s: another descriptor %#x", s.Text(), live.ToProcess(got.Addr))
				case kind == "static" && addrs[got.Addr] != "":
					t.Errorf("%s: the descriptor is that of %s", s.Text(), addrs[got.Addr])
				case kind != "static" && static[want] != "" && static[want] != fmt.Sprint(got.Addr):
					t.Errorf("%s: descriptor %d, want %s", s.Text(), got.Addr, static[want])
				}
				if kind == "static" {
					addrs[got.Addr], static[want] = want, fmt.Sprint(got.Addr)
				}
			}
			if counts["static"] < 80 || counts["itab"] < 10 || counts["generic"] < 3 || counts["made"] < 2 ||
				counts["reflected"] < 7 {
				t.Errorf("the program has printed %v", counts)
			}
		})
	}
}

// local are the numbers of types in functions, which descriptors have only within brackets.
var local = regexp.MustCompile(`·\d+`)

// The names of types are those that the compiler has written into DWARF with the address of the
// descriptor, for all types of a program; and at other addresses there is none.
func TestTypesAreThoseOfDWARF(t *testing.T) {
	im, err := Open(imagetest.Variants[0].Build(t, "testdata/types"))
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	checkDWARF(t, im)
}

func checkDWARF(t *testing.T, im *Image) {
	f, err := elf.Open(im.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	var types, etypes uint64
	for _, s := range symbols {
		switch s.Name {
		case "runtime.types":
			types = s.Value
		case "runtime.etypes":
			etypes = s.Value
		}
		if name, off := im.Symbol(s.Value); strings.HasPrefix(s.Name, "go:itab.") && (name != s.Name || off != 0) {
			t.Errorf("%#x is %s+%d, want %s", s.Value, name, off, s.Name)
		}
	}
	d, err := f.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	const runtimeType = dwarf.Attr(0x2904) // the offset of the descriptor, 0 if the linker has left it out
	names := map[uint64]string{}
	for r := d.Reader(); ; {
		e, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e == nil {
			break
		}
		if off, ok := e.Val(runtimeType).(uint64); ok && off != 0 {
			names[types+off] = e.Val(dwarf.AttrName).(string)
		}
	}
	wrong := 0
	fail := func(format string, args ...any) {
		if wrong++; wrong <= 10 {
			t.Errorf(format, args...)
		}
	}
	for addr, want := range names {
		got, ok := im.Dynamic(addr)
		if strings.Contains(want, "noalg.") || strings.Contains(want, "go.shape.") {
			continue // the compiler's own, which no value has
		}
		for off := uint64(8); off < 48; off += 8 {
			if got, ok := im.Dynamic(addr + off); ok {
				fail("%#x, within the descriptor of %s, is %s", addr+off, want, got.Name)
			}
		}
		if local.ReplaceAllString(got.Name, "") != local.ReplaceAllString(want, "") || got.Addr != addr {
			fail("%#x: got %v %v, want %s", addr, got, ok, want)
		}
	}
	more, itabs := 0, 0
	var last uint64 // descriptor
	for addr := types; addr < etypes; addr++ {
		got, ok := im.Dynamic(addr)
		if !ok {
			continue
		}
		name, _ := im.Symbol(addr)
		if got.Addr != addr {
			if itabs++; !strings.HasPrefix(name, "go:itab."+got.Name+",") {
				fail("%#x, the itab of %s, has the name %s", addr, got.Name, name)
			}
			continue
		}
		if name != "type:"+got.Name {
			fail("%#x, the type %s, has the name %s", addr, got.Name, name)
		}
		if addr-last < 48 {
			fail("%#x, within the descriptor at %#x, is %s", addr, last, got.Name)
		}
		if last = addr; names[addr] == "" {
			more++
		}
	}
	t.Logf("%d types, %d that DWARF does not have, %d itabs, %d wrong", len(names), more, itabs, wrong)
	if len(names) < 1000 {
		t.Errorf("%d types", len(names))
	}
}
