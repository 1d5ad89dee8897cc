package profile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/runtime/weigh"
)

// The bounds of shares and counts are those that follow from their definition: by bisection,
// the ends are where the estimate is as many standard deviations away as student says.
func TestBoundsAreWhereTheEstimateIsTooFarAway(t *testing.T) {
	end := func(in, out float64, far func(x float64) bool) float64 {
		for range 200 {
			if mid := (in + out) / 2; far(mid) {
				out = mid
			} else {
				in = mid
			}
		}
		return in
	}
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-6*max(1, math.Abs(want)) }
	for _, n := range []float64{3, 10, 250, 1e5} {
		for _, p := range []float64{0, 0.001, 0.3, 1} {
			z := confidence
			if p > 0 && p < 1 {
				z = weigh.Student(n * min(p, 1-p))
			}
			far := func(q float64) bool { return math.Abs(p-q) > z*math.Sqrt(q*(1-q)/n) }
			if b := shareBounds(p, n); !near(b.Low, end(p, 0, far)) || !near(b.High, end(p, 1, far)) {
				t.Errorf("share %v of %v: %v, want %v to %v", p, n, b, end(p, 0, far), end(p, 1, far))
			}
		}
		f := &File{estimated: true}
		const count = 1000
		z := weigh.Student(n)
		far := func(x float64) bool { return math.Abs(n-x) > z*math.Sqrt(x) }
		low, high := end(n, 0, far)*count/n, end(n, 1e9, far)*count/n
		if b := f.CountBounds(count, Estimate{Variance: int64(count * count / n)}); math.Abs(b.Low-low) > 1 || math.Abs(b.High-high) > 1 {
			t.Errorf("count with the uncertainty of %v events: %v, want %v to %v", n, b, low, high)
		}
	}
	for text, got := range map[string]Bounds{
		"{0.073 0.699}": shareBounds(.3, 10), "{0.000 0.037}": shareBounds(0, 100),
		"{237.5 673.6}": (&File{estimated: true}).CountBounds(400, Estimate{Variance: 10_000}),
	} {
		if x := fmt.Sprintf("{%.3f %.3f}", got.Low, got.High); x != text && fmt.Sprintf("{%.1f %.1f}", got.Low, got.High) != text {
			t.Errorf("%s, want %s", x, text)
		}
	}
}

// Quantiles of Student's distribution, from tables.
func TestStudent(t *testing.T) {
	for n, want := range map[float64]float64{10: 2.228, 30: 2.042, 100: 1.984, 1e9: 1.960} {
		if got := weigh.Student(n); math.Abs(got-want) > .04 {
			t.Errorf("%v degrees of freedom: %.3f, want %.3f", n, got, want)
		}
	}
}

// What was never seen has an upper bound, which is that of 0 of as many samples as the
// bursts of all comments stand for.
func TestNeverSeenIsNotNever(t *testing.T) {
	f := &File{estimated: true, Comments: []string{"pep: sampled, bursts weigh like 60 equal ones", "pep: sampled, bursts weigh like 40 equal ones, damaged"}}
	if got := f.UnseenBound(); math.Abs(got-0.037) > .0005 {
		t.Errorf("%v, want 0.037", got)
	}
	b := Branch{Outcomes: []Outcome{{Name: "true", Count: 5000, Independent: 100}}}
	if got := b.ShareBounds(Outcome{Name: "false"}); got.Low != 0 || math.Abs(got.High-0.037) > .0005 {
		t.Errorf("an outcome without samples: %v, want 0 to 0.037", got)
	}
	if got := (&File{}).UnseenBound(); got != 0 {
		t.Errorf("exact: %v", got)
	}
}

// The comment of taps in bursts says how often something may have happened that is not listed.
func TestUnseenCount(t *testing.T) {
	f := &File{Comments: []string{"pep: taps, in bursts; what is not listed may have happened up to 1200 times", "pep: 3 % of 7 ticks"}}
	if got := f.UnseenCount(); got != 1200 {
		t.Errorf("%v, want 1200", got)
	}
	if got := (&File{Comments: []string{"pep: taps"}}).UnseenCount(); got != 0 {
		t.Errorf("without such a comment: %v, want 0", got)
	}
}

// Counts with a Poisson distribution are within their bounds as often as promised, also
// small ones. The false-alarm chance is below 1 in 1,000,000: 5 standard deviations.
func TestBoundsOfIndependentEvents(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := &File{estimated: true}
	for _, mean := range []float64{4, 20, 200} {
		const runs = 20_000
		inside := func(bias float64) (n int) {
			for range runs {
				k := int64(0)
				for at := rng.ExpFloat64(); at < mean; at += rng.ExpFloat64() {
					k++
				}
				b := f.CountBounds(1000*k, Estimate{Variance: 1_000_000 * k})
				if k == 0 {
					b.High = 1000 * 3.85
				}
				if x := 1000 * mean * bias; b.Low <= x && x <= b.High {
					n++
				}
			}
			return n
		}
		spread := 5 * math.Sqrt(runs*.95*.05)
		if n := float64(inside(1)); n < .94*runs-spread || n > .99*runs+spread {
			t.Errorf("mean %v: %v of %d within bounds", mean, n, runs)
		}
		if n := float64(inside(3)); mean > 4 && n > .5*runs {
			t.Errorf("mean %v, a planted bias of 3: still %v of %d within bounds", mean, n, runs)
		}
	}
}
