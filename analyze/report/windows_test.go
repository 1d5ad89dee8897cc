package report

import (
	stdcmp "cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/machine/executable"
)

// windowsText is a profile of all packages: 30 % of the flow are of the main module.
func windowsText(more string) string {
	path := func(fn string, flow int, callers string) string {
		return fmt.Sprintf("path func=%s at=/src/x/x.go:10 path=p0 end=12 count=%d flow=%d from=entry lines=10-12 branches=\"11:2 if true\" callers=%q samples=9\n", fn, flow, flow, callers)
	}
	return "profile paths\ncomment \"#pep.version=1 mode=sampled form=windows clock=cpu tick=10000000 ticks=9 samples=99 windows=9" + more + "\"\nperiod 10000000 cpu/nanoseconds\n" +
		path("runtime.mallocgc", 400, "example.com/app.G /src/x/x.go:11; main.main /src/x/x.go:40") + path("main.main", 100,
		"") + path("example.com/app/lib.F", 150, "main.main /src/x/x.go:11") +
		path("example.com/apple.F", 300, "example.com/app/lib.F /src/x/x.go:70; main.main /src/x/x.go:40") +
		path("example.com/app.G", 50, "main.main /src/x/x.go:40")
}

// timedText is windowsText with 1000 ticks.
func timedText(more string) string {
	const inMain = "main.main /src/x/x.go:40"
	tick := func(fn string, line, time int, callers string) string {
		return fmt.Sprintf("tick func=%s at=/src/x/x.go:10 line=%d cpu=%d callers=%q\n", fn, line, time, callers)
	}
	return windowsText(" module=example.com/app cpu_time=12340000000 ticks_placed=1000 ticks_inside=600 ticks_outside=400 ticks_outside_in/system%20calls=310 ticks_outside_in/method%20wrappers=90"+more) +
		tick("runtime.mallocgc", 11, 300, "example.com/app.G /src/x/x.go:11; "+inMain) + tick("main.main", 11, 20,
		"") + tick("example.com/app/lib.F", 11, 40, "main.main /src/x/x.go:11") +
		tick("example.com/apple.F", 11, 120, "example.com/app/lib.F /src/x/x.go:70; "+inMain) + tick("example.com/app.G", 11,
		100, inMain) + tick("main.small", 11, 20, "") +
		"tick func=\"system calls\" at=:0 cpu=310\n" + tick("0pep/runtime/core.write", 7, 90, "")
}

// Listings of windows begin with what the main module spent, with what it called. Packages of the Go runtime are listed
// if somebody asks for them.
func TestListingsBeginWithTheMainModule(t *testing.T) {
	// No path goes over lines 40 and 70, so calls there are of all paths of the functions: of the one that each has.
	paths := []string{"main.main·p0 own 58.0", "example.com/app.G·p0 own 40.0", "example.com/app/lib.F·p0 own 16.0",
		"example.com/apple.F·p0 others 12.0"}
	withRuntime := append(slices.Clone(paths[:3]), "runtime.mallocgc·p0 others 30.0", "example.com/apple.F·p0 others 12.0")
	funcs := []string{"main.main own 58.0, 2.0", "example.com/app.G own 40.0, 10.0", "example.com/app/lib.F own 16.0, 4.0",
		"main.small own 2.0, 2.0", "example.com/apple.F others 12.0, 12.0"}
	pkgs := []string{"main own 60.0, 4.0", "example.com/app own 40.0, 10.0", "example.com/app/lib own 16.0, 4.0",
		"example.com/apple others 12.0, 12.0"}
	for _, x := range []struct {
		options TopOptions
		want    []string
	}{
		{TopOptions{}, paths},
		{TopOptions{N: 2}, []string{paths[0], paths[1], paths[3]}},
		{TopOptions{Runtime: true}, withRuntime},
		{TopOptions{N: 1, Runtime: true}, []string{paths[0], withRuntime[3]}},
		{TopOptions{Func: regexp.MustCompile(`malloc|\.G`)}, []string{paths[1], withRuntime[3]}},
		{TopOptions{ByCount: true, N: 2}, []string{paths[2], paths[0], paths[3]}},
		{TopOptions{By: ByFunc}, funcs},
		{TopOptions{By: ByFunc, Func: regexp.MustCompile("small|malloc")},
			[]string{funcs[3], "runtime.mallocgc others 30.0, 30.0"}},
		{TopOptions{By: ByPkg}, pkgs},
		{TopOptions{By: ByPkg, Runtime: true, N: 1}, []string{pkgs[0], "runtime others 30.0, 30.0"}},
	} {
		top, err := Top(parse(t, timedText("")), source.NewTree(t.TempDir()), x.options)
		if err != nil {
			t.Fatal(err)
		}
		whose := map[bool]string{true: "own", false: "others"}
		var got []string
		for _, x := range top.Rows {
			got = append(got, fmt.Sprintf("%s·%s %s %.1f", x.Func, x.Path, whose[x.Own], 100*x.Time))
		}
		for _, x := range top.Groups {
			got = append(got, fmt.Sprintf("%s %s %.1f, %.1f", stdcmp.Or(x.Func, x.Package), whose[x.Own], 100*x.Time,
				float64(x.Ticks)/10))
		}
		if diff := cmp.Diff(x.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", x.options, diff)
		}
	}
	top, err := Top(parse(t, windowsText(" module=example.com/app")), source.NewTree(t.TempDir()), TopOptions{N: 1})
	if err != nil || top.Where != nil || len(top.Rows) != 2 || top.Rows[0].Func != "example.com/app/lib.F" ||
		top.Rows[1].Func != "runtime.mallocgc" || top.Order != "flow" {
		t.Errorf("%v, without ticks there are %+v", err, top)
	}
	top, err = Top(parse(t, windowsText("")), source.NewTree(t.TempDir()), TopOptions{N: 2})
	if err != nil || top.Where != nil || len(top.Rows) != 2 || top.Rows[0].Func != "runtime.mallocgc" || !top.Rows[0].Own {
		t.Errorf("%v, without a main module there are %+v", err, top.Rows)
	}
}

