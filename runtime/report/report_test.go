package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/report"
)

// tables are the site tables of
//
//	10	func (t *T) f(n int) {
//	11		for n > 0 {
//	12			if n%3 == 0 {
//	13				panic("no path ends here")
//	14			}
//	15			if n == 7 {
//	16				continue
//	17			}
//	18			n--
//	19			t.g()
//	20		}
//	21	}
//
// in package p, whose file is in p's external test as well.
func tables() []*wire.Package {
	f := wire.Func{
		Name: "p.(*T).f", File: 0, Line: 10, Base: 5,
		Graph: pdag.Graph{
			Nodes: []pdag.Node{
				{Out: []pdag.Edge{{To: 1, Ends: true}}},
				{Out: []pdag.Edge{{To: 2}, {To: pdag.Exit, Val: 2}}},
				{Out: []pdag.Edge{{To: 5, Dead: true}, {To: 3}}},
				{Out: []pdag.Edge{{To: 1, Val: 1, Ends: true}, {To: 4}}},
				{Out: []pdag.Edge{{To: 1, Ends: true}}},
				{Out: []pdag.Edge{{To: pdag.Exit, Dead: true}}},
			},
			Starts: []pdag.Start{{}, {Node: 1, Val: 1}, {Node: 4, Val: 4, Cut: true}},
			N:      5,
		},
		Blocks: []wire.Block{
			{Outs: []wire.Out{{Line: 11, Col: 2}}},
			{Branch: wire.Branch{Kind: "for", Line: 11, Col: 2},
				Outs: []wire.Out{{Outcome: "body", Line: 12, Col: 3}, {Outcome: "done", Line: 21, Col: 1}}},
			{Branch: wire.Branch{Kind: "if", Line: 12, Col: 3},
				Outs: []wire.Out{{Outcome: "true", Line: 13, Col: 4}, {Outcome: "false", Line: 15, Col: 3}}},
			{Branch: wire.Branch{Kind: "if", Line: 15, Col: 3},
				Outs: []wire.Out{{Outcome: "true", Line: 16, Col: 4}, {Outcome: "false", Line: 18, Col: 3}}},
			{Spans: []wire.Span{{Line: 18, Col: 3, EndLine: 19, EndCol: 8}}, Outs: []wire.Out{{Line: 11, Col: 2}}},
			{Outs: []wire.Out{{Line: 13, Col: 4}}},
		},
	}
	g := f
	g.Name, g.File = "p_test.g", 1
	return []*wire.Package{
		{Path: "p", Files: []string{"/src/p/x.go"}, Funcs: []wire.Func{f}},
		{Path: "p_test", Files: []string{"/src/p/x.go", "/src/p/x_test.go"}, Funcs: []wire.Func{g}},
	}
}

// The frames of the samples in these tests, and their numbers.
var frames = []report.Frame{
	inF:   {Func: "p.(*T).f", File: "/src/p/x.go", Line: 16, StartLine: 10},
	inG:   {Func: "p_test.g", File: "/src/p/x_test.go", Line: 16, StartLine: 10},
	main1: {Func: "main.main", File: "/src/main.go", Line: 5, StartLine: 3},
	inner: {Func: "p.(*T).f-range1", File: "/src/p/x.go", Line: 19, StartLine: 18},
	shape: {Func: "main.each[...]", Symbol: "main.each[go.shape.int]", File: "/src/each.go", Line: 7, StartLine: 6},
	// What //go:linkname names, and what is in a file that a //line directive names without a directory.
	linked:   {Func: "other.f", File: "/src/p/x.go", Line: 16, StartLine: 10},
	relative: {Func: "p.(*T).f", File: "x.go", Line: 16, StartLine: 10},
}

const (
	inF = iota
	inG
	main1
	inner
	shape
	linked
	relative
)

// exact is the facts of a profile.
var exact = facts.List{{Key: facts.Mode, Text: facts.ModeExact}}

func write(t *testing.T, samples ...report.Sample) (paths, edges *profile.Profile) {
	t.Helper()
	p := report.Profile{
		Packages:   wire.Whole(tables()...),
		Frames:     frames,
		Samples:    samples,
		Mapping:    pprofenc.Mapping{File: "/bin/p", BuildID: "00ff"},
		Facts:      exact,
		PeriodType: pprofenc.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Period:     1e7,
	}
	files := p.Write()
	parse := func(b []byte) *profile.Profile {
		p, err := profile.ParseData(b)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.CheckValid(); err != nil {
			t.Fatal(err)
		}
		return p
	}
	return parse(files[0].Data), parse(files[1].Data)
}

