package strat

import (
	"testing"

	"github.com/pepgo/pep/hwsim/enginetest"
	"github.com/pepgo/pep/runtime/tuple"
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
