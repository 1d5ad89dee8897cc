package annotate

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

const header = `
comment "#pep.version=1 mode=exact"
binary /bin/app
build 5eed
period 1 paths/count
`

const signPaths = `profile paths` + header + `
path func=main.sign at=/src/app/sign.go:10 path=p0 end=12 count=7 flow=7 from=entry lines=10-12 branches="11:2 if true" callers="main.main /src/app/main.go:9"
path func=main.sign at=/src/app/sign.go:10 path=p1 end=14 count=1 flow=1 from=entry lines=10-11,14 branches="11:2 if false" callers="main.main /src/app/main.go:9"
`

const signEdges = `profile edges` + header + `
edge func=main.sign at=/src/app/sign.go:10 branch=sign.go:11:2 kind=if outcome=true line=12 count=7
edge func=main.sign at=/src/app/sign.go:10 branch=sign.go:11:2 kind=if outcome=false line=14 count=1
`

var signSource = "package main" + strings.Repeat("\n",
	9) + "func sign(n int) int {\n\tif n < 0 {\n\t\treturn -1\n\t}\n\treturn 1\n}\n"

func parse(t *testing.T, text string) *profile.File {
	t.Helper()
	data, err := proftest.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := profile.Parse("app", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestDoc checks the example of the package comment.
func TestDoc(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sign.go"), []byte(signSource), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := New(Input{Run: &profile.Run{Paths: parse(t, signPaths), Edges: parse(t, signEdges)},
		Source: source.NewTree(dir)})
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Detail(0)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, l := range d.Lines {
		count, text, branches := " ", "", ""
		if l.State == Seen {
			count = fmt.Sprint(l.Count)
		}
		for _, r := range l.Text {
			text += r[1]
		}
		for _, b := range d.Branches {
			if b.Line == l.Line {
				branches = fmt.Sprintf("              %s: %s %d, %s %d", b.Kind, b.Outcomes[0].Name, b.Outcomes[0].Count,
					b.Outcomes[1].Name, b.Outcomes[1].Count)
			}
		}
		got += strings.TrimRight(fmt.Sprintf("%s  %d  %s%s", count, l.Line, text, branches), " ") + "\n"
	}
	doc, err := os.ReadFile("annotate.go")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile(`(?m)^//\t.*10  func sign(.*\n//\t)+.*\n`).FindString(string(doc))
	want := regexp.MustCompile(`(?m)^//\t`).ReplaceAllString(block, "")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-doc +got):\n%s", diff)
	}
	if c := d.Callers; len(c) != 1 || c[0] != (Call{"main.main", 9, 8, 1}) {
		t.Errorf("callers %v", c)
	}
}

