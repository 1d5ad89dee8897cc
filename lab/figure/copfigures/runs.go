package copfigures

// This file runs value profilers on the co-processor over the loads of a program, and
// compares their estimates with the complete profile (section 5.2).

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop"
	"github.com/pepgo/pep/hwsim/cop/values"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/lab/figure"
)

// A stream is the loads of a program with their complete profile.
type stream struct {
	figure.Program
	source   replay.Source
	limit    uint64          // of the events, how many are run
	events   uint64          // that there are, at most limit
	places   int             // loads that were executed
	selected []tuple.Tuple   // pairs whose invariance is estimated
	complete *metric.Profile // of the pairs
	runs     map[string]*run // that there have been, by engine
	lower    *metric.Profile // of the lower halves of values, once it is needed
}

// streamOf returns the loads of a program.
func streamOf(env *figure.Env, p figure.Program) (*stream, error) {
	source, err := env.Source(p.Name, ofLoads)
	if err != nil {
		return nil, err
	}
	return newStream(p, source, env.Loads)
}

// newStream reads the loads of a program once to make their complete profile.
func newStream(p figure.Program, source replay.Source, limit uint64) (*stream, error) {
	x := &stream{Program: p, source: source, limit: limit, runs: map[string]*run{}}
	all := metric.New()
	if err := x.each(func(t []tuple.Tuple) { all.AddTuples(t) }); err != nil {
		return nil, err
	}
	x.events, x.places, x.selected = all.Total(), all.Places(), metric.Pairs.Of(all)
	x.complete = all.Only(x.selected)
	if len(x.selected) == 0 {
		return nil, fmt.Errorf("%s: %w: want more events", p.Name, errNoPairs)
	}
	return x, nil
}

// each calls do with all loads, in order.
func (x *stream) each(do func(t []tuple.Tuple)) error {
	return figure.FirstTuples(x.source, x.limit, func(_ uint32, t []tuple.Tuple) { do(t) })
}

// rms returns the root of the mean square error of an estimate in percent (COP-27).
func (x *stream) rms(e metric.Estimate) float64 {
	return 100 * metric.Over(x.selected, x.complete, e).RMS
}

// A point is what a profiler has reached after some events.
type point struct {
	events   uint64
	cycles   uint64  // of the main processor
	overhead uint64  // of these, cycles that profiling took
	records  uint64  // that software has taken over: samples, or slots
	samples  uint64  // of the value profiler, that its estimates are made of
	rms      float64 // percent
}

// percent returns by how many percent profiling slows the program down.
func (p point) percent() float64 {
	return 100 * float64(p.overhead) / float64(p.cycles-p.overhead)
}

// A run is what a profiler did with the loads of a program.
type run struct {
	spec     string
	points   []point
	engine   hwsim.Engine
	out      *hwsim.Out
	records  uint64          // messages
	estimate metric.Estimate // after the last point
	profiled []values.Load   // likewise, of the value profiler
}

func (r *run) end() point { return r.points[len(r.points)-1] }

// shuffled returns the same loads in a random order. It has no phases: any part of the order
// is like the whole.
func (x *stream) shuffled(seed uint64) (*stream, error) {
	var all []tuple.Tuple
	if err := x.each(func(t []tuple.Tuple) { all = append(all, t...) }); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, seed))
	rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	y := *x
	y.source = func(do func(trace.Block) error) error { return do(trace.Block{Tuples: all}) }
	y.runs = map[string]*run{}
	return &y, nil
}

// run runs profilers over the loads, all in one pass, except those that have run before.
// All streams of the trace go through one machine: the programs of the traces run on one
// processor.
func (x *stream) run(specs ...string) ([]*run, error) {
	var fresh []*run
	for _, text := range specs {
		if x.runs[text] != nil {
			continue
		}
		r, err := newRun(text, 0)
		if err != nil {
			return nil, err
		}
		x.runs[text] = r
		fresh = append(fresh, r)
	}
	if err := x.replay(fresh); err != nil {
		return nil, err
	}
	runs := make([]*run, len(specs))
	for i, text := range specs {
		runs[i] = x.runs[text]
	}
	return runs, nil
}

