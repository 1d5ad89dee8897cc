// Package replay runs several engines over the same recorded stream of tuples, and
// compares their messages with the exact profile of the stream.
//
//	r, err := trace.Open("app.trace", nil)
//	…
//	results, err := replay.Run(replay.Of(r), replay.Config{Engines: []string{"R256", "H[P256]2048"}})
//	for _, res := range results {
//		res.Messages                     // that software has to handle
//		res.Config.Overhead.Percent(res.Messages, res.Events)
//		res.Error.Mean                   // against the exact profile, at the end
//		res.Errors.StaysBelow(5)         // events after which it stays below 5 %
//	}
//
// As in a running program, each stream of events has an engine of its own, and the messages
// of all engines go into one profile. At the end, engines of a kind that can be merged are
// merged. The engines are the same as in the program, with the same random numbers.
package replay

import (
	"errors"
	"maps"
	"math"
	"os"
	"slices"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/trace"
)

// A Source calls a function for every block of events, in order, and returns the first error.
type Source func(do func(trace.Block) error) error

// Of returns the events of several traces, one trace after the other.
func Of(traces ...*trace.Reader) Source {
	return func(do func(trace.Block) error) error { return (&trace.Filter{}).EachOf(traces, do) }
}

// A Config says what is run. Only Engines is needed.
type Config struct {
	Engines   []string         // as package engines describes them; files are relative to the current directory
	Selection metric.Selection // of what an error is; metric.Value if zero
	Overhead  cost.Overhead    // of messages; cost.Default if zero
	Limit     uint64           // events; 0 is all
	First     uint64           // events at the first point of a curve; 10000 if 0

	// Progress is called now and then with the number of events so far, if it is not nil.
	Progress func(events uint64)

	// Messages gets the messages of all engines, if it is not nil. It must not keep them.
	Messages func([]hwsim.Message)
}

// step is the ratio of the events at neighbouring points of a curve. So the point where a
// curve crosses a limit is known within 5 %. The error, which takes time in proportion to
// the number of tuples, is computed about a hundred times.
const step = 1.05

// A Result is what an engine did.
type Result struct {
	Spec     *engines.Spec
	Config   Config // with what was zero
	Events   uint64
	Messages uint64 // those of the flush at the end included
	Error    metric.Error
	Errors   metric.Curve  // in percent, before the flush but for the last
	Sent     metric.Curve  // overhead in percent, likewise
	Places   []int         // that the errors are of, one for each point of Errors
	Meters   []hwsim.Meter // what engines that are Metered count, those of all streams, before the flush
	Profile  *metric.Profile
	Ideal    *metric.Profile // the exact one, of what events are for the engine
}

// Percent returns the modelled overhead at the end.
func (r *Result) Percent() float64 { return r.Config.Overhead.Percent(r.Messages, r.Events) }

// Compression returns how many events there are to a message.
func (r *Result) Compression() float64 { return float64(r.Events) / float64(r.Messages) }

// Run runs engines over a source. If the source returns an error, Run returns the
// error and the results up to it. If an engine cannot be parsed, there are no
// results.
func Run(source Source, config Config) ([]*Result, error) {
	c := config.withDefaults()
	x := &run{Config: c, ideal: metric.New(), next: c.First}
	for _, text := range c.Engines {
		spec, err := engines.Parse(text, os.ReadFile)
		if err != nil {
			return nil, err
		}
		res := &Result{Spec: spec, Config: c, Profile: metric.New(), Ideal: x.ideal}
		if spec.Exact(0) != nil {
			res.Ideal = metric.New()
		}
		x.units = append(x.units, newUnit(res))
	}
	err := source(x.block)
	if errors.Is(err, errLimit) {
		err = nil
	}
	x.end()
	var results []*Result
	for _, u := range x.units {
		results = append(results, u.Result)
	}
	return results, err
}

func (c Config) withDefaults() Config {
	if c.Selection == (metric.Selection{}) {
		c.Selection = metric.Value
	}
	if c.Overhead == (cost.Overhead{}) {
		c.Overhead = cost.Default
	}
	if c.First == 0 {
		c.First = 10_000
	}
	if c.Limit == 0 {
		c.Limit = math.MaxUint64
	}
	return c
}

// errLimit ends a source.
var errLimit = errors.New("enough events")

// A run is the state of Run: how many events have been read, and what they led to.
type run struct {
	Config
	units  []*unit
	ideal  *metric.Profile
	events uint64
	next   uint64 // events at which the next point is due
}

