package actions

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/format/wire"
)

func set(n uint32) register.Op { return register.Op{Do: register.Set, Arg: n} }
func add(n uint32) register.Op { return register.Op{Do: register.Add, Arg: n} }

var end = register.Op{Do: register.End}

// source is the package
//
//	func f(n int) { if n > 0 { g() } }          path 0, and 1 if the condition holds
//	func g()      { for h() { } }               3 paths
//	func h() bool { … }                         has no numbers
func source() *Package {
	// graph has an if or a loop in front of the end.
	graph := func(edges ...pdag.Edge) pdag.Graph {
		g := pdag.Graph{Nodes: []pdag.Node{{Out: edges}}, Starts: []pdag.Start{{}}, N: uint64(len(edges))}
		return g
	}
	exit := pdag.Edge{To: pdag.Exit}
	block := wire.Block{Outs: make([]wire.Out, 2)}
	return &Package{Path: "p",
		Sites: &wire.Package{Path: "p", Files: []string{"p.go"}, Funcs: []wire.Func{
			{Name: "p.f", Graph: graph(exit, pdag.Edge{To: pdag.Exit, Val: 1}), Blocks: []wire.Block{block}},
			{Name: "p.g", Base: 2, Graph: graph(exit, pdag.Edge{To: pdag.Exit, Val: 1}), Blocks: []wire.Block{block}},
		}},
		Funcs: []Func{
			{Name: "p.f", Decl: branches.Pos{File: "p.go", Line: 1, Col: 6}, Site: 0, Enter: []register.Op{set(0)},
				Events: []Event{{Kind: branches.True, Line: 1, Col: 17, Ops: []register.Op{add(1)}, Nodes: []int{0}},
					{Kind: branches.False, Line: 1, Col: 17, Nodes: []int{0}}}},
			{Name: "p.g", Decl: branches.Pos{File: "p.go", Line: 2, Col: 6}, Site: 1, Enter: []register.Op{set(2)},
				Events: []Event{{Kind: branches.True, Line: 2, Col: 17, Ops: []register.Op{end, set(3)}, Vital: true}}},
			{Name: "p.h", Decl: branches.Pos{File: "p.go", Line: 3, Col: 6}, Site: -1, WhyUntold: "it has no body"},
		},
	}
}

// program is f with g inlined at address 100, and g itself at 200.
func program() (f, g branches.Placed) {
	pos := func(line, col int) branches.Pos { return branches.Pos{File: "p.go", Line: line, Col: col} }
	f = branches.Placed{Addr: 100, Func: branches.Func{Name: "p.f", Size: 50,
		Calls: []branches.Call{{Func: "p.g", Decl: pos(2, 6)}, {Func: "p.h", Decl: pos(3, 6)}},
		Outcomes: []branches.Outcome{
			{Kind: branches.Entry, Pos: pos(1, 6)}, {Kind: branches.True, Pos: pos(1, 17)},
			{Kind: branches.False, Pos: pos(1, 17)}, {Kind: branches.Exit, Pos: pos(1, 6)},
			{Kind: branches.Inline, Call: 1, Pos: pos(1, 28)}, {Kind: branches.True, Call: 1, Pos: pos(2, 17)},
			{Kind: branches.Leave, Call: 1, Pos: pos(1, 28)},
			{Kind: branches.Inline, Call: 2, Pos: pos(2, 21)},
		},
		Rows: []branches.Row{{PC: 4, Way: branches.At, Outcomes: []int{0}},
			{PC: 8, Way: branches.NotTaken, Outcomes: []int{1, 4}}, {PC: 8, Way: branches.Taken, Outcomes: []int{2}},
			{PC: 10, Way: branches.At, Outcomes: []int{7}}, {PC: 12, Way: branches.Jump, Index: 3, Outcomes: []int{5}},
			{PC: 20, Way: branches.At, Outcomes: []int{6, 3}}},
	}}
	g = branches.Placed{Addr: 200, Func: branches.Func{Name: "p.g", Size: 20,
		Outcomes: []branches.Outcome{{Kind: branches.Entry, Pos: pos(2, 6)}, {Kind: branches.True, Pos: pos(2, 17)},
			{Kind: branches.Exit, Pos: pos(2, 6)}},
		Rows: []branches.Row{{PC: 0, Way: branches.At, Outcomes: []int{0}}, {PC: 2, Way: branches.Taken, Outcomes: []int{1}},
			{PC: 9, Way: branches.At, Outcomes: []int{2}}},
	}}
	return f, g
}

