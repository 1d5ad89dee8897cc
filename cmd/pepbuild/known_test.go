package main

// This file compares what bursts of taps estimate with numbers that a program knows.

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
)

// manyBounds is how many bounds an estimate may be off. A bound is 1.96 standard deviations, so
// these are 5.9, which 4 of 10^9 values of a normal distribution exceed. The variance
// is itself estimated from 20 to 30 windows in a phase of the program. For Student's distribution with as
// few as 15 degrees of freedom the chance is 3 in 100,000 with the bound of a normal distribution, and
// below 1 in 100,000 with this one, which is √(1+4/16) times as wide (weigh.Bound). A count also has slack, three times.
const manyBounds = 3

// An estimate is the share of a word among those of its tap, or the count of a tap.
type estimate struct {
	value, bound float64
	samples      int64
}

// outside returns the estimates that are off by more than so many bounds, and those that are
// missing.
func outside(got map[string]estimate, truth map[string]float64, bounds float64) (list []string) {
	for name, want := range truth {
		e, ok := got[name]
		if !ok || math.Abs(e.value-want) > bounds*e.bound {
			list = append(list, fmt.Sprintf("%s: %.4g ± %.3g, truth %.4g", name, e.value, e.bound, want))
		}
	}
	return list
}

// knownCounts reads what the program prints: how often each function loads, and for
// "run=0" the share of this word among those that run loads.
func knownCounts(t *testing.T, stdout string) map[string]float64 {
	truth, all := map[string]float64{}, 0.0
	for line := range strings.Lines(stdout) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseInt(number, 0, 64)
		if err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		truth[name] = float64(n)
		if strings.HasPrefix(name, "run=") {
			all += float64(n)
		}
	}
	for name := range truth {
		if strings.HasPrefix(name, "run=") {
			truth[name] /= all
		}
	}
	return truth
}

// estimates reads the same from a profile of values.
func estimates(t *testing.T, file string) map[string]estimate {
	f, err := profile.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	words, err := f.Words()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]estimate{}
	for _, s := range profile.SumSites(words) {
		name := strings.TrimPrefix(s.Site.Func.Name, "main.")
		if s.Site.Expr == "s.kind" {
			for _, w := range s.Words {
				got["run="+w.Value] = estimate{float64(w.Count) / float64(s.Count), s.ShareError(w, f.Period.Value), w.Messages}
			}
		} else if s.Site.Expr == "p.n" {
			w := s.Words[0] // the only one: p.n is 3
			got[name] = estimate{float64(s.Count), w.CountError(f.Period.Value), s.Messages}
		}
	}
	return got
}

// Counts, shares and order are those that the program knows, whether its taps are
// built for bursts or always there, where a load takes 1 ns and where it takes 1 ms. Estimates that
// count each sample once, as if all windows stood for as many events, are found to be wrong.
func TestBurstsEstimateKnownCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 7 s")
	}
	skipUnlessLinux(t)
	dir := t.TempDir()
	text, err := os.ReadFile("testdata/known/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"main.go": text, "go.mod": []byte("module known\n\ngo 1.26\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, mode := range []string{"burst", "full"} {
		t.Run(mode, func(t *testing.T) {
			out := t.TempDir()
			cmd := exec.Command(build(t, dir, "-pepmode=taps", "-peptaps=loads", "-peptapmode="+mode))
			cmd.Env = append(os.Environ(), "PEPDIR="+out, "PEPOPTS=taps=burst")
			stdout, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(out, "*.values.pb.gz"))
			if err != nil || len(files) != 1 {
				t.Fatalf("want a profile of values, got %q", files)
			}
			truth, got := knownCounts(t, string(stdout)), estimates(t, files[0])
			for name, e := range got {
				t.Logf("%s %s: %.4g ± %.3g of %d samples, truth %.4g", mode, name, e.value, e.bound, e.samples, truth[name])
			}
			for _, problem := range outside(got, truth, manyBounds) {
				t.Error(problem)
			}
			for _, order := range [][2]string{{"fast", "slow"}, {"brisk", "slow"}, {"slow", "rare"}, {"often", "seldom"}, {"run=0", "run=2"}} {
				if got[order[0]].value <= got[order[1]].value {
					t.Errorf("%s has more than %s, but the profile has %g and %g", order[0], order[1], got[order[0]].value, got[order[1]].value)
				}
			}

			// The planted bias.
			biased, samples, events := map[string]estimate{}, 0.0, 0.0
			for name, e := range got {
				if !strings.Contains(name, "=") {
					samples += float64(e.samples)
					events += e.value
				}
			}
			for name, e := range got {
				biased[name] = e
				if !strings.Contains(name, "=") {
					e.value = float64(e.samples) / samples * events
					biased[name] = e
				}
			}
			bad := strings.Join(outside(biased, truth, manyBounds), "\n")
			for _, name := range []string{"slow: ", "rare: "} {
				if !strings.Contains(bad, name) {
					t.Errorf("an estimate that counts samples once is not found wrong for %s found are\n%s", name, bad)
				}
			}
		})
	}
}
