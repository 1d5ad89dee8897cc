package profiles

// This file compares the branches of a program that knows its counts with those of its sampled profile.

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/lab/bench/benchtest"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/driver"
)

// sampleTestdata builds a program of testdata, and runs it once with options.
// It returns what the program has printed, its profiles, and how it ended.
func sampleTestdata(t *testing.T, name, options string) (printed string, sampled *Counts, end *os.ProcessState) {
	t.Helper()
	cfg := benchtest.Config(t)
	cfg.Packages = "."
	work := t.TempDir()
	dir, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	p := cfg.Program(dir, work)
	if err := p.BuildInstrumented(programs.Polls); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(p.Exe(programs.Polls))
	cmd.Env = append(os.Environ(), "PEPDIR="+work, "PEPOPTS="+options)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := driver.Profile(work, schema.Paths)
	if err != nil {
		t.Fatal(err)
	}
	if sampled, err = read(paths); err != nil {
		t.Fatal(err)
	}
	return string(out), sampled, cmd.ProcessState
}

// Loops whose rounds take 4 ns to 1 ms have outcomes of their branches in proportion to how often they were taken. What
// the loops have beside each other is in proportion to their time, since each sample of a burst counts once.
func TestOutcomesAreThoseOfTheProgram(t *testing.T) {
	printed, sampled, _ := sampleTestdata(t, "known", "tick=4ms")
	yes, no := map[string]float64{}, map[string]float64{}
	for line := range strings.Lines(printed) {
		var name string
		var y, n float64
		if _, err := fmt.Sscan(line, &name, &y, &n); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		yes[name], no[name] = y, n
	}
	t.Log(sampled.File.Facts[0].Encode())
	edges, err := sampled.Edges.Edges()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, b := range profile.SumEdges(edges) {
		name := b.ID.Func.Name
		truth, ok := yes[name]
		if !ok || b.Kind != "if" {
			continue
		}
		for _, o := range b.Outcomes {
			seen++
			if o.Name == "false" {
				truth = no[name]
			}
			// An outcome's distance from its share in five standard deviations: by chance it is further away in less than 1 of
			// 1,000,000 runs.
			share, want := float64(o.Count)/float64(b.Count()), truth/(yes[name]+no[name])
			half := 5 * math.Sqrt(max(want*(1-want), .01)/float64(o.Independent))
			t.Logf("%s %s: share of the branch %.3f ± %.3f, truth %.3f", name, o.Name, share, half, want)
			if math.Abs(share-want) > half {
				t.Errorf("%s %s: share of the branch %.3f, truth %.3f ± %.3f", name, o.Name, share, want, half)
			}
		}
	}
	if seen < 8 {
		t.Errorf("%d outcomes, want 8", seen)
	}
}