// text returns the output of pprof -raw from the sample types to the mappings.
func text(p *profile.Profile) string {
	_, s, _ := strings.Cut(p.String(), "Samples:\n")
	s, _, _ = strings.Cut(s, "Mappings\n")
	return s
}

func TestPathsAndEdges(t *testing.T) {
	paths, edges := write(t,
		report.Sample{Number: 5 + 0, Count: 2, Stack: []uint32{inF, main1}},
		report.Sample{Number: 5 + 1, Count: 7, Stack: []uint32{inF, main1}},
		report.Sample{Number: 5 + 3, Count: 3, Stack: []uint32{inF, main1}},
		report.Sample{Number: 5 + 4, Count: 1, Stack: []uint32{inF, main1}},
		report.Sample{Number: 5 + 3, Count: 4, Package: "p"},
	)
	want := `paths/count[dflt] branch_flow/count
          2          0: 1 2 7 
                from:[entry]
                path:[0 number]
          7         14: 3 2 7 
                branches:[11:2 for body; 15:3 if false] from:[loop] lines:[11-12,15,18-19]
                from_line:[11 line] path:[1 number]
          3          3: 4 5 7 
                branches:[11:2 for done] from:[loop] lines:[11]
                from_line:[11 line] path:[3 number]
          1          0: 6 2 7 
                from:[cut] lines:[18-19]
                from_line:[18 line] path:[4 number]
          4          4: 4 5 
                branches:[11:2 for done] from:[loop] lines:[11]
                from_line:[11 line] path:[3 number]
Locations
     1: 0x0 M=2 p.(*T).f.·p0 /src/p/x.go:11:0 s=10(p.(*T).f)
     2: 0x0 M=2 p.(*T).f /src/p/x.go:11:0 s=10
     3: 0x0 M=2 p.(*T).f.·p1 /src/p/x.go:11:0 s=10(p.(*T).f)
     4: 0x0 M=2 p.(*T).f.·p3 /src/p/x.go:21:0 s=10(p.(*T).f)
     5: 0x0 M=2 p.(*T).f /src/p/x.go:21:0 s=10
     6: 0x0 M=2 p.(*T).f.·p4 /src/p/x.go:11:0 s=10(p.(*T).f)
     7: 0x0 M=2 main.main /src/main.go:5:0 s=3
`
	if d := cmp.Diff(want, text(paths)); d != "" {
		t.Errorf("paths (-want +got):\n%s", d)
	}
	want = `edges/count[dflt]
          7: 1 4 
                branch:[x.go:11:2] kind:[for] outcome:[body]
          7: 2 4 
                branch:[x.go:15:3] kind:[if] outcome:[false]
          3: 3 4 
                branch:[x.go:11:2] kind:[for] outcome:[done]
          4: 3 
                branch:[x.go:11:2] kind:[for] outcome:[done]
Locations
     1: 0x0 M=2 p.(*T).f /src/p/x.go:12:0 s=10
     2: 0x0 M=2 p.(*T).f /src/p/x.go:18:0 s=10
     3: 0x0 M=2 p.(*T).f /src/p/x.go:21:0 s=10
     4: 0x0 M=2 main.main /src/main.go:5:0 s=3
`
	if d := cmp.Diff(want, text(edges)); d != "" {
		t.Errorf("edges (-want +got):\n%s", d)
	}
	for _, p := range []*profile.Profile{paths, edges} {
		if d := cmp.Diff([]string{"#pep.version=1 mode=exact"}, p.Comments); d != "" {
			t.Errorf("comments (-want +got):\n%s", d)
		}
	}
}

// A path from a place that does not tell a branch has no outcome for it. Other places do, and are apart from it.
func TestUntoldPlaces(t *testing.T) {
	pkgs := tables()
	pkgs[0].Funcs[0].Untold = []int{3}
	p := report.Profile{Packages: wire.Whole(pkgs...), Frames: frames, Facts: exact, Samples: []report.Sample{
		{Number: 5 + 1, Count: 7, Package: "p"}, {Number: 5 + 1, Count: 2, Package: "p", Untold: true},
		{Number: 5 + 3, Count: 4, Package: "p", Untold: true},
	}}
	files := p.Write()
	for i, want := range []string{
		"branches:[11:2 for body; 15:3 if false] from:[loop] lines:[11-12,15,18-19]\n" +
			"branches:[11:2 for body; 15:3 if untold] from:[loop] lines:[11-12,15,18-19]\n" +
			"branches:[11:2 for done] from:[loop] lines:[11]\n",
		"branch:[x.go:11:2] kind:[for] outcome:[body]\nbranch:[x.go:15:3] kind:[if] outcome:[false]\n" +
			"branch:[x.go:15:3] kind:[if] outcome:[untold]\nbranch:[x.go:11:2] kind:[for] outcome:[done]\n",
	} {
		f, err := profile.ParseData(files[i].Data)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for line := range strings.Lines(text(f)) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "branch") {
				got += line + "\n"
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("file %d (-want +got):\n%s", i, d)
		}
	}
}

