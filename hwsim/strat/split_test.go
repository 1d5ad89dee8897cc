package strat

import (
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/enginetest"
)

// biased returns n tuples. A few different tuples make up most of them.
func biased(seed uint64, n int) []tuple.Tuple {
	g := newPCG(seed, 1)
	in := make([]tuple.Tuple, n)
	for i := range in {
		site := uint64(g.below(40)) * uint64(g.below(40))
		in[i] = tuple.New(tuple.Load, site, uint64(g.below(6))*uint64(g.below(6)))
	}
	return in
}

// slowStratified computes H[P_r]_n from a list of tuples for each stratum, by sending
// every r-th tuple of each list.
func slowStratified(in []tuple.Tuple, stratum func(tuple.Tuple) int, r int) (out []hwsim.Message, kept int) {
	strata := map[int][]tuple.Tuple{}
	for _, t := range in {
		s := stratum(t)
		strata[s] = append(strata[s], t)
		if len(strata[s])%r == 0 {
			out = append(out, hwsim.Message{Tuple: t, Count: uint64(r)})
		}
	}
	for _, s := range strata {
		kept += len(s) % r
	}
	return out, kept
}

func TestSTRAT06_StratifiedSamplerConservesEvents(t *testing.T) {
	in := biased(1, 1_000_000)
	for _, spec := range []string{"H[P256]2048", "H[P512]2048@mul", "H[P7]100@xor", "H[P1]3", "H[P256]1", "H[P300]2047"} {
		e := mustNew(t, spec)
		out := enginetest.Push(e, in)
		s, _ := ParseSpec(spec)
		stratum := func(x tuple.Tuple) int { i, _ := e.Stratum(x); return i }
		want, kept := slowStratified(in, stratum, s.Stages[0].Each[0].Rate)
		if !slices.Equal(out, want) {
			t.Errorf("%s: %d messages differ from the %d of the model", spec, len(out), len(want))
		}
		if got := e.Retained(); got != int64(kept) {
			t.Errorf("%s: counters sum to %d, want %d", spec, got, kept)
		}
		if got := counts(out) + uint64(e.Retained()); got != uint64(len(in)) {
			t.Errorf("%s: counts and counters sum to %d of %d events", spec, got, len(in))
		}
	}
}

// The special form H[P_r]_n must do what a splitter with periodic samplers does.
// H[P4+P1] is such a splitter, because its strata have chains.
func TestSTRAT06_StratifiedIsASplitterOfPeriodic(t *testing.T) {
	in := biased(2, 50_000)
	fast, slow := mustNew(t, "H[P4]37"), mustNew(t, "H[P4+P1]37")
	if a, b := enginetest.Push(fast, in), enginetest.Push(slow, in); !slices.Equal(a, b) {
		t.Errorf("H[P4]37 sends %d messages, H[P4+P1]37 %d, or others", len(a), len(b))
	}
	if a, b := fast.Retained(), slow.Retained(); a != b {
		t.Errorf("H[P4]37 retains %d events, H[P4+P1]37 %d", a, b)
	}
}

func FuzzSTRAT06_Conservation(f *testing.F) {
	f.Add([]byte("a stream of bytes"), uint16(3), uint16(5), false)
	f.Fuzz(func(t *testing.T, stream []byte, rate, n uint16, random bool) {
		spec := Spec{
			Stages: []Stage{{Op: Split, N: 1 + int(n), Each: []Stage{{Op: Periodic, Rate: 1 + int(rate)}}}},
			Phase:  random,
			Hash:   Hash(len(stream) % 3),
		}
		e := spec.compressor()
		var out []hwsim.Message
		for batch := range slices.Chunk(stream, 1+len(stream)/3) {
			var in []tuple.Tuple
			for _, b := range batch {
				in = append(in, tuple.New(tuple.Tag(b>>6), uint64(b>>3), uint64(b)))
			}
			out = append(out, enginetest.Push(e, in)...)
		}
		if got := int64(counts(out)) + e.Retained(); got != int64(len(stream)) {
			t.Errorf("%s: counts and counters sum to %d of %d events", spec, got, len(stream))
		}
	})
}

// After long runs H[P] sends as many messages as P, less those for the events that its
// counters hold: at most one message for each stratum.
func TestSTRAT09_RetainedIsBounded(t *testing.T) {
	const r, n = 256, 2048
	in := biased(3, 1_000_000)
	for i := range in {
		in[i].W += uint64(i) % 5000 // a working set that fills the table
	}
	e := mustNew(t, "H[P256]2048")
	out := enginetest.Push(e, in)
	if kept := e.Retained(); kept < 0 || kept > (r-1)*n {
		t.Errorf("retained %d tuples, want at most %d", kept, (r-1)*n)
	}
	random := enginetest.Push(mustNew(t, "R256"), in)
	if gap := len(random) - len(out); gap <= 0 || gap > n {
		t.Errorf("R256 sent %d messages and H[P256]2048 %d: a gap of %d, want 1 to %d", len(random), len(out), gap, n)
	}
}

// A splitter in a splitter must use another hash function. With the same function, all
// tuples of an outer stratum would go to one inner stratum.
func TestNestedSplittersSplit(t *testing.T) {
	for _, hash := range []Hash{Table, Mul} {
		outer, inner := newHasher(hash, 64, 1, 0), newHasher(hash, 8, 1, 1)
		var of [64]uint8
		for _, x := range biased(4, 50_000) {
			of[outer.index(x)] |= 1 << inner.index(x)
		}
		for i, strata := range of {
			if strata != 0xff {
				t.Errorf("%s: stratum %d has %08b of the 8 within it", hashNames[hash], i, strata)
			}
		}
	}
	e := mustNew(t, "H[H[P4]8]64")
	in := biased(5, 100_000)
	if got := counts(enginetest.Push(e, in)) + uint64(e.Retained()); got != uint64(len(in)) {
		t.Errorf("H[H[P4]8]64: counts and counters sum to %d of %d events", got, len(in))
	}
}
