package bench

import (
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
)

// Of five values two are within their bounds, one is below and one above, and one that the run
// has no sample of came more often than its bound says.
func TestValuesAreComparedWithTheirBounds(t *testing.T) {
	site := profile.Site{Kind: "load", Expr: "n"}
	// Without bounds of its own a share of 0.25 of 400 samples is known to 1.96·√(0.25·0.75/400) = 0.042.
	words := func(values ...string) (list []profile.Word) {
		for _, v := range values {
			list = append(list, profile.Word{Site: site, Value: v, Count: 100, Messages: 100})
		}
		return list
	}
	truth := &valueTruth{counts: make(map[valueID]float64), shares: make(map[valueID]float64)}
	for value, share := range map[string]float64{"1": .25, "2": .29, "3": .20, "4": .30, "5": .04} {
		truth.shares[valueID{site, value}] = share
		truth.counts[valueID{site, value}] = 1000 * share
	}
	file := &profile.File{Comments: []string{"pep: taps; what is not listed may have happened up to 39 times"}}
	c := Coverage{Program: "x", Runs: 1}
	c.addValues(truth, file, profile.SumSites(words("1", "2", "3", "4")))
	if want := (Hits{In: 2, Below: 1, Above: 2, Seen: 4, Missed: 1}); c.Values != want {
		t.Errorf("%+v, want %+v", c.Values, want)
	}
	c.HotValues = len(truth.shares)
	if text := BoundsTables([]Coverage{c}); !strings.Contains(text, "40.0%") || !strings.Contains(text, "50.0%") || strings.Contains(text, "hot paths") {
		t.Errorf("want 40 %% of the values and 50 %% of those seen, and no table of paths:\n%s", text)
	}
}
