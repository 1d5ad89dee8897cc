// Package montecarlo compares samplers on random permutations, which are streams without
// any order. It measures how well they estimate how often one tuple occurs. This is
// figure 4 of the paper:
//
//	curves, err := montecarlo.Figure4.Run()
//	for _, c := range curves {
//		c.Spec, c.Estimator    // "H[P10]4", Sum
//		c.Points               // {1000 8.5} {2000 6.0} …: tuples, mean error in percent
//		c.Points.Crossing(4)   // about 4450, where the paper reads 4600
//	}
//
// Two things differ from the paper's text. The paper does not say how many strata it used.
// H[P] crosses 4 % at 6500, 5200, 4450, 3800 and 2700 tuples with 2, 3, 4, 5 and 8 strata,
// so it was 4. And the paper adds up the counts of CR's messages. This estimate is worse
// than the estimate of R, because geometric gaps add a variance of their own. In the paper
// it is as good as the estimate of P. Another estimate behaves as the paper says of CR:
// the share of the messages times the length of the stream, which the counter knows. Run
// has both estimators.
//
// Real programs have an order: the paper's section 5 is about them, and this package says
// nothing about them.
//
// Source: Sastry, Bodik and Smith, "Rapid Profiling via Stratified Sampling",
// ISCA 2001, section 3.3.
package montecarlo

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/metric"
)

// A Config says what is simulated.
type Config struct {
	Lengths      []int   // of streams, in tuples
	Permutations int     // of each length
	Share        float64 // of the stream that the one tuple has, from 0 to 1
	Others       int     // distinct other tuples, equally frequent
	Rate         int     // of all samplers
	Strata       int     // of those with a splitter
	Seed         uint64  // of permutations and samplers; not 0
}

// Figure4 is the paper's experiment. Others and Strata are not in its text.
var Figure4 = Config{
	Lengths: []int{
		1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000,
		11000, 12000, 13000, 14000, 15000, 16000, 17000, 18000, 19000, 20000,
	},
	Permutations: 2500,
	Share:        0.3,
	Others:       1000,
	Rate:         10,
	Strata:       4,
	Seed:         1,
}

// An Estimator estimates from messages how often a tuple occurred.
type Estimator uint8

const (
	Sum   Estimator = iota // the sum of the counts of the tuple's messages
	Ratio                  // the tuple's share of the messages of its stratum, times the length of that
)

func (e Estimator) String() string { return [...]string{"sum", "ratio"}[e] }

// A Curve is one line of the figure.
type Curve struct {
	Spec      string // of the sampler
	Estimator Estimator
	Points    metric.Curve // length of the stream in tuples, and mean error in percent
}

// Run simulates the six samplers of figure 4, those with counters under both estimators,
// and RC, which the paper only names. It returns an error if the samplers cannot have the
// rate or the number of strata of c.
//
// The lengths are independent of each other: one at a time, in any order, they give the
// same points.
func (c Config) Run() ([]Curve, error) {
	r, h := c.Rate, c.Strata
	curves := []Curve{
		{Spec: fmt.Sprintf("R%d", r)},
		{Spec: fmt.Sprintf("H[R%d]%d", r, h)},
		{Spec: fmt.Sprintf("P%d", r)},
		{Spec: fmt.Sprintf("CR%d", r)},
		{Spec: fmt.Sprintf("CR%d", r), Estimator: Ratio},
		{Spec: fmt.Sprintf("H[P%d]%d", r, h)},
		{Spec: fmt.Sprintf("H[CR%d]%d", r, h)},
		{Spec: fmt.Sprintf("H[CR%d]%d", r, h), Estimator: Ratio},
		{Spec: fmt.Sprintf("RC%d", r)},
	}
	for _, n := range c.Lengths {
		errs, err := c.errors(n, curves)
		if err != nil {
			return nil, err
		}
		for i, e := range errs {
			curves[i].Points = append(curves[i].Points, metric.Point{Events: uint64(n), Error: e})
		}
	}
	return curves, nil
}