// The text of such a listing, on a terminal with 100 columns.
func TestWhereTheTimeWas(t *testing.T) {
	for by, want := range map[string]string{
		ByPath: `app: 5 paths in 5 functions, 12.34s of CPU time

  own    cum  where         most of it
18.0%  60.0%  main module   app.G 10.0%, lib.F 4.0%
12.0%  12.0%  dependencies  example.com/apple 12.0%; for lib.F 12.0%
30.0%         allocation    for app.G 30.0%
31.0%         system calls
 9.0%         unseen        runtime/core.write 9.0%

paths of the main module:
#    cum   flow%  count  path
1  58.0%  10.00%    100  main.main·p0
   /src/x/x.go:10-12  from entry
   11:2  if true

paths of dependencies and std:
#    cum   flow%  count  path
2  12.0%  30.00%    300  example.com/apple.F·p0
   /src/x/x.go:10-12  from entry
   11:2  if true

` + timeNote + "\n",
		ByFunc: `functions of the main module:
#    cum    own   flow%  count  function
1  58.0%   2.0%  10.00%    100  main.main

functions of dependencies and std:
#    cum    own   flow%  count  function
2  12.0%  12.0%  30.00%    300  example.com/apple.F
`,
		ByLine: `lines of the main module:
#   flow%  count  line
1  15.00%    150  /src/x/x.go:11

lines of dependencies and std:
#   flow%  count  line
2  30.00%    300  /src/x/x.go:11
`} {
		top, err := Top(parse(t, timedText("")), source.NewTree(t.TempDir()), TopOptions{N: 1, By: by})
		if text := textOf(t, top, err); !strings.Contains(text, want) {
			t.Errorf("by %s, Top prints\n%s\nwant\n%s", by, text, want)
		}
	}
	for _, o := range []TopOptions{{Runtime: true}, {Func: regexp.MustCompile("malloc")}} {
		top, err := Top(parse(t, timedText("")), source.NewTree(t.TempDir()), o)
		if text := textOf(t, top, err); !strings.Contains(text, "paths of dependencies, std and the Go runtime:\n") {
			t.Errorf("%+v: Top prints\n%s", o, text)
		}
	}
	top, err := Top(parse(t, timedText("")), source.NewTree(t.TempDir()),
		TopOptions{By: ByFunc, Func: regexp.MustCompile("small")})
	if text := textOf(t, top, err); !strings.Contains(text, "1  2.0%  2.0%      -      0  main.small\n") {
		t.Errorf("of a function without paths Top prints\n%s", text)
	}
}

// A program that was in system calls at all ticks has no path, and the listing says where it was.
func TestTimeWithoutPaths(t *testing.T) {
	text, _, _ := strings.Cut(windowsText(" module=example.com/app ticks_placed=10 ticks_outside=10 ticks_outside_in/system%20calls=10"), "path func")
	text += "tick func=\"system calls\" at=:0 cpu=100\n"
	top, err := Top(parse(t, text), source.NewTree(t.TempDir()), TopOptions{})
	if text := textOf(t, top, err); !strings.Contains(text, "no path was recorded") ||
		!strings.Contains(text, "100.0%       system calls\n") {
		t.Errorf("Top prints\n%s", text)
	}
}