// rows returns the rows of all functions.
func rows(t *Table) (list []string) {
	for _, f := range t.Funcs {
		for _, r := range f.Rows {
			list = append(list, row(uint32(f.Addr), r, t.Ops))
		}
	}
	return list
}

func row(addr uint32, r actiontable.Row, ops []register.Op) string {
	line := fmt.Sprintf("%d %c %d:", addr+r.PC, "@tnj"[r.Way], r.Index)
	for i := r.Action; ; i++ {
		op := ops[i]
		what := []string{"=", "+", "end"}[op.Do]
		if op.Do == register.Set && op.Arg&actiontable.Untold != 0 {
			what, op.Arg = "=untold ", op.Arg&^actiontable.Untold
		}
		line += fmt.Sprintf(" r%d %s%d", op.Slot, what, op.Arg)
		if op.Last {
			return line
		}
	}
}

// read returns the rows of a table as it is in a program whose text section begins at 4.
func read(data []byte) (list []string, err error) {
	t, err := actiontable.Check(data)
	if err != nil {
		return nil, err
	}
	rows, ops := make([]actiontable.Row, t.Most.Rows), make([]register.Op, t.Most.Ops)
	for fn := range t.Len() {
		n, ok := t.Decode(fn, rows, ops)
		if !ok {
			return nil, fmt.Errorf("function %d is damaged", fn)
		}
		for _, r := range rows[:n.Rows] {
			list = append(list, row(t.Addr(fn)+4, r, ops))
		}
	}
	return list, nil
}

