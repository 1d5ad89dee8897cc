package programs_test

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/insn"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/describe"
	"github.com/pepgo/pep/tracer/internal/values/modules"
	"github.com/pepgo/pep/tracer/internal/values/programs"
)

// builds has the files of the program, by flags.
var builds = map[string]string{}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, name := range builds {
		os.RemoveAll(filepath.Dir(name))
	}
	os.Exit(code)
}

// build builds the program, once with the same flags, and returns its file.
func build(t *testing.T, flags ...string) string {
	t.Helper()
	key := strings.Join(flags, " ")
	if builds[key] != "" {
		return builds[key]
	}
	dir, err := os.MkdirTemp("", "programs")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "shapes")
	builds[key] = name
	args := append(append([]string{"build", "-o", name}, flags...), "testdata/shapes.go")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return name
}

func imageOf(t *testing.T, name string) *capture.Image {
	t.Helper()
	im, err := image.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	id, err := programs.BuildID(im)
	if err != nil {
		t.Fatal(err)
	}
	return &capture.Image{BuildID: id, Path: name}
}

// symbols returns the symbols of an executable, as package elf reads them.
func symbols(t *testing.T, name string) map[string]elf.Symbol {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]elf.Symbol{}
	for _, s := range list {
		byName[s.Name] = s
	}
	return byName
}

