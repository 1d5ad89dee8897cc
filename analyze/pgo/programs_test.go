package pgo_test

// This file builds a program with the profile that pep pgo makes of its paths.

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/pepgo/pep/analyze/pgo"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// What the go command and the compiler say about the profile is the oracle. Names of generic functions
// have their shapes, and lines are those of the source; the compiler calls the method of an interface
// directly, and the program does what it did.
func TestPGO(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	if testing.Short() {
		t.Skip("builds a program three times: not in short mode")
	}
	a, err := txtar.ParseFile(filepath.Join("testdata", "pgo.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := pepbuildtest.Extract(t, a)
	prog := pepbuildtest.Program(t, dir, "-pepmode=polls")
	files := t.TempDir()
	cmd := exec.Command(prog)
	cmd.Env = append(os.Environ(), "PEPDIR="+files, "PEPOPTS=tick=1ms")
	want, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, want)
	}
	names, err := filepath.Glob(filepath.Join(files, "*.paths.pb.gz"))
	if err != nil || len(names) != 1 {
		t.Fatalf("profiles %q: %v", names, err)
	}
	table := func() (*profile.File, *report.PGOTable) {
		f, err := profile.Open(names[0])
		if err != nil {
			t.Fatal(err)
		}
		table, err := report.PGO(f, nil, source.NewTree(""), report.PGOOptions{Cut: 1})
		if err != nil {
			t.Fatal(err)
		}
		return f, table
	}
	f, calls := table()
	if len(calls.Stale) > 0 {
		t.Errorf("stale: %+v", calls.Stale)
	}
	for _, c := range calls.Rows {
		if strings.HasPrefix(c.Caller, "runtime.") || strings.HasPrefix(c.Callee, "main.deferring") &&
			strings.Contains(c.Callee, ".func") || c.Callee == "main.(*add).close" {
			t.Errorf("the compiler cannot inline %s on line %d of %s", c.Callee, c.Line, c.Caller)
		}
	}
	out := filepath.Join(dir, "default.pgo")
	if err := f.SaveStacks(out, pgo.Types, calls.Stacks()); err != nil {
		t.Fatal(err)
	}
	goCommand := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		text, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, text)
		}
		return string(text)
	}
	goCommand("tool", "preprofile", "-i", out, "-o", filepath.Join(dir, "edges"))
	edges, err := os.ReadFile(filepath.Join(dir, "edges"))
	if err != nil {
		t.Fatal(err)
	}
	for _, edge := range []string{
		`main\.main\nexample\.com/taps/sub%2ed\.Sum\[go\.shape\.int\]\n9 \d+\n`,
		`main\.main\nexample\.com/taps/sub%2ed\.Sum\[go\.shape\.float64\]\n11 \d+\n`,
		`main\.each\nmain\.\(\*add\)\.apply\n1 \d+\n`,
		`main\.ranging-range1\nmain\.pick\n2 \d+\n`,
		`main\.deferring\.func1\nmain\.pick\n2 \d+\n`,
	} {
		if !regexp.MustCompile(edge).Match(edges) {
			t.Errorf("no edge %s in\n%s", edge, edges)
		}
	}
	said := goCommand("build", "-pgo="+out, "-gcflags=-d=pgodebug=2", "-o", "fast", ".")
	if !strings.Contains(said, "call main.each:1: hottest callee main.(*add).apply") {
		t.Errorf("the compiler does not call the method directly:\n%s", said)
	}
	if got, err := exec.Command(filepath.Join(dir, "fast")).CombinedOutput(); err != nil || string(got) != string(want) {
		t.Errorf("%v: got %q, want %q", err, got, want)
	}

	// Without the call in the source the edge is left out.
	main := filepath.Join(dir, "main.go")
	text, err := os.ReadFile(main)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(main, []byte(strings.Replace(string(text), "return o.apply(n)", "return n", 1)),
		0o644); err != nil {
		t.Fatal(err)
	}
	if _, calls := table(); len(calls.Stale) != 1 || calls.Stale[0].Caller != "main.each" {
		t.Errorf("got stale calls %+v, want the one of main.each", calls.Stale)
	}
}
