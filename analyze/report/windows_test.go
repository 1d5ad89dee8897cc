package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/executable"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/internal/listing"
)

// windowsText is a profile of all packages: 30 % of the flow are of the main module.
func windowsText(module string) string {
	path := func(fn string, flow int) string {
		return fmt.Sprintf("path func=%s at=/src/x/x.go:10 path=p0 end=12 count=%d flow=%d from=entry lines=10-12 branches=\"11:2 if true\" callers=\"\" samples=9\n", fn, flow, flow)
	}
	return "profile paths\ncomment \"#pep.version=1 mode=sampled form=windows clock=cpu tick=10000000 ticks=9 samples=99 windows=9" + module + "\"\nperiod 10000000 cpu/nanoseconds\n" +
		path("runtime.mallocgc", 400) + path("main.main", 100) + path("example.com/app/lib.F", 150) + path("example.com/apple.F", 300) + path("example.com/app.G", 50)
}

// Listings of windows begin with the packages of the main module.
func TestOwnPackagesComeFirst(t *testing.T) {
	f := parse(t, windowsText(" module=example.com/app"))
	for _, by := range []string{ByPath, ByPkg} {
		top, err := Top(f, source.NewTree(t.TempDir()), TopOptions{N: 2, By: by})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range top.Rows {
			got = append(got, fmt.Sprint(x.Func, " ", x.Own))
		}
		for _, x := range top.Groups {
			got = append(got, fmt.Sprint(x.Package, " ", x.Own))
		}
		want := []string{"example.com/app/lib.F true", "main.main true", "runtime.mallocgc false", "example.com/apple.F false"}
		if by == ByPkg {
			want = []string{"example.com/app/lib true", "main true", "runtime false", "example.com/apple false"}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", by, diff)
		}
		var b strings.Builder
		if err := listing.Text(&b, top); err != nil {
			t.Fatal(err)
		}
		own, others, _ := strings.Cut(b.String(), "packages outside of the main module have 70.00% of the flow: runtime 40.00%, example.com/apple 30.00%\n")
		if strings.Contains(b.String(), "95%") {
			t.Errorf("by %s, counts that are no estimates have bounds:\n%s", by, b.String())
		}
		if !strings.Contains(own, "app/lib") || strings.Contains(own, "mallocgc") || !strings.Contains(others, want[2][:7]) {
			t.Errorf("by %s, Top prints\n%s", by, b.String())
		}
	}
	top, err := Top(parse(t, windowsText("")), source.NewTree(t.TempDir()), TopOptions{N: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(top.Rows) != 2 || top.Rows[0].Func != "runtime.mallocgc" || !top.Rows[0].Own || top.Others != nil {
		t.Errorf("without a main module there are %+v, others %v", top.Rows, top.Others)
	}
}

// A line has the time that windows do not see, and why windows ended early.
func TestTimeThatWindowsDoNotSee(t *testing.T) {
	const end = " windows_ended/done=80 windows_ended/system%20call=15 windows_ended/fault=4 windows_ended/new%20code=1 ticks_placed=1000"
	for more, want := range map[string]string{
		end + " ticks_outside=500 ticks_outside_in/system%20calls=300 ticks_outside_in/assembly=150 ticks_outside_in/C%20code%20and%20vDSO=50": "50.0% of the time is in no path: " +
			"system calls 30.0%, assembly 15.0%, C code and vDSO 5.0%; 20.0% of windows ended early: system call 15.0%, fault 4.0%, new code 1.0%; see a CPU profile.",
		end: "0.0% of the time is in no path; 20.0% of windows ended early: system call 15.0%, fault 4.0%, new code 1.0%; see a CPU profile.",
		" windows_ended/done=100 ticks_placed=1000 ticks_outside=10 ticks_outside_in/assembly=10": "1.0% of the time is in no path: assembly 1.0%; see a CPU profile.",
		" windows_ended/done=100 ticks_placed=1000":                                               "",
	} {
		top, err := Top(parse(t, strings.Replace(windowsText(more), "windows=9", "windows=100", 1)), source.NewTree(t.TempDir()), TopOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := listing.Text(&b, top); err != nil {
			t.Fatal(err)
		}
		if s := b.String(); !strings.Contains(s, want) || strings.Contains(s, "of the time is") != (want != "") {
			t.Errorf("%s: Top prints\n%s\nwant %s", more, s, want)
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
		if text := textOf(t, top, err); strings.Contains(text, "the code of the program does not tell what was decided") != x.want {
			t.Errorf("%s by %s: explained: %t, got\n%s", x.outcome, x.by, !x.want, text)
		}
	}
}

// Listings say whose paths the code of the program does not tell: how many functions there are in the program, and which of them match.
func TestUntoldFunctions(t *testing.T) {
	const made = "\ncomment \"#pep.version=1 mode=sampled form=windows tick=10000000 clock=cpu ticks=9 samples=99 windows=9 untold_functions=17\"\nbuild 5eed000000000000\nperiod 10000000 cpu/nanoseconds\n"
	run := &profile.Run{Edges: parse(t, "profile edges"+made),
		Paths: parse(t, "profile paths"+made+"path func=main.main at=/src/x.go:10 path=p0 end=12 count=9 flow=9 from=entry lines=10-12 branches=\"11:2 if true\" callers=\"\" samples=9\n")}
	const all = "no paths of 17 functions, since the compiler has left no instructions that tell them: pep sites lists them as skipped"
	src := source.NewTree(t.TempDir())
	top, err := Top(run.Paths, src, TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := listing.Text(&b, top); err != nil || !strings.Contains(b.String(), all) {
		t.Errorf("%v, Top prints\n%s\nwant %s", err, b.String(), all)
	}
	graph := pdag.Graph{Nodes: []pdag.Node{{Out: []pdag.Edge{{To: pdag.Exit}, {To: pdag.Exit, Val: 1}}}}, Starts: []pdag.Start{{}}, N: 2}
	pkg := &wire.Package{Path: "main", Files: []string{"/src/x.go"}}
	for i, name := range []string{"main.main", "main.untold", "main.never"} {
		outs := []wire.Out{{Outcome: wire.OutTrue, Line: 12}, {Outcome: wire.OutFalse, Line: 12}}
		pkg.Funcs = append(pkg.Funcs, wire.Func{Name: name, Line: 10 * (1 + i), Graph: graph, Blocks: []wire.Block{{Branch: wire.Branch{Kind: "if", Line: 11, Col: 2}, Outs: outs}}})
	}
	pkg.Skipped = []wire.Skipped{{Name: "main.untold", Line: 20, Reason: "entry: no instruction"}}
	program, err := annotate.New(annotate.Input{Run: run, Source: src, Program: &executable.File{Build: [8]byte{0x5e, 0xed}, Packages: []*wire.Package{pkg}}})
	if err != nil {
		t.Fatal(err)
	}
	const which = "the compiler has left no instructions that tell the paths of 1 function: main.untold (entry: no instruction). -pepmode=sample and -pepmode=exact tell them."
	for pattern, want := range map[string]string{"main": which, "untold": which, "never": "did not run, or no sample shows it", "main.main": all} {
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
