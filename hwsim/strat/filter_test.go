package strat

import (
	"math"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/enginetest"
)

// after pushes n loads at a place, where load i has the word word(i). It returns how
// many of them the filter let through.
func after(e *Compressor, pc uint64, n int, word func(i int) uint64) int {
	before := e.Filtered()
	in := make([]tuple.Tuple, n)
	for i := range in {
		in[i] = tuple.Tuple{PC: pc, W: word(i)}
	}
	enginetest.Push(e, in)
	return n - int(e.Filtered()-before)
}

// The number of messages n after which a place is masked follows from the tolerance.
// With P1 each event is a message, and p(1-p) must be at most 0.05²·(n+4).
//
//   - Two values with half of the events each: n is 96.
//   - A constant: p is (n+2)/(n+4), and n is 24.
//   - Values that never repeat: every fifth message cancels the four before it. When
//     n is 25, no value has events left, so p is 2/(n+4).
func TestSTRAT29_FilterStopsWhatHasConverged(t *testing.T) {
	for _, x := range []struct {
		name string
		word func(i int) uint64
		want int
	}{
		{"a constant", func(int) uint64 { return 7 }, 24},
		{"two values in turn", func(i int) uint64 { return uint64(i % 2) }, 96},
		{"new values only", func(i int) uint64 { return uint64(i) }, 25},
	} {
		e := mustNew(t, "F1024+P1")
		if got := after(e, 4, 1000, x.word); got != x.want {
			t.Errorf("%s: %d events went through, want %d", x.name, got, x.want)
		}
		// The filter does not stop events of other places.
		if got := after(e, 8, 10, x.word); got != 10 {
			t.Errorf("%s: %d of 10 events of another place went through", x.name, got)
		}
		if _, ok := e.Stratum(tuple.Tuple{PC: 4}); ok {
			t.Errorf("%s: a masked place has a stratum", x.name)
		}
	}
}

// Software never sets a bit that two places share. Otherwise the place that converges
// first would stop the events of the other.
func TestSTRAT29_SharedBitsAreNotSet(t *testing.T) {
	e := mustNew(t, "F1+P1")
	in := make([]tuple.Tuple, 1000)
	for i := range in {
		in[i] = tuple.Tuple{PC: uint64(i % 2), W: 7}
	}
	enginetest.Push(e, in)
	if got := e.Filtered(); got != 0 {
		t.Errorf("%d of 1000 events at two places with one bit were stopped", got)
	}
}

func TestSTRAT29_PeriodsForget(t *testing.T) {
	e := mustNew(t, "F64-5-100+P1")
	if got, want := after(e, 4, 1000, func(int) uint64 { return 7 }), 10*24; got != want {
		t.Errorf("%d of 1000 events in ten periods went through, want %d", got, want)
	}
}

// Each event is stopped, or is in a message, or is retained.
func TestSTRAT29_FilterConservesTheRest(t *testing.T) {
	in := biased(9, 200_000)
	e := mustNew(t, "F512+H[P8]128")
	out := enginetest.Push(e, in)
	if e.Filtered() == 0 {
		t.Error("nothing was stopped")
	}
	if got := counts(out) + uint64(e.Retained()) + e.Filtered(); got != uint64(len(in)) {
		t.Errorf("counts, counters and stopped events sum to %d of %d", got, len(in))
	}
}

// shares pushes n loads of the word 7 and then m of the word 8 at one place. It returns the
// share of 8 among the events that the messages stand for, and their number.
func shares(t *testing.T, spec string, n, m int) (share, events float64) {
	t.Helper()
	in := make([]tuple.Tuple, n+m)
	for i := range in {
		in[i] = tuple.Tuple{PC: 4, W: 7}
		if i >= n {
			in[i].W = 8
		}
	}
	sum := map[uint64]float64{}
	for _, x := range enginetest.Push(mustNew(t, spec), in) {
		sum[x.Tuple.W] += float64(x.Count)
	}
	return sum[8] / (sum[7] + sum[8]), sum[7] + sum[8]
}

// A place that changes after it was masked is the filter's danger. Masked for good it keeps the
// profile of its beginning. With periods each of them has the same weight, here 4 with 7 and 1
// with 8, whatever the number of their events. If one of 8 events passes, the
// estimate has no bias: 8 has 1000·8/8 events. The variance of a number of events of which
// each passes with 1/8 and counts 8 is 7 for each; 5 standard deviations are exceeded by
// chance once in 1.7 million.
func TestSTRAT29_PhasesAfterTheMask(t *testing.T) {
	if got, _ := shares(t, "F64-5-never+P1", 3500, 1000); got != 0 {
		t.Errorf("masked for good: 8 has the share %v, want 0", got)
	}
	if got, _ := shares(t, "F64-5-1000+P1", 4000, 1000); got != 0.2 {
		t.Errorf("periods: 8 has the share %v, want 1/5", got)
	}
	if got, _ := shares(t, "F64+P1", 1_000_000, 1_000_000); got != 0.5 {
		t.Errorf("without a number, the period is not 1M events: 8 has the share %v", got)
	}
	const n, m = 100_000, 900_000
	share, events := shares(t, "F64-5-never/8+P1", n, m)
	if d := 5 * math.Sqrt(7*(n+m)); math.Abs(events-(n+m)) > d {
		t.Errorf("1 of 8: messages stand for %v events, want %d ± %.0f", events, n+m, d)
	}
	// The share's deviation is that of two sums: those of 7 with the weight of 8 and the other way round.
	const p = float64(m) / (n + m)
	if d := 5 * math.Sqrt(7*(n*p*p+m*(1-p)*(1-p))) / (n + m); math.Abs(share-p) > d {
		t.Errorf("1 of 8: 8 has the share %v, want %v ± %v", share, p, d)
	}
	if b := mustNew(t, "F64/8+P1").Balance(); !b.Sampled {
		t.Error("1 of 8: the counts are not said to be estimates")
	}
}