func TestPlace(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(f, g *branches.Placed)
		want   []string // rows
		status string
	}{
		{"all is there", func(_, _ *branches.Placed) {},
			[]string{"104 @ 0: r0 =0", "108 n 0: r0 +1 r1 =2", "112 j 3: r1 end0 r1 =3", "120 @ 0: r1 end0 r0 end0",
				"200 @ 0: r0 =2", "202 t 0: r0 end0 r0 =3", "209 @ 0: r0 end0"}, "p.f 1/1 p.g 2/2 p.h 0/1 it has no body"},
		{"a condition is lost", func(f, _ *branches.Placed) { f.Outcomes[1].Lost = branches.Selected },
			[]string{"104 @ 0: r0 =untold 0", "108 n 0: r0 +1 r1 =2", "112 j 3: r1 end0 r1 =3", "120 @ 0: r1 end0 r0 end0",
				"200 @ 0: r0 =2", "202 t 0: r0 end0 r0 =3", "209 @ 0: r0 end0"},
			"p.f 1/1 untold 0 conditional move p.g 2/2 p.h 0/1 it has no body"},
		{"the header of a loop is lost in one place", func(f, _ *branches.Placed) { f.Outcomes[5].Lost = branches.Dropped },
			[]string{"104 @ 0: r0 =0", "108 n 0: r0 +1", "120 @ 0: r0 end0",
				"200 @ 0: r0 =2", "202 t 0: r0 end0 r0 =3", "209 @ 0: r0 end0"}, "p.f 1/1 p.g 1/2 dropped p.h 0/1 it has no body"},
		{"a return is lost", func(_, g *branches.Placed) { g.Outcomes[2].Lost = branches.NoPlace },
			[]string{"104 @ 0: r0 =0", "108 n 0: r0 +1 r1 =2", "112 j 3: r1 end0 r1 =3", "120 @ 0: r1 end0 r0 end0"},
			"p.f 1/1 p.g 1/2 return: no instruction p.h 0/1 it has no body"},
		{"the header of a loop is merged in one place", func(f, _ *branches.Placed) { f.Outcomes[5].Lost = branches.Merged },
			[]string{"104 @ 0: r0 =0", "108 n 0: r0 +1 r1 =2", "112 j 3: r1 end0 r1 =3", "120 @ 0: r1 end0 r0 end0",
				"200 @ 0: r0 =2", "202 t 0: r0 end0 r0 =3", "209 @ 0: r0 end0"}, "p.f 1/1 p.g 2/2 p.h 0/1 it has no body"},
		{"a return may have been another one's", func(_, g *branches.Placed) { g.Outcomes[2].Lost = branches.Either },
			[]string{"104 @ 0: r0 =0", "108 n 0: r0 +1 r1 =2", "112 j 3: r1 end0 r1 =3", "120 @ 0: r1 end0 r0 end0",
				"200 @ 0: r0 =2", "202 t 0: r0 end0 r0 =3", "209 @ 0: r0 end0"},
			"p.f 1/1 p.g 2/2 return: either p.h 0/1 it has no body"},
		{"a block has no instruction", func(f, _ *branches.Placed) {
			f.Rows = append(f.Rows, branches.Row{PC: 20, Way: branches.At, Outcomes: []int{0}},
				branches.Row{PC: 22, Way: branches.At, Outcomes: []int{3}})
		}, []string{"104 @ 0: r0 =0", "108 n 0: r0 +1 r1 =2", "112 j 3: r1 end0 r1 =3", "120 @ 0: r1 end0 r0 end0 r0 =0",
			"122 @ 0: r0 end0",
			"200 @ 0: r0 =2", "202 t 0: r0 end0 r0 =3", "209 @ 0: r0 end0"}, "p.f 1/1 p.g 2/2 p.h 0/1 it has no body"},
		{"the function is of a generic one, with the types of the source",
			func(_, g *branches.Placed) { g.Name = "p.g[int]" },
			[]string{"104 @ 0: r0 =0", "108 n 0: r0 +1 r1 =2", "112 j 3: r1 end0 r1 =3", "120 @ 0: r1 end0 r0 end0"},
			"p.f 1/1 p.g 1/1 p.h 0/1 it has no body"},
		{"a function has a table of jumps that does not fit", func(f, g *branches.Placed) {
			f.Rows[4].Index = 65536
			g.Rows[1].Way, g.Rows[1].Index = branches.Jump, 65535
		}, []string{"200 @ 0: r0 =2", "202 j 65535: r0 end0 r0 =3", "209 @ 0: r0 end0"},
			"p.f 0/1 a table of jumps has more than 65536 entries p.g 1/2 a table of jumps has more than 65536 entries p.h 0/1 it has no body"},
		{"rows of an instruction are in another order", func(f, _ *branches.Placed) {
			f.Rows = append(f.Rows[:1:1], branches.Row{PC: 8, Way: branches.Jump, Index: 2, Outcomes: []int{1}},
				branches.Row{PC: 8, Way: branches.Jump, Outcomes: []int{3}},
				branches.Row{PC: 8, Way: branches.At, Outcomes: []int{4}},
				branches.Row{PC: 8, Way: branches.Jump, Outcomes: []int{4}})
		}, []string{"104 @ 0: r0 =0", "108 @ 0: r1 =2", "108 j 0: r0 end0 r1 =2", "108 j 2: r0 +1",
			"200 @ 0: r0 =2", "202 t 0: r0 end0 r0 =3", "209 @ 0: r0 end0"}, "p.f 1/1 p.g 2/2 p.h 0/1 it has no body"},
	} {
		table, err := New([]*Package{source()})
		if err != nil {
			t.Fatal(err)
		}
		table.Calls = true
		f, g := program()
		test.change(&f, &g)
		table.Place(f)
		table.Place(g)
		if got := rows(table); !slices.Equal(got, test.want) {
			t.Errorf("%s: rows %q, want %q", test.name, got, test.want)
		}
		var status []string
		for _, s := range table.Sources {
			status = append(status, fmt.Sprintf("%s %d/%d", s.Name, s.Places-s.UntoldIn, s.Places))
			for n, why := range s.UntoldNodes {
				status = append(status, fmt.Sprintf("untold %d %s", n, why))
			}
			if s.Why != "" {
				status = append(status, s.Why)
			}
		}
		if got := strings.Join(status, " "); got != test.status {
			t.Errorf("%s: %s, want %s", test.name, got, test.status)
		}

		data, err := table.Append(nil, 4)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := read(append(data, 1, 2, 3)); err != nil || !slices.Equal(again, test.want) {
			t.Errorf("%s: read again: %q, %v", test.name, again, err)
		}
	}
}

