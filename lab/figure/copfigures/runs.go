package figure

// This file runs value profilers on the co-processor over the loads of a program, and
// compares their estimates with the complete profile.
//
// Source: Zilles and Sohi, "A Programmable Co-Processor for Profiling", HPCA 2001,
// section 5.2.

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop"
	"github.com/pepgo/pep/hwsim/cop/values"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
)

// copRoles are the benchmarks of the co-processor's paper that test programs stand for.
var copRoles = map[string]string{
	"typecheck": "gcc", "regex": "perl", "flate": "gzip", "markdown": "parser", "sortbench": "vortex",
	"raytrace": "eon", "filters": "gap, vpr", "bitboard": "crafty",
}

// copName is the name of a program with its role.
func copName(p Program) string {
	if role := copRoles[p.Name]; role != "" {
		return p.Name + " (" + role + ")"
	}
	return p.Name
}

// copLoads are the loads of a program with their complete profile.
type copLoads struct {
	Program
	source   replay.Source
	limit    uint64          // of the events, how many are run
	events   uint64          // that there are, at most limit
	places   int             // loads that were executed
	selected []tuple.Tuple   // pairs whose invariance is estimated
	complete *metric.Profile // of the pairs
	runs     map[string]*copRun
}

// copLoads reads the loads of a program once to make their complete profile. Experiments
// share the profile and the runs.
func (env *Env) copLoads(p Program) (*copLoads, error) {
	key := fmt.Sprint(p.Name, " ", env.Events)
	if x := env.cop[key]; x != nil {
		return x, nil
	}
	source, err := env.Source(p.Name, ofValues)
	if err != nil {
		return nil, err
	}
	x, err := newCopLoads(p, source, env.Events)
	if err == nil {
		env.cop[key] = x
	}
	return x, err
}

func newCopLoads(p Program, source replay.Source, limit uint64) (*copLoads, error) {
	x := &copLoads{Program: p, source: source, limit: limit, runs: map[string]*copRun{}}
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

// errNoPairs is the error for too few events.
var errNoPairs = errors.New("no load has a value whose share can be estimated")

// eachCop calls do for all programs that have a trace, and says in the setup which have none,
// and which have no pairs.
func (env *Env) eachCop(res *Result, do func(x *copLoads) error) error {
	var missing, none []string
	var last error
	ran := 0
	for _, p := range slices.Concat(Programs, MorePrograms) {
		x, err := env.copLoads(p)
		if errors.Is(err, ErrNoTrace) {
			missing = append(missing, p.Name)
			if !errors.Is(last, errNoPairs) { // which says more: there are traces
				last = err
			}
			continue
		}
		if errors.Is(err, errNoPairs) {
			none, last = append(none, p.Name), err
			continue
		}
		if err == nil {
			err = do(x)
		}
		if err != nil {
			return err
		}
		ran++
	}
	if ran == 0 {
		return last
	}
	if missing != nil {
		res.setup("no traces of loads of: %s", strings.Join(missing, ", "))
	}
	if none != nil {
		res.setup("no pairs in %s loads of: %s", short(env.Events), strings.Join(none, ", "))
	}
	return nil
}

// each calls do with all loads, in order.
func (x *copLoads) each(do func(t []tuple.Tuple)) error {
	enough, left := errors.New("enough"), x.limit
	err := x.source(func(b trace.Block) error {
		n := min(left, uint64(len(b.Tuples)))
		do(b.Tuples[:n])
		if left -= n; left == 0 {
			return enough
		}
		return nil
	})
	if err == enough {
		return nil
	}
	return err
}

// rms returns the root of the mean square error of an estimate in percent (COP-27).
func (x *copLoads) rms(e metric.Estimate) float64 {
	return 100 * metric.Over(x.selected, x.complete, e).RMS
}

// A copPoint is what a profiler has reached after some events.
type copPoint struct {
	events   uint64
	cycles   uint64  // of the main processor
	overhead uint64  // of these, cycles that profiling took
	records  uint64  // that software has taken over: samples, or slots
	samples  uint64  // of the value profiler, that its estimates are made of
	complete bool    // the value profiler has nothing left to profile
	rms      float64 // percent
}

// percent returns by how many percent profiling slows the program down.
func (p copPoint) percent() float64 {
	return 100 * float64(p.overhead) / float64(p.cycles-p.overhead)
}

// A copRun is what a profiler did with the loads of a program.
type copRun struct {
	spec     string
	points   []copPoint
	engine   hwsim.Engine
	out      *hwsim.Out
	records  uint64          // messages
	estimate metric.Estimate // after the last point
	profiled []values.Load   // likewise, of the value profiler
}

func (r *copRun) end() copPoint { return r.points[len(r.points)-1] }

// curve returns a curve of the errors over a quantity of the points.
func (r *copRun) curve(x func(p copPoint) uint64) (c metric.Curve) {
	for _, p := range r.points {
		c = append(c, metric.Point{Events: x(p), Error: p.rms})
	}
	return c
}

// shuffled returns the same loads in a random order. It has no phases: any part of the order
// is like the whole.
func (x *copLoads) shuffled(seed uint64) (*copLoads, error) {
	var all []tuple.Tuple
	if err := x.each(func(t []tuple.Tuple) { all = append(all, t...) }); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, seed))
	rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	y := *x
	y.source = func(do func(trace.Block) error) error { return do(trace.Block{Tuples: all}) }
	y.runs = map[string]*copRun{}
	return &y, nil
}

// run runs profilers over the loads, all in one pass, except those that have run before.
// All streams of the trace go through one machine: the programs of the traces run on one
// processor.
func (x *copLoads) run(specs ...string) ([]*copRun, error) {
	var fresh []*copRun
	for _, text := range specs {
		if x.runs[text] != nil {
			continue
		}
		spec, err := engines.Parse(text, nil)
		if err != nil {
			return nil, err
		}
		r := newCopRun(text, engines.Stages(spec.New(0))[0])
		x.runs[text] = r
		fresh = append(fresh, r)
	}
	if err := x.replay(fresh); err != nil {
		return nil, err
	}
	runs := make([]*copRun, len(specs))
	for i, text := range specs {
		runs[i] = x.runs[text]
	}
	return runs, nil
}

func newCopRun(text string, e hwsim.Engine) *copRun {
	r := &copRun{spec: text, engine: e}
	seen := &lowHalf{metric.New()}
	r.estimate = seen
	r.out = hwsim.NewOut(512, func(msgs []hwsim.Message) {
		r.records += uint64(len(msgs))
		seen.add(msgs)
	})
	return r
}

// Points of curves are after so many events, and each time that events have grown by a
// factor.
const copFirst, copStep = 20_000, 1.15

func (x *copLoads) replay(runs []*copRun) error {
	if runs == nil {
		return nil
	}
	events, next := uint64(0), uint64(copFirst)
	point := func() {
		for _, r := range runs {
			r.point(x, events)
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
				point()
				next = uint64(float64(next) * copStep)
			}
		}
	})
	point()
	return err
}

// point adds the point after a number of events. The value profiler has to estimate shares if
// someone wants to see them, so overheads of all points contain one estimate.
func (r *copRun) point(x *copLoads, events uint64) {
	r.out.Drain()
	time := r.engine.(hwsim.Timed).Time()
	p := copPoint{events: events, cycles: time.Cycles, overhead: time.Stalled, records: r.records}
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
			p.records, p.complete = r.copMeter("slots copied").Count, e.Complete()
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
