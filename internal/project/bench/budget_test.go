package bench

// This file looks at shares of paths in a program that keeps to a budget.

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
)

// With a budget, ticks move apart, and the shares of two loops whose rounds are counted stay
// within five standard deviations. Bursts that weigh like n equal ones are in one loop or the
// other, so a share p has the deviation √(p(1-p)/n), and the chance of a false alarm is below 1
// in 1,000,000. (The bounds in the profile allow for wrong weights, too. Here rounds of both
// loops take equally long, so weights should be equal.) As many rounds of one loop as of the
// other would be outside.
func TestSharesAreRightWithinABudget(t *testing.T) {
	cfg := smokeConfig(t)
	cfg.Packages = "."
	work := t.TempDir()
	p := &program{cfg, "budget", filepath.Join(cfg.Root, "internal", "project", "bench", "testdata", "budget"), work}
	if err := p.pepbuild(pageBuild); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(p.exe(pageBuild))
	cmd.Env = append(os.Environ(), "PEPDIR="+work, "PEPOPTS=samples=16,stride=5,tick=4ms,budget=1%")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	truth, rounds := map[string]float64{}, 0.
	for line := range strings.Lines(string(out)) {
		var name string
		var n float64
		if _, err := fmt.Sscan(line, &name, &n); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		truth["main."+name] = n
		rounds += n
	}
	names, err := filepath.Glob(filepath.Join(work, "*.paths.pb.gz"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%d profiles, %v", len(names), err)
	}
	sampled, err := read(names[0])
	if err != nil {
		t.Fatal(err)
	}
	comments := strings.Join(sampled.file.Comments, "\n")
	t.Log(comments)
	m := regexp.MustCompile(`, (\d+) ticks, .*, sampling took \d+ms, ([\d.]+)% \(budget 1\.00%\), bursts weigh like (\d+) equal ones`).FindStringSubmatch(comments)
	if m == nil {
		t.Fatal("the profile does not say that there was a budget")
	}
	ticks, _ := strconv.ParseFloat(m[1], 64)
	took, _ := strconv.ParseFloat(m[2], 64)
	equal, _ := strconv.ParseFloat(m[3], 64)
	if most := cmd.ProcessState.UserTime().Seconds() / 0.004; ticks > 0.9*most {
		t.Errorf("%g ticks, and %.0f without a budget: it is not in force", ticks, most)
	}
	if took > 1.1 {
		t.Errorf("sampling took %g%%, the budget is 1%%", took)
	}

	paths, err := sampled.file.Paths()
	if err != nil {
		t.Fatal(err)
	}
	var counts float64
	for _, p := range paths {
		counts += float64(p.Count)
	}
	seen := 0
	for _, p := range profile.SumPaths(paths) {
		want, ok := truth[p.ID.Func.Name]
		if !ok || float64(p.Count) < counts/100 { // rounds, not the ways into and out of the loops
			continue
		}
		seen++
		want /= rounds
		share, half := float64(p.Count)/counts, 5*math.Sqrt(want*(1-want)/equal)
		t.Logf("%s: share %.3f, truth %.3f ± %.3f", p.ID.Func.Name, share, want, half)
		if math.Abs(share-want) > half {
			t.Errorf("%s: share %.3f, truth %.3f ± %.3f", p.ID.Func.Name, share, want, half)
		}
		if math.Abs(.5-want) <= half {
			t.Errorf("%s: a share of one half is within %.3f ± %.3f, too: the bounds say nothing", p.ID.Func.Name, want, half)
		}
	}
	if seen != 2 {
		t.Errorf("%d paths with a known share, want 2", seen)
	}
}