// The program tells no path of a function if it tells none in any place. Of p.h nobody can tell paths, and a function
// with one path has nothing to tell.
func TestUntold(t *testing.T) {
	for _, test := range []struct {
		name           string
		here, inlined  bool // the end of g is lost: where it is a function, inlined into f
		paths          uint64
		partly, untold int
	}{
		{"told", false, false, 2, 0, 1},
		{"lost where it is a function", true, false, 2, 1, 1},
		{"lost where it is inlined", false, true, 2, 1, 1},
		{"lost everywhere", true, true, 2, 0, 2},
		{"lost everywhere, one path", true, true, 1, 1, 1},
	} {
		pkg := source()
		pkg.Sites.Funcs[1].Graph.N = test.paths
		table, err := New([]*Package{pkg})
		if err != nil {
			t.Fatal(err)
		}
		f, g := program()
		if test.here {
			g.Outcomes[2].Lost = branches.NoPlace
		}
		if test.inlined {
			f.Outcomes[6].Lost = branches.NoPlace
		}
		table.Place(f)
		table.Place(g)
		if got, want := table.Told(), (actiontable.Told{Functions: 3, Partly: test.partly,
			Untold: test.untold}); got != want {
			t.Errorf("%s: %+v, want %+v", test.name, got, want)
		}
		if got := table.Sources[1].Untold(); got != (test.untold > 1) {
			t.Errorf("%s: g is untold: %t", test.name, got)
		}
	}
}

func TestTells(t *testing.T) {
	table, err := New([]*Package{source()})
	if err != nil {
		t.Fatal(err)
	}
	f := table.Sources[0]
	if why := f.Tells(1); why != "" {
		t.Errorf("path 1: %s", why)
	}
	f.UntoldNodes[0] = "merged"
	if why := f.Tells(1); why != "merged" {
		t.Errorf("path 1: %q, want merged", why)
	}
	if s, n := table.Find(3); s.Name != "p.g" || n != 1 {
		t.Errorf("path 3 is path %d of %s, want 1 of p.g", n, s.Name)
	}
}

func TestRead(t *testing.T) {
	data := Append(nil, source())
	p, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if want := source().Funcs; !reflect.DeepEqual(p.Funcs, want) {
		t.Errorf("%+v, want %+v", p.Funcs, want)
	}
	for n := range data {
		if _, err := Read(data[:n]); err == nil {
			t.Errorf("the first %d bytes of %d are read", n, len(data))
		}
	}
}

// Nothing is read of a part of a table, and no table makes the reader panic.
func TestDamaged(t *testing.T) {
	data := table(t)
	for n := range data {
		if _, err := read(data[:n]); err == nil {
			t.Errorf("the first %d bytes of %d are read", n, len(data))
		}
	}
	for i := range data {
		for bit := range 8 {
			b := slices.Clone(data)
			b[i] ^= 1 << bit
			if _, err := read(b); err == nil {
				t.Errorf("bit %d of byte %d is another, and the table is read", bit, i)
			}
		}
	}
	pkgs, err := New([]*Package{source()})
	if err != nil {
		t.Fatal(err)
	}
	f, _ := program()
	pkgs.Place(f)
	if _, err := pkgs.Append(nil, 101); err == nil {
		t.Error("a function in front of the text section is written")
	}
}

