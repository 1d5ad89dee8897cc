package profiles

// This file looks at shares of paths in a program that keeps to a budget.

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
)

// With a budget, ticks move apart, and the shares that two callers have of a loop's rounds stay
// within five standard deviations. A burst is in rounds for one caller, and all bursts have the same
// paths, so they weigh like the time that their ticks stand for. If they weigh like n equal ones, a share p
// has the deviation √(p(1-p)/n), and the chance of a false alarm is below 1 in 1,000,000. As many rounds for
// one caller as for the other would be outside.
func TestSharesAreRightWithinABudget(t *testing.T) {
	const tick, budget = 0.004, 0.1 // s, %
	printed, sampled, end := sampleTestdata(t, "budget", "samples=16,stride=5,tick=4ms,budget=0.1%")
	truth, rounds := map[string]float64{}, 0.
	for line := range strings.Lines(printed) {
		var name string
		var n float64
		if _, err := fmt.Sscan(line, &name, &n); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		truth[name] = n
		rounds += n
	}
	t.Log(sampled.File.Facts[0].Encode())
	fact := func(k facts.Key) float64 { return float64(sampled.File.Fact(k)) }
	if got := fact(facts.Budget); got != 1e4*budget {
		t.Fatalf("the profile says that the budget was %g ppm", got)
	}
	ticks, took, equal := fact(facts.Ticks), 100*fact(facts.SampledTime)/fact(facts.CPUTime), fact(facts.EqualBursts)
	if most := end.UserTime().Seconds() / tick; ticks > 0.9*most {
		t.Fatalf("%g ticks, and %.0f without a budget: the budget changes nothing, or sampling costs less than %g%% here",
			ticks, most, budget)
	}
	if took > 2*budget {
		t.Errorf("sampling took %g%%, the budget is %g%%", took, budget)
	}

	paths, err := sampled.File.Paths()
	if err != nil {
		t.Fatal(err)
	}
	counts, all := map[string]float64{}, 0.
	for _, p := range paths {
		if p.ID.Func.Name != "main.work" {
			continue
		}
		caller := "shallow"
		if slices.ContainsFunc(p.Callers, func(f profile.Frame) bool { return f.Func.Name == "main.deep" }) {
			caller = "deep"
		}
		counts[caller] += float64(p.Count)
		all += float64(p.Count)
	}
	for caller, want := range truth {
		want /= rounds
		share, half := counts[caller]/all, 5*math.Sqrt(want*(1-want)/equal)
		t.Logf("%s: share %.3f, truth %.3f ± %.3f", caller, share, want, half)
		if !(math.Abs(share-want) <= half) {
			t.Errorf("%s: share %.3f, truth %.3f ± %.3f", caller, share, want, half)
		}
		if math.Abs(.5-want) <= half {
			t.Errorf("%s: a share of one half is within %.3f ± %.3f, too: the bounds say nothing", caller, want, half)
		}
	}
}