// f of the tables is called 9 times. Its path p0 goes from the entry to the loop, p2 is a round that continues,
// and p3 leaves the loop and f.
func TestPathsThatHaveNotEnded(t *testing.T) {
	p := report.Profile{
		Packages: wire.Whole(tables()...),
		Samples: []report.Sample{
			{Package: "p", Number: 5 + 0, Count: 7},
			{Package: "p", Number: 5 + 2, Count: 20},
			{Package: "p", Number: 5 + 3, Count: 3},
		},
		Called: []report.Call{
			{Package: "p", Func: 0, Count: 9},
			{Package: "p_test", Func: 0, Count: 2}, // no path of it has ended
			{Package: "p_test", Func: 1, Count: 2}, // of damaged tables, as the next
			{Package: "q", Func: 0, Count: 2},
		},
		Facts: exact,
	}
	for kind, file := range p.Write() {
		f, err := profile.ParseData(file.Data)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int64{}
		for _, s := range f.Sample {
			if s.Label["path"] == nil || s.Label["path"][0] != "unended" {
				continue
			}
			leaf, fn := s.Location[0].Line[0], s.Location[1].Line[0]
			if len(s.Location) != 2 || leaf.Function.Name != fn.Function.Name+".·unended" || leaf.Line != fn.Line {
				t.Errorf("the stack is %s:%d, %s:%d, …", leaf.Function.Name, leaf.Line, fn.Function.Name, fn.Line)
			}
			got[fmt.Sprintf("%s:%d from %s %d", fn.Function.Name, fn.Line, s.Label["from"][0], s.NumLabel["from_line"])] += s.Value[0]
			for _, v := range s.Value[1:] {
				if v != 0 {
					t.Errorf("the values are %d, want one that is not 0", s.Value)
				}
			}
		}
		want := map[string]int64{
			"p.(*T).f:10 from entry []":  9 - 7,
			"p.(*T).f:11 from loop [11]": 7 + 20 - 20 - 3,
			"p_test.g:10 from entry []":  2,
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("file %d (-want +got):\n%s", kind, d)
		}
		if want := []string{"#pep.version=1 mode=exact unended=8"}; !cmp.Equal(f.Comments, want) {
			t.Errorf("the comments are %q, want %q", f.Comments, want)
		}
	}
}

