package cover

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/machine/executable"
)

const src = `package p

func f(a, b, c bool) bool {
	if a && (b || c) {
		return true
	}
	return false
}
`

// site is the site table of f in a file. Its paths are 0: a, b; 1: a, not b, c; 2: a, neither; 3: not a.
func site(file string) *wire.Package {
	at := func(line, col, end int) wire.Span { return wire.Span{Line: line, Col: col, EndLine: line, EndCol: end} }
	branch := func(kind string, col int, outs ...int) wire.Block {
		b := wire.Block{Branch: wire.Branch{Kind: kind, Line: 4, Col: col}}
		for i, line := range outs {
			b.Outs = append(b.Outs, wire.Out{Outcome: [...]string{wire.OutTrue, wire.OutFalse}[i], Line: line, Col: 3})
		}
		return b
	}
	leave := func(line, col int) wire.Block {
		return wire.Block{Spans: []wire.Span{at(line, col, col+6)}, Outs: []wire.Out{{Line: line, Col: col}}}
	}
	first := branch("&&", 5, 4, 7)
	first.Spans = []wire.Span{at(4, 2, 18)}
	return &wire.Package{Path: "example.com/p", Files: []string{file}, Funcs: []wire.Func{{
		Name: "example.com/p.f", Line: 3,
		Graph: pdag.Graph{
			Nodes: []pdag.Node{
				{Out: []pdag.Edge{{To: 1}, {To: 4, Val: 3}}},
				{Out: []pdag.Edge{{To: 3}, {To: 2, Val: 1}}},
				{Out: []pdag.Edge{{To: 3}, {To: 4, Val: 1}}},
				{Out: []pdag.Edge{{To: pdag.Exit}}},
				{Out: []pdag.Edge{{To: pdag.Exit}}},
			},
			Starts: []pdag.Start{{Node: 0}}, N: 4,
		},
		Blocks: []wire.Block{first, branch("||", 11, 5, 4), branch("if", 16, 5, 7), leave(5, 3), leave(7, 2)},
	}}}
}