// A unit has the engines of one description, one for each stream, and their result.
type unit struct {
	*Result
	engines map[uint32]hwsim.Engine // by stream
	out     *hwsim.Out              // of all engines
	exact   map[uint32]hwsim.Engine // by stream, if Ideal is of other events than those of the source
	ideal   *hwsim.Out              // of these
}

func newUnit(r *Result) *unit {
	u := &unit{Result: r, engines: map[uint32]hwsim.Engine{}, exact: map[uint32]hwsim.Engine{}}
	u.out = hwsim.NewOut(512, u.take)
	u.ideal = hwsim.NewOut(512, r.Ideal.AddMessages)
	return u
}

func (u *unit) engine(stream uint32) hwsim.Engine {
	e := u.engines[stream]
	if e == nil {
		e = u.Spec.New(stream)
		u.engines[stream] = e
	}
	return e
}

// pushIdeal counts the events of tuples that messages are about.
func (u *unit) pushIdeal(stream uint32, tuples []tuple.Tuple) {
	e := u.exact[stream]
	if e == nil {
		e = u.Spec.Exact(stream)
		u.exact[stream] = e
	}
	e.Push(tuples, u.ideal)
	u.ideal.Drain()
}

// block takes a block, and adds the points that are due in it.
func (x *run) block(b trace.Block) error {
	if x.Progress != nil {
		x.Progress(x.events)
	}
	for tuples := b.Tuples; len(tuples) > 0; {
		n := min(uint64(len(tuples)), x.next-x.events, x.Limit-x.events)
		x.push(b.Stream, tuples[:n])
		tuples = tuples[n:]
		if x.events == x.next {
			x.point()
			x.next = max(x.next+1, uint64(float64(x.next)*step))
		}
		if x.events == x.Limit {
			return errLimit
		}
	}
	return nil
}

func (x *run) push(stream uint32, tuples []tuple.Tuple) {
	x.ideal.AddTuples(tuples)
	x.events += uint64(len(tuples))
	for _, u := range x.units {
		if u.Ideal != x.ideal {
			u.pushIdeal(stream, tuples)
		}
		u.engine(stream).Push(tuples, u.out)
		u.out.Drain()
	}
}

func (u *unit) take(msgs []hwsim.Message) {
	if u.Config.Messages != nil {
		u.Config.Messages(msgs)
	}
	u.Profile.AddMessages(msgs)
	u.Messages += uint64(len(msgs))
}

// point adds a point to all curves.
func (x *run) point() {
	selected := x.Selection.Of(x.ideal)
	for _, u := range x.units {
		u.Events = x.events
		selected := selected
		if u.Ideal != x.ideal {
			selected = x.Selection.Of(u.Ideal)
		}
		u.Error = metric.Over(selected, u.Ideal, u.Profile)
		u.Errors = append(u.Errors, metric.Point{Events: x.events, Error: 100 * u.Error.Mean})
		u.Sent = append(u.Sent, metric.Point{Events: x.events, Error: u.Percent()})
		u.Places = append(u.Places, u.Error.Places)
	}
}

// flush ends the engines as a running program does: in the order of their streams, and
// merged if they can be merged.
func (u *unit) flush() {
	u.meter()
	var list []hwsim.Engine
	var outs []*hwsim.Out
	for _, stream := range slices.Sorted(maps.Keys(u.engines)) {
		list, outs = append(list, u.engines[stream]), append(outs, u.out)
	}
	engines.Flush(list, outs)
	for _, e := range u.exact {
		e.Flush(u.ideal)
	}
	u.ideal.Drain()
}

// meter adds up the meters of all engines, and of all engines of a chain.
func (u *unit) meter() {
	for i, stream := range slices.Sorted(maps.Keys(u.engines)) {
		var meters []hwsim.Meter
		for _, e := range engines.Stages(u.engines[stream]) {
			if e, ok := e.(hwsim.Metered); ok {
				meters = append(meters, e.Meters()...)
			}
		}
		if i == 0 {
			u.Meters = meters
			continue
		}
		for k, m := range meters {
			u.Meters[k].Count += m.Count
			u.Meters[k].Of += m.Of
		}
	}
}

// end flushes all engines.
func (x *run) end() {
	for _, u := range x.units {
		u.flush()
		if n := len(u.Errors); n > 0 && u.Errors[n-1].Events == x.events {
			u.Errors, u.Sent, u.Places = u.Errors[:n-1], u.Sent[:n-1], u.Places[:n-1]
		}
	}
	if x.events > 0 {
		x.point()
	}
}