// The system names of functions are those of the linker, with the shapes of generic functions. That of
// a path's function is known from its frame: the site table has one name for all shapes.
func TestSymbolsOfGenericFunctions(t *testing.T) {
	f := wire.Func{Name: "main.each[...]", Line: 6, Graph: tables()[0].Funcs[0].Graph, Blocks: tables()[0].Funcs[0].Blocks}
	p := report.Profile{
		Packages: wire.Whole(&wire.Package{Path: "main", Files: []string{"/src/each.go"}, Funcs: []wire.Func{f}}),
		Frames:   frames,
		Samples: []report.Sample{
			{Number: 3, Count: 3, Stack: []uint32{shape, shape, main1}},
			{Number: 3, Count: 4, Package: "main"},
		},
	}
	paths, err := profile.ParseData(p.Write()[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range paths.Sample {
		for _, l := range s.Location {
			got = append(got, l.Line[0].Function.Name+" is "+l.Line[0].Function.SystemName)
		}
	}
	want := []string{
		"main.each[...].·p3 is main.each[...]", "main.each[...] is main.each[go.shape.int]",
		"main.each[...] is main.each[go.shape.int]", "main.main is main.main",
		"main.each[...].·p3 is main.each[...]", "main.each[...] is main.each[...]",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("names (-want +got):\n%s", d)
	}
}

// A return in the body of a loop over a function ends a path of the function around it. The frames of the
// body and of what calls the body are no callers of that function.
func TestPathsThatEndInBodiesOfLoops(t *testing.T) {
	paths, _ := write(t,
		report.Sample{Number: 5 + 3, Count: 2, Stack: []uint32{inner, shape, inF, main1}},
		report.Sample{Number: 5 + 3, Count: 3, Stack: []uint32{inF, shape, inF, main1}}, // a recursion
		report.Sample{Number: 5 + 3, Count: 4, Stack: []uint32{inner, shape, main1}},    // cut
	)
	got := map[string]int64{}
	for _, s := range paths.Sample {
		var names []string
		for _, l := range s.Location {
			names = append(names, l.Line[0].Function.Name)
		}
		got[strings.Join(names, " ")] += s.Value[0]
	}
	want := map[string]int64{
		"p.(*T).f.·p3 p.(*T).f main.main":                         2,
		"p.(*T).f.·p3 p.(*T).f main.each[...] p.(*T).f main.main": 3,
		"p.(*T).f.·p3 p.(*T).f main.each[...] main.main":          4,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestPackagesAreToldApart(t *testing.T) {
	paths, _ := write(t,
		report.Sample{Number: 5, Count: 1, Stack: []uint32{inF}},
		report.Sample{Number: 5, Count: 10, Stack: []uint32{inG}},
		report.Sample{Number: 5, Count: 100, Stack: []uint32{linked}},
		report.Sample{Number: 5, Count: 1000, Stack: []uint32{relative}},
	)
	got := map[string]int64{}
	for _, s := range paths.Sample {
		got[s.Location[1].Line[0].Function.Name] = s.Value[0]
	}
	if d := cmp.Diff(map[string]int64{"p.(*T).f": 1101, "p_test.g": 10}, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestUnknownPathsAreCounted(t *testing.T) {
	paths, edges := write(t,
		report.Sample{Number: 8, Count: 1, Stack: []uint32{inF}},
		report.Sample{Number: 4, Count: 2, Stack: []uint32{inF}},   // before f
		report.Sample{Number: 10, Count: 4, Stack: []uint32{inF}},  // after f
		report.Sample{Number: 5, Count: 8, Stack: []uint32{main1}}, // a file of no package
		report.Sample{Number: 5, Count: 16, Package: "q"},
		report.Sample{Number: 5, Count: 32},
	)
	want := "#pep.version=1 mode=exact unknown_paths=62"
	if len(paths.Sample) != 1 || paths.Comments[0] != want || edges.Comments[0] != want {
		t.Errorf("%d samples, comments %q and %q", len(paths.Sample), paths.Comments, edges.Comments)
	}
}

// Sums and products that do not fit into 63 bits become the largest number.
func TestCountsDoNotWrap(t *testing.T) {
	const huge = 1 << 62
	paths, edges := write(t,
		report.Sample{Number: 5 + 3, Count: huge, Stack: []uint32{inF}},
		report.Sample{Number: 5 + 3, Count: huge, Package: "p"},
		report.Sample{Number: 5 + 3, Count: huge, Package: "p"},
	)
	largest := int64(0)
	for _, p := range []*profile.Profile{paths, edges} {
		for _, s := range p.Sample {
			for i, v := range s.Value {
				if v < huge {
					t.Errorf("value %d is %d", i, v)
				}
				largest = max(largest, v)
			}
		}
	}
	if largest != math.MaxInt64 {
		t.Errorf("the largest is %d, want %d: nothing overflows here", largest, int64(math.MaxInt64))
	}
}

// Tables are read from a program when they are needed, and then say what they say if they are in memory.
func TestTablesOfAProgram(t *testing.T) {
	var lazy []*wire.Lazy
	for _, p := range tables() {
		l, _, err := wire.ReadLazy(wire.AppendPackage(nil, p))
		if err != nil {
			t.Fatal(err)
		}
		lazy = append(lazy, l)
	}
	samples := []report.Sample{{Number: 5 + 1, Count: 7, Stack: []uint32{inF, main1}},
		{Number: 5 + 3, Count: 3, Package: "p"}}
	wantPaths, wantEdges := write(t, samples...)
	p := report.Profile{Packages: lazy, Frames: frames, Samples: samples, Facts: exact,
		PeriodType: pprofenc.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 1e7}
	for i, f := range p.Write() {
		got, err := profile.ParseData(f.Data)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(text([]*profile.Profile{wantPaths, wantEdges}[i]), text(got)); d != "" {
			t.Errorf("%s (-want +got):\n%s", f.Kind, d)
		}
	}
}
