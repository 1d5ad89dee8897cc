package report

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/cover"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/internal/terminal"
)

// What matters most comes first: time that no path shows, the hottest path, and branches on it that nearly always go
// one way. A branch that was seldom seen, or goes both ways, is no finding.
func TestFindingsOfPaths(t *testing.T) {
	const text = `profile paths estimated
comment "#pep.version=1 mode=sampled equal_bursts=100 ticks_placed=100 ticks_outside=60 ticks_outside_in/strconv=60 ticks_peppkg_all=60"
binary app
build 5eed
period 10000000 cpu/nanoseconds
path func="main.(*T).f" at=/x.go:10 path=p0 end=14 count=9900 flow=19800 samples=99 variance=1 from=entry lines=10 branches="11:2 if true; 12:2 if false" callers=""
path func="main.(*T).f" at=/x.go:10 path=p1 end=14 count=100 flow=200 samples=1 variance=1 from=entry lines=10 branches="11:2 if false; 13:2 if false" callers=""
path func=main.g at=/x.go:20 path=p0 end=21 count=100 flow=100 samples=1 variance=1 from=entry lines=20 branches="20:2 if false" callers=""
`
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"all", text, []string{
			"time_outside 0.60 - 60.0% of the time is in no path: strconv 60.0%; pepbuild build -peppkg=all shows more | pepbuild build -peppkg=all",
			"hot_path 0.99 main.(*T).f:14 main.(*T).f·p0 has 98.51% of the flow, bounds 98.5-98.5% | pep list 'main.(*T).f'",
			"one_sided_branch 0.99 main.(*T).f:11 if at x.go:11:2 goes to true in 99.00% of 100 samples | pep list 'main.(*T).f'",
		}},
		{"seldom", strings.Replace(text, "samples=99", "samples=98", 1), []string{"time_outside", "hot_path"}},
		{"both ways", strings.Replace(text, "count=9900", "count=9000", 1), []string{"time_outside", "hot_path"}},
		{"inside", strings.Replace(text, "ticks_outside=60", "ticks_outside=9", 1), []string{"hot_path", "one_sided_branch"}},
	} {
		top, err := Top(parse(t, c.text), source.NewTree(""), TopOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range top.Findings {
			got = append(got, findingText(x))
		}
		for i, want := range c.want {
			if len(got) != len(c.want) || !strings.HasPrefix(got[i], want) {
				t.Errorf("%s: got\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
				break
			}
		}
	}
}

// Of places outside of the profile the two with most of the time have their names.
func TestPlacesOutside(t *testing.T) {
	const text = "profile paths\ncomment \"#pep.version=1 mode=sampled clock=cpu tick=10000000 ticks=100 samples=99 ticks_placed=100 ticks_outside=60 " +
		"ticks_outside_in/strconv=25 ticks_outside_in/runtime=30 ticks_outside_in/fmt=5\"\nperiod 10000000 cpu/nanoseconds\n" +
		"path func=main.f at=/x.go:10 path=p0 end=12 count=7 flow=7 from=entry lines=10-12 branches=\"11:2 if true\" callers=\"\"\n"
	top, err := Top(parse(t, text), source.NewTree(""), TopOptions{})
	if s := textOf(t, top, err); !strings.Contains(s,
		"60.0% of the time is in no path: runtime 30.0%, strconv 25.0%, …; ") {
		t.Errorf("got %s", s)
	}
}

// Of all sources the range with most events is the finding.
func TestFindingOfRanges(t *testing.T) {
	table := &RangeTable{Sources: []RangeSource{
		{Func: "main.f", Kind: "load", Rows: []RangeRow{{Text: "[0, 9]", WeightShare: .2},
			{Text: "[4, 5]", WeightShare: .3}}},
		{Func: "main.g", Kind: "store", Rows: []RangeRow{{Text: "[7, 7]", WeightShare: .4},
			{Text: "[8, 8]", WeightShare: .1}}},
	}}
	list := table.find()
	if len(list) != 1 || list[0].Func != "main.g" || list[0].Text != "[7, 7] of store has 40.00% of the events" ||
		list[0].Share != .4 {
		t.Errorf("%+v", list)
	}
}

func findingText(x Finding) string {
	where := "-"
	if x.Func != "" {
		where = fmt.Sprintf("%s:%d", x.Func, x.Line)
	}
	return fmt.Sprintf("%s %.2f %s %s | %s", x.Kind, x.Share, where, x.Text, x.Command)
}

// Of a listing, those outcomes are findings that a branch never had, unless samples say little about it.
func TestFindingsOfLists(t *testing.T) {
	const header = `comment "#pep.version=1 mode=sampled equal_bursts=100"
binary app
build 5eed
period 10000000 cpu/nanoseconds
`
	const path = `path func=main.f at=/x.go:10 path=p0 end=12 count=%[1]d flow=%[1]d samples=10 variance=250000 from=entry lines=10-12 branches="11:2 if true"
`
	const edge = `edge func=main.f at=/x.go:10 branch=x.go:11:2 kind=if outcome=true line=12 count=%d samples=10 variance=250000 independent=%d
`
	for independent, want := range map[int]string{
		100: "never_taken 0.04 main.f:11 if at x.go:11:2 is never false in any sample, so in 3.70% at most | ",
		60:  "", // 6 %
	} {
		run := &profile.Run{
			Paths: parse(t, "profile paths estimated\n"+header+fmt.Sprintf(path, 10000)),
			Edges: parse(t, "profile edges estimated\n"+header+fmt.Sprintf(edge, 10000, independent)),
		}
		p, err := annotate.New(annotate.Input{Run: run, Source: source.NewTree("")})
		if err != nil {
			t.Fatal(err)
		}
		l, err := List(run, p, source.NewTree(""), regexp.MustCompile(""))
		if err != nil {
			t.Fatal(err)
		}
		if f := l.Functions[0]; f.Branches != 1 || f.Decided != 10000 {
			t.Errorf("%d branches, decided %d times, want one, 10000 times", f.Branches, f.Decided)
		}
		got := ""
		for _, x := range l.Findings {
			got += findingText(x)
		}
		if got != want {
			t.Errorf("with %d independent samples: got %q, want %q", independent, got, want)
		}
	}
}

// A listing leaves out taps whose shares may be anything, and says how many, unless all were asked for.
func TestVagueTapsAreCounted(t *testing.T) {
	site := func(expr string, off float64) ValueSite {
		return ValueSite{Func: "main.f", Pos: "x.go:1:1", Kind: "load", Expr: expr, Events: 10, Distinct: 1,
			Rows: []Value{{Value: "1", Count: 10, Share: 1, ShareError: off}}}
	}
	table := &ValueTable{Taps: 3, Functions: 1, Events: 30, Profile: Profile{Kind: "values"},
		Sites: []ValueSite{site("clear", .2), site("vague", 1), site("none", 2)}}
	for listed, want := range map[int]string{0: "clear vague none 0", 5: "clear 2"} {
		table.listed = listed
		var b strings.Builder
		if err := listing.Text(&b, table); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range table.Sites {
			if strings.Contains(b.String(), "load "+s.Expr) {
				got = append(got, s.Expr)
			}
		}
		left := "0"
		if before, _, ok := strings.Cut(b.String(), " taps not listed, with too few events"); ok {
			left = before[strings.LastIndexByte(before, '\n')+1:]
		}
		if text := strings.Join(append(got, left), " "); text != want {
			t.Errorf("listed %d: %q, want %q of\n%s", listed, text, want, b.String())
		}
	}
}

// An empty line stands between the functions of a list.
func TestFunctionsAreApart(t *testing.T) {
	lines := []Line{{File: "/x.go", Line: 1, State: "seen", Reconciled: 7, Source: "a()"}}
	text := textOf(t, &Listing{Functions: []Function{{Func: "main.f", File: "/x.go", Lines: lines},
		{Func: "main.g", File: "/x.go", Lines: lines}}}, nil)
	if before, _, found := strings.Cut(text, "main.g"); !found || !strings.HasSuffix(before, "a()\n\n") {
		t.Errorf("got %s", text)
	}
}

// Lines of another file, by a //line directive, stand below its name.
func TestLinesOfOtherFiles(t *testing.T) {
	l := &Listing{Functions: []Function{{Func: "main.f", File: "/x.go", Lines: []Line{
		{File: "/x.go", Line: 1, State: "seen", Reconciled: 7, Source: "a()"},
		{File: "/y.y", Line: 20, State: "seen", Reconciled: 5, Source: "b()"},
		{File: "/y.y", Line: 21, State: "seen", Reconciled: 5, Source: "c()"},
		{File: "/x.go", Line: 3, State: "seen", Reconciled: 7, Source: "d()"},
	}}}}
	var b strings.Builder
	if err := listing.Text(&b, l); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got,
		"7 1 a() /y.y: 5 20 b() 5 21 c() /x.go: 7 3 d()") {
		t.Errorf("got %s", b.String())
	}
}