// What only those want to know who look after the sampling is printed on request.
func TestFactsForExperts(t *testing.T) {
	const facts = " windows_ended/done=80 windows_ended/system%20call=15 windows_ended/fault=4 windows_ended/new%20code=1 overruns=3 ticks_uncaught=7 middle_left_out=8 calls=100 calls_outside=50 calls_outside_to/runtime.getg=50"
	experts := []string{"40.0% of the time is in no path: system calls 31.0%, method wrappers 9.0%; see a CPU profile.",
		"20.0% of windows ended early: system call 15.0%, fault 4.0%, new code 1.0%.",
		"3 overruns", "7 ticks without a window", "8 with callers in the middle left out",
		"50.0% of calls on paths go outside", "calls by functions outside are not counted", "Windows interpret what a thread is about to do"}
	text := strings.Replace(timedText(facts+" dropped=5"), " windows=9 ", " windows=100 ", 1)
	for _, verbose := range []bool{false, true} {
		top, err := Top(parse(t, text), source.NewTree(t.TempDir()), TopOptions{Verbose: verbose})
		text := textOf(t, top, err)
		for _, x := range experts {
			if strings.Contains(text, x) != verbose {
				t.Errorf("with -v=%t, Top prints\n%s\nand %q is in it: %t", verbose, text, x, !verbose)
			}
		}
		if !strings.Contains(text, "5 dropped") {
			t.Errorf("with -v=%t, Top does not say what was dropped:\n%s", verbose, text)
		}
	}
}

// What must have run by what windows saw is called seen.
func TestWindowsSee(t *testing.T) {
	for form, want := range map[string]string{"windows": "seen", "regular": "ran"} {
		facts := "comment \"#pep.version=1 mode=sampled form=" + form + " clock=cpu tick=10000000 ticks=9 samples=99\"\n"
		paths := parse(t, "profile paths\n"+facts+"period 10000000 cpu/nanoseconds\n"+
			"path func=main.main at=sign.go:10 path=p0 end=12 count=7 flow=7 from=entry lines=10-12 branches=\"11:2 if true\" callers=\"\" samples=9\n")
		edges := parse(t, "profile edges\n"+facts+"period 10000000 cpu/nanoseconds\n"+
			"edge func=main.main at=sign.go:10 branch=sign.go:11:2 kind=if outcome=true line=12 count=7 callers=\"\" samples=9\n")
		src := signTree(t)
		run := &profile.Run{Paths: paths, Edges: edges}
		program, err := annotate.New(annotate.Input{Run: run, Source: src})
		if err != nil {
			t.Fatal(err)
		}
		l, err := List(run, program, src, regexp.MustCompile("main"))
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Profile.ran(); got != want || program.Windows != (form == "windows") {
			t.Errorf("%s: the word is %q, want %q; windows: %v", form, got, want, program.Windows)
		}
		if got := countText(string(annotate.Ran), 0, l.Profile.ran()); got != want {
			t.Errorf("%s: a line that must have run is %q, want %q", form, got, want)
		}
		var b strings.Builder
		if err := listing.Text(&b, l); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "Windows interpret what a thread is about to do"); got != (form == "windows") {
			t.Errorf("%s: List prints\n%s", form, b.String())
		}
	}
}

// Outcomes that windows do not see are explained where paths are listed with one.
func TestUntoldOutcomesAreExplained(t *testing.T) {
	for _, x := range []struct {
		outcome, by string
		want        bool
	}{
		{"untold", ByPath, true}, {"true", ByPath, false}, {"untold", ByFunc, false},
	} {
		f := parse(t, strings.Replace(windowsText(""), "if true", "if "+x.outcome, 1))
		top, err := Top(f, source.NewTree(t.TempDir()), TopOptions{By: x.by})
		if text := textOf(t, top, err); strings.Contains(text,
			"the code of the program does not tell what was decided") != x.want {
			t.Errorf("%s by %s: explained: %t, got\n%s", x.outcome, x.by, !x.want, text)
		}
	}
}