// table returns a table of the functions of program.
func table(t testing.TB) []byte {
	t.Helper()
	pkgs, err := New([]*Package{source()})
	if err != nil {
		t.Fatal(err)
	}
	f, g := program()
	pkgs.Place(f)
	pkgs.Place(g)
	data, err := pkgs.Append(nil, 4)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func FuzzRead(f *testing.F) {
	f.Add(Append(nil, source()))
	f.Fuzz(func(_ *testing.T, data []byte) { Read(data) })
}

func FuzzTable(f *testing.F) {
	f.Add(table(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := actiontable.Open(data)
		if err != nil {
			return
		}
		var rows [100]actiontable.Row
		var ops [200]register.Op
		for fn := range a.Len() {
			if n, ok := a.Decode(fn, rows[:], ops[:]); ok &&
				(n.Rows > len(rows) || n.Ops > len(ops) || n.Registers > a.Most.Registers) {
				t.Errorf("%+v", n)
			}
		}
		a.Find(1 << 31)
	})
}

// The table of a program is that of its functions at the addresses of their symbols. Of another program it is refused.
// A function whose tables differ is in no place.
func TestLinkedTable(t *testing.T) {
	f, g := program()
	pkg := branches.Package{Path: "p", Actions: Append(nil, source()), Funcs: []branches.Func{f.Func, g.Func}}
	symbols := []branches.Symbol{{Name: "p.f", Addr: 100, Size: 50}, {Name: "p.g", Addr: 200, Size: 20},
		{Name: "memmove", Addr: 300, Size: 9}}
	table, err := Link([]branches.Package{pkg}, &branches.Executable{Functions: symbols}, true)
	if err != nil {
		t.Fatal(err)
	}
	want, err := New([]*Package{source()})
	if err != nil {
		t.Fatal(err)
	}
	want.Place(f)
	want.Place(g)
	if !slices.Equal(rows(table), rows(want)) || !table.Calls {
		t.Errorf("rows %q, want %q", rows(table), rows(want))
	}
	symbols[1].Size++
	if _, err := Link([]branches.Package{pkg}, &branches.Executable{Functions: symbols}, true); err == nil ||
		!strings.Contains(err.Error(), "of another program") {
		t.Errorf("with another size of p.g: %v", err)
	}
	symbols[1].Size--
	pkg.Actions = pkg.Actions[:3]
	if _, err := Link([]branches.Package{pkg}, &branches.Executable{Functions: symbols}, true); err == nil ||
		!strings.HasPrefix(err.Error(), "p: ") {
		t.Errorf("with damaged actions: %v", err)
	}
}

// Functions that the program does not have are not in its table, so the paths of the others have the numbers that they
// have without these. A function that may be in the program, as its name and size are, is kept.
func TestDroppedFunctions(t *testing.T) {
	f, g := program()
	pos := branches.Pos{File: "p.go", Line: 9, Col: 6}
	whole, other := source(), source()
	graph := whole.Sites.Funcs[0].Graph
	gone := wire.Func{Name: "p.gone", Line: 9, Graph: graph, Blocks: whole.Sites.Funcs[0].Blocks}
	whole.Sites.Funcs = append([]wire.Func{gone}, whole.Sites.Funcs...)
	for i := range whole.Sites.Funcs[1:] {
		whole.Sites.Funcs[1+i].Base += 2
	}
	for i := range whole.Funcs[:2] {
		whole.Funcs[i].Site++
		whole.Funcs[i].move(2)
	}
	whole.Funcs = append([]Func{{Name: "p.gone", Decl: pos, Enter: []register.Op{set(0)}}}, whole.Funcs...)
	whole.Funcs = append(whole.Funcs, Func{Name: "p.none", Decl: branches.Pos{File: "p.go", Line: 10, Col: 6}, Site: -1,
		WhyUntold: "it has no body"})
	whole.Sites.Skipped = []wire.Skipped{{Name: "p.h", Line: 3}, {Name: "p.none", Line: 10}}
	other.Path, other.Sites.Path = "q", "q"
	for i := range other.Funcs {
		other.Funcs[i].Decl.File = "q.go"
	}
	twice := branches.Func{Name: "p.gone", Size: 7, Outcomes: []branches.Outcome{{Kind: branches.Entry, Pos: pos}}}
	twin := branches.Func{Name: "p.gone", Size: 7,
		Outcomes: []branches.Outcome{{Kind: branches.Entry, Pos: pos}, {Kind: branches.True, Pos: pos}}}
	pkgs := []branches.Package{{Path: "p", Actions: Append(nil, whole),
		Funcs: []branches.Func{f.Func, g.Func, twice, twin}}, {Path: "q", Actions: Append(nil, other)}}
	symbols := []branches.Symbol{{Name: "p.f", Addr: 100, Size: 50}, {Name: "p.g", Addr: 200, Size: 20}}
	table, err := Link(pkgs, &branches.Executable{Functions: symbols}, true)
	if err != nil {
		t.Fatal(err)
	}
	want, err := New([]*Package{source()})
	if err != nil {
		t.Fatal(err)
	}
	want.Place(f)
	want.Place(g)
	if !slices.Equal(rows(table), rows(want)) {
		t.Errorf("rows %q, want %q", rows(table), rows(want))
	}
	if len(table.Packages) != 1 || len(table.Sources) != 3 {
		t.Fatalf("%d packages and %d functions of the source", len(table.Packages), len(table.Sources))
	}
	sites := table.Packages[0].Sites
	if len(sites.Funcs) != 2 || sites.Funcs[0].Name != "p.f" || sites.Funcs[0].Base != 0 || sites.Funcs[1].Base != 2 {
		t.Errorf("functions %v", sites.Funcs)
	}
	if len(sites.Skipped) != 1 || sites.Skipped[0].Name != "p.h" {
		t.Errorf("skipped %v", sites.Skipped)
	}

	symbols = append(symbols, branches.Symbol{Name: "p.gone", Addr: 300, Size: 7})
	if table, err = Link(pkgs, &branches.Executable{Functions: symbols}, true); err != nil {
		t.Fatal(err)
	}
	if n := len(table.Packages[0].Sites.Funcs); n != 3 || table.Sources[0].Name != "p.gone" ||
		table.Sources[0].UntoldIn == 0 {
		t.Errorf("%d functions, and of the first one %+v", n, table.Sources[0])
	}
}
