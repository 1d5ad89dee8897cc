package bounds

import (
	"bytes"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/lab/bench/profiles"
)

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
	id := profile.PathID{Func: own}
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
		if err := c.add(truth, &profiles.Counts{File: f, Edges: e}); err != nil {
			t.Fatal(err)
		}
		if in := known == own; (c.Paths.In == 1) != in {
			t.Errorf("all of %s: %+v", known.Name, c.Paths)
		}
	}
}
