package replay_test

// This file holds the errors of engines to what theory says of random sampling. Each test
// takes the mean of runs with other random numbers, and its bounds are so many standard
// errors of this mean away from what is right that chance alone fails less than one of
// 100,000 tests.

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
)

const (
	runs = 20 // of each engine, each with another seed

	// A mean of 20 runs is this many of its standard errors away from the truth with a
	// chance of 1 in 170,000: that of Student's t with 19 degrees of freedom, two-sided.
	far = 6.2
)

// replays replays engines with the seeds from 1 to runs.
func replays(t *testing.T, source replay.Source, first uint64, engines ...string) map[string][]*replay.Result {
	t.Helper()
	c := replay.Config{First: first}
	for _, e := range engines {
		for seed := 1; seed <= runs; seed++ {
			c.Engines = append(c.Engines, fmt.Sprintf("%s@seed=%d", e, seed))
		}
	}
	results, err := replay.Run(source, c)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string][]*replay.Result{}
	for i, e := range engines {
		by[e] = results[i*runs : (i+1)*runs]
	}
	return by
}

// An estimate is a mean with its standard error.
type estimate struct{ mean, standard float64 }

// mean returns the mean of what f returns for runs.
func mean(results []*replay.Result, f func(*replay.Result) float64) (e estimate) {
	n := float64(len(results))
	for _, r := range results {
		e.mean += f(r) / n
	}
	for _, r := range results {
		e.standard += (f(r) - e.mean) * (f(r) - e.mean)
	}
	e.standard = math.Sqrt(e.standard / (n - 1) / n)
	return e
}

// within reports an error unless the estimate is between two bounds. It also reports one if the
// bounds are so near that chance may fail the test.
func (e estimate) within(t *testing.T, what string, least, most float64) {
	t.Helper()
	t.Logf("%s: %.3f ± %.3f, want %.2f to %.2f", what, e.mean, e.standard, least, most)
	switch {
	case e.mean < least || e.mean > most:
		t.Errorf("%s: %.3f, want %.2f to %.2f", what, e.mean, least, most)
	case e.mean-far*e.standard < least || e.mean+far*e.standard > most:
		t.Errorf("%s: %.3f ± %.3f is too near to the bounds %.2f and %.2f: chance could fail this test", what, e.mean,
			e.standard, least, most)
	}
}

// random is the mean error that a random sampler has on a profile. The messages N of a place
// with n events are Poisson with the mean n/rate, and of these a binomial number X has the
// tuple, whose share is p. The error of the tuple is |X/N - p|, and p if N is 0. De Moivre's
// formula gives the mean of |X - Np| exactly:
//
//	2 v (N choose v) p^v q^(N-v+1),  v = floor(Np) + 1,  q = 1 - p
//
// With N = 2 and p = 1/2, v is 2, and the mean is 2·2·1·1/4·1/2 = 1/2. Indeed X is 0, 1, 2
// with the chances 1/4, 1/2, 1/4, and |X - 1| is 1, 0, 1.
func random(ideal *metric.Profile, rate float64) float64 {
	var sum, weight float64
	for _, t := range metric.Value.Of(ideal) {
		p, f := ideal.Invariance(t), float64(ideal.Tuple(t))
		mean := float64(ideal.Place(t.PC)) / rate
		e := p * math.Exp(-mean)
		for n := max(1, int(mean-8*math.Sqrt(mean))); n <= int(mean+8*math.Sqrt(mean)+10); n++ {
			e += math.Exp(float64(n)*math.Log(mean)-mean-logFactorial(n)) * deviation(n, p) / float64(n)
		}
		sum += f * e
		weight += f
	}
	return sum / weight
}

// deviation is the mean of |X - np| for a binomial X.
func deviation(n int, p float64) float64 {
	v := int(float64(n)*p) + 1
	if v > n { // p is 1
		return 0
	}
	log := logFactorial(n) - logFactorial(v) - logFactorial(n-v) + float64(v)*math.Log(p) + float64(n-v+1)*math.Log(1-p)
	return 2 * float64(v) * math.Exp(log)
}

func logFactorial(n int) float64 {
	x, _ := math.Lgamma(float64(n) + 1)
	return x
}

func TestDeMoivre(t *testing.T) {
	for _, n := range []int{1, 2, 7, 40} {
		for _, p := range []float64{0.1, 0.3, 0.5, 1} {
			want := 0.0
			for x := range n + 1 {
				choose := math.Exp(logFactorial(n) - logFactorial(x) - logFactorial(n-x))
				want += choose * math.Pow(p, float64(x)) * math.Pow(1-p, float64(n-x)) * math.Abs(float64(x)-float64(n)*p)
			}
			if got := deviation(n, p); math.Abs(got-want) > 1e-9 {
				t.Errorf("n=%d, p=%v: %v, want %v", n, p, got, want)
			}
		}
	}
}

