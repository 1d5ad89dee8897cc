package weigh

// This file computes the weights of bursts. The package comment explains how.

// A Poll is a poll in a burst.
type Poll struct {
	Path   int32  // the path that has ended, as an index
	Thread uint32 // tells threads from each other
	Gap    uint32 // cycles of the time stamp counter since the thread's poll before in this burst; 0 if there is none
}

// A Burst is the polls that followed a tick.
type Burst struct {
	Polls []Poll
	Ticks float64 // CPU time that it stands for, in any unit: see package pace
}

const (
	// The constants were chosen among some hundred by how well nine test programs agreed
	// with their exact profiles: lab/results/accuracy.md.

	firstPolls = 4   // of a burst, whose gaps make its weight
	rounds     = 6   // of the iteration
	fits       = 10  // of the factors
	limit      = 16. // a short gap is at most so many times as long or as short as expected
	prior      = 1.0 // ticks that the expected gap of a path counts for
	longGap    = 1.4 // costs of a poll
	clip       = 4.0 // gaps are cut to so many costs in means: the thread may have been off the processor
	enough     = 3   // gaps, for their median
	recent     = 3   // polls of a thread before one: if they have its path, its code is in the caches
	unsure     = .01 // costs of a poll, below which the clock does not tell gaps from each other
	shortest   = 8.  // cycles; what the constant part of a gap is before factors are fitted
	coldCode   = 600 // cycles that code may take longer because it is not in the caches: the cost of a poll, at least
	trust      = 5.0 // how fast the limit narrows with the gap that the clock shows
)

// features are what the gap of a path is expected to depend on: a constant, the gap that the
// clock shows where the cost of the poll does not hide it, and the mean gap.
const (
	features = 3
	byClock  = 1
)

// An estimate is the state of the computation. Slices are indexed by path.
type estimate struct {
	bursts   []Burst
	feature  [][features]float64
	factor   [features]float64
	ticks    []float64 // F: that the path was first after
	expected []float64 // gap, by the features
	gap      []float64 // d
	ends     []float64 // x
}

// Weights returns the weights of bursts whose paths are below n. A weight is that of the whole
// burst, however many polls it has. Weights have no unit, and bursts without polls have the weight 0.
func Weights(bursts []Burst, n int) []float64 {
	e := estimate{
		bursts:   bursts,
		feature:  featuresOf(bursts, n),
		ticks:    make([]float64, n),
		expected: make([]float64, n),
		gap:      make([]float64, n),
		ends:     make([]float64, n),
	}
	for i := range bursts {
		if b := &bursts[i]; len(b.Polls) > 0 {
			e.ticks[b.Polls[0].Path] += b.Ticks
		}
	}
	for j := range e.factor {
		e.factor[j] = 1. / features
	}
	e.expect()
	copy(e.gap, e.expected)
	e.count()
	for range fits {
		e.fit()
	}
	for range rounds {
		for k, x := range e.expected {
			gap := (prior + e.ticks[k]) / (prior/x + e.ends[k])
			most := 1 + (limit-1)/(1+trust*e.feature[k][byClock])
			e.gap[k] = min(max(gap, x/most), x*most)
		}
		e.count()
	}
	weights := make([]float64, len(bursts))
	for i := range bursts {
		weights[i] = e.weight(&bursts[i])
	}
	return weights
}

// expect computes the expected gaps.
func (e *estimate) expect() {
	for k := range e.expected {
		e.expected[k] = 1e-4
		for j, f := range e.factor {
			e.expected[k] += f * e.feature[k][j]
		}
	}
}

// weight returns the weight of a burst.
func (e *estimate) weight(b *Burst) float64 {
	n := min(firstPolls, len(b.Polls))
	if n == 0 {
		return 0
	}
	sum := 0.
	for _, p := range b.Polls[:n] {
		sum += e.gap[p.Path]
	}
	return b.Ticks * float64(n) / sum
}

// count estimates how often each path ends, in a unit such that the expected gaps sum up to
// all ticks.
func (e *estimate) count() {
	for k := range e.ends {
		e.ends[k] = 0
	}
	for i := range e.bursts {
		b := &e.bursts[i]
		w := e.weight(b) / float64(max(len(b.Polls), 1))
		for _, p := range b.Polls {
			e.ends[p.Path] += w
		}
	}
	var ticks, expected float64
	for k, x := range e.ends {
		ticks += e.ticks[k]
		expected += x * e.expected[k]
	}
	if expected == 0 {
		return
	}
	for k := range e.ends {
		e.ends[k] *= ticks / expected
	}
}

// fit improves the factors, if the ticks of a path have a Poisson distribution with the
// mean ends·expected gap. A step never makes their likelihood less, and factors stay
// positive (Lucy, "An iterative technique for the rectification of observed
// distributions", 1974).
func (e *estimate) fit() {
	for j := range e.factor {
		seen, expected := 1e-9, 1e-9
		for k, x := range e.ends {
			seen += e.ticks[k] * e.feature[k][j] / e.expected[k]
			expected += x * e.feature[k][j]
		}
		e.factor[j] *= seen / expected
	}
	e.expect()
}
