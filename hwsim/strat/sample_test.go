package strat

import (
	"math"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/enginetest"
)

// mustNew returns the compressor that spec describes.
func mustNew(t testing.TB, spec string) *Compressor {
	t.Helper()
	s, err := ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s.compressor()
}

// numbered returns n tuples with the words 1, 2, …, n.
func numbered(n int) []tuple.Tuple {
	in := make([]tuple.Tuple, n)
	for i := range in {
		in[i] = tuple.New(tuple.Load, 1, uint64(i+1))
	}
	return in
}

// positions returns the words of messages. It fails if a message does not have the given
// count.
func positions(t *testing.T, msgs []hwsim.Message, count uint64) (ws []uint64) {
	t.Helper()
	for _, m := range msgs {
		if m.Count != count {
			t.Fatalf("message %v: want the count %d", m, count)
		}
		ws = append(ws, m.Tuple.W)
	}
	return ws
}

func counts(msgs []hwsim.Message) (n uint64) {
	for _, m := range msgs {
		n += m.Count
	}
	return n
}

// The test cuts a million draws into blocks of 1000. The numbers of messages in the
// blocks must have a binomial distribution. The bound for chi-square against this
// distribution is the one for a significance of 0.1 %.
func TestSTRAT01_RandomSamplerIsIndependentAndFair(t *testing.T) {
	const n, r, block = 1_000_000, 100, 1000
	out := positions(t, enginetest.Push(mustNew(t, "R100"), numbered(n)), r)

	mean, sigma := float64(n)/r, math.Sqrt(n*(1.0/r)*(1-1.0/r))
	if d := math.Abs(float64(len(out)) - mean); d > 3*sigma {
		t.Errorf("got %d messages, want %.0f within %.0f", len(out), mean, 3*sigma)
	}

	perBlock := make([]int, n/block)
	hits := make([]float64, n)
	for _, w := range out {
		perBlock[(w-1)/block]++
		hits[w-1] = 1
	}
	const low, high = 4, 16 // the cells of the two tails: 4 and fewer, 16 and more
	var observed [high + 1]float64
	for _, k := range perBlock {
		observed[min(max(k, low), high)]++
	}
	var chi, cdf float64
	for k := 0; k <= high; k++ {
		p := binomial(block, k, 1.0/r)
		cdf += p
		switch {
		case k < low:
			continue
		case k == low:
			p = cdf
		case k == high:
			p = 1 - cdf + p
		}
		expected := p * float64(len(perBlock))
		chi += (observed[k] - expected) * (observed[k] - expected) / expected
	}
	if chi > 32.91 { // 12 degrees of freedom
		t.Errorf("chi-square of messages in blocks: %.1f, want at most 32.91", chi)
	}

	// The correlation of neighbouring draws has a standard deviation of 1/sqrt(n).
	p := float64(len(out)) / n
	var lag float64
	for i := 1; i < n; i++ {
		lag += (hits[i-1] - p) * (hits[i] - p)
	}
	if c := lag / (n * p * (1 - p)); math.Abs(c) > 4/math.Sqrt(n) {
		t.Errorf("correlation of neighbours: %.5f, want 0 within %.5f", c, 4/math.Sqrt(n))
	}
}

func binomial(n, k int, p float64) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(a - b - c + float64(k)*math.Log(p) + float64(n-k)*math.Log(1-p))
}

func TestSTRAT02_PeriodicSamplerPassesEveryRth(t *testing.T) {
	got := positions(t, enginetest.Push(mustNew(t, "P10"), numbered(100)), 10)
	if want := []uint64{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}; !slices.Equal(got, want) {
		t.Errorf("P10 of 1..100: got %d, want %d", got, want)
	}
	// The messages must be the same in batches of all sizes, and after a Flush in the
	// middle of a period.
	for size := 1; size <= 25; size++ {
		e := mustNew(t, "P7")
		enginetest.Push(e, numbered(5))
		enginetest.Flush(e)
		var out []hwsim.Message
		for batch := range slices.Chunk(numbered(50), size) {
			out = append(out, enginetest.Push(e, batch)...)
		}
		if got, want := positions(t, out, 7), []uint64{7, 14, 21, 28, 35, 42, 49}; !slices.Equal(got, want) {
			t.Errorf("P7 in batches of %d: got %d, want %d", size, got, want)
		}
	}
}