// newRun returns a run without loads, of the machine that an engine has for a stream.
func newRun(text string, stream uint32) (*run, error) {
	spec, err := engines.Parse(text, nil)
	if err != nil {
		return nil, err
	}
	seen := &lowHalf{metric.New()}
	r := &run{spec: text, engine: engines.Stages(spec.New(stream))[0], estimate: seen}
	r.out = hwsim.NewOut(512, func(msgs []hwsim.Message) {
		r.records += uint64(len(msgs))
		seen.add(msgs)
	})
	return r, nil
}

// The first point of a curve is after so many events, and each further one when events have grown by a factor.
const firstPoint, pointStep = 20_000, 1.15

func (x *stream) replay(runs []*run) error {
	if runs == nil {
		return nil
	}
	events, next := uint64(0), uint64(firstPoint)
	add := func() {
		for _, r := range runs {
			r.addPoint(x, events)
		}
	}
	err := x.each(func(t []tuple.Tuple) {
		for len(t) > 0 {
			n := min(uint64(len(t)), next-events)
			for _, r := range runs {
				r.engine.Push(t[:n], r.out)
			}
			t, events = t[n:], events+n
			if events == next {
				add()
				next = uint64(float64(next) * pointStep)
			}
		}
	})
	add()
	return err
}

// addPoint adds the point after a number of events. The value profiler has to estimate shares if
// someone wants to see them, so overheads of all points contain one estimate.
func (r *run) addPoint(x *stream, events uint64) {
	r.out.Drain()
	time := r.engine.(hwsim.Timed).Time()
	p := point{events: events, cycles: time.Cycles, overhead: time.Stalled, records: r.records}
	if e, ok := r.engine.(cop.Profiler); ok {
		if loads := e.Loads(); loads != nil {
			r.profiled = loads
			r.estimate = sharesOf(loads)
			n := uint64(0)
			for i := range loads {
				n += loads[i].Steps
				p.samples += loads[i].Samples
			}
			p.cycles, p.overhead = p.cycles+n*pairCycles, p.overhead+n*pairCycles
			p.records = r.meter("slots copied").Count
		}
	}
	p.rms = x.rms(r.estimate)
	r.points = append(r.points, p)
}

// pairCycles is how many cycles a pass over a pair takes when its share is estimated: the
// parameter estimate of the value profiler.
const pairCycles = 20

// shares are the estimates of the value profiler. Its values have 32 bits.
type shares map[tuple.Tuple]float64

func sharesOf(loads []values.Load) shares {
	s := shares{}
	for i := range loads {
		for k, v := range loads[i].Values {
			s[low(tuple.Tuple{PC: loads[i].PC, W: v.Value})] = loads[i].Invariance(k)
		}
	}
	return s
}

// Invariance implements metric.Estimate.
func (s shares) Invariance(t tuple.Tuple) float64 { return s[low(t)] }

// lowHalf is a profile of the lower 32 bits of values, as the paper's profilers have them.
// It takes values for the same if they differ in the upper 32 bits only.
type lowHalf struct{ profile *metric.Profile }

func low(t tuple.Tuple) tuple.Tuple { return tuple.Tuple{PC: t.PC, W: uint64(uint32(t.W))} }

func (h *lowHalf) add(msgs []hwsim.Message) {
	for i := range msgs {
		msgs[i].Tuple = low(msgs[i].Tuple)
	}
	h.profile.AddMessages(msgs)
}

// Invariance implements metric.Estimate.
func (h *lowHalf) Invariance(t tuple.Tuple) float64 { return h.profile.Invariance(low(t)) }

// meter returns a meter of the engine of a run.
func (r *run) meter(name string) hwsim.Meter {
	for _, m := range r.engine.(hwsim.Metered).Meters() {
		if m.Name == name {
			return m
		}
	}
	panic("copfigures: " + r.spec + " does not count: " + name)
}

// lost returns the percentage of the events at the sample buffer that were lost.
func (r *run) lost() float64 {
	drops, samples := r.meter("lost: buffer full").Count, r.meter("samples").Count
	if drops+samples == 0 {
		return 0
	}
	return 100 * float64(drops) / float64(drops+samples)
}

// geometric returns the geometric mean of quotients.
func geometric(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(list)))
}

// exponent returns the power of x that fits y best.
func exponent(x, y []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i := range x {
		a, b := math.Log(x[i]), math.Log(y[i])
		n, sx, sy, sxx, sxy = n+1, sx+a, sy+b, sxx+a*a, sxy+a*b
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