// What a profile says of calls on paths begins with what its shares are of, whichever shares there are.
func TestWhereCallsGo(t *testing.T) {
	const open = "25.0% go through interfaces and function values (-peptaps=calls shows to which functions)."
	for want, list := range map[string]facts.List{
		"": {{Key: facts.Calls, N: 100}},
		"25.0% of calls on paths go through interfaces and function values (-peptaps=calls shows to which functions).": {{Key: facts.Calls, N: 100}, {Key: facts.CallsOpen, N: 25}},
		"10.0% of calls on paths go outside of instrumented functions: …; " +
			open: {{Key: facts.Calls, N: 100}, {Key: facts.CallsOutside, N: 10}, {Key: facts.CallsOpen, N: 25}},
	} {
		if got := (Profile{facts: []facts.List{list}}).sayCalls(); got != want {
			t.Errorf("%+v: %q, want %q", list, got, want)
		}
	}
}

// A range inside another one that reads the same, such as two of addresses in one variable, has its ends beside it.
func TestRangesThatReadTheSame(t *testing.T) {
	table := &RangeTable{Events: 100, Hot: .1, Sources: []RangeSource{{Events: 100, Ranges: 3, Rows: []RangeRow{
		{Depth: 0, First: 0, Last: 255, Text: "main.table"}, {Depth: 1, First: 16, Last: 31, Text: "main.table"},
		{Depth: 2, First: 16, Last: 17, Text: "main.table.n"},
	}}}}
	var b strings.Builder
	if err := listing.Text(&b, firstSource{table}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" main.table\n", " main.table 0x10-0x1f\n", " main.table.n\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// Of covers with the same ranges the last one is printed, and covers with other ranges follow.
func TestCoversOfTheSameRanges(t *testing.T) {
	a, b := CoverRange{First: 1, Last: 1, Text: "1"}, CoverRange{First: 8, Last: 9, Text: "[8, 9]"}
	var out strings.Builder
	if err := listing.Text(&out, firstSource{&RangeTable{Events: 100,
		Sources: []RangeSource{{Events: 100, Covers: []RangeCover{
			{Share: .5, Ranges: []CoverRange{a}}, {Share: .9, Ranges: []CoverRange{a}}, {Share: .95, Ranges: []CoverRange{a, b}},
			{Share: .99, Ranges: []CoverRange{a, b}},
		}}}}}); err != nil {
		t.Fatal(err)
	}
	if want := "90% of its events: 1\n99% of its events: 1 and [8, 9]\n"; !strings.HasSuffix(out.String(), want) ||
		strings.Count(out.String(), "of its events") != 2 {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
}

// firstSource prints the first source of a table alone.
type firstSource struct{ *RangeTable }

func (t firstSource) Print(p *listing.Page) { t.printSource(p, t.Sources[0], profile.Site{}) }

// Outcomes have colours of their own.
func TestColoursOfOutcomes(t *testing.T) {
	var b strings.Builder
	if err := listing.TextFor(terminal.Screen{Colour: true}, &b,
		branchesOf{TopPath{Branches: []TopBranch{{Line: 1, Kind: "if", Outcome: "true", Source: "if a {"}}}}); err != nil {
		t.Fatal(err)
	}
	if before, _, _ := strings.Cut(b.String(), "if true"); !strings.HasSuffix(before, "m") ||
		strings.Count(b.String(), "\x1b[") != 2 {
		t.Errorf("got %q", b.String())
	}
}

// branchesOf prints the branches of a path alone.
type branchesOf struct{ TopPath }

func (branchesOf) Name() string { return "branches" }

func (x branchesOf) Print(p *listing.Page) { p.Table("", x.branchTable()) }

// Gaps of a function are in the order of the source, whatever they are of. An outcome of a branch that was never
// decided is none.
func TestGapsAreInOrder(t *testing.T) {
	c := &cover.Coverage{Packages: []*cover.Package{{Path: "p", Functions: []*cover.Function{{
		Name: "p.f", File: "/p.go", Line: 1, Calls: 7,
		Statements: []cover.Statement{{Line: 2, Col: 2, Count: 7}, {Line: 4, Col: 3}, {Line: 9, Col: 2}},
		Branches: []*cover.Branch{
			{Line: 3, Col: 5, Kind: "if", Outcomes: []cover.Outcome{{Name: "true"}, {Name: "false", Count: 7}}},
			{Line: 6, Col: 5, Kind: "for", Outcomes: []cover.Outcome{{Name: "body", Count: 4}, {Name: "done"}}},
			{Line: 10, Col: 5, Kind: "if", Outcomes: []cover.Outcome{{Name: "true"}, {Name: "false"}}},
		},
	}}}}}
	var got []string
	for _, g := range Cover(c, false, func(string, int64) (string, bool) { return "", false }).Functions[0].Gaps {
		got = append(got, fmt.Sprintf("%d:%d %s", g.Line, g.Col, g.words()))
	}
	if want := "3:5 if true never, of 7; 4:3 not executed; 6:5 for done never, of 4; 9:2 not executed"; strings.Join(got,
		"; ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Paths that have not ended stand below a heading, by function and place.
func TestUnendedPaths(t *testing.T) {
	var b strings.Builder
	if err := listing.Text(&b, unendedOnly{&TopTable{Unended: []Unended{{Func: "main.f", File: "/x.go", StartLine: 3,
		From: "entry", Count: 5}, {Func: "main.f", File: "/x.go", StartLine: 3, From: "loop x.go:7",
		Count: 11}}}}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(b.String()), " "); !strings.HasSuffix(got,
		"still running): count function line from 5 main.f /x.go:3 entry 11 main.f /x.go:3 loop x.go:7") {
		t.Errorf("got %s", b.String())
	}
}

// unendedOnly prints the paths of a table that have not ended.
type unendedOnly struct{ *TopTable }

func (x unendedOnly) Print(p *listing.Page) { x.printUnended(p) }

// The calls of a profile for the compiler stand below what the listing says of all, and what was left out below them.
func TestTextOfCalls(t *testing.T) {
	var b strings.Builder
	if err := listing.Text(&b, &PGOTable{
		Profile: Profile{File: "app.pb.gz"}, Calls: 9, Kept: 1, Cold: 2, Weight: 200, Long: 30, Late: 4,
		Rows:  []PGOCall{{Caller: "main.f", File: "/x.go", Line: 12, Callee: "main.g", Count: 5, Weight: 100, Share: .5}},
		Stale: []PGOCall{{Caller: "main.f", File: "/x.go", Line: 99, Callee: "main.h"}},
	}); err != nil {
		t.Fatal(err)
	}
	const want = `: 1 call of 9 to be inlined, with 0.00% of the weight
2 calls more in the profile, so that methods of interfaces are called directly
left out: calls too long for inlining, which executed 30 lines
left out: deferred calls, which the compiler does not inline, and which executed 4 lines

weight%  weight  count  call
 50.00%     100      5  main.f /x.go:12 calls main.g

left out, because the source has no such call: was it changed since the program was built?
main.f /x.go:99 calls main.h
`
	if !strings.HasSuffix(b.String(), want) {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
}

// The profile of lines has each line of a path once, in the file that has it.
func TestLinesOfPaths(t *testing.T) {
	f := parse(t, `profile paths
comment "#pep.version=1 mode=exact"
period 1 paths/count
path func=main.f at=/src/x.go:10 path=p0 end=12 count=7 flow=7 from=entry lines="10-11; y.y:100,103" branches="11:2 if true" callers="main.main /src/x.go:30"
path func=main.f at=/src/x.go:10 path=p1 end=14 count=2 flow=2 from=entry lines=10-11 branches="11:2 if false" callers=""
`)
	name := filepath.Join(t.TempDir(), "lines.pb.gz")
	if err := SaveLines(f, name); err != nil {
		t.Fatal(err)
	}
	p := proftest.Read(t, name)
	got := make(map[string]int64)
	for _, s := range p.Sample {
		text := ""
		for _, l := range s.Location {
			text += fmt.Sprintf("%s %s:%d ", l.Line[0].Function.Name, l.Line[0].Function.Filename, l.Line[0].Line)
		}
		got[strings.TrimSpace(text)] += s.Value[0]
	}
	const caller = " main.main /src/x.go:30"
	want := map[string]int64{
		"main.f /src/x.go:10" + caller: 7, "main.f /src/x.go:11" + caller: 7, "main.f /src/y.y:100" + caller: 7,
		"main.f /src/y.y:103" + caller: 7, "main.f /src/x.go:10": 2, "main.f /src/x.go:11": 2,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNotesOfCalls checks that a listing of calls ends with the notes on its profile.
func TestNotesOfCalls(t *testing.T) {
	var b strings.Builder
	table := &PGOTable{Profile: Profile{Kind: "paths",
		facts: []facts.List{{{Key: facts.Calls, N: 100}, {Key: facts.CallsOpen, N: 25}}}}}
	if err := listing.Text(&b, table); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "25.0% of calls on paths go through interfaces") {
		t.Errorf("got %s", b.String())
	}
}
