package profile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/runtime/weigh"
)

// The bounds of shares and counts are those that follow from their definition: by bisection,
// the ends are where the estimate is 1.96 standard deviations away.
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
			far := func(q float64) bool { return math.Abs(p-q) > confidence*math.Sqrt(q*(1-q)/n) }
			if b := shareBounds(p, n); !near(b.Low, end(p, 0, far)) || !near(b.High, end(p, 1, far)) {
				t.Errorf("share %v of %v: %v, want %v to %v", p, n, b, end(p, 0, far), end(p, 1, far))
			}
		}
		f := &File{estimated: true}
		const count = 1000
		far := func(x float64) bool { return math.Abs(n-x) > confidence*math.Sqrt(x) }
		low, high := end(n, 0, far)*count/n, end(n, 1e9, far)*count/n
		if b := f.CountBounds(count, Estimate{Variance: int64(count * count / n)}); math.Abs(b.Low-low) > 1 ||
			math.Abs(b.High-high) > 1 {
			t.Errorf("count with the uncertainty of %v events: %v, want %v to %v", n, b, low, high)
		}
	}
	for text, got := range map[string]Bounds{
		"{0.108 0.603}": shareBounds(.3, 10), "{0.000 0.037}": shareBounds(0, 100),
		"{246.2 649.8}": (&File{estimated: true}).CountBounds(400, Estimate{Variance: 10_000}),
	} {
		if x := fmt.Sprintf("{%.3f %.3f}", got.Low, got.High); x != text &&
			fmt.Sprintf("{%.1f %.1f}", got.Low, got.High) != text {
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
// bursts of all runs stand for.
func TestNeverSeenIsNotNever(t *testing.T) {
	f := &File{estimated: true, Facts: []facts.List{{{Key: facts.EqualBursts, N: 60}}, {{Key: facts.EqualBursts, N: 40}}}}
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

// Counts with a Poisson distribution are within their bounds as often as promised, also small ones: of the bounds for a
// mean of 4, 93.1 % hold. The false-alarm chance is below 1 in 1,000,000: 5 standard deviations.
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
		if n := float64(inside(1)); n < .93*runs-spread || n > .99*runs+spread {
			t.Errorf("mean %v: %v of %d within bounds", mean, n, runs)
		}
		if n := float64(inside(3)); mean > 4 && n > .5*runs {
			t.Errorf("mean %v, a planted bias of 3: still %v of %d within bounds", mean, n, runs)
		}
	}
}

// A simulated program is in one of a few phases, which differ in how often an item is in a window, and whose windows
// are estimated to take a time that is off by a factor common to the phase, with a deviation of 0.15. In most phases
// the item is rare: few windows have it, and some of these many times. Bursts of polls count each sample once, so that
// their phases have parts in proportion to time, and that is the truth. It returns the estimated share with its bounds,
// those of chance alone as if there were many clusters, and the true share.
func simulateClusters(rng *rand.Rand, clusters int, polls bool) (share float64, b, chance Bounds, truth float64) {
	const ofPhase, ends = .15, 30
	type phase struct{ time, cost, estimated, often, many float64 }
	var phases []phase
	var time, all float64
	for range 2 {
		p := phase{.3 + rng.Float64(), math.Exp(.5 * rng.NormFloat64()), 0, rng.Float64(), .5 * rng.Float64()}
		p.often, p.many = 1-p.often*p.often*p.often, 4*p.many*p.many*p.many
		p.estimated = p.cost * math.Exp(ofPhase*rng.NormFloat64())
		if polls {
			p.cost, p.estimated = 1, 1
		}
		phases = append(phases, p)
		time += p.time
		all += p.time / p.cost
		truth += p.time / p.cost * p.often * p.many
	}
	truth /= all
	var total weigh.Total
	var ys, xs []float64
	for range clusters {
		at, i := rng.Float64()*time, 0
		for at >= phases[i].time && i < len(phases)-1 {
			at -= phases[i].time
			i++
		}
		p, n := &phases[i], 0.
		if rng.Float64() < p.often {
			for range ends {
				if rng.Float64() < p.many {
					n++
				}
			}
		}
		ys, xs = append(ys, n/p.estimated), append(xs, ends/p.estimated)
		total.Add(ends / p.estimated)
	}
	for _, y := range ys {
		share += y / total.Size
	}
	var item, whole weigh.Jackknife
	for i, y := range ys {
		item.Leave(&total, share, y, xs[i])
		whole.Leave(&total, 0, xs[i], xs[i])
	}
	bounds := func(v float64) Bounds {
		const unit = 1e6
		b := (&File{estimated: true}).CountBounds(int64(unit*share), Estimate{Variance: int64(unit * unit * v)})
		return Bounds{Low: b.Low / unit, High: b.High / unit}
	}
	v := item.FewVariance(&total, share, &whole)
	if !polls {
		v += item.WeightVariance(&total, share, &whole)
	}
	return share, bounds(v), bounds(item.Variance(&total, share, &whole)), truth
}

// Bounds of what windows or bursts saw have the true share as often as promised, few of them or many. By chance alone,
// as if there were many, those of few would not, and they have less often what is one and a half times as much. The
// numbers are drawn with fixed seeds. With others the shares of 4000 programs would be five standard deviations away
// from the limits, or more: a false alarm in fewer than 1 in 1,000,000 cases for each.
func TestBoundsHoldInSimulatedPrograms(t *testing.T) {
	for _, test := range []struct {
		clusters int
		polls    bool
		biased   float64
	}{{12, false, .85}, {30, false, .72}, {200, false, .45}, {2000, false, .3},
		{12, true, .85}, {30, true, .72}, {200, true, .45}} {
		rng := rand.New(rand.NewPCG(uint64(test.clusters), 5))
		var of, in, narrow, biased float64
		for range 4000 {
			share, b, chance, truth := simulateClusters(rng, test.clusters, test.polls)
			if share == 0 {
				continue
			}
			of++
			count := func(n *float64, b Bounds, x float64) {
				if b.Low <= x && x <= b.High {
					*n++
				}
			}
			count(&in, b, truth)
			count(&narrow, chance, truth)
			count(&biased, b, 1.5*truth)
		}
		what := fmt.Sprintf("%d clusters, of polls: %t", test.clusters, test.polls)
		t.Logf("%s: %.3f of %v within bounds, %.3f by chance alone, %.3f of half as much again", what, in/of, of, narrow/of,
			biased/of)
		if in/of < .92 || in/of > .995 {
			t.Errorf("%s: %.3f within bounds, want .95", what, in/of)
		}
		if narrow > in-.02*of && (!test.polls || test.clusters < 20) {
			t.Errorf("%s: %.3f within bounds by chance alone: the simulation is too easy", what, narrow/of)
		}
		if biased/of > test.biased {
			t.Errorf("%s: %.3f of the bounds have half as much again", what, biased/of)
		}
	}
}
