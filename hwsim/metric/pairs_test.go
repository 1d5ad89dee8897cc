package metric

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/format/tuple"
)

// shares are estimates by hand.
type shares map[tuple.Tuple]float64

func (s shares) Invariance(t tuple.Tuple) float64 { return s[t] }

func TestCOP27_IdealProfileHasNoError(t *testing.T) {
	ideal := New()
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50_000 {
		pc := rng.Uint64N(20)
		ideal.Add(tuple.New(tuple.Load, pc, rng.Uint64N(1+pc/3)), 1)
		if pc == 0 {
			ideal.Add(tuple.New(tuple.Load, pc, 1000+rng.Uint64N(1000)), 1) // a rare value
		}
	}
	e := Pairs.Error(ideal, ideal)
	if e.RMS != 0 || e.Tuples < 20 || e.Places != 20 {
		t.Errorf("the ideal profile against itself: %+v, want no error of some tuples at 20 places", e)
	}
	selected := Pairs.Of(ideal)
	only := ideal.Only(selected)
	if e := Over(selected, only, ideal); e.RMS != 0 || e.Tuples != len(selected) {
		t.Errorf("the selected tuples alone: %+v, want no error of %d tuples", e, len(selected))
	}
	if only.Total() != ideal.Total() || only.Places() != ideal.Places() {
		t.Errorf("%d events at %d places, want %d at %d", only.Total(), only.Places(), ideal.Total(), ideal.Places())
	}
	if x := (tuple.New(tuple.Load, 0, 1500)); only.Tuple(x) != 0 {
		t.Errorf("a tuple that was not selected has %d events", only.Tuple(x))
	}
}

// The load 1 has the value 7 in 600 executions and 8 in 300; the load 2 has the value 5 in
// 3000 executions, and 9 in 100, which is less than a tenth.
func TestCOP27_WeightedErrorByHand(t *testing.T) {
	ideal := New()
	pair := func(pc, w uint64) tuple.Tuple { return tuple.Tuple{PC: pc, W: w} }
	ideal.Add(pair(1, 7), 600)
	ideal.Add(pair(1, 8), 300)
	ideal.Add(pair(1, 6), 300)
	ideal.Add(pair(2, 5), 3000)
	ideal.Add(pair(2, 9), 100)
	true5 := 3000.0 / 3100
	for _, x := range []struct {
		name     string
		estimate shares
		want     float64
	}{
		{"all right", shares{pair(1, 7): 0.5, pair(1, 8): 0.25, pair(1, 6): 0.25, pair(2, 5): true5}, 0},
		{"a value of a small share does not count",
			shares{pair(1, 7): 0.5, pair(1, 8): 0.25, pair(1, 6): 0.25, pair(2, 5): true5, pair(2, 9): 1}, 0},
		// One pair of 600 executions is wrong by 0.2.
		{"one is wrong", shares{pair(1, 7): 0.7, pair(1, 8): 0.25, pair(1, 6): 0.25, pair(2, 5): true5},
			math.Sqrt(600 * 0.04 / 4200)},
		// Values that were never sampled are wrong by their share.
		{"load 1 is unknown", shares{pair(2, 5): true5}, math.Sqrt((600*0.25 + 2*300*0.0625) / 4200)},
		{"too high and too low weigh the same",
			shares{pair(1, 7): 0.4, pair(1, 8): 0.35, pair(1, 6): 0.25, pair(2, 5): true5},
			math.Sqrt((600 + 300) * 0.01 / 4200)},
	} {
		if got := Over(Pairs.Of(ideal), ideal, x.estimate); math.Abs(got.RMS-x.want) > 1e-9 || got.Tuples != 4 {
			t.Errorf("%s: error %v of %d pairs, want %v of 4", x.name, got.RMS, got.Tuples, x.want)
		}
	}
}

func TestCOP27_LeastShareAndExecutions(t *testing.T) {
	for _, x := range []struct {
		name  string
		ideal *Profile
		want  int
	}{
		{"a tenth of 1000 executions", others(of(map[uint64]uint64{7: 100}), 900), 1},
		{"less than a tenth", others(of(map[uint64]uint64{7: 99}), 901), 0},
		{"too few executions", of(map[uint64]uint64{7: 999}), 0},
		{"ten values of the same share", of(map[uint64]uint64{0: 100, 1: 100, 2: 100, 3: 100, 4: 100, 5: 100, 6: 100, 7: 100,
			8: 100, 9: 100}), 10},
	} {
		if got := len(Pairs.Of(x.ideal)); got != x.want {
			t.Errorf("%s: %d pairs, want %d", x.name, got, x.want)
		}
	}
}