// errors returns the mean error of each curve for streams of n tuples.
func (c Config) errors(n int, curves []Curve) ([]float64, error) {
	s := newStream(c, n)
	samplers := make([]hwsim.Stratified, len(curves))
	for i, curve := range curves {
		spec, err := engines.Parse(curve.Spec, nil)
		if err != nil {
			return nil, err
		}
		samplers[i] = spec.WithSeed(c.Seed).New(0).(hwsim.Stratified) // all compressors are
	}
	means := make([]float64, len(curves))
	for range c.Permutations {
		s.permute()
		for i, curve := range curves {
			if i == 0 || curve.Spec != curves[i-1].Spec {
				s.sample(samplers[i])
			}
			means[i] += deviation(s.copies, s.estimate(samplers[i], curve.Estimator)) / float64(c.Permutations)
		}
	}
	return means, nil
}

// deviation is the paper's ERR in percent. It is relative to the estimate, not to the truth,
// and 100 if the estimate is 0.
func deviation(copies int, estimate float64) float64 {
	if estimate == 0 {
		return 100
	}
	return math.Abs(100 * (float64(copies) - estimate) / estimate)
}

// A stream is a sequence of tuples. Tuple 0 is the one whose copies are
// estimated.
type stream struct {
	copies int
	order  []uint32 // indices of words
	words  []uint64 // of the tuples, new for every permutation
	in     []tuple.Tuple
	msgs   []hwsim.Message // of the last sampler
	out    *hwsim.Out      // to msgs
	lost   *hwsim.Out      // to nowhere
	rand   *rand.Rand
}

func newStream(c Config, n int) *stream {
	s := &stream{
		copies: int(math.Round(c.Share * float64(n))),
		order:  make([]uint32, n),
		words:  make([]uint64, 1+c.Others),
		in:     make([]tuple.Tuple, n),
		lost:   hwsim.NewOut(1, func([]hwsim.Message) {}),
		rand:   rand.New(rand.NewPCG(c.Seed, uint64(n))),
	}
	s.out = hwsim.NewOut(512, func(msgs []hwsim.Message) { s.msgs = append(s.msgs, msgs...) })
	for i := range n - s.copies {
		s.order[s.copies+i] = uint32(1 + i%c.Others)
	}
	return s
}

// permute makes a random permutation of the stream, with new tuples each time, because the
// experiment includes which tuples share a stratum.
func (s *stream) permute() {
	for i := range s.words {
		s.words[i] = s.rand.Uint64()
	}
	s.rand.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
	for i, w := range s.order {
		s.in[i] = tuple.New(tuple.Load, 1, s.words[w])
	}
}

// sample runs the stream through a sampler.
func (s *stream) sample(sampler hwsim.Stratified) {
	s.msgs = s.msgs[:0]
	sampler.Push(s.in, s.out)
	s.out.Drain()
	sampler.Flush(s.lost)
}

// estimate returns how many copies of tuple 0 there are according to a sampler's messages.
func (s *stream) estimate(sampler hwsim.Stratified, by Estimator) float64 {
	one := tuple.New(tuple.Load, 1, s.words[0])
	if by == Ratio {
		return s.ratio(sampler, one)
	}
	var sum uint64
	for _, m := range s.msgs {
		if m.Tuple == one {
			sum += m.Count
		}
	}
	return float64(sum)
}

func (s *stream) ratio(sampler hwsim.Stratified, one tuple.Tuple) float64 {
	home, _ := sampler.Stratum(one)
	var own, all, length int
	for _, m := range s.msgs {
		if at, _ := sampler.Stratum(m.Tuple); at == home {
			all++
		}
		if m.Tuple == one {
			own++
		}
	}
	for _, t := range s.in {
		if at, _ := sampler.Stratum(t); at == home {
			length++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(own) / float64(all) * float64(length)
}
