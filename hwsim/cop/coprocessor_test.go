package cop_test

// This file runs programs whose values are known with the co-processor, and compares what
// pep values lists.

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

const knownValues = `package main

type thing struct{ mode, often, any int }

func main() {
	x := &thing{mode: -7}
	sum, sixes, r := 0, 0, uint32(1)
	for i := range 300_000 {
		r = r*1664525 + 1013904223
		x.often, x.any = 5, i
		if r>>30 == 0 {
			x.often = 6
			sixes++
		}
		sum += x.mode
		sum += x.often
		sum += x.any
	}
	println(sixes)
}
`

// Value profiling by the co-processor, in a program: one load has one value, one has two, and one has
// always another. Each of the 300,000 rounds has a sample of each load until it is masked. It is masked
// after eight interrupts at the latest, each with more than 200 samples of the load, so
// the share of the second load's values has a standard deviation below 0.011; 0.07 are more than six.
func TestCoprocessorProfilesValues(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with taps: not in short mode")
	}
	dir := pepbuildtest.Extract(t, &txtar.Archive{Files: []txtar.File{{Name: "main.go", Data: []byte(knownValues)}}})
	prog := pepbuildtest.Program(t, dir, "-peptaps=loads")
	run := func(engine string) (output, files string) {
		files = t.TempDir()
		cmd := exec.Command(prog)
		cmd.Env = append(os.Environ(), "PEPDIR="+files, "PEPOPTS=engine="+engine)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", engine, err, out)
		}
		return string(out), files
	}
	out, files := run("cop(program=values)")
	var sixes int
	if _, err := fmt.Sscan(out, &sixes); err != nil || strings.Count(out, "\n") != 1 {
		t.Fatalf("%q: %v", out, err)
	}
	names, err := filepath.Glob(filepath.Join(files, "*.values.pb.gz"))
	if err != nil || len(names) != 1 {
		t.Fatalf("profiles %q: %v", names, err)
	}
	f, err := profile.Open(names[0])
	if err != nil {
		t.Fatal(err)
	}
	table, err := report.Values(f, source.NewTree(""), report.ValuesOptions{Events: 100, Share: .9})
	if err != nil {
		t.Fatal(err)
	}
	share := map[string]float64{} // by expression and value
	for _, s := range table.Sites {
		for _, v := range s.Rows {
			share[s.Expr+" "+v.Value] = v.Share
		}
	}
	six := float64(sixes) / 300_000
	if share["x.mode -7"] != 1 || math.Abs(share["x.often 6"]-six) > .07 || math.Abs(share["x.often 5"]-(1-six)) > .07 {
		t.Errorf("want x.mode -7 always, and x.often 6 in %.3f of all cases: %v", six, share)
	}
	for what, n := range share {
		// a value that had a slot has at most a quarter of what slots forgot
		if strings.HasPrefix(what, "x.any ") && !strings.HasPrefix(what, "x.any [") && n > .26 {
			t.Errorf("%s: %.3f", what, n)
		}
	}
	if len(table.Specialise) != 1 {
		t.Errorf("worth specialising: %+v", table.Specialise)
	}
	top := exec.Command("go", "tool", "pprof", "-top", names[0])
	top.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	if out, err := top.CombinedOutput(); err != nil || !strings.Contains(string(out), " 100%  main.main\n") {
		t.Errorf("%s: %v\n%s", top, err, out)
	}

	const want = "pep: PEPOPTS: engine cop(hi=90), column 8: want no hi: only programs for the host values have it, such as program=values; running without a profile\n"
	if out, _ := run("cop(hi=90)"); !strings.HasPrefix(out, want) {
		t.Errorf("%s\nwant %s", out, want)
	}
}