func TestSTRAT03_CountdownGapsAreUniform(t *testing.T) {
	const n, r = 2_000_000, 16
	out := positions(t, enginetest.Push(mustNew(t, "RC16"), numbered(n)), r)
	gaps := make([]float64, 2*r)
	last := uint64(0)
	for _, w := range out {
		if w-last >= 2*r {
			t.Fatalf("a gap of %d, want at most %d", w-last, 2*r-1)
		}
		gaps[w-last]++
		last = w
	}
	if mean := float64(last) / float64(len(out)); math.Abs(mean-r) > 0.01*r {
		t.Errorf("mean gap %.3f, want %d within 1 %%", mean, r)
	}
	var chi float64
	expected := float64(len(out)) / (2*r - 1)
	for _, k := range gaps[1:] {
		chi += (k - expected) * (k - expected) / expected
	}
	if chi > 59.70 { // 30 degrees of freedom, 0.1 %
		t.Errorf("chi-square of gaps 1..31: %.1f, want at most 59.70", chi)
	}
}

func TestSTRAT04_CountsSumToTheStream(t *testing.T) {
	for _, spec := range []string{"CR10", "CRC10", "CP10", "H[CR10]7", "H[CRC3]64@mul", "CR1"} {
		e := mustNew(t, spec)
		for n := 0; n < 5000; n = n*3/2 + 1 {
			out := enginetest.Push(e, numbered(n))
			last := uint64(0)
			for _, m := range out {
				// With one stratum, a count is the number of events since the last message.
				if spec[0] == 'C' && m.Count != m.Tuple.W-last {
					t.Fatalf("%s: count %d of the message for event %d after the one for %d", spec, m.Count, m.Tuple.W, last)
				}
				last = m.Tuple.W
			}
			if got := counts(out) + uint64(e.Retained()); got != uint64(n) {
				t.Errorf("%s: counts and residual sum to %d after %d events", spec, got, n)
			}
			enginetest.Flush(e)
		}
	}
}

func TestCounterAloneSendsTheLengthAtTheEnd(t *testing.T) {
	e := mustNew(t, "C")
	in := numbered(1234)
	if out := enginetest.Push(e, in); len(out) > 0 {
		t.Errorf("Push sent %v, want nothing", out)
	}
	want := []hwsim.Message{{Tuple: in[1233], Count: 1234}}
	if got := enginetest.Flush(e); !slices.Equal(got, want) {
		t.Errorf("Flush sent %v, want %v", got, want)
	}
	if got := enginetest.Flush(e); len(got) > 0 {
		t.Errorf("a second Flush sent %v, want nothing", got)
	}
}

// A sampler behind another sampler samples that one's messages, and the implied counts
// multiply.
func TestCountsMultiplyAlongAChain(t *testing.T) {
	got := positions(t, enginetest.Push(mustNew(t, "P5+P4"), numbered(100)), 20)
	if want := []uint64{20, 40, 60, 80, 100}; !slices.Equal(got, want) {
		t.Errorf("P5+P4 of 1..100: got %d, want %d", got, want)
	}
}

// Strata may have any sampler, and chains of them. With one stratum they send what the sampler sends alone.
func TestStrataHaveTheirOwnSamplers(t *testing.T) {
	in := numbered(3000)
	for _, sampler := range []string{"R5", "RC5", "CRC5", "CP5", "P3+R5", "R5+P3", "P5"} {
		alone, stratum := mustNew(t, sampler), mustNew(t, "H["+sampler+"]1")
		want, got := enginetest.Push(alone, in), enginetest.Push(stratum, in)
		if !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("a stratum with %s sends %d messages, the sampler alone %d, or others", sampler, len(got), len(want))
		}
		if a, b := alone.Retained(), stratum.Retained(); a != b {
			t.Errorf("a stratum with %s retains %d events, the sampler alone %d", sampler, b, a)
		}
	}
}

// With a random phase all elements of the first period are equally likely to give the
// first message.
func TestPhaseIsUniform(t *testing.T) {
	e := mustNew(t, "P8@phase")
	var first [8]float64
	const runs = 8000
	for range runs {
		out := enginetest.Push(e, numbered(8))
		if len(out) != 1 {
			t.Fatalf("got %d messages of 8 events at a rate of 8, want 1", len(out))
		}
		first[out[0].Tuple.W-1]++
		if kept := e.Retained(); kept != 0 {
			t.Fatalf("retained %d of 8 events after a message for 8", kept)
		}
		enginetest.Flush(e)
	}
	var chi float64
	for _, k := range first {
		chi += (k - runs/8) * (k - runs/8) / (runs / 8)
	}
	if chi > 24.32 { // 7 degrees of freedom, 0.1 %
		t.Errorf("chi-square of first messages: %.1f, want at most 24.32", chi)
	}
}