// Runs of text make up the source, with the classes that the language gives them.
func TestWords(t *testing.T) {
	list := strings.Split(`package p // comment
/* a
b */ func f(x int) string {
	return g(x, len("a\"b"), 'c', 0x1f) + `+"`raw\nraw2` + h.Méthode (x)"+`
}
	"unterminated`, "\n")
	var got []string
	for i, runs := range words(list) {
		text := ""
		for _, r := range runs {
			text += r[1]
			if r[0] != "" {
				got = append(got, r[0]+":"+r[1])
			}
		}
		if text != list[i] {
			t.Errorf("line %q became %q", list[i], text)
		}
	}
	want := []string{"k:package", "c:// comment", "c:/* a", "c:b */", "k:func", "f:f", "b:int", "b:string", "k:return",
		"f:g", "b:len",
		`s:"a\"b"`, "s:'c'", "n:0x1f", "s:`raw", "s:raw2`", "f:Méthode", `s:"unterminated`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The numbers of a program and of its functions follow from those of its paths: f has 14 paths, of one and of two
// branches by turns, and g has one. The loop of f begins at line 20.
func TestNumbersOfPaths(t *testing.T) {
	paths, edges := "profile paths"+header, "profile edges"+header
	counts := []float64{100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 9, 8, 7, 6}
	var all, flow, entries [2]float64 // of f and g
	entropy := 0.
	for i, n := range counts {
		from, branches := "entry", `11:2 if true`
		if i%3 == 2 {
			from = `"loop f.go:20"`
		} else {
			entries[0] += n
		}
		one := n
		if i%2 == 1 {
			branches += `; 21:2 if false`
			one += n
		}
		flow[0] += one
		all[0] += n
		paths += fmt.Sprintf("path func=main.f at=/src/app/f.go:10 path=p%d end=30 count=%.f flow=%.f from=%s lines=10-30 branches=%q\n", i, n, one, from, branches)
		edges += fmt.Sprintf("edge func=main.f at=/src/app/f.go:10 branch=f.go:11:2 kind=if outcome=true line=12 count=%.f\n",
			n)
	}
	for _, n := range counts {
		entropy -= n / all[0] * math.Log2(n/all[0])
	}
	paths += "path func=main.g at=/src/app/f.go:40 path=p0 end=42 count=50 flow=50 from=entry lines=40-42 branches=\"41:2 if true\"\n"
	all[1], flow[1], entries[1] = 50, 50, 50
	p, err := New(Input{Run: &profile.Run{Paths: parse(t, paths), Edges: parse(t, edges)},
		Source: source.NewTree(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	if p.Paths != 15 || float64(p.Count) != all[0]+all[1] || float64(p.Flow) != flow[0]+flow[1] || len(p.Functions) != 2 {
		t.Fatalf("%d paths with %d ends and a flow of %d in %d functions, want 15, %v, %v in two", p.Paths, p.Count, p.Flow,
			len(p.Functions), all, flow)
	}
	for i, f := range p.Functions {
		if near := math.Abs(f.Share-flow[i]/(flow[0]+flow[1])) < 1e-9; float64(f.Count) != all[i] ||
			float64(f.Flow) != flow[i] || !near || f.State != Seen {
			t.Errorf("%s: %d ends, flow %d, share %g, state %s; want %g, %g of %g, seen", f.Name, f.Count, f.Flow, f.Share,
				f.State, all[i], flow[i], flow[0]+flow[1])
		}
	}
	d, err := p.Detail(0)
	if err != nil {
		t.Fatal(err)
	}
	if float64(d.Entries) != entries[0] || d.PathsSeen != 14 || math.Abs(d.Entropy-entropy) > 1e-9 {
		t.Errorf("%d entries, %d paths, entropy %g; want %g, 14, %g", d.Entries, d.PathsSeen, d.Entropy, entries[0], entropy)
	}
	last := int64(math.MaxInt64)
	sum := 0.
	for _, x := range d.Paths {
		sum += x.Share
		if math.Abs(x.Share-float64(x.Flow)/flow[0]) > 1e-9 || x.Flow > last || x.Low != x.Share || x.High != x.Share {
			t.Errorf("path %s has a flow of %d and the share %g to %g to %g", x.Name, x.Flow, x.Low, x.Share, x.High)
		}
		last = x.Flow
	}
	more := 1 - sum
	if len(d.Paths) != 12 || d.MorePaths != 2 || math.Abs(d.MoreShare-more) > 1e-9 || more < .001 {
		t.Errorf("%d paths with %g of the flow, %d more with %g", len(d.Paths), sum, d.MorePaths, d.MoreShare)
	}
}

// The bounds of a path's share are those of its count.
func TestBoundsOfPaths(t *testing.T) {
	const header = "\ncomment \"#pep.version=1 mode=sampled equal_bursts=100\"\nbinary app\nbuild 5eed\nperiod 10000000 cpu/nanoseconds\n"
	const path = "path func=main.f at=/x.go:10 path=p%d end=12 count=%d flow=%d samples=10 variance=250000 from=entry lines=10-12 branches=\"11:2 if true\"\n"
	paths := parse(t, "profile paths estimated"+header+fmt.Sprintf(path, 0, 30000, 30000)+fmt.Sprintf(path, 1, 10000,
		10000))
	p, err := New(Input{Run: &profile.Run{Paths: paths, Edges: parse(t, "profile edges estimated"+header)},
		Source: source.NewTree(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Detail(0)
	if err != nil {
		t.Fatal(err)
	}
	list, err := paths.Paths()
	if err != nil || len(d.Paths) != 2 {
		t.Fatal(d.Paths, err)
	}
	for i, x := range d.Paths {
		b := paths.CountBounds(list[i].Count, list[i].Estimate)
		share := []float64{.75, .25}[i]
		low, high := share*b.Low/float64(list[i].Count), share*b.High/float64(list[i].Count)
		if x.Share != share || math.Abs(x.Low-low) > 1e-9 || math.Abs(x.High-min(high, 1)) > 1e-9 ||
			!(low < share && share < high) {
			t.Errorf("path %s has the share %g to %g to %g, want %g to %g to %g", x.Name, x.Low, x.Share, x.High, low, share,
				high)
		}
	}
}

// A branch that one place of the program tells and another does not has the outcomes of both, by the edges. What no
// sample shows may have been in the place that does not tell, and so may lines on one way.
func TestUntoldPlaces(t *testing.T) {
	graph := pdag.Graph{Nodes: []pdag.Node{{Out: []pdag.Edge{{To: 1}, {To: 2, Val: 1}}}, {Out: []pdag.Edge{{To: 2}}},
		{Out: []pdag.Edge{{To: pdag.Exit}}}}, Starts: []pdag.Start{{}}, N: 2}
	fn := wire.Func{Name: "main.f", Line: 10, Graph: graph, Untold: []int{0}, Blocks: []wire.Block{
		{Branch: wire.Branch{Kind: "if", Line: 11, Col: 5},
			Outs: []wire.Out{{Outcome: wire.OutTrue, Line: 12}, {Outcome: wire.OutFalse, Line: 14}}},
		{Spans: []wire.Span{{Line: 12, EndLine: 12}}, Outs: []wire.Out{{Line: 14}}},
		{Spans: []wire.Span{{Line: 14, EndLine: 14}}, Outs: []wire.Out{{Line: 14}}},
	}}
	const header = "\ncomment \"#pep.version=1 mode=exact\"\nbinary /bin/app\nbuild 5eed000000000000\nperiod 1 paths/count\n"
	path := func(outcome string, n int) string {
		return fmt.Sprintf("path func=main.f at=/src/app/f.go:10 path=p0 end=14 count=%d flow=%[1]d from=entry lines=11-14 branches=\"11:5 if %s\"\n", n, outcome)
	}
	edge := func(outcome string, n int) string {
		return fmt.Sprintf("edge func=main.f at=/src/app/f.go:10 branch=f.go:11:5 kind=if outcome=%s line=12 count=%d\n",
			outcome, n)
	}
	for _, test := range []struct {
		name, paths, edges, want string
		line                     State
	}{
		{"one place tells", path("true", 30) + path("untold", 10), edge("true", 30) + edge("untold", 10),
			"true 30 seen, untold 10 seen", Untold},
		{"no place tells", path("untold", 10), edge("untold", 10), "untold 10 seen", Untold},
		{"all places tell", path("true", 30), edge("true", 30), "true 30 seen, false 0 never", Seen},
	} {
		p, err := New(Input{
			Run: &profile.Run{Paths: parse(t, "profile paths"+header+test.paths),
				Edges: parse(t, "profile edges"+header+test.edges)},
			Program: &executable.File{Build: [8]byte{0x5e, 0xed},
				Packages: []*wire.Package{{Path: "main", Files: []string{"/src/app/f.go"}, Funcs: []wire.Func{fn}}}},
			Source: source.NewTree(t.TempDir()),
		})
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Detail(0)
		if err != nil || len(d.Branches) != 1 {
			t.Fatalf("%s: %d branches, %v", test.name, len(d.Branches), err)
		}
		var got []string
		for _, o := range d.Branches[0].Outcomes {
			got = append(got, fmt.Sprintf("%s %d %s", o.Name, o.Count, o.State))
		}
		if got := strings.Join(got, ", "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		for _, l := range d.Lines {
			if l.Line == 12 && l.State != test.line {
				t.Errorf("%s: line 12 is %q, want %q", test.name, l.State, test.line)
			}
		}
	}
}

// Of a function whose paths the code of the program does not tell, and of its lines and branches, nothing is known but
// what its callees show.
func TestUntoldFunctions(t *testing.T) {
	graph := pdag.Graph{Nodes: []pdag.Node{{Out: []pdag.Edge{{To: 1}, {To: pdag.Exit, Val: 1}}},
		{Out: []pdag.Edge{{To: pdag.Exit}}}}, Starts: []pdag.Start{{}}, N: 2}
	fn := func(name string, line int) wire.Func {
		return wire.Func{Name: name, Line: line, Graph: graph, Blocks: []wire.Block{
			{Branch: wire.Branch{Kind: "if", Line: line + 1, Col: 5},
				Outs: []wire.Out{{Outcome: wire.OutTrue, Line: line + 2}, {Outcome: wire.OutFalse, Line: line + 4}}},
			{Spans: []wire.Span{{Line: line + 2, EndLine: line + 2}}, Outs: []wire.Out{{Line: line + 4}}},
		}}
	}
	const header = "\ncomment \"#pep.version=1 mode=sampled form=windows tick=10000000 clock=cpu equal_bursts=90\"\nbinary /bin/app\nbuild 5eed000000000000\nperiod 10000000 cpu/nanoseconds\n"
	paths := "profile paths" + header + "path func=main.g at=/src/app/f.go:40 path=p0 end=42 count=50 flow=50 from=entry lines=40-42 branches=\"41:2 if true\" callers=\"main.called /src/app/f.go:10 start=10\"\n"
	p, err := New(Input{
		Run: &profile.Run{Paths: parse(t, paths), Edges: parse(t, "profile edges"+header)},
		Program: &executable.File{Build: [8]byte{0x5e, 0xed},
			Packages: []*wire.Package{{Path: "main", Files: []string{"/src/app/f.go"},
				Funcs: []wire.Func{fn("main.called", 10), fn("main.untold", 20), fn("main.told", 30)},
				Skipped: []wire.Skipped{{Name: "main.called", Line: 10, Reason: "dropped"},
					{Name: "main.untold", Line: 20, Reason: "merged"}, {Name: "main.large", Line: 50, Reason: "too many paths"}}}}},
		Source: source.NewTree(t.TempDir()),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		name, why    string
		state, lines State
	}{{"main.called", "dropped", Ran, Untold}, {"main.untold", "merged", Untold, Untold}, {"main.told", "", Never, Few}} {
		i := slices.IndexFunc(p.Functions, func(f *Function) bool { return f.Name == want.name })
		if i < 0 || p.Functions[i].State != want.state || p.Functions[i].Untold != want.why {
			t.Errorf("%s: %+v, want state %s, %s", want.name, p.Functions[i], want.state, want.why)
			continue
		}
		d, err := p.Detail(i)
		if err != nil {
			t.Fatal(err)
		}
		line := slices.IndexFunc(d.Lines, func(l Line) bool { return l.Line == p.Functions[i].Line+1 })
		if line < 0 || d.Lines[line].State != want.lines || len(d.Branches) != 1 || d.Branches[0].State != want.lines {
			t.Errorf("%s: lines %+v, branches %+v, want state %s", want.name, d.Lines, d.Branches, want.lines)
		}
	}
	if len(p.Functions) != 4 {
		t.Errorf("%d functions, want 4", len(p.Functions))
	}
}

// No sample is of a path of f, but one of what f called. If the call is in line 12, the branch behind that line ran,
// and which way is not known; if it is in line 14, the branch came out true. Lines of another file are not those of the
// function's graph.
func TestWhatCallersRan(t *testing.T) {
	f := wire.Func{
		Name: "main.f", Line: 10,
		Graph: pdag.Graph{
			Nodes: []pdag.Node{{Out: []pdag.Edge{{To: 1}, {To: 2, Val: 1}}}, {Out: []pdag.Edge{{To: pdag.Exit}}},
				{Out: []pdag.Edge{{To: pdag.Exit}}}},
			Starts: []pdag.Start{{}},
			N:      2,
		},
		Blocks: []wire.Block{
			{
				Branch: wire.Branch{Kind: "if", Line: 13, Col: 2}, Spans: []wire.Span{{Line: 11, Col: 2, EndLine: 12, EndCol: 9}},
				Outs: []wire.Out{{Outcome: "true", Line: 14, Col: 3}, {Outcome: "false", Line: 16, Col: 2}},
			},
			{Spans: []wire.Span{{Line: 14, Col: 3, EndLine: 14, EndCol: 9},
				{File: 1, Line: 100, Col: 1, EndLine: 200, EndCol: 2}}, Outs: []wire.Out{{Line: 17, Col: 2}}},
			{Spans: []wire.Span{{File: 1, Line: 3, Col: 2, EndLine: 3, EndCol: 8}}, Outs: []wire.Out{{Line: 17, Col: 2}}},
		},
	}
	const header = "\ncomment \"#pep.version=1 mode=sampled burst=64 stride=17 tick=10000000 clock=cpu\"\nbinary /bin/app\nbuild 5eed000000000000\nperiod 10000000 cpu/nanoseconds\n"
	for _, x := range []struct {
		line     int
		tap      bool
		outcomes []State
	}{{12, false, []State{Few, Few}}, {14, false, []State{Ran, Few}}, {12, true, []State{Few, Few}},
		{14, true, []State{Ran, Few}}} {
		call, outcomes := x.line, x.outcomes
		run := &profile.Run{Edges: parse(t, "profile edges"+header)}
		paths := "profile paths" + header
		if x.tap {
			run.More = append(run.More, parse(t, fmt.Sprintf("profile calltargets"+header+
				"word func=main.f at=/src/app/f.go:10 site=f.go:%d:3 kind=call expr=g type=T value=main.g count=1 messages=1\n",
				call)))
		} else {
			paths += fmt.Sprintf("path func=main.g at=/src/app/f.go:40 path=p0 end=42 count=50 flow=50 from=entry lines=40-42 branches=\"41:2 if true\" callers=\"main.f /src/app/f.go:%d start=10\"\n", call)
		}
		run.Paths = parse(t, paths)
		p, err := New(Input{
			Run: run,
			Program: &executable.File{Build: [8]byte{0x5e, 0xed},
				Packages: []*wire.Package{{Path: "main", Files: []string{"/src/app/f.go", "/src/app/other.y"},
					Funcs: []wire.Func{f}}}},
			Source: source.NewTree(t.TempDir()),
		})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(p.Functions, func(f *Function) bool { return f.Name == "main.f" })
		if i < 0 || p.Functions[i].State != Ran {
			t.Fatalf("functions %+v", p.Functions)
		}
		d, err := p.Detail(i)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Branches) != 1 || d.Branches[0].State != Ran || d.Branches[0].Count != 0 ||
			len(d.Branches[0].Outcomes) != 2 {
			t.Fatalf("branches %+v, want one that ran, with two outcomes", d.Branches)
		}
		unseen := 0
		for i, o := range d.Branches[0].Outcomes {
			if outcomes[i] == Few {
				unseen++
			}
			if o.State != outcomes[i] || o.Count != 0 {
				t.Errorf("call in line %d: outcome %+v, want %s", call, o, outcomes[i])
			}
		}
		if d.Outcomes != 2 || d.Unseen != unseen {
			t.Errorf("call in line %d: %d of %d outcomes were never seen, want %d of 2", call, d.Unseen, d.Outcomes, unseen)
		}
		want := [][2]int64{{11, 13}, {14, 14}, {0, 0}}
		for i, n := range d.Graph.Nodes {
			if got := [2]int64{n.First, n.Last}; got != want[i] {
				t.Errorf("node %d has the lines %d, want %d", i, got, want[i])
			}
		}
		if len(d.Graph.Nodes) != 3 {
			t.Errorf("%d nodes, want 3", len(d.Graph.Nodes))
		}
	}
}

// Profiles have only outcomes that happened. Without the program, the other outcome of a branch with two is added, in
// the order that all branches have; a loop over a function may have more than two.
func TestOutcomesThatNoSampleShows(t *testing.T) {
	const (
		paths = `path func=main.f at=/src/app/f.go:10 path=p0 end=30 count=7 flow=7 from=entry lines=10-30 branches="11:2 if true; 21:2 for done"`
		edge  = "\nedge func=main.f at=/src/app/f.go:10 branch=f.go:%d:2 kind=%s outcome=%s line=%d count=7"
	)
	edges := fmt.Sprintf(edge+edge+edge+edge+edge, 11, "if", "true", 12, 21, "for", "done", 25, 31, "if", "false", 34, 41,
		`"range func"`, "done", 44, 51, "switch", "default", 52)
	p, err := New(Input{Run: &profile.Run{Paths: parse(t, "profile paths"+header+paths+"\n"),
		Edges: parse(t, "profile edges"+header+edges+"\n")}, Source: source.NewTree(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Detail(0)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[int64]string)
	for _, b := range d.Branches {
		for _, o := range b.Outcomes {
			got[b.Line] += fmt.Sprintf(" %s %d", o.Name, o.Raw)
		}
	}
	want := map[int64]string{11: " true 7 false 0", 21: " body 0 done 7", 31: " true 0 false 7", 41: " done 7",
		51: " default 7"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A function without a sample never ran, as far as a profile with enough samples can say so.
func TestFunctionsThatNoSampleShows(t *testing.T) {
	program := &executable.File{Build: [8]byte{0x5e, 0xed},
		Packages: []*wire.Package{{Path: "main", Files: []string{"/src/app/f.go"}, Funcs: []wire.Func{{
			Name: "main.f", Line: 10, Graph: pdag.Graph{Nodes: []pdag.Node{{Out: []pdag.Edge{{To: pdag.Exit}}}},
				Starts: []pdag.Start{{}}, N: 1},
			Blocks: []wire.Block{{Outs: []wire.Out{{Line: 17, Col: 2}}}},
		}}}}}
	const (
		head = "%s\ncomment \"#pep.version=1 mode=%s\"\nbinary /bin/app\nbuild 5eed000000000000\nperiod %s\n"
		path = "path func=main.g at=/src/app/f.go:40 path=p0 end=42 count=50 flow=50 samples=10 variance=250 from=entry lines=40-42 branches=\"41:2 if true\" callers=\"\"\n"
	)
	for _, x := range []struct {
		kind, mode, period string
		want               State
	}{
		{"", "exact", "1 paths/count", Never},
		{" estimated", "sampled equal_bursts=100", "10000000 cpu/nanoseconds", Never},
		{" estimated", "sampled equal_bursts=3", "10000000 cpu/nanoseconds", Few},
	} {
		more := path
		if x.kind == "" {
			more = strings.Replace(path, "samples=10 variance=250 ", "", 1)
		}
		head := fmt.Sprintf(head, x.kind, x.mode, x.period)
		p, err := New(Input{Run: &profile.Run{Paths: parse(t, "profile paths"+head+more),
			Edges: parse(t, "profile edges"+head)}, Program: program, Source: source.NewTree(t.TempDir())})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(p.Functions, func(f *Function) bool { return f.Name == "main.f" })
		if len(p.Functions) != 2 || i < 0 {
			t.Fatalf("%d functions, main.f at %d of them; want two", len(p.Functions), i)
		}
		if s := p.Functions[i].State; s != x.want {
			t.Errorf("%s: main.f has the state %s, want %s", x.mode, s, x.want)
		}
	}
}

// A function's total has the flow of its paths and of those below it, once for each path, however often the function is
// on the stack.
func TestTotals(t *testing.T) {
	path := func(name string, flow int, callers string) string {
		return fmt.Sprintf("path func=main.%s at=/src/app/%s.go:10 path=p0 end=12 count=%d flow=%d from=entry lines=10 callers=%q\n", name, name, flow, flow, callers)
	}
	const inF = "main.f /src/app/f.go:12 start=10; "
	paths := path("g", 50, inF+inF+"main.main /src/app/main.go:30 start=10") + path("f", 30,
		inF+"main.main /src/app/main.go:30 start=10") + path("main", 20, "")
	p, err := New(Input{Run: &profile.Run{Paths: parse(t, "profile paths"+header+paths),
		Edges: parse(t, "profile edges"+header)}, Source: source.NewTree(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string][2]float64)
	for _, f := range p.Functions {
		got[f.Name] = [2]float64{float64(f.Total), f.TotalShare}
	}
	if diff := cmp.Diff(map[string][2]float64{"main.g": {50, .5}, "main.f": {80, .8}, "main.main": {100, 1}},
		got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A profile of all packages has the time of functions and packages, and where all of it was.
func TestTimes(t *testing.T) {
	const facts = "\ncomment \"#pep.version=1 mode=sampled form=windows tick=10000000 clock=cpu module=example.com/app\"\nperiod 10000000 cpu/nanoseconds\n"
	path := func(name string, flow int, callers string) string {
		return fmt.Sprintf("path func=%s at=/src/x.go:10 path=p0 end=12 count=%d flow=%d from=entry lines=10 callers=%q\n",
			name, flow, flow, callers)
	}
	const inMain = "main.main /src/x.go:30 start=10"
	paths := path("main.f", 50, inMain) + path("runtime.mallocgc", 10,
		"main.f /src/x.go:12 start=10; "+inMain) + path("runtime.mallocgc", 20,
		"os.Open /src/x.go:12 start=10; "+inMain) + path("os.Open", 1, inMain) + path("main.main", 1, "")
	tick := func(name string, time int, callers string) string {
		return fmt.Sprintf("tick func=%s at=/src/x.go:10 line=10 cpu=%d callers=%q\n", name, time, callers)
	}
	ticks := tick("main.f", 50, inMain) + tick("runtime.mallocgc", 20,
		"main.f /src/x.go:12 start=10; "+inMain) + tick("runtime.mallocgc", 40,
		"os.Open /src/x.go:12 start=10; "+inMain) + tick("os.Open", 80, inMain) +
		"tick func=\"system calls\" at=:0 cpu=10\n"
	p, err := New(Input{Run: &profile.Run{Paths: parse(t, "profile paths"+facts+paths+ticks),
		Edges: parse(t, "profile edges"+facts)}, Source: source.NewTree(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range p.Functions {
		got = append(got, fmt.Sprintf("%s of %d: %g %g", f.Name, f.Owner, f.Own, f.Cum))
	}
	for _, x := range p.Packages {
		got = append(got, fmt.Sprintf("%s: %g %g", x.Name, x.Own, x.Cum))
	}
	for _, x := range p.Where {
		got = append(got, fmt.Sprintf("%s %g %g", x.Name, x.Share, x.Cum))
	}
	slices.Sort(got)
	want := []string{"allocation 0.3 0", "main module 0.25 0.95", "main.f of 0: 0.25 0.35", "main.main of 0: 0 0.95",
		"main: 0.25 0.95", "os.Open of 2: 0.4 0.6", "os: 0.4 0.6",
		"runtime.mallocgc of 3: 0.3 0.3", "runtime: 0.3 0.3", "std 0.4 0.6", "system calls 0.05 0"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Lines of a function that is written inside of another one are not the other one's, but for the first and the last.
func TestInnerFunctions(t *testing.T) {
	dir := t.TempDir()
	text := "package main" + strings.Repeat("\n",
		9) + "func f() {\n\ta()\n\tg := func() {\n\t\tb()\n\t\tb()\n\t}\n\tg()\n}\n\nfunc h() {\n\ta()\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "f.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	path := func(name string, first, last, count int) string {
		return fmt.Sprintf("path func=main.%s at=/src/app/f.go:%d path=p0 end=%d count=%d flow=%[4]d from=entry lines=%[2]d-%d\n", name, first, last, count)
	}
	paths := parse(t, "profile paths"+header+path("f", 10, 17, 5)+path("f.func1", 12, 15, 3)+path("h", 19, 21, 2))
	p, err := New(Input{Run: &profile.Run{Paths: paths, Edges: parse(t, "profile edges"+header)},
		Source: source.NewTree(dir)})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range p.Functions {
		d, err := p.Detail(i)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, l := range d.Lines {
			if l.State == Seen {
				got += fmt.Sprintf("%d:%d ", l.Line, l.Count)
			}
		}
		want := map[string]string{"main.f": "10:5 11:5 12:5 16:5 ", "main.f.func1": "12:3 13:3 14:3 ",
			"main.h": "19:2 20:2 "}[f.Name]
		if got != want {
			t.Errorf("%s has the lines %s, want %s", f.Name, got, want)
		}
	}
}

// Of a function too long to be read the first 50,000 lines are shown.
func TestLongFunction(t *testing.T) {
	dir := t.TempDir()
	text := "package main\n\nfunc f() {\n" + strings.Repeat("\ta()\n", 60_000) + "}\n"
	if err := os.WriteFile(filepath.Join(dir, "f.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	paths := parse(t, "profile paths"+header+
		"path func=main.f at=/src/app/f.go:3 path=p0 end=9 count=5 flow=5 from=entry lines=3-9\n")
	p, err := New(Input{Run: &profile.Run{Paths: paths, Edges: parse(t, "profile edges"+header)},
		Source: source.NewTree(dir)})
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Detail(0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(d.Lines); n != 50_000 || d.Lines[0].Line != 3 || d.Lines[n-1].Line != 50_002 {
		t.Errorf("%d lines from %d to %d, want 50,000 from 3 on", n, d.Lines[0].Line, d.Lines[n-1].Line)
	}
}

// Taps show that their lines have run. Types of what a method is called on are left out, because the method says
// them; those that an assertion at the same position asks for are not. All targets are there, and the first values
// of a load.
func TestTaps(t *testing.T) {
	word := func(kind, pos, expr, value string, count int) string {
		return fmt.Sprintf("word func=main.f at=/src/app/f.go:10 site=%s kind=%s expr=%s type=T value=%s count=%d messages=1\n", pos, kind, expr, value, count)
	}
	taps := func(kind, words string) *profile.File {
		return parse(t, "profile "+kind+"\ncomment \"#pep.version=1 mode=taps\"\nbinary /bin/app\nbuild 5eed\nperiod 1 events/count\n"+words)
	}
	targets, loads := "", ""
	for i := range 8 {
		targets += word("call", "f.go:12:5", "x.g", fmt.Sprintf("main.T%d.g", i), 10-i)
		loads += word("load", "f.go:12:9", "n", fmt.Sprint(i), 10-i)
	}
	targets += word("call", "f.go:13:5", "x.(I).g", "main.T0.g", 1)
	types := word("type", "f.go:12:5", "x", "main.T0", 1) + word("type", "f.go:13:5", "x", "main.T0", 1) + word("type",
		"g.go:3:5", "y", "main.T0", 1)
	p, err := New(Input{
		Run: &profile.Run{Paths: parse(t, "profile paths"+header+
			"path func=main.f at=/src/app/f.go:10 path=p0 end=12 count=0 flow=0 from=entry lines=10\n"),
			Edges: parse(t, "profile edges"+header),
			More:  []*profile.File{taps("values", loads), taps("types", types), taps("calltargets", targets)}},
		Source: source.NewTree(t.TempDir()),
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Detail(0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range d.Taps {
		got = append(got, fmt.Sprintf("%s:%d:%d %s %s, %d values of %d", filepath.Base(x.File), x.Line, x.Col, x.Kind, x.Expr,
			len(x.Values), len(x.Values)+x.More))
	}
	want := []string{
		".:12:5 call x.g, 8 values of 8",
		".:12:9 load n, 5 values of 8",
		".:13:5 type x, 1 values of 1",
		".:13:5 call x.(I).g, 1 values of 1",
		"g.go:3:5 type y, 1 values of 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