func program(t *testing.T, pkgs ...*wire.Package) *executable.File {
	t.Helper()
	var tables []byte
	for _, p := range pkgs {
		tables = wire.AppendPackage(tables, p)
	}
	data, err := wire.Join(tables)
	if err != nil {
		t.Fatal(err)
	}
	f, err := executable.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// run makes a run of f in which its paths were taken so many times.
func run(t *testing.T, file string, counts ...int) (*profile.File, *executable.File) {
	t.Helper()
	p := program(t, site(file))
	text := "profile paths\ncomment \"#pep.version=1 mode=exact\"\nbinary p.test\nbuild " + p.ID() +
		"\nperiod 1 paths/count\n"
	for i, n := range counts {
		if n > 0 {
			text += fmt.Sprintf("path func=example.com/p.f at=%s:3 path=p%d end=5 count=%d flow=1 from=entry lines=4\n", file, i,
				n)
		}
	}
	data, err := proftest.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := profile.Parse("p.test.1.paths.pb.gz", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return f, p
}

func write(t *testing.T, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// The vectors are those of the package comment.
func TestCoverage(t *testing.T) {
	file := write(t, src)
	paths, tables := run(t, file, 5, 0, 0, 2)
	c, err := New(paths, tables, source.NewTree(""), Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := c.Packages[0].Functions[0]
	d := f.Decisions[0]
	wantVectors := []Vector{
		{Conditions: []Truth{True, True, Skipped}, Outcome: true, Count: 5},
		{Conditions: []Truth{False, Skipped, Skipped}, Outcome: false, Count: 2},
	}
	if diff := cmp.Diff(wantVectors, d.Vectors); diff != "" || d.Text != "a && (b || c)" || len(f.Decisions) != 1 {
		t.Errorf("decision %q, %d of them, vectors (-want +got):\n%s", d.Text, len(f.Decisions), diff)
	}
	wantShown := []Shown{
		{True: 0, False: 1},
		{True: 0, False: -1, Missing: []Vector{{Conditions: []Truth{True, False, False}}}},
		{True: -1, False: -1, Missing: []Vector{{Conditions: []Truth{True, False, True}, Outcome: true},
			{Conditions: []Truth{True, False, False}}}},
	}
	if diff := cmp.Diff(wantShown, d.Masking()); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	want := Totals{Functions: Part{1, 1}, Statements: Part{3, 3}, Branches: Part{3, 6}, MCDC: Part{1, 3}}
	if got := c.Totals((*Decision).Masking); got != want {
		t.Errorf("totals %+v, want %+v", got, want)
	}

	var lcov, blocks strings.Builder
	if err := c.WriteLCOV(&lcov); err != nil {
		t.Fatal(err)
	}
	wantLCOV := "TN:\nSF:" + file + "\nFN:3,example.com/p.f\nFNDA:7,example.com/p.f\nFNF:1\nFNH:1\n" +
		"BRDA:4,0,0,5\nBRDA:4,0,1,2\nBRDA:4,1,0,5\nBRDA:4,1,1,0\nBRDA:4,2,0,-\nBRDA:4,2,1,-\nBRF:6\nBRH:3\n" +
		"DA:3,7\nDA:4,7\nDA:5,5\nDA:7,2\nLF:4\nLH:4\nend_of_record\n"
	if diff := cmp.Diff(wantLCOV, lcov.String()); diff != "" {
		t.Errorf("LCOV (-want +got):\n%s", diff)
	}
	if err := c.WriteProfile(&blocks); err != nil {
		t.Fatal(err)
	}
	wantBlocks := "mode: count\nexample.com/p/p.go:4.2,4.19 1 7\nexample.com/p/p.go:5.3,5.14 1 5\nexample.com/p/p.go:7.2,7.14 1 2\n"
	if diff := cmp.Diff(wantBlocks, blocks.String()); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
}

func TestWhatIsLeftOutAndRefused(t *testing.T) {
	for _, x := range []struct {
		name, text string
		o          Options
		functions  int
		err        string
	}{
		{"plain", src, Options{}, 1, ""},
		{"generated", strings.Replace(src, "package p\n\n", "// Code generated by x. DO NOT EDIT.\npackage p\n", 1),
			Options{}, -1, ""},
		{"other source", strings.Replace(src, "a && (b || c)", "b && (a && c)",
			1)[:40] + "\tif a { // && (b || c)\n\t}\n\treturn false\n}\n", Options{}, 0,
			"4:5: the source has no condition here"},
	} {
		file := write(t, x.text)
		paths, tables := run(t, file, 1, 1, 1, 1)
		c, err := New(paths, tables, source.NewTree(""), x.o)
		switch {
		case x.err != "":
			if err == nil || !strings.Contains(err.Error(), x.err) {
				t.Errorf("%s: got %v, want %q", x.name, err, x.err)
			}
		case err != nil:
			t.Errorf("%s: %v", x.name, err)
		case x.functions >= 0 && len(c.Packages) != x.functions, x.functions < 0 && len(c.Packages) != 0:
			t.Errorf("%s: %d packages", x.name, len(c.Packages))
		}
	}
}

// Decisions outside of the functions that are counted are listed; those of a generated file if such files are wanted.
func TestDecisionsThatAreNotCounted(t *testing.T) {
	const more = "\nvar v = a > 1 && b\n"
	for _, x := range []struct {
		text string
		o    Options
		want int // line
	}{
		{src + more, Options{}, 10}, {"// Code generated by x. DO NOT EDIT.\n" + src[:9] + src[10:] + more, Options{}, 0},
		{"// Code generated by x. DO NOT EDIT.\n" + src[:9] + src[10:] + more, Options{Generated: true}, 10},
	} {
		paths, tables := run(t, write(t, x.text), 1, 1, 1, 1)
		c, err := New(paths, tables, source.NewTree(""), x.o)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, u := range c.Uncounted {
			if n++; u.Line != x.want || u.Col != 9 || u.Text != "a > 1 && b" || u.Reason == "" {
				t.Errorf("%+v is not counted, want the decision in line %d", u, x.want)
			}
		}
		if n != min(x.want, 1) {
			t.Errorf("%d decisions are not counted, want %d", n, min(x.want, 1))
		}
	}
}

// The branches of a function are with the files that have them.
func TestBranchesOfOtherFiles(t *testing.T) {
	at := func(file string, line int) *Branch {
		return &Branch{File: file, Line: line, Outcomes: []Outcome{{Name: "true", Count: 4}, {Name: "false"}}}
	}
	c := &Coverage{Packages: []*Package{{Path: "p", Functions: []*Function{{
		Name: "p.f", File: "/b.go", Line: 1, Calls: 4,
		Statements: []Statement{{"/a.go", 5, 2, 5, 9, 4}, {"/b.go", 2, 2, 2, 9, 4}},
		Branches:   []*Branch{at("/a.go", 5), at("/b.go", 2), at("/b.go", 3)},
	}}}}}
	var b strings.Builder
	if err := c.WriteLCOV(&b); err != nil {
		t.Fatal(err)
	}
	const want = "TN:\nSF:/a.go\nFNF:0\nFNH:0\nBRDA:5,0,0,4\nBRDA:5,0,1,0\nBRF:2\nBRH:1\nDA:5,4\nLF:1\nLH:1\nend_of_record\n" +
		"TN:\nSF:/b.go\nFN:1,p.f\nFNDA:4,p.f\nFNF:1\nFNH:1\nBRDA:2,0,0,4\nBRDA:2,0,1,0\nBRDA:3,0,0,4\nBRDA:3,0,1,0\nBRF:4\nBRH:2\nDA:1,4\nDA:2,4\nDA:3,4\nLF:3\nLH:3\nend_of_record\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What readers join by is unique: programs may have functions of one name in a file that directives name, a name ends
// at a comma for them, and functions may stand on one line.
func TestKeysOfTracefiles(t *testing.T) {
	f := func(name string, line int, count int64) *Function {
		return &Function{Name: name, File: "/a.go", Line: line, Calls: count,
			Statements: []Statement{{"/a.go", 7, 4, 7, 9, count}},
			Branches: []*Branch{{File: "/a.go", Line: 7, Col: 4,
				Outcomes: []Outcome{{Name: "true", Count: count}, {Name: "false"}}}}}
	}
	c := &Coverage{Packages: []*Package{
		{Path: "main", Dir: "/a", Functions: []*Function{f("main.f", 3, 2), f("main.g[int,string]", 5, 0),
			f("main.g[int,bool]", 5, 1)}},
		{Path: "main", Dir: "/b", Functions: []*Function{f("main.f", 4, 0)}},
	}}
	var b strings.Builder
	if err := c.WriteLCOV(&b); err != nil {
		t.Fatal(err)
	}
	const want = "TN:\nSF:/a.go\nFN:3,main.f\nFN:4,main.f#2\nFN:5,main.g[int;bool]\nFN:5,main.g[int;string]\n" +
		"FNDA:2,main.f\nFNDA:0,main.f#2\nFNDA:1,main.g[int;bool]\nFNDA:0,main.g[int;string]\nFNF:4\nFNH:2\n" +
		"BRDA:7,0,0,2\nBRDA:7,0,1,0\nBRDA:7,1,0,-\nBRDA:7,1,1,-\nBRDA:7,2,0,1\nBRDA:7,2,1,0\nBRDA:7,3,0,-\nBRDA:7,3,1,-\nBRF:8\nBRH:2\n" +
		"DA:3,2\nDA:4,0\nDA:5,1\nDA:7,2\nLF:4\nLH:3\nend_of_record\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A path that a panic left has executed what comes before its first decision.
func TestWhatPanicsLeave(t *testing.T) {
	file := write(t, src)
	p := program(t, site(file))
	text := "profile paths\ncomment \"#pep.version=1 mode=exact\"\nbinary p.test\nbuild " + p.ID() +
		"\nperiod 1 paths/count\n" +
		"unended func=example.com/p.f at=" + file + ":3 from=entry line=3 count=4\n"
	data, err := proftest.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := profile.Parse("p.test.1.paths.pb.gz", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(f, p, source.NewTree(""), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, s := range c.Packages[0].Functions[0].Statements {
		got = append(got, s.Count)
	}
	if diff := cmp.Diff([]int64{4, 0, 0}, got); diff != "" {
		t.Errorf("counts of statements (-want +got):\n%s", diff)
	}
}

// Statements are those that go test -cover counts: in blocks and clauses, "if" behind "else", and loops.
func TestStatementsOfSource(t *testing.T) {
	const text = `package p

func f(n int) int {
	var x int
	for {
		if n > 1 {
			break
		} else if n < 0 {
			x++
			continue
		}
		switch {
		case n == 3:
			x = func() int {
				return 1
			}()
		}
	}
	return x
}
`
	file := readFile(source.NewTree(""), write(t, text))
	var lines []int
	for _, s := range file.list {
		lines = append(lines, s.Line)
	}
	if diff := cmp.Diff([]int{4, 5, 19, 6, 12, 8, 7, 9, 10, 14, 15}, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// What enters a loop may have no code: its empty span is where the loop is, or the span before it ends there. A label
// that goto has is no statement.
func TestEntriesOfLoopsAndLabels(t *testing.T) {
	const text = `package p

func f(n int) {
	n++
	for n > 0 {
		n--
	}
	for range n {
	}
again:
	n += 2
	if n < 0 {
		goto again
	}
outer:
	for n < 3 {
		break outer
	}
}
`
	file := readFile(source.NewTree(""), write(t, text))
	f := &Function{}
	add := func(branch bool, line, col, endLine, endCol int, count int64) {
		file.spans = append(file.spans, span{function: f, branch: branch,
			Statement: Statement{file.name, line, col, endLine, endCol, count}})
	}
	add(false, 4, 2, 5, 2, 1)
	add(true, 5, 6, 5, 6, 9)
	add(false, 6, 3, 6, 6, 8)
	add(false, 8, 2, 8, 2, 2)
	add(true, 8, 2, 8, 2, 7)
	add(false, 11, 2, 12, 10, 3)
	add(true, 12, 5, 12, 5, 3)
	add(false, 13, 3, 13, 13, 4)
	add(false, 15, 1, 15, 1, 5)
	add(true, 16, 6, 16, 6, 6)
	add(false, 17, 3, 17, 14, 7)
	file.statements()
	got := make(map[int]int64)
	for _, s := range f.Statements {
		got[s.Line] += s.Count
	}
	if diff := cmp.Diff(map[int]int64{4: 1, 5: 1, 6: 8, 8: 2, 11: 3, 12: 3, 13: 4, 15: 5, 17: 7}, got); diff != "" {
		t.Errorf("counts by line (-want +got):\n%s", diff)
	}
}

// A panic may have left a path in a call. Then what other ways lead to as well is not known to be executed.
func TestWhatPanicsMayNotHaveReached(t *testing.T) {
	next := func(to int) pdag.Node { return pdag.Node{Out: []pdag.Edge{{To: to}}} }
	span := func(line int) wire.Block { return wire.Block{Spans: []wire.Span{{Line: line}}} }
	for _, x := range []struct {
		calls []wire.Call
		want  []int64
	}{
		{nil, []int64{0, 4, 4, 4}},
		{[]wire.Call{{Node: 3}}, []int64{0, 4, 4, 4}},
		{[]wire.Call{{Node: 1}}, []int64{0, 4, 4, 0}},
	} {
		f := &function{begun: map[int64]int64{6: 4}, count: make([]int64, 4), site: &wire.Func{
			Line: 3, Calls: x.calls,
			Graph: pdag.Graph{
				Nodes:  []pdag.Node{{Out: []pdag.Edge{{To: 1, Ends: true}, {To: 3}}}, next(2), next(3), next(pdag.Exit)},
				Starts: []pdag.Start{{Node: 0}, {Node: 1}},
			},
			Blocks: []wire.Block{span(5), span(6), span(7), span(9)},
		}}
		f.countBegun()
		if diff := cmp.Diff(x.want, f.count); diff != "" {
			t.Errorf("calls %v: counts of nodes (-want +got):\n%s", x.calls, diff)
		}
	}
}

// The statement that has a function literal says nothing of those in it, nor they of it.
func TestStatementsInLiterals(t *testing.T) {
	const text = `package p

func f(n int) func() int {
	if n < 0 {
		n++
	} else if g(func() bool {
		return n < 9
	}) {
		n--
	}
	return func() int {
		if n > 1 {
			return 1
		} else if n < 3 {
			return 2
		}
		return 3
	}
}
`
	file := readFile(source.NewTree(""), write(t, text))
	outer, condition, inner := &Function{}, &Function{}, &Function{}
	add := func(f *Function, branch bool, line, col, endLine, endCol int, count int64) {
		file.spans = append(file.spans, span{function: f, branch: branch,
			Statement: Statement{file.name, line, col, endLine, endCol, count}})
	}
	add(outer, false, 4, 2, 4, 11, 5)
	add(outer, true, 6, 12, 6, 12, 4)
	add(condition, false, 7, 3, 7, 15, 80)
	add(outer, false, 11, 2, 18, 3, 5)
	add(inner, false, 12, 3, 12, 11, 70)
	add(inner, true, 14, 13, 14, 13, 0)
	file.statements()
	got := make(map[int]int64)
	for _, f := range []*Function{outer, condition, inner} {
		for _, s := range f.Statements {
			got[s.Line] += s.Count
		}
	}
	if diff := cmp.Diff(map[int]int64{4: 5, 6: 4, 7: 80, 11: 5, 12: 70, 14: 0}, got); diff != "" {
		t.Errorf("counts by line (-want +got):\n%s", diff)
	}
}

// Programs are told apart by their directories, packages are not: there is one of each path.
func TestDirectoriesOfPrograms(t *testing.T) {
	for path, want := range map[string]bool{"main": true, "example.com/p": false} {
		file := write(t, src)
		pkg := site(file)
		pkg.Path = path
		tables := program(t, pkg)
		data, err := proftest.Encode("profile paths\ncomment \"#pep.version=1 mode=exact\"\nbinary p.test\nbuild " +
			tables.ID() + "\nperiod 1 paths/count\n" +
			"path func=example.com/p.f at=" + file + ":3 path=p0 end=5 count=1 flow=1 from=entry lines=4\n")
		if err != nil {
			t.Fatal(err)
		}
		paths, err := profile.Parse("p.1.paths.pb.gz", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(paths, tables, source.NewTree(""), Options{})
		if err != nil || len(c.Packages) != 1 {
			t.Fatal(c, err)
		}
		if dir := c.Packages[0].Dir; (dir == filepath.Dir(file)) != want || (dir == "") == want {
			t.Errorf("package %s is in directory %q", path, dir)
		}
	}
}
