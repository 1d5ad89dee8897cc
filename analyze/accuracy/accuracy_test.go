package accuracy

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"
)

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance || math.IsNaN(got) && math.IsNaN(want)
}

// The vector of the specification, §9: paths 0..3 of the smart numbering of
// §3.4 ran 900, 100, 10, 10 times with 2, 2, 1, 0 branches.
var vectorFlows = map[int]int64{0: 1800, 1: 200, 2: 10, 3: 0}

// TestWall is PEP-23.
func TestWall(t *testing.T) {
	many := make(map[int]int64)
	for i := range 800 {
		many[i] = 1
	}
	tests := []struct {
		name              string
		actual, estimated map[int]int64
		want              Matching
	}{
		{"A hot path that was not sampled is missed.",
			vectorFlows, map[int]int64{0: 90, 1: 8}, Matching{0.99502, 3, 2}},
		{"A single sample of it finds it.",
			vectorFlows, map[int]int64{0: 90, 1: 8, 2: 1}, Matching{1, 3, 3}},
		{"The identity is 1.",
			vectorFlows, vectorFlows, Matching{1, 3, 3}},
		{"The flow of a cold path sampled too often is not counted.",
			map[int]int64{0: 900, 1: 99, 2: 1}, map[int]int64{0: 5, 2: 4, 1: 3}, Matching{900.0 / 999, 2, 1}},
		{"Paths that never ran take places but add nothing.",
			map[int]int64{0: 600, 1: 400}, map[int]int64{0: 5, 7: 4, 1: 3}, Matching{0.6, 2, 1}},
		{"Of equals the smaller identity is chosen.",
			map[int]int64{0: 600, 1: 400}, map[int]int64{0: 5, 1: 3, 2: 3}, Matching{1, 2, 2}},
		{"Of equals the smaller identity is chosen, right or wrong.",
			map[int]int64{0: 600, 2: 400}, map[int]int64{0: 5, 1: 3, 2: 3}, Matching{0.6, 2, 1}},
		{"Paths without branches are never hot.",
			map[int]int64{0: 10, 1: 0}, map[int]int64{1: 0, 0: 1}, Matching{1, 1, 1}},
		{"An empty estimate finds nothing.",
			vectorFlows, nil, Matching{0, 3, 0}},
		{"A path of exactly the threshold is not hot.",
			many, many, Matching{math.NaN(), 0, 0}},
		{"Nothing ran.", nil, nil, Matching{math.NaN(), 0, 0}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Wall(test.actual, test.estimated, cmp.Compare[int])
			if !near(got.Accuracy, test.want.Accuracy, 5e-6) || got.Hot != test.want.Hot || got.Matched != test.want.Matched {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

// TestWallThreshold checks that the threshold is exact for any total.
func TestWallThreshold(t *testing.T) {
	for k := int64(1); k < 100_000; k += 37 {
		flows := map[string]int64{"hot": k + 1, "threshold": k, "rest": 800*k - 2*k - 1}
		if got := Wall(flows, flows, cmp.Compare[string]).Hot; got != 2 {
			t.Fatalf("threshold %d: got %d hot paths, want 2", k, got)
		}
	}
}

// The vector of §9 for edges.
var (
	vectorActual    = map[string]Outcomes{"H": {"body": 1000, "done": 10}, "B": {"true": 900, "false": 100}}
	vectorEstimated = map[string]Outcomes{"H": {"body": 49, "done": 1}, "B": {"true": 45, "false": 4}}
)

// TestOverlap is PEP-24.
func TestOverlap(t *testing.T) {
	tests := []struct {
		name               string
		actual, estimated  map[string]Outcomes
		relative, absolute float64
	}{
		{"The vector of the specification.",
			vectorActual, vectorEstimated, 0.98579, 0.98809},
		{"The identity is 1.",
			vectorActual, vectorActual, 1, 1},
		{"An unseen branch is held for even.",
			map[string]Outcomes{"B": {"true": 90, "false": 10}}, nil, 0.6, 0},
		{"An unseen branch that went one way only is even, too.",
			map[string]Outcomes{"B": {"true": 100}}, nil, 0.5, 0},
		{"An unseen switch is uniform.",
			map[string]Outcomes{"S": {"1": 50, "2": 25, "3": 25, "4": 0}}, nil, 0.75, 0},
		{"A switch normalises every outcome.",
			map[string]Outcomes{"S": {"1": 50, "2": 30, "default": 20}},
			map[string]Outcomes{"S": {"1": 4, "2": 2, "3": 4}}, 0.6, 0.6},
		{"The bias may be right where the frequency is not.",
			map[string]Outcomes{"A": {"true": 90, "false": 10}, "B": {"true": 10, "false": 90}},
			map[string]Outcomes{"A": {"true": 9, "false": 1}, "B": {"true": 3, "false": 27}}, 1, 0.75},
		{"A branch that never ran has no weight.",
			map[string]Outcomes{"A": {"true": 1}, "B": {"true": 0}},
			map[string]Outcomes{"A": {"true": 1}, "B": {"true": 1}}, 1, 0.5},
		{"A branch seen in the estimate only has no weight either.",
			map[string]Outcomes{"A": {"true": 1}},
			map[string]Outcomes{"A": {"true": 1}, "B": {"true": 3}}, 1, 0.25},
		{"Nothing ran.", nil, vectorEstimated, math.NaN(), math.NaN()},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Relative(test.actual, test.estimated); !near(got, test.relative, 5e-6) {
				t.Errorf("relative overlap: got %.5f, want %.5f", got, test.relative)
			}
			if got := Absolute(test.actual, test.estimated); !near(got, test.absolute, 5e-6) {
				t.Errorf("absolute overlap: got %.5f, want %.5f", got, test.absolute)
			}
		})
	}
}

// TestRandomProfiles checks what holds for all profiles: the identity is 1,
// scaling an estimate changes nothing, results lie in [0,1], and the binary
// form of relative overlap is the paper's formula.
func TestRandomProfiles(t *testing.T) {
	const seed = 20051112
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		flows, actual, estimated := make(map[int]int64), make(map[int]Outcomes), make(map[int]Outcomes)
		for i := range 1 + r.IntN(50) {
			flows[i] = 1 + r.Int64N(1<<r.IntN(40))
			actual[i] = Outcomes{"true": r.Int64N(1000), "false": 1 + r.Int64N(1000)}
			estimated[i] = Outcomes{"true": 1 + r.Int64N(20), "false": r.Int64N(20)}
		}
		if got := Wall(flows, flows, cmp.Compare[int]).Accuracy; got != 1 {
			t.Errorf("Wall of %v with itself: got %v, want 1", flows, got)
		}
		for name, got := range map[string]float64{
			"relative": Relative(actual, actual), "absolute": Absolute(actual, actual),
		} {
			if !near(got, 1, 1e-12) {
				t.Errorf("%s overlap of %v with itself: got %v, want 1", name, actual, got)
			}
		}

		tripled := make(map[int]Outcomes)
		for id, o := range estimated {
			tripled[id] = maps.Clone(o)
			for name := range o {
				tripled[id][name] *= 3
			}
		}
		if got, want := Absolute(actual, tripled), Absolute(actual, estimated); !near(got, want, 1e-12) || got < 0 ||
			got > 1 {
			t.Errorf("absolute overlap with a tripled estimate: got %v, want %v in [0,1]", got, want)
		}

		var weighted, total float64
		for id, a := range actual {
			e := estimated[id]
			n := float64(a["true"] + a["false"])
			takenA := float64(a["true"]) / n
			takenE := float64(e["true"]) / float64(e["true"]+e["false"])
			weighted += n * (1 - math.Abs(takenA-takenE))
			total += n
		}
		if got, want := Relative(actual, tripled), weighted/total; !near(got, want, 1e-12) {
			t.Errorf("relative overlap: got %v, want %v by the paper's formula", got, want)
		}
	}
}

func ExampleWall() {
	sampled := map[int]int64{0: 90, 1: 8}
	fmt.Printf("%.5f\n", Wall(vectorFlows, sampled, cmp.Compare[int]).Accuracy)
	// Output: 0.99502
}

func ExampleRelative() {
	actual := map[string]Outcomes{"x.go:12:5": {"true": 900, "false": 100}}
	sampled := map[string]Outcomes{"x.go:12:5": {"true": 45, "false": 4}}
	fmt.Printf("%.5f\n", Relative(actual, sampled))
	// Output: 0.98163
}
