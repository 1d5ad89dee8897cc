package bench

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/format/facts"
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
	file := &profile.File{Facts: []facts.List{{{Key: facts.Unseen, N: 39}}}}
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

// The values of handler a are compared with the bounds of the samples that have its label, and not with those of handler b,
// which has loaded value 1, too. Value 3 came more often than the bound says of what has no sample.
func TestValuesOfALabelAreComparedWithTheirBounds(t *testing.T) {
	var words []profile.Word
	for _, w := range []struct {
		handler, value string
		n              int64
	}{{"a", "1", 100}, {"a", "2", 300}, {"b", "1", 900}} {
		words = append(words, profile.Word{Site: profile.Site{Kind: "load", Expr: "p.n"}, Value: w.value, Count: w.n, Messages: w.n,
			Labels: []profile.Label{{Key: "handler", Value: w.handler}}})
	}
	file := &profile.File{Facts: []facts.List{{{Key: facts.Unseen, N: 39}}}}
	const printed = "a 1 110\na 2 400\na 3 45\nb 1 900\n"
	// Of 400 samples a share of 0.25 is known to 1.96·√(0.25·0.75/400) = 0.042, and 110 of 555 are less. Counts of 100
	// and 300 are known to 19.6 and 33.9.
	a := LabelHits{Handler: "a"}
	if err := a.add(printed, file, words); err != nil {
		t.Fatal(err)
	}
	want := LabelHits{Handler: "a", Values: 3, Shares: Hits{In: 1, Below: 1, Seen: 2}, Counts: Hits{In: 1, Above: 2, Seen: 2, Missed: 1}}
	if a != want {
		t.Errorf("%+v, want %+v", a, want)
	}
	all := LabelHits{}
	if err := all.add(printed, file, words); err != nil {
		t.Fatal(err)
	}
	if all.Values != 3 || all.Counts != want.Counts { // 1000 of 1010 ± 62, 300 of 400
		t.Errorf("all goroutines: %+v", all)
	}
	if err := (&LabelHits{Handler: "c"}).add(printed, file, words); err == nil {
		t.Error("no error if no sample has the label")
	}
	if text := LabelBoundsTable([]LabelHits{a, all}); !strings.Contains(text, "| handler=a ") || !strings.Contains(text, "| all goroutines ") || !strings.Contains(text, "50.0%") {
		t.Errorf("want both labels, and 50 %% of the shares of handler a:\n%s", text)
	}
}

// Of three paths and three edges, two each are as frequent in a second exact run. One edge is not there at all.
func TestUnsteadyPathsAndEdgesAreLeftOut(t *testing.T) {
	path := func(name string) profile.PathID { return profile.PathID{Func: profile.Func{Name: name}} }
	edge := func(outcome string) edgeID { return edgeID{outcome: outcome} }
	first := &truth{
		paths:    map[profile.PathID]float64{path("a"): .5, path("b"): .2, path("c"): .1},
		edges:    map[edgeID]float64{edge("x"): .5, edge("y"): .2, edge("z"): .1},
		outcomes: map[edgeID]float64{edge("x"): 1, edge("y"): .7, edge("z"): .3},
	}
	second := &truth{
		paths: map[profile.PathID]float64{path("a"): .5, path("b"): .206, path("c"): .11},
		edges: map[edgeID]float64{edge("x"): .48, edge("y"): .2},
	}
	if n := first.leaveOut(second); n != 2 || len(first.paths) != 2 || len(first.edges) != 2 || len(first.outcomes) != 2 {
		t.Errorf("%d left out of %+v", n, first)
	}
	if first.paths[path("c")] != 0 || first.edges[edge("z")] != 0 || first.outcomes[edge("z")] != 0 {
		t.Errorf("what differs is still there: %+v", first)
	}
}

// Bounds of shares are of the functions that exact counts have: windows see others, too.
func TestBoundsOfOwnFunctions(t *testing.T) {
	own, other := profile.Func{Name: "main.f"}, profile.Func{Name: "runtime.g"}
	id := profile.PathID{Func: own, Label: "p0"}
	data, err := proftest.Encode("profile paths\ncomment \"#pep.version=1 mode=sampled form=windows clock=cpu tick=10000000 ticks=100 samples=1000 windows=100\"\nperiod 10000000 cpu/nanoseconds\n" +
		"path func=main.f at=:0 path=p0 end=1 count=300000 flow=1 from=entry lines=1 branches=\"\" callers=\"\" samples=300 variance=1000000\n" +
		"path func=runtime.g at=:0 path=p0 end=1 count=700000 flow=1 from=entry lines=1 branches=\"\" callers=\"\" samples=700 variance=1000000\n")
	if err != nil {
		t.Fatal(err)
	}
	f, err := profile.Parse("app", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	edges, err := proftest.Encode("profile edges\ncomment \"#pep.version=1 mode=sampled form=windows clock=cpu tick=10000000 ticks=100 samples=1000 windows=100\"\nperiod 10000000 cpu/nanoseconds\n")
	if err != nil {
		t.Fatal(err)
	}
	e, err := profile.Parse("app", bytes.NewReader(edges))
	if err != nil {
		t.Fatal(err)
	}
	for _, known := range []profile.Func{own, other} {
		c := Coverage{Program: "app"}
		truth := &truth{funcs: map[profile.Func]bool{known: true}, paths: map[profile.PathID]float64{id: 1}}
		if err := c.add(truth, &counts{file: f, edges: e}); err != nil {
			t.Fatal(err)
		}
		if in := known == own; (c.Paths.In == 1) != in {
			t.Errorf("all of %s: %+v", known.Name, c.Paths)
		}
	}
}
