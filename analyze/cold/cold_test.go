package cold

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/internal/terminal"
)

// A code is a block of a function with lines.
type code struct {
	function string
	// "main.f 5, main.g 9+": of the function of the source, + for code that begins no statement, - for none
	lines string
}

// program makes a program of the package main in the file app.go, in which functions begin at the given lines. Each
// line of a block has 10 bytes, or none if it has only a call whose body is inlined there.
func program(starts map[string]int, list ...code) *Program {
	p := &Program{BuildID: "b1", Path: "/bin/app", Go: "go1.26.8", Module: "example.com/app", Scope: Modules, DWARF: true}
	for _, c := range list {
		i := slices.IndexFunc(p.Functions, func(f Function) bool { return f.Name == c.function })
		if i < 0 {
			i = len(p.Functions)
			p.Functions = append(p.Functions, Function{Name: c.function, Hash: uint64(len(c.function))})
		}
		f := &p.Functions[i]
		start := uint32(0)
		if n := len(f.Blocks); n > 0 {
			start = f.Blocks[n-1].End
		}
		b := Block{Start: start, End: start, Probed: true}
		for part := range strings.SplitSeq(c.lines, ", ") {
			var name, line string
			fmt.Sscan(part, &name, &line)
			var n int32
			fmt.Sscan(strings.TrimRight(line, "+-"), &n)
			k := slices.IndexFunc(p.Sources, func(s Source) bool { return s.Name == name })
			if k < 0 {
				k = len(p.Sources)
				p.Sources = append(p.Sources, Source{Name: name, Package: "main", File: "/src/app.go", Line: starts[name]})
			}
			x := Piece{Source: int32(k), Line: n, Size: 10, Statement: !strings.HasSuffix(line, "+")}
			if strings.HasSuffix(line, "-") {
				x.Size = 0
			}
			b.Pieces = append(b.Pieces, x)
			b.End += uint32(x.Size)
		}
		f.Blocks = append(f.Blocks, b)
	}
	return p
}

// ran returns data in which blocks were seen.
func ran(p *Program, blocks ...int) *Data {
	d := New(p)
	for _, id := range blocks {
		d.Seen[id] = Sight{At: 1000 + int64(id), Age: int64(id)}
	}
	return d
}

// states returns the lines of functions with their states: "main.f 5 ran".
func states(d *Data) (list []string) {
	for _, p := range NewTable(d, 0).Packages {
		for _, f := range p.Functions {
			list = append(list, fmt.Sprintf("%s %s", f.Name, f.State))
			for _, l := range f.Lines {
				list = append(list, fmt.Sprintf("%s %d-%d %s", f.Name, l.From, l.To, l.State))
			}
		}
	}
	slices.Sort(list)
	return list
}