// Lists say which functions that match have paths that the code of the program does not tell.
func TestUntoldFunctions(t *testing.T) {
	const made = "\ncomment \"#pep.version=1 mode=sampled form=windows tick=10000000 clock=cpu ticks=9 samples=99 windows=9 untold_functions=17\"\nbuild 5eed000000000000\nperiod 10000000 cpu/nanoseconds\n"
	run := &profile.Run{Edges: parse(t, "profile edges"+made),
		Paths: parse(t, "profile paths"+made+"path func=main.main at=/src/x.go:10 path=p0 end=12 count=9 flow=9 from=entry lines=10-12 branches=\"11:2 if true\" callers=\"\" samples=9\n")}
	src := source.NewTree(t.TempDir())
	graph := pdag.Graph{Nodes: []pdag.Node{{Out: []pdag.Edge{{To: pdag.Exit}, {To: pdag.Exit, Val: 1}}}},
		Starts: []pdag.Start{{}}, N: 2}
	pkg := &wire.Package{Path: "main", Files: []string{"/src/x.go"}}
	for i, name := range []string{"main.main", "main.untold", "main.never"} {
		outs := []wire.Out{{Outcome: wire.OutTrue, Line: 12}, {Outcome: wire.OutFalse, Line: 12}}
		pkg.Funcs = append(pkg.Funcs, wire.Func{Name: name, Line: 10 * (1 + i), Graph: graph,
			Blocks: []wire.Block{{Branch: wire.Branch{Kind: "if", Line: 11, Col: 2}, Outs: outs}}})
	}
	pkg.Skipped = []wire.Skipped{{Name: "main.untold", Line: 20, Reason: "entry: no instruction"}}
	program, err := annotate.New(annotate.Input{Run: run, Source: src,
		Program: &executable.File{Build: [8]byte{0x5e, 0xed}, Packages: []*wire.Package{pkg}}})
	if err != nil {
		t.Fatal(err)
	}
	const which = "the compiler has left no instructions that tell the paths of 1 function: main.untold (entry: no instruction). -pepmode=polls and -pepmode=exact tell them."
	for pattern, want := range map[string]string{"main": which, "untold": which,
		"never": "did not run, or no sample shows it", "main.main": "decided 9 times"} {
		var b strings.Builder
		l, err := List(run, program, src, regexp.MustCompile(pattern))
		if err == nil {
			err = listing.Text(&b, l)
		}
		text := fmt.Sprint(b.String(), err)
		if !strings.Contains(text, want) || strings.Contains(text, which) != (want == which) {
			t.Errorf("list %s:\n%s\nwant %s", pattern, text, want)
		}
	}
}

// A file without the function is left out, and a file that is wrong is an error, whatever the other ones have.
func TestAllValues(t *testing.T) {
	word := func(kind, fn string) *profile.File {
		return parse(t, fmt.Sprintf("profile %s\nperiod 1 events/count\nword func=%s at=/x.go:3 site=x.go:4:5 kind=call expr=f type=T value=main.g target=/x.go:9 count=9 messages=9\n", kind, fn))
	}
	paths, src := parse(t, windowsText("")), source.NewTree("")
	only := ValuesOptions{Func: regexp.MustCompile(`main\.f`)}
	for _, test := range []struct {
		files  []*profile.File
		tables int
		want   string
	}{
		{[]*profile.File{word("calltargets", "main.f"), word("types", "main.g")}, 1, "<nil>"},
		{[]*profile.File{word("types", "main.g"), word("calltargets", "main.f")}, 1, "<nil>"},
		{[]*profile.File{word("types", "main.g")}, 0, `no function of a tap matches "main\.f"`},
		{[]*profile.File{paths, word("calltargets", "main.f")}, 0, "paths"},
	} {
		tables, err := AllValues(test.files, src, only)
		if len(tables) != test.tables || !strings.Contains(strings.ReplaceAll(fmt.Sprint(err), `\\`, `\`), test.want) {
			t.Errorf("%d tables, %v; want %d, %s", len(tables), err, test.tables, test.want)
		}
	}
}

// In profiles of all packages, what is worth specialising in the main module comes first, and the text leaves out
// what has next to no events.
func TestValuesOfAllPackages(t *testing.T) {
	word := func(fn string, line, count int) string {
		return fmt.Sprintf("word func=%s at=/src/x/x.go:%d site=x.go:%d:5 kind=call expr=x.f type=T value=main.T.f target=/src/t.go:3 count=%d messages=99 share_error=0 share_below=50000 count_error=1\n", fn, line, line+1, count)
	}
	table, err := Values(parse(t, "profile calltargets\ncomment \"#pep.version=1 mode=sampled form=windows module=example.com/app\"\nperiod 10000000 cpu/nanoseconds\n"+
		word("fmt.print", 10, 900000)+word("example.com/app/lib.F", 10, 80000)+word("fmt.rare", 30, 900)+word("main.main", 10,
		20000)), source.NewTree(t.TempDir()), ValuesOptions{N: 5, Events: 1000, Share: .8})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range table.Specialise {
		got = append(got, x.Func)
	}
	if diff := cmp.Diff([]string{"example.com/app/lib.F", "main.main", "fmt.print"}, got); diff != "" {
		t.Errorf("worth specialising (-want +got):\n%s", diff)
	}
	var b strings.Builder
	if err := listing.Text(&b, table); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if !strings.Contains(text, "4 places in 4 functions, count 1000900") ||
		!strings.Contains(text, "\n1 place not listed, with less than 0.1% of the events, or too few to tell a share (-n 0 lists all)\n") || strings.Contains(text, "fmt.rare") {
		t.Error(text)
	}
}
