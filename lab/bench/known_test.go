package bench

// This file looks for the true counts of a program within the bounds of its sampled profile.

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
)

// wide returns the bounds of a share, five standard deviations from it. The chance that a
// number with a normal distribution is outside of such bounds is below 1 in 1,000,000. Here
// that number is the logarithm of p/(1-p), which changes by d if all weights with the item are wrong
// by the factor e^d; a deviation of p is one of p·(1-p) times as much.
func wide(p, deviation float64) (low, high float64) {
	odds, by := p/(1-p), math.Exp(5*deviation/(p*(1-p)))
	return odds / by / (1 + odds/by), odds * by / (1 + odds*by)
}

// sampleTestdata builds a program of testdata, and runs it once with options.
// It returns what the program has printed, its profiles, and how it ended.
func sampleTestdata(t *testing.T, name, options string) (printed string, sampled *counts, end *os.ProcessState) {
	t.Helper()
	cfg := smokeConfig(t)
	cfg.Packages = "."
	work := t.TempDir()
	p := &program{cfg, name, filepath.Join(cfg.Root, "lab", "bench", "testdata", name), work}
	if err := p.pepbuild(pollsBuild); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(p.exe(pollsBuild))
	cmd.Env = append(os.Environ(), "PEPDIR="+work, "PEPOPTS="+options)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(work, "*.paths.pb.gz"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%d profiles, %v", len(names), err)
	}
	if sampled, err = read(names[0]); err != nil {
		t.Fatal(err)
	}
	return string(out), sampled, cmd.ProcessState
}

// Rounds of loops that take 4 ns to 1 ms, 200,000 of the first for each of the last, have
// their true shares within wide bounds, and so have the outcomes of their branches. If each
// sample counts once, the shares of the slowest loop are outside, even if the logarithm of
// their odds had a deviation of 1.
func TestKnownCountsAreWithinBounds(t *testing.T) {
	printed, sampled, _ := sampleTestdata(t, "known", "tick=4ms")
	yes, no := map[string]float64{}, map[string]float64{}
	var rounds float64
	for line := range strings.Lines(printed) {
		var name string
		var y, n float64
		if _, err := fmt.Sscan(line, &name, &y, &n); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		yes[name], no[name] = y, n
		rounds += y + n
	}
	t.Log(sampled.file.Comments)
	paths, err1 := sampled.file.Paths()
	edges, err2 := sampled.edges.Edges()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	var counts, samples float64
	for _, p := range paths {
		counts += float64(p.Count)
		samples += float64(p.Samples)
	}
	seen, biased := 0, 0
	check := func(what string, truth float64, count int64, e profile.Estimate) {
		seen++
		truth /= rounds // beside which other paths are less than 1 in 10,000
		c := float64(count)
		deviation := math.Sqrt(float64(e.Variance)) / c
		low, high := wide(c/counts, deviation*c/counts)
		t.Logf("%s: share %.6f, bounds %.6f to %.6f, truth %.6f", what, c/counts, low, high, truth)
		if truth < low || truth > high {
			t.Errorf("%s: share %.6f, bounds %.6f to %.6f, truth %.6f", what, c/counts, low, high, truth)
		}
		plain := float64(e.Samples) / samples
		if low, high = wide(plain, plain*(1-plain)); truth < low || truth > high {
			biased++
		}
	}
	for _, p := range profile.SumPaths(paths) {
		for _, b := range p.Branches {
			truth, ok := yes[p.ID.Func.Name]
			if b.Outcome == "false" {
				truth = no[p.ID.Func.Name]
			}
			if ok && b.Kind == "if" {
				check(p.ID.Func.Name+" "+b.Outcome, truth, p.Count, p.Estimate)
			}
		}
	}
	for _, b := range profile.SumEdges(edges) {
		name := b.ID.Func.Name
		truth, ok := yes[name]
		if !ok || b.Kind != "if" {
			continue
		}
		for _, o := range b.Outcomes {
			if o.Name == "false" {
				truth = no[name]
			}
			check("edge "+name+" "+o.Name, truth, o.Count, o.Estimate)
			// An outcome's distance from its share in five standard deviations.
			share, want := float64(o.Count)/float64(b.Count()), truth/(yes[name]+no[name])
			half := 5 * math.Sqrt(max(want*(1-want), .01)/float64(o.Independent))
			t.Logf("%s %s: share of the branch %.3f ± %.3f, truth %.3f", name, o.Name, share, half, want)
			if math.Abs(share-want) > half {
				t.Errorf("%s %s: share of the branch %.3f, truth %.3f ± %.3f", name, o.Name, share, want, half)
			}
		}
	}
	if seen < 16 || biased < 4 {
		t.Errorf("%d shares, of which %d would be outside of their bounds if each sample counted once; want 16 and 4", seen, biased)
	}
}