func TestStates(t *testing.T) {
	starts := map[string]int{"main.f": 1, "main.f.func1": 4, "main.g": 20, "main.g.f.func1": 4, "main.h": 40,
		"main.Map[go.shape.int]": 30, "main.Map[go.shape.string]": 30, "main.Map[go.shape.int].func1": 33}
	for _, c := range []struct {
		name string
		list []code
		ran  []int
		want string
	}{
		{
			"lines", []code{{"main.f", "main.f 1, main.f 2"}, {"main.f", "main.f 3"}, {"main.f", "main.f 6"}}, []int{0, 2},
			"main.f 1-2 ran, main.f 3-3 never, main.f 6-6 ran, main.f ran",
		},
		{
			"a line of two blocks", []code{{"main.f", "main.f 2"}, {"main.f", "main.f 2"}}, []int{1},
			"main.f 2-2 ran, main.f ran",
		},
		{ // a spill of line 3 in a block that ran: it is not known whether the line did
			"no code of its own", []code{{"main.f", "main.f 2, main.f 3+"}, {"main.f", "main.f 3"}, {"main.f", "main.f 4+"}},
			[]int{0},
			"main.f 2-2 ran, main.f 3-4 no code, main.f ran",
		},
		{
			"inlined", []code{{"main.f", "main.f 1, main.f 2"}, {"main.f", "main.f 3"}, {"main.g", "main.g 21, main.f 2"},
				{"main.g", "main.f 3"}}, []int{2},
			"main.f 1-2 ran, main.f 3-3 never, main.f ran, main.g 21-21 ran, main.g ran",
		},
		{ // nothing is left of line 3 where f is inlined
			"lost where it is inlined", []code{{"main.f", "main.f 1, main.f 2"}, {"main.f", "main.f 3"},
				{"main.g", "main.g 21, main.f 2"}}, []int{2},
			"main.f 1-2 ran, main.f 3-3 no code, main.f ran, main.g 21-21 ran, main.g ran",
		},
		{ // in g, line 3 of f has only a part of h: the rest of h may have run
			"a part of a call that is inlined", []code{{"main.f", "main.f 1, main.f 2"}, {"main.f", "main.f 3"},
				{"main.g", "main.g 21, main.f 2"}, {"main.g", "main.f 3-, main.h 41"}}, []int{2},
			"main.f 1-2 ran, main.f 3-3 no code, main.f ran, main.g 21-21 ran, main.g ran, main.h 41-41 never, main.h never",
		},
		{
			"closures", []code{{"main.f", "main.f 2, main.f 3"}, {"main.f.func1", "main.f.func1 4"}, {"main.g", "main.g 21"},
				{"main.g.f.func1", "main.g.f.func1 4"}}, []int{2, 3},
			"main.f 2-3 never, main.f 4-4 ran, main.f ran, main.g 21-21 ran, main.g ran",
		},
		{
			"instances", []code{{"main.Map[go.shape.int]", "main.Map[go.shape.int] 31"},
				{"main.Map[go.shape.int].func1", "main.Map[go.shape.int].func1 33, main.Map[go.shape.int].func1 34"},
				{"main.Map[go.shape.string]", "main.Map[go.shape.string] 31"}}, []int{2},
			"main.Map[...] 31-31 ran, main.Map[...] 33-34 never, main.Map[...] ran",
		},
		{
			"a function of which nothing may be left", []code{{"main.f", "main.f 1"}, {"main.g", "main.g 21, main.g 22"}}, nil,
			"main.f 1-1 no code, main.f no code, main.g 21-22 never, main.g never",
		},
	} {
		got := strings.Join(states(ran(program(starts, c.list...), c.ran...)), ", ")
		if got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	p := program(map[string]int{"main.f": 1, "main.g": 20}, code{"main.f", "main.f 1, main.f 2"},
		code{"main.f", "main.f 3, main.f 4"}, code{"main.g", "main.g 21, main.g 22"})
	p.Sources = append(p.Sources, Source{"example.com/dep.F", "example.com/dep", "/mod/dep.go", 7})
	p.Functions = append(p.Functions, Function{Name: "example.com/dep.F",
		Blocks: []Block{{End: 50, Probed: true, Pieces: []Piece{{Source: 3 - 1, Line: 8, Size: 50, Statement: true}}},
			{Start: 50, End: 60}}})
	d := New(p)
	d.Seen[0] = Sight{At: 7300, Age: 10}
	d.Seen[1] = Sight{At: 7200 + 3600, Age: 3000}
	d.Watches = []Watch{{0, 1500}, {2000, 2500}}
	d.Refused[2] = true
	d.Began(map[string]bool{"main.f": true, "example.com/dep.G": true})
	table := NewTable(d, 1)
	var out bytes.Buffer
	if err := listing.Text(&out, table); err != nil {
		t.Fatal(err)
	}
	want := `/bin/app, watched for 2s, 3 blocks, of which 2 ran
never ran: 1 of 3 functions, 1 of 5 lines, 50 of 110 bytes of code

blocks  young  first seen (young: in the first minute of a process)
     1      1  1970-01-01 02:00 UTC
     1      0  1970-01-01 03:00 UTC

never: lines  of  bytes  of  package
           0   4      0  60  main
           1   1     50  50  example.com/dep

example.com/dep
  1 of 1 line  50 bytes  F  /mod/dep.go:7  not called

not probed:
  main.g  a block of 20 bytes: the kernel refuses it, or the program has changed the code
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	out.Reset() // on a narrow screen the ends of names and positions stay
	if err := listing.TextFor(terminal.Screen{Width: 42}, &out, table); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "…/dep.go:7 ") {
		t.Errorf("got\n%s", out.String())
	}
}

// A function that ran has the first sight of any of its blocks, whichever block comes first.
func TestFirstSight(t *testing.T) {
	d := New(program(map[string]int{"main.f": 1}, code{"main.f", "main.f 1"}, code{"main.f", "main.f 2"},
		code{"main.f", "main.f 3"}))
	d.Seen[0], d.Seen[1], d.Seen[2] = Sight{At: 500, Age: 7}, Sight{At: 300, Age: 9}, Sight{At: 400, Age: 8}
	f := NewTable(d, 0).Packages[0].Functions[0]
	if f.First == nil || f.Age == nil || *f.First != 300 || *f.Age != 9 {
		t.Errorf("%+v is first seen in another moment than 300 s", f)
	}
}

// Costs have units that fit them.
func TestCost(t *testing.T) {
	var out strings.Builder
	err := listing.Text(&out, &Table{Cost: &Cost{
		Probes: 12, Attach: 1.5, Detach: 0.0321, Hits: 40, Warm: 0, Tracer: 4e-6, Median: 2500, P90: 70_000, P99: 2e6,
		Max: 3e9, Last: 60, Steady: 0.00042,
	}})
	const want = `12 probes, attached in 1.5 s, removed in 32.1 ms; 40 hits, about 0 s of the program's CPU time; 4 µs of peptrace's
from the first hit of a block to its removal: median 2.5 µs, 90 % 70 µs, 99 % 2 ms, most 3 s
in the last 60 s hits took 0.042 % of a CPU
`
	if err != nil || !strings.Contains(out.String(), want) {
		t.Errorf("%v, got\n%swant\n%s", err, &out, want)
	}
}

// Instances of a generic function that never ran stand below it; closures do not, because lines say it of them.
func TestInstances(t *testing.T) {
	starts := map[string]int{"main.Map[go.shape.int]": 30, "main.Map[go.shape.string]": 30,
		"main.Map[go.shape.int].func1": 33}
	d := ran(program(starts, code{"main.Map[go.shape.int]", "main.Map[go.shape.int] 31"},
		code{"main.Map[go.shape.int].func1", "main.Map[go.shape.int].func1 33, main.Map[go.shape.int].func1 34"},
		code{"main.Map[go.shape.string]", "main.Map[go.shape.string] 31"}), 2)
	var text strings.Builder
	if err := listing.Text(&text, NewTable(d, 0)); err != nil {
		t.Fatal(err)
	}
	const want = `
main
  2 of 3 lines  20 bytes  Map[...]             /src/app.go:30  33-34
                10 bytes    Map[go.shape.int]                  not called
`
	if !strings.HasSuffix(text.String(), want) {
		t.Errorf("the text does not end with%s:\n%s", want, &text)
	}
}

// What is written is read, as it grows, by one writer.
func TestFile(t *testing.T) {
	p := program(map[string]int{"main.f": 1}, code{"main.f", "main.f 1, main.f 2+"}, code{"main.f", "main.f 3"},
		code{"main.f", "main.f 4"})
	p.Unprobed = []Unprobed{{"main.h", "why"}}
	p.LeftOut = LeftOut{1, 2, 3}
	blocks := p.Functions[0].Blocks
	blocks[0].One, blocks[0].Branch, blocks[0].Taken = true, 13, 40
	blocks[1].Pieces[0].Body = 2
	blocks[2].Probed = false
	name := filepath.Join(t.TempDir(), "app.cold")
	w, d, err := Open(name, p)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(name, p); !errors.Is(err, ErrBusy) {
		t.Errorf("a second writer: %v", err)
	}
	want := New(p)
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("a new file (-want +got):\n%s", diff)
	}
	check := func(when string) {
		t.Helper()
		got, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	check("with a program")
	if err := errors.Join(w.Sights(Sight{100, 5}, []int{1}), w.Watch(Watch{1, 2}), w.Watch(Watch{1, 3}),
		w.Refused([]int{2}), w.Running([]int{0})); err != nil {
		t.Fatal(err)
	}
	want.Seen[1], want.Watches, want.Refused[2], want.Running[0] = Sight{100, 5}, []Watch{{1, 3}}, true, true
	check("with sights")
	w.Close()

	// It goes on behind what was not finished, also under another name of the program.
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, slices.Concat(whole, frame(recordSights, sights(Sight{200, 1}, []int{0}))[:5],
		make([]byte, 55)), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(name); err != nil || got.Lost != 60 || got.Seen[0].At != 0 {
		t.Errorf("a record that is not whole: %+v, %v", got, err)
	}
	moved := *p
	moved.Path = "/elsewhere/app"
	if w, d, err = Open(name, &moved); err != nil {
		t.Fatal(err)
	}
	if d.Seen[1].At != 100 || d.Lost != 0 {
		t.Errorf("again: %+v", d)
	}
	if err := errors.Join(w.Sights(Sight{300, 7}, []int{2, 0, 1, 0}), w.Close()); err != nil {
		t.Fatal(err)
	}
	want.Seen[0], want.Seen[2] = Sight{300, 7}, Sight{300, 7}
	check("again")
	var b bytes.Buffer
	if _, err := want.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	check("written at once")

	// Other programs are refused.
	other := program(map[string]int{"main.f": 1}, code{"main.f", "main.f 1"})
	for want, change := range map[string]func(){
		"of another build, in which 0.0 % of the blocks": func() { other.BuildID = "b2" },
		"it has the blocks of -pkg=deps":                 func() { other.BuildID, other.Scope = "b1", All },
		"another version of peptrace":                    func() { other.Scope = Modules },
	} {
		change()
		if w, _, err := Open(name, other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
			if err == nil {
				w.Close()
			}
		}
	}
}

// Damaged files give errors or less data, and never more.
func FuzzParse(f *testing.F) {
	p := program(map[string]int{"main.f": 1}, code{"main.f", "main.f 1, main.f 2+"}, code{"main.f", "main.f 3"})
	d := ran(p, 1)
	d.Watches, d.Refused[0] = []Watch{{1, 2}}, true
	var b bytes.Buffer
	if _, err := d.WriteTo(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(p.plain())
	f.Add([]byte(magic))
	f.Add(append([]byte(magic), frame(recordSights, []byte{2, 2, 0})...))
	f.Add(append(b.Bytes(), frame(recordSights, []byte{2, 2, 200, 1})...))
	f.Add(append(b.Bytes(), frame(recordProgram, p.encode())...))
	f.Fuzz(func(t *testing.T, b []byte) {
		readProgram(packed(b))
		d, size, err := parse(b)
		if err != nil {
			return
		}
		if size > len(b) || len(d.Seen) != d.Program.NumBlocks() {
			t.Errorf("%d of %d bytes, %d sights of %d blocks", size, len(b), len(d.Seen), d.Program.NumBlocks())
		}
		NewTable(d, 0)
		d.Coverage(source.NewTree(""))
	})
}

func TestDamagedFiles(t *testing.T) {
	p := program(map[string]int{"main.f": 1}, code{"main.f", "main.f 1"})
	begin := append([]byte(magic), frame(recordProgram, p.encode())...)
	for want, b := range map[string][]byte{
		"not a file of peptrace cold":           []byte("pepcool2"),
		"another version of peptrace wrote it":  []byte("pepcold1"),
		"does not describe a program":           []byte(magic),
		"a record of kind 'S'":                  append([]byte(magic), frame(recordSights, []byte{2, 2, 0})...),
		"a record of kind 'Q'":                  append(begin, frame('Q', nil)...),
		"does not fit its program":              append(begin, frame(recordSights, []byte{2, 2, 1})...),
		"cannot be unpacked":                    append([]byte(magic), frame(recordProgram, []byte("x"))...),
		"the description of its program is too": append([]byte(magic), frame(recordProgram, packed(p.plain()[:20]))...),
	} {
		if _, _, err := parse(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got the error %v, want %q", err, want)
		}
	}
}

func TestMerge(t *testing.T) {
	dir := t.TempDir()
	save := func(name string, d *Data) string {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.WriteTo(f); err != nil {
			t.Fatal(err)
		}
		f.Close()
		return f.Name()
	}
	starts := map[string]int{"main.f": 1, "main.g": 20}
	a := ran(program(starts, code{"main.f", "main.f 1"}, code{"main.f", "main.f 2"}, code{"main.g", "main.g 21"}), 0)
	a.Watches = []Watch{{5, 6}}
	b := ran(program(starts, code{"main.f", "main.f 1"}, code{"main.f", "main.f 2"}, code{"main.g", "main.g 21"}), 2)
	b.Seen[0] = Sight{At: 10, Age: 1}
	b.Watches = []Watch{{1, 2}}
	// Another build has g ahead of f, and another g.
	other := program(starts, code{"main.g", "main.g 21"}, code{"main.f", "main.f 1"}, code{"main.f", "main.f 2"})
	other.BuildID, other.Functions[0].Hash = "b2", 99
	c := ran(other, 0, 2)
	names := []string{save("a", a), save("b", b), save("c", c)}
	d, err := ReadAll(names)
	if err != nil {
		t.Fatal(err)
	}
	if want := []Sight{{10, 1}, {1002, 2}, {1002, 2}}; !slices.Equal(d.Seen, want) {
		t.Errorf("got %v, want %v", d.Seen, want)
	}
	if want := []Watch{{0, 0}, {1, 2}, {5, 6}}; !slices.Equal(d.Watches, want[1:]) {
		t.Errorf("watches %v", d.Watches)
	}
	if want := []string{names[2] + " is of another build: 66.7 % of its 3 blocks are in functions that are equal"}; !slices.Equal(d.Notes, want) {
		t.Errorf("notes %q, want %q", d.Notes, want)
	}
	whole, err := os.ReadFile(names[1])
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(dir, "cut")
	if err := os.WriteFile(cut, append(whole, 0), 0o666); err != nil {
		t.Fatal(err)
	}
	if d, err = ReadAll([]string{names[0], cut}); err != nil ||
		!slices.Equal(d.Notes, []string{cut + ": the last 1 byte of the file are no whole record, and were left out"}) {
		t.Errorf("with a byte too many: notes %q, %v", d.Notes, err)
	}
	d, err = ReadAll([]string{names[2], names[0]})
	if err != nil || d.Program.BuildID != "b2" || d.Seen[0].At != 1000 || d.Seen[1].At != 1000 {
		t.Errorf("the other way: %+v, %v", d, err)
	}
	strange := program(map[string]int{"main.x": 1}, code{"main.x", "main.x 1"})
	if _, err := ReadAll([]string{names[0], save("d", ran(strange))}); err == nil ||
		!strings.Contains(err.Error(), "different programs") {
		t.Errorf("another program: %v", err)
	}
}

func TestCoverage(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "app.go"), []byte("func f() {\n\tx()\n\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	d := ran(program(map[string]int{"main.f": 1}, code{"main.f", "main.f 1"}, code{"main.f", "main.f 2"},
		code{"main.f", "main.f 4, main.f 5"}), 0)
	var profile, lcov bytes.Buffer
	c := d.Coverage(source.NewTree(dir))
	if err := errors.Join(c.WriteProfile(&profile), c.WriteLCOV(&lcov)); err != nil {
		t.Fatal(err)
	}
	want := "mode: set\n/src/app.go:1.1,1.11 1 1\n/src/app.go:2.2,2.5 1 0\n/src/app.go:4.1,4.2 1 0\n/src/app.go:5.1,5.1000 1 0\n"
	if diff := cmp.Diff(want, profile.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, want := range []string{"SF:/src/app.go\n", "FNDA:1,main.f\n", "DA:1,1\nDA:2,0\nDA:4,0\nDA:5,0\nLF:4\nLH:1\n"} {
		if !strings.Contains(lcov.String(), want) {
			t.Errorf("no %q in\n%s", want, lcov.String())
		}
	}
}
