package guide_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/instrument/describe"
	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/guide"
	"github.com/pepgo/pep/instrument/mark"
)

// The file that the profiles below are about. In their version f began on line 3.
const source = `package p



func f(x, m int) int {
	if x > 0 {
		x++
	}
	m += x
	switch m {
	case 1:
		m = 5
	case 2:
		m = 6
	}
	return m
}

func _(x int) { if x > 0 { println() } }

func _(x int) { if x > 0 { println() } }
`

// apply returns the counts of the edges in a source, and how well the profile fits.
func apply(t *testing.T, source string, p *guide.Package) (counts []string, m guide.Match) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "/new/x.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	files := []*ast.File{file}
	funcs, _, err := flow.Functions(&flow.Config{
		Path: "example.com/p.v2", Fset: fset, Files: files,
		Markers:  mark.Files(files, nil, func(*ast.File) bool { return false }, func(ast.Node) {}),
		Importer: importer.Default(),
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	d := describe.New(fset, func(name string) int {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		return slices.Index(names, name)
	})
	var sources []guide.Source
	for _, f := range funcs {
		sources = append(sources, guide.Source{Func: f, Blocks: d.Blocks(f)})
	}
	m = p.Apply("example.com/p.v2", fset, names, sources)
	for _, s := range sources {
		for i, n := range s.Nodes {
			for j, e := range n.Out {
				if e.Measured != 0 {
					b := s.Blocks[i].Branch
					at := strings.TrimPrefix(fmt.Sprintf("%s:%d", strings.TrimPrefix(names[b.File], "/new/"), b.Line), "x.go:")
					counts = append(counts, fmt.Sprintf("%s %s: %g", at, s.Blocks[i].Outs[j].Outcome, e.Measured))
				}
			}
		}
	}
	return counts, m
}

func outcomes(names ...string) map[string]float64 {
	m := map[string]float64{}
	for i, name := range names {
		m[name] = float64(10 * (i + 1))
	}
	return m
}

func TestBranchesAreFoundByName_PositionAndKind(t *testing.T) {
	counts, m := apply(t, source, &guide.Package{Funcs: []*guide.Func{
		{Name: "f", File: "x.go", Line: 3, Branches: []guide.Branch{
			{Line: 4, Col: 5, Kind: "if", Outcomes: outcomes("true", "false")},
			{Line: 8, Col: 2, Kind: "switch", Outcomes: outcomes("case 1", "case 3", "no case")}, // case 3 is gone
			{Line: 8, Col: 2, Kind: "type switch", Outcomes: outcomes("case 1")},                 // was something else
			{Line: 9, Col: 5, Kind: "if", Outcomes: outcomes("true")},                            // is gone
		}},
		{Name: "_", File: "x.go", Line: 21, Branches: []guide.Branch{{Line: 21, Col: 20, Kind: "if",
			Outcomes: outcomes("false")}}},
		{Name: "f", File: "y.go", Line: 3, Branches: []guide.Branch{{Line: 4, Col: 5, Kind: "if",
			Outcomes: outcomes("true")}}},
		{Name: "gone", File: "x.go", Line: 3},
	}})
	if diff := cmp.Diff([]string{"6 true: 10", "6 false: 20", "10 case 1: 10", "10 no case: 30", "21 false: 10"},
		counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	want := guide.Match{Funcs: 2, FuncsOf: 4, Branches: 3, BranchesOf: 6, Counts: 30 + 40 + 10,
		CountsOf: 30 + 60 + 10 + 10 + 10 + 10}
	if m != want {
		t.Errorf("got %+v, want %+v", m, want)
	}
}

// A block weighs what its busiest line does, and the way around it has what is left, here of the
// 90 samples of the condition: 60. 10 samples count like an execution.
func TestLinesTellEdges(t *testing.T) {
	counts, m := apply(t, source, &guide.Package{Funcs: []*guide.Func{{Name: "f", File: "x.go", Line: 3,
		Lines: []guide.Line{
			{Line: 4, Samples: 90}, {Line: 5, Samples: 30}, {Line: 7, Samples: 70},
			{Line: 10, Samples: 20}, {Line: 12, Samples: 80},
			{Line: 40, Samples: 7}, // behind the function
		}}}})
	if diff := cmp.Diff([]string{"6 true: 3", "6 false: 6", "10 case 1: 2", "10 case 2: 8"}, counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	want := guide.Match{Funcs: 1, FuncsOf: 1, Branches: 2, BranchesOf: 2, Counts: 290, CountsOf: 297, Lines: true}
	if m != want {
		t.Errorf("got %+v, want %+v", m, want)
	}
}

// Where no line around a branch has samples, and where all of its blocks are on one line, nothing is
// known. Here the switch has samples behind it.
func TestLinesThatTellNothing(t *testing.T) {
	counts, m := apply(t, source, &guide.Package{Funcs: []*guide.Func{
		{Name: "f", File: "x.go", Line: 3, Lines: []guide.Line{{Line: 14, Samples: 50}}},
		{Name: "_", File: "x.go", Line: 21, Lines: []guide.Line{{Line: 21, Samples: 50}}},
	}})
	if len(counts) != 1 || counts[0] != "10 no case: 5" || m.Branches != 1 || m.BranchesOf != 3 {
		t.Errorf("counts %q, %+v", counts, m)
	}
}

// A function with parts in other files, of which two have the same base name.
const templates = `package p

func f(x int) int {
	if x > 0 {
		x++
	}
//line a.tmpl:1
	if x > 1 {
		x++
	}
//line b.tmpl:1
	if x > 2 {
		x++
	}
//line other/b.tmpl:1
	if x > 3 {
		x++
	}
	return x
}
`

func TestBranchesOfOtherFiles(t *testing.T) {
	branches := []guide.Branch{{Line: 4, Col: 5, Kind: "if", Outcomes: outcomes("true", "false")}}
	for _, file := range []string{"a.tmpl", "b.tmpl"} {
		b := branches[0]
		b.File, b.Line = file, 1
		branches = append(branches, b)
	}
	counts, m := apply(t, templates, &guide.Package{Funcs: []*guide.Func{{Name: "f", File: "x.go", Line: 3,
		Branches: branches}}})
	if diff := cmp.Diff([]string{"4 true: 10", "4 false: 20", "a.tmpl:1 true: 10", "a.tmpl:1 false: 20"},
		counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if m.Branches != 2 || m.BranchesOf != 3 {
		t.Errorf("%d of %d branches, want 2 of 3", m.Branches, m.BranchesOf)
	}

	lines := []guide.Line{{Line: 4, Samples: 90}, {Line: 5, Samples: 30}}
	counts, m = apply(t, templates, &guide.Package{Funcs: []*guide.Func{{Name: "f", File: "x.go", Line: 3, Lines: lines}}})
	if want := (guide.Match{Funcs: 1, FuncsOf: 1, BranchesOf: 4, CountsOf: 120, Lines: true}); len(counts) > 0 ||
		m != want {
		t.Errorf("lines: counts %q, %+v, want none, %+v", counts, m, want)
	}
}

func TestName(t *testing.T) {
	for _, test := range [][3]string{
		{"main", "main.(*T).f.func1", "(*T).f.func1"},
		{"example.com/p.v2", "example.com/p%2ev2.f[...]", "f[...]"},
		{"example.com/p.v2", "example.com/p.v2.init.func1", "init.func1"},
	} {
		if got := guide.Name(test[0], test[1]); got != test[2] {
			t.Errorf("Name(%q, %q) = %q, want %q", test[0], test[1], got, test[2])
		}
	}
}