// The build ID is the one that readelf or, without one, sha256sum prints.
func TestBuildID(t *testing.T) {
	for _, c := range []struct {
		flags []string
		tool  []string
	}{
		{nil, []string{"readelf", "-n"}},
		{[]string{"-ldflags=-B=none"}, []string{"sha256sum"}},
	} {
		name := build(t, c.flags...)
		out, err := exec.Command(c.tool[0], append(c.tool[1:], name)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if id := imageOf(t, name).BuildID; len(id) != 40 || !strings.Contains(string(out), id) {
			t.Errorf("%v: build ID %s, but %s says\n%s", c.flags, id, c.tool[0], out)
		}
	}
}

// The functions and lines are those that go tool addr2line prints.
func TestPositions(t *testing.T) {
	name := build(t)
	p := programs.New("")
	defer p.Close()
	of := imageOf(t, name)
	var pcs []string
	var got []string
	sum := symbols(t, name)["main.sum"]
	for pc := sum.Value; pc < sum.Value+sum.Size; pc += 3 {
		frames := p.Frames(of, pc)
		if len(frames) == 0 {
			t.Fatalf("no function at %#x", pc)
		}
		pcs = append(pcs, fmt.Sprintf("%#x", pc))
		got = append(got, fmt.Sprintf("%s\n%s:%d\n", frames[len(frames)-1].Func, frames[0].File, frames[0].Line))
	}
	cmd := exec.Command("go", "tool", "addr2line", name)
	cmd.Stdin = strings.NewReader(strings.Join(pcs, "\n") + "\n")
	want, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if g := strings.Join(got, ""); g != string(want) {
		t.Errorf("got\n%s\nwant, by addr2line\n%s", g, want)
	}
	if at := p.Position(of, sum.Value); !strings.HasPrefix(at, "main.sum shapes.go:2") {
		t.Errorf("position %q, want main.sum shapes.go:2x", at)
	}
}

// The module types names what an interface holds by the addresses that are in the executable, of itabs and
// of descriptors, which are what any holds. The stripped executable has them at the same addresses.
func TestTypesOfARealProgram(t *testing.T) {
	name := build(t)
	elfSymbols := symbols(t, name)
	for _, exe := range []string{name, build(t, "-ldflags=-s -w")} {
		p := programs.New("")
		defer p.Close()
		of := imageOf(t, exe)
		words := map[string]uint64{"main.sum": elfSymbols["main.sum"].Value}
		for addr := elfSymbols["runtime.types"].Value; addr < elfSymbols["runtime.etypes"].Value; addr += 8 {
			if symbol, offset := p.Symbol(of, addr); offset == 0 {
				words[symbol] = addr
			}
		}
		im, err := image.Open(exe)
		if err != nil {
			t.Fatal(err)
		}
		defer im.Close()
		list, err := modules.Parse("types", p)
		if err != nil {
			t.Fatal(err)
		}
		in, err := describe.Instruction(of, 0x401000, []byte{0x48, 0x8b, 0x08}) // mov rcx, [rax]
		if err != nil {
			t.Fatal(err)
		}
		typeOf := func(word uint64) (name string, value uint64) {
			run := capture.Run{Tuples: []capture.Tuple{{Insn: in, Known: capture.Result, Result: word}}}
			list[0].Transform(&run, func(x capture.Sample) { name, value = list[0].Format(in, x.Kind, x.Value), x.Value.Word })
			return name, value
		}
		for symbol, want := range map[string]string{
			"go:itab.main.square,main.shape": "main.square",
			"go:itab.*main.strip,main.shape": "*main.strip",
			"go:itab.*os.File,io.Writer":     "*os.File",
			"main.sum":                       "",
		} {
			word, ok := words[symbol]
			if !ok {
				t.Errorf("the program has no symbol %s", symbol)
				continue
			}
			got, value := typeOf(word)
			if got != want {
				t.Errorf("%s: %s: got type %q, want %q", exe, symbol, got, want)
			}
			if want == "" {
				continue
			}
			itab, err := im.Words(word, 2)
			if err != nil {
				t.Fatal(err)
			}
			if name, descriptor := typeOf(itab[1]); name != want || descriptor != itab[1] || value != itab[1] {
				t.Errorf("%s: the descriptor %#x in %s: got type %q of %#x and of the itab %#x, want %s", exe, itab[1], symbol,
					name, descriptor, value, want)
			}
		}
	}
}

// The frame sizes that callsites needs say where the return address is: in front of the first
// instruction, and of each RET, it is at the top of the stack.
func TestFrameSizes(t *testing.T) {
	name := build(t, "-ldflags=-s -w")
	p := programs.New("")
	defer p.Close()
	of := imageOf(t, name)
	im, err := image.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	functions, returns, frames := 0, 0, 0
	for fn := range im.Functions() {
		if !strings.HasPrefix(fn.Name, "main.") && !strings.HasPrefix(fn.Name, "fmt.") {
			continue
		}
		functions++
		if delta, ok := p.SPDelta(of, fn.Entry); !ok || delta != 0 {
			t.Errorf("%s: the frame has %d bytes at the entry, %v, want 0", fn.Name, delta, ok)
		}
		code, err := im.Code(fn)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(code); {
			x, err := insn.Decode(code[at:], fn.Entry+uint64(at))
			if err != nil {
				break
			}
			delta, ok := p.SPDelta(of, x.PC)
			if x.Flow == insn.Return {
				returns++
				if !ok || delta != 0 {
					t.Errorf("%s: the frame has %d bytes at the RET at %#x, want 0", fn.Name, delta, x.PC)
				}
			} else if delta > 0 {
				frames++
			}
			at += x.Len
		}
	}
	if functions < 30 || returns < 50 || frames < 1000 {
		t.Errorf("only %d functions, %d returns, %d instructions in frames", functions, returns, frames)
	}
}

func TestMissingPrograms(t *testing.T) {
	name, other := build(t), build(t, "-gcflags=-N -l")
	gone := &capture.Image{BuildID: imageOf(t, name).BuildID, Path: filepath.Join(t.TempDir(), "gone")}
	pc := symbols(t, name)["main.sum"].Value
	for _, c := range []struct {
		instead string
		want    string
	}{
		{"", "no such file"},
		{other, "is another build"},
		{name, ""},
	} {
		p := programs.New(c.instead)
		defer p.Close()
		frames := p.Frames(gone, pc)
		p.Frames(gone, pc) // says it once
		missing := strings.Join(p.Missing(), "|")
		if (len(frames) > 0) != (c.want == "") || !strings.Contains(missing, c.want) ||
			strings.Count(missing, "no names of functions") > 1 {
			t.Errorf("instead %q: frames %v, missing %q, want %q", c.instead, frames, missing, c.want)
		}
		if c.want != "" {
			if name, _ := p.Symbol(gone, pc); name != "" || p.Position(gone, pc) != "" {
				t.Errorf("instead %q: the symbol %q", c.instead, name)
			}
			if _, ok := p.SPDelta(gone, pc); ok {
				t.Errorf("instead %q: a frame size", c.instead)
			}
		}
	}
}

// The kernel's code in a process is in no file, so nothing is missing.
func TestCodeOfTheKernel(t *testing.T) {
	p := programs.New("")
	defer p.Close()
	if frames := p.Frames(&capture.Image{Path: "[vdso]"}, 0x1000); len(frames) > 0 || len(p.Missing()) > 0 {
		t.Errorf("frames %v, missing %q", frames, p.Missing())
	}
}

// Package insn finds written registers by its own decoder. Both agree on every instruction
// of a real program that both know.
func TestWrittenRegistersAreThoseOfInsn(t *testing.T) {
	name := build(t)
	im, err := image.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	compared, wrong := 0, 0
	for fn := range im.Functions() {
		code, err := im.Code(fn)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(code); {
			x, err := insn.Decode(code[at:], fn.Entry+uint64(at))
			if err != nil {
				break
			}
			if d, err := describe.Instruction(nil, x.PC, code[at:at+x.Len]); err == nil && len(d.Code) == x.Len &&
				d.Flow != capture.Call {
				if want, ok := x.Writes(); ok {
					compared++
					if got := insn.RegSet(d.Writes &^ capture.FlagsRegister); got != want {
						if wrong++; wrong < 20 {
							t.Errorf("% x in %s: writes %v, want %v", d.Code, fn.Name, got, want)
						}
					}
				}
			}
			at += x.Len
		}
	}
	t.Logf("%d instructions compared", compared)
	if compared < 100_000 {
		t.Errorf("only %d instructions compared", compared)
	}
}
