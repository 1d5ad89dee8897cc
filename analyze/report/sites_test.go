package report_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/machine/executable"
)

// Control characters in the names of an executable do not reach the terminal, because
// somebody else may have made the executable.
func TestSitesAreFitForATerminal(t *testing.T) {
	f := &executable.File{Packages: []*wire.Package{{
		Path: "main\x1b[2J", Files: []string{"a\x1b.go"},
		Skipped: []wire.Skipped{{Name: "main.f\x1b", File: 0, Line: 3, Reason: "why\nnot"}},
	}}}
	table, err := report.Sites("prog\x1b", f, report.SitesOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := listing.Text(&b, table); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if strings.ContainsRune(got, 0x1b) || !strings.Contains(got, `main.f\x1b`) || !strings.Contains(got, `why\nnot`) {
		t.Errorf("got %q", got)
	}
}

// The listing says what of a program has no outcomes of the source.
func TestActions(t *testing.T) {
	funcs := []executable.Function{{Name: "main.main", Size: 60}, {Name: "memmove", Size: 40, Assembly: true},
		{Name: "f", Size: 95}, {Name: "abs", Size: 5, Assembly: true}}
	data, err := (&actions.Table{Ops: []register.Op{{Do: register.End, Last: true}}, Sources: []*actions.Source{
		{Places: 1}, {Places: 2, UntoldIn: 1}, {}, {Places: 1, UntoldNodes: map[int]string{0: "merged"}},
		{Func: &actions.Func{Site: -1}, Places: 3, UntoldIn: 3},
	}, Funcs: []actions.Placed{{Firsts: []uint32{7}, Rows: []actiontable.Row{{PC: 3}, {PC: 5}}}}}).Append(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	table, err := actiontable.Check(data)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := report.Actions(table, funcs)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := listing.Text(&b, &report.SiteTable{Program: "app", All: true, Actions: counts}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"bytes, 2 rows of 1 function, with 1 register of paths\n",
		"of 4 functions of the source in the program, 2 (50.00%) have paths that cannot be told, and no path of 1 (25.00%) can\n",
		"of 4 functions in the program, 2 (50.00%), with 22.50% of the code, are in assembly, without outcomes of the source\n  40 bytes  memmove\n   5 bytes  abs\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("got %s, want %s", b.String(), want)
		}
	}
	if counts, err := report.Actions(nil, funcs); counts != nil || err != nil {
		t.Errorf("without a table: %+v, %v", counts, err)
	}
}

// Totals are sums over all packages, which are in the order of their import paths. Only
// selected functions and their taps count.
func TestSitesOfPackages(t *testing.T) {
	pkg := func(path string, paths uint64, skipped ...wire.Skipped) *wire.Package {
		return &wire.Package{
			Path: path, Files: []string{"x.go"},
			Funcs: []wire.Func{
				{Name: path + ".f", Line: 1, Graph: pdag.Graph{N: paths}},
				{Name: path + ".g", Line: 5, Base: paths, Graph: pdag.Graph{N: 10}},
			},
			Skipped: skipped,
			Taps:    []wire.Tap{{Tag: uint8(tuple.Load), Func: path + ".f", Line: 2, Col: 7, Expr: "p.n", Type: "int"}},
		}
	}
	f := &executable.File{Packages: []*wire.Package{
		pkg("q", 3, wire.Skipped{Name: "q.s", Line: 9, Reason: "//go:nosplit"}),
		pkg("p", 4, wire.Skipped{Name: "p.s", Line: 9, Reason: "//go:nosplit"}),
	}}
	for _, x := range []struct {
		name string
		o    report.SitesOptions
		want report.SiteCounts
	}{
		{"everything", report.SitesOptions{}, report.SiteCounts{Functions: 4, Paths: 27, Skipped: 2, Taps: 2}},
		{"two functions", report.SitesOptions{Func: regexp.MustCompile(`\.f$`)},
			report.SiteCounts{Functions: 2, Paths: 7, Taps: 2}},
		{"one package", report.SitesOptions{Func: regexp.MustCompile(`^q\.[gs]$`)},
			report.SiteCounts{Functions: 1, Paths: 10, Skipped: 1}},
	} {
		got, err := report.Sites("prog", f, x.o)
		if err != nil {
			t.Fatal(err)
		}
		if got.Total != x.want {
			t.Errorf("%s: got %+v, want %+v", x.name, got.Total, x.want)
		}
		if n := len(got.Packages); x.name == "one package" && n != 1 {
			t.Errorf("%s: %d packages are listed", x.name, n)
		} else if x.name != "one package" && (n != 2 || got.Packages[0].Package != "p") {
			t.Errorf("%s: the packages are %+v, want p before q", x.name, got.Packages)
		}
		for _, p := range got.Packages {
			if len(p.Functions) != 0 || len(p.Taps) != 0 {
				t.Errorf("%s: functions and taps of %s are listed without -all", x.name, p.Package)
			}
		}
	}
	all, err := report.Sites("prog", f, report.SitesOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	if p := all.Packages[0]; len(p.Functions) != 2 || len(p.Taps) != 1 || p.Taps[0].Line != 2 || p.Taps[0].Col != 7 {
		t.Errorf("all of p: %+v", p)
	}
	var b strings.Builder
	if err := listing.Text(&b, all); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\n\np: 2 functions with 14 paths, 1 skipped, 1 tap\n",
		"\n\nq: 2 functions with 13 paths, 1 skipped, 1 tap\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

// Only where there are several programs does a listing of coverage say in which directory each is.
func TestProgramsAreToldApart(t *testing.T) {
	one := report.CoverPackage{Package: "main", Dir: "/src/cmd/a", Statements: 4, Executed: 1}
	other := report.CoverPackage{Package: "main", Dir: "/src/cmd/b", Statements: 4, Executed: 3}
	for want, list := range map[string][]report.CoverPackage{"main 25.0%|p 50.0%|": {one,
		{Package: "p", Statements: 2, Executed: 1}}, "main in /src/cmd/a 25.0%|main in /src/cmd/b 75.0%|": {one, other}} {
		var b strings.Builder
		if err := listing.Text(&b, &report.CoverTotals{Packages: list,
			Total: report.CoverPackage{Package: "total"}}); err != nil {
			t.Fatal(err)
		}
		got := ""
		for line := range strings.Lines(b.String()) {
			if name, share, ok := strings.Cut(strings.TrimSpace(line), "  "); ok && strings.Contains(line, "%") {
				got += name + " " + strings.Fields(share)[0] + "|"
			}
		}
		if got != want {
			t.Errorf("got %q, want %q of\n%s", got, want, b.String())
		}
	}
}

// A listing of coverage has each gap of a function, those of a decision together, and the file of those in another one.
func TestGapsOfAFunction(t *testing.T) {
	table := &report.CoverTable{Functions: []report.CoverFunction{
		{Func: "p.f", File: "/p.go", StartLine: 3, Called: true, Gaps: []report.CoverGap{
			{File: "/p.go", Line: 5, Col: 2, Kind: "statement", Source: "return 1"},
			{File: "/p.go", Line: 6, Col: 5, Kind: "outcome", Text: "if false", Count: 9, Source: "if n > 0 {"},
			{File: "/p.y", Line: 7, Col: 1, Kind: "statement", Source: "x++"},
			{File: "/p.y", Line: 8, Col: 5, Kind: "condition", Text: "a", Want: "a=true b=false", Source: "a && b"},
			{File: "/p.y", Line: 8, Col: 5, Kind: "condition", Text: "b", Want: "a=true b=true", Source: "a && b"},
		}},
		{Func: "p.g", File: "/p.go", StartLine: 20},
	}, Incomplete: 3, Uncounted: []report.Uncounted{{File: "/p.go", Line: 30, Col: 7, Reason: "too long", Text: "a || b"},
		{File: "/q.go", Line: 4, Reason: "assembly", Text: "p.h"}}, Missing: []string{"/gone.go"}}
	var b strings.Builder
	if err := listing.Text(&b, table); err != nil {
		t.Fatal(err)
	}
	want := "p.f /p.go:3 5:2 not executed return 1 6:5 if false never, of 9 if n > 0 { /p.y:7:1 not executed x++ /p.y:8:5 a && b a: want a=true b=false b: want a=true b=true p.g /p.go:20 never called" +
		" 3 executions of decisions did not end. Not counted: /p.go:30:7 too long a || b /q.go:4 assembly p.h"
	if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, want) ||
		!strings.Contains(got, "/gone.go") {
		t.Errorf("got %s", b.String())
	}
}

// Of a table of branches the functions that match are listed, all if that is wanted, or none; that none matches is an
// error.
func TestListedBranches(t *testing.T) {
	pkgs := []branches.Package{{Path: "main",
		Actions: actions.Append(nil, &actions.Package{Path: "main", Sites: &wire.Package{Path: "main"}}),
		Funcs: []branches.Func{
			{Name: "main.f", Outcomes: make([]branches.Outcome, 2), Rows: make([]branches.Row, 2)}, {Name: "main.g"},
		}}}
	for _, x := range []struct {
		o    report.SitesOptions
		want string
	}{
		{report.SitesOptions{}, ""}, {report.SitesOptions{All: true}, "main.f main.g "},
		{report.SitesOptions{Func: regexp.MustCompile("g$")}, "main.g "},
		{report.SitesOptions{Func: regexp.MustCompile("h$")}, "app: no function matches \"h$\""},
	} {
		table, err := report.Branches("app", pkgs, x.o)
		if err != nil {
			if text, _, _ := strings.Cut(err.Error(), ": pep sites"); text != x.want {
				t.Errorf("%+v: %v", x.o, err)
			}
			continue
		}
		got := ""
		for _, f := range table.Listed {
			got += f.Func + " "
		}
		if got != x.want || table.Functions != 2 || table.Outcomes != 2 || table.Rows != 2 {
			t.Errorf("%+v: lists %q of %d functions with %d outcomes in %d rows, want %q of 2, 2, 2", x.o, got, table.Functions,
				table.Outcomes, table.Rows, x.want)
		}
	}
}

// An outcome that may have happened, or another in its stead, is listed as one that may be, and counts as no outcome of
// its own.
func TestListedJoinedConditions(t *testing.T) {
	pos := branches.Pos{File: "app.go", Line: 2, Col: 5}
	pkgs := []branches.Package{{Path: "main",
		Actions: actions.Append(nil, &actions.Package{Path: "main", Sites: &wire.Package{Path: "main"}}),
		Funcs: []branches.Func{{
			Name: "main.f",
			Outcomes: []branches.Outcome{{Kind: branches.True, Lost: branches.Merged, Pos: pos},
				{Kind: branches.True, Lost: branches.Either, Pos: pos}},
			Rows: []branches.Row{{PC: 5, Way: branches.NotTaken, Outcomes: []int{0}},
				{PC: 5, Way: branches.Taken, Outcomes: []int{1}}},
		}}}}
	table, err := report.Branches("app", pkgs, report.SitesOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, r := range slices.Concat(table.Listed[0].Rows, table.Listed[0].Uncounted) {
		got += r.Way + ": " + r.Outcome + "\n"
	}
	if want := "not taken: true\ntaken: maybe true\nmerged: true\n"; got != want || table.Outcomes != 1 ||
		table.Uncounted != 1 {
		t.Errorf("%d outcomes, %d of them uncounted, listed as\n%swant 1, 1 and\n%s", table.Outcomes, table.Uncounted, got, want)
	}
}
