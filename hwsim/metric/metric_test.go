package metric

import (
	"math"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// of returns a profile with the given events of words at the place 1.
func of(events map[uint64]uint64) *Profile {
	p := New()
	for w, n := range events {
		p.Add(tuple.Tuple{PC: 1, W: w}, n)
	}
	return p
}

// others adds n events of words that occur once each.
func others(p *Profile, n uint64) *Profile {
	for i := range n {
		p.Add(tuple.Tuple{PC: 1, W: 1<<32 + i}, 1)
	}
	return p
}

func TestSTRAT19_SelectionJustOnEachSide(t *testing.T) {
	for _, x := range []struct {
		name  string
		ideal *Profile
		want  []uint64 // words
	}{
		{"1000 executions", of(map[uint64]uint64{7: 1000}), []uint64{7}},
		{"999 executions", of(map[uint64]uint64{7: 999}), nil},
		{"10 % of the executions", others(of(map[uint64]uint64{7: 400, 8: 100}), 500), []uint64{7, 8}},
		{"just under 10 %", others(of(map[uint64]uint64{7: 400, 8: 99}), 501), []uint64{7}},
		{"covered to 40 %", others(of(map[uint64]uint64{7: 100, 8: 100, 9: 200}), 600), []uint64{7, 8, 9}},
		{"covered to just under 40 %", others(of(map[uint64]uint64{7: 100, 8: 100, 9: 199}), 601), nil},
		{"tuples that are not invariant cover nothing", others(of(map[uint64]uint64{7: 399, 8: 99}), 502), nil},
	} {
		var got []uint64
		for _, v := range Value.Of(x.ideal) {
			got = append(got, v.W)
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%s: selected %d, want %d", x.name, got, x.want)
		}
	}
	strict := Selection{Executions: 1, Invariant: 0.6, Covered: 0.6}
	if got := strict.Of(of(map[uint64]uint64{7: 3, 8: 2})); len(got) != 1 || got[0].W != 7 {
		t.Errorf("60 %% of 5 executions: selected %v, want 7 alone", got)
	}
}

func TestSTRAT19_SelectionIsByPlaceAndInOrder(t *testing.T) {
	p := New()
	for _, pc := range []uint64{9, 3, 5} {
		p.Add(tuple.Tuple{PC: pc, W: 2}, 600)
		p.Add(tuple.Tuple{PC: pc, W: 1}, 500)
	}
	p.Add(tuple.Tuple{PC: 4, W: 1}, 999)
	want := []tuple.Tuple{{PC: 3, W: 1}, {PC: 3, W: 2}, {PC: 5, W: 1}, {PC: 5, W: 2}, {PC: 9, W: 1}, {PC: 9, W: 2}}
	if got := Value.Of(p); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The errors are worked out by hand.
func TestSTRAT20_ErrorByHand(t *testing.T) {
	ideal := of(map[uint64]uint64{7: 2000, 8: 1000})
	ideal.Add(tuple.Tuple{PC: 2, W: 5}, 3000)
	for _, x := range []struct {
		name      string
		measured  *Profile
		mean, rms float64
	}{
		// Place 1: both off by 1/6, weight 3000; place 2: never seen, off by 1.
		{"half and half", of(map[uint64]uint64{7: 6, 8: 6}), (3000.0/6 + 3000) / 6000, math.Sqrt((3000.0/36 + 3000) / 6000)},
		// 7 is off by 1/3 with 2000, 8 by 1/3 with 1000.
		{"one value only", of(map[uint64]uint64{7: 1}), (3000.0/3 + 3000) / 6000, math.Sqrt((3000.0/9 + 3000) / 6000)},
		{"nothing", New(), (2000*2.0/3 + 1000/3.0 + 3000) / 6000, math.Sqrt((2000*4.0/9 + 1000/9.0 + 3000) / 6000)},
	} {
		e := Value.Error(ideal, x.measured)
		if math.Abs(e.Mean-x.mean) > 1e-12 || math.Abs(e.RMS-x.rms) > 1e-12 {
			t.Errorf("%s: mean %v and RMS %v, want %v and %v", x.name, e.Mean, e.RMS, x.mean, x.rms)
		}
		if e.Tuples != 3 || e.Places != 2 {
			t.Errorf("%s: %d tuples at %d places, want 3 at 2", x.name, e.Tuples, e.Places)
		}
	}
	// The example of the package comment.
	e := Value.Error(of(map[uint64]uint64{7: 2000, 8: 1000}), of(map[uint64]uint64{7: 6, 8: 6}))
	if math.Abs(e.Mean-1.0/6) > 1e-12 {
		t.Errorf("mean %v, want 1/6", e.Mean)
	}
}

func TestSTRAT20_IdealHasNoErrorAndScaleDoesNotMatter(t *testing.T) {
	ideal, scaled, measured, half := New(), New(), New(), New()
	for i := range uint64(5000) {
		x := tuple.New(tuple.Edge, i%3, i*i%7)
		ideal.Add(x, 1)
		scaled.Add(x, 256)
		measured.Add(x, 1+i%2)
		half.Add(x, 512*(1+i%2))
	}
	if e := Value.Error(ideal, ideal); e.Tuples == 0 || e.Mean != 0 || e.RMS != 0 {
		t.Errorf("the ideal against itself: %+v, want no error", e)
	}
	if e := Value.Error(ideal, scaled); e.Mean != 0 {
		t.Errorf("the ideal times 256: %+v, want no error", e)
	}
	a, b := Value.Error(ideal, measured), Value.Error(ideal, half)
	if a != b || a.Mean == 0 {
		t.Errorf("a profile and 512 times it: %+v and %+v, want the same", a, b)
	}
	if e := Value.Error(New(), ideal); !math.IsNaN(e.Mean) || !math.IsNaN(e.RMS) {
		t.Errorf("nothing selected: %+v, want NaN", e)
	}
}

func TestProfilesCountTuplesAndMessages(t *testing.T) {
	a, b := tuple.New(tuple.Load, 1, 7), tuple.New(tuple.Store, 1, 7)
	p := New()
	p.AddTuples([]tuple.Tuple{a, b, a})
	p.AddMessages([]hwsim.Message{{Tuple: a, Count: 10}})
	if p.Tuple(a) != 12 || p.Tuple(b) != 1 || p.Place(a.PC) != 12 || p.Total() != 13 {
		t.Errorf("got %d of a, %d of b, %d at a's place, %d in all; want 12, 1, 12, 13", p.Tuple(a), p.Tuple(b),
			p.Place(a.PC), p.Total())
	}
	low := tuple.Tuple{PC: a.PC}
	p.AddMessages([]hwsim.Message{{Tuple: low, Count: 4, Free: 3}})
	if p.Tuple(a) != 12 || p.Tuple(low) != 0 || p.Place(a.PC) != 16 || p.Total() != 17 {
		t.Errorf("after 4 of the words from 0 to 7: %d of a, %d at its place, %d in all; want 12, 16, 17", p.Tuple(a),
			p.Place(a.PC), p.Total())
	}
	if c := tuple.New(tuple.Load, 2, 7); p.Tuple(c) != 0 || p.Place(c.PC) != 0 || p.Invariance(c) != 0 {
		t.Error("a tuple that never was has events")
	}
}

func TestNotionsOfConvergence(t *testing.T) {
	nan := math.NaN()
	for _, x := range []struct {
		name         string
		curve        Curve
		first, stays uint64 // 0 for never
	}{
		{"falls and stays", Curve{{1, 9}, {2, 4}, {3, 3}}, 2, 2},
		{"comes back", Curve{{1, 9}, {2, 4}, {3, 6}, {4, 4}, {5, 1}}, 2, 4},
		{"is above at the end", Curve{{1, 4}, {2, 6}}, 1, 0},
		{"is never below", Curve{{1, 5}, {2, 5}}, 0, 0},
		{"has no error at first", Curve{{1, nan}, {2, nan}, {3, 4}}, 3, 3},
		{"is empty", nil, 0, 0},
	} {
		first, ok := x.curve.FirstBelow(5)
		if first != x.first || ok != (x.first > 0) {
			t.Errorf("%s: first below 5 after %d (%t), want %d", x.name, first, ok, x.first)
		}
		stays, ok := x.curve.StaysBelow(5)
		if stays != x.stays || ok != (x.stays > 0) {
			t.Errorf("%s: stays below 5 after %d (%t), want %d", x.name, stays, ok, x.stays)
		}
	}
}

func TestCrossingIsThatOfTheTrend(t *testing.T) {
	var c Curve
	for n := uint64(1000); n <= 20000; n += 1000 {
		c = append(c, Point{n, 400 / math.Sqrt(float64(n))})
	}
	if got := c.Crossing(4); math.Abs(got-10000) > 1e-6 {
		t.Errorf("400/sqrt(n) crosses 4 at %v, want 10000", got)
	}
	for name, c := range map[string]Curve{"one point": {{1, 9}}, "rising": {{1, 1}, {2, 2}}, "none": nil} {
		if got := c.Crossing(4); !math.IsNaN(got) {
			t.Errorf("%s: crosses 4 at %v, want NaN", name, got)
		}
	}
}