// An error to that of random sampling is below 1 if stratifying helps. R256 has the error of
// theory. H[P512]2048 has half the messages, and the paper calls its error similar. Here a
// factor of 1.5 is similar: this stream is short, so the counters keep a fourth of the events.
func TestSTRAT23TheSameErrorForHalfTheMessages(t *testing.T) {
	const r, h, half = "R256", "H[P256]2048", "H[P512]2048"
	by := replays(t, synthetic(1, 100, 2_000_000, 1), 2_000_000, r, h, half)
	want := random(by[r][0].Ideal, 256)
	toRandom := func(x *replay.Result) float64 { return x.Error.Mean / want }
	mean(by[r], toRandom).within(t, "error of R256 to that of theory", 0.9, 1.1)
	mean(by[h], toRandom).within(t, "error of H[P256]2048 to that of random sampling", 0.5, 0.95)
	mean(by[half], toRandom).within(t, "error of H[P512]2048 to that of random sampling", 1/1.5, 1.5)
}

// After 131072 events the counters of 4096 strata can hold all events eight times over, and
// those of 512 strata just once. So the small table has sent most, and it mixes most at the end.
func TestSTRAT24SmallTablesSendEarlyAndMix(t *testing.T) {
	const small, large = "H[P256]512", "H[P256]4096"
	by := replays(t, synthetic(3, 300, 2_000_000, 1), 131_072, small, large)
	r := by[small][0]
	if r.Sent[0].Events != 131_072 {
		t.Fatalf("the first point is at %d events", r.Sent[0].Events)
	}
	sent := func(x *replay.Result) float64 { return x.Sent[0].Error / r.Sent[0].Error }
	mean(by[large], sent).within(t, "messages of n=4096 to those of n=512 at first", 0.01, 0.6)
	want := random(r.Ideal, 256)
	toRandom := func(x *replay.Result) float64 { return x.Error.Mean / want }
	mean(by[small], toRandom).within(t, "error of n=512 to that of random sampling", 0.83, 1)
	mean(by[large], toRandom).within(t, "error of n=4096 to that of random sampling", 0.55, 0.83)
}

// The errors of edges and of calls are below those of a random sampler, and so below 3 %.
func TestSTRAT25ErrorsOfEdgesAndCalls(t *testing.T) {
	const engine = "H[P256]2048"
	by := replays(t, edgesAndCalls(), 4_000_000, engine)
	for _, tag := range []tuple.Tag{tuple.Edge, tuple.Call} {
		ideal := only(by[engine][0].Ideal, tag)
		want := random(ideal, 256)
		errorOf := func(r *replay.Result) float64 { return metric.Value.Error(ideal, only(r.Profile, tag)).Mean }
		mean(by[engine], func(r *replay.Result) float64 { return errorOf(r) / want }).within(t,
			fmt.Sprintf("error of %vs to that of random sampling", tag), 0.3, 1)
		mean(by[engine], errorOf).within(t, fmt.Sprintf("error of %vs", tag), 0, 0.03)
	}
}

// isCall says which sites of edgesAndCalls are calls.
func isCall(site uint64) bool { return site%5 == 0 }

// edgesAndCalls is a stream in which every fifth site is a call.
func edgesAndCalls() replay.Source {
	loads := synthetic(4, 20, 4_000_000, 1)
	return func(do func(trace.Block) error) error {
		return loads(func(b trace.Block) error {
			for i, x := range b.Tuples {
				tag := tuple.Edge
				if isCall(x.Site()) {
					tag = tuple.Call
				}
				b.Tuples[i] = tuple.New(tag, x.Site(), x.W%3)
			}
			return do(b)
		})
	}
}

// only returns the part of a profile that has a tag.
func only(p *metric.Profile, tag tuple.Tag) *metric.Profile {
	part := metric.New()
	for _, t := range (metric.Selection{}).Of(p) {
		if t.Tag() == tag {
			part.Add(t, p.Tuple(t))
		}
	}
	return part
}

// Engines of different streams have different random numbers: two streams of the same length
// are sampled at different positions. Of n positions both streams have n/r² on average, with a
// standard deviation of at most the root of that, if their samplers are independent, and n/r
// if they draw the same numbers. There are 6 pairs, and a normal number is 5.5 standard
// deviations away with a chance of 1 in 25 million.
func TestStreamsHaveTheirOwnRandomNumbers(t *testing.T) {
	const n, rate, streams = 200_000, 16, 4
	positions := make([][]uint64, streams)
	source := func(do func(trace.Block) error) error {
		for s := range uint32(streams) {
			in := make([]tuple.Tuple, n)
			for i := range in {
				in[i] = tuple.New(tuple.Load, uint64(s), uint64(i))
			}
			if err := do(trace.Block{Stream: s, Tuples: in}); err != nil {
				return err
			}
		}
		return nil
	}
	_, err := replay.Run(source, replay.Config{Engines: []string{fmt.Sprint("R", rate)}, First: n * streams,
		Messages: func(msgs []hwsim.Message) {
			for _, m := range msgs {
				positions[m.Tuple.Site()] = append(positions[m.Tuple.Site()], m.Tuple.W)
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	const want = n / (rate * rate)
	for a := range streams {
		for b := range a {
			both := 0
			for _, w := range positions[a] {
				if _, ok := slices.BinarySearch(positions[b], w); ok {
					both++
				}
			}
			if off := math.Abs(float64(both) - want); off > 5.5*math.Sqrt(want) {
				t.Errorf("streams %d and %d are both sampled at %d of %d positions, want about %d", a, b, both, n, want)
			}
		}
	}
}
