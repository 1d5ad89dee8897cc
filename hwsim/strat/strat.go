// Package strat is the component framework of stratified sampling: samplers,
// counters, hash splitters, associative tables and tagged tables, freely
// composed into compressors of a stream of tuples.
//
// A compressor is written as in the paper, subscripts on the line:
//
//	R256           random sampler: each tuple with probability 1/256
//	RC256          countdown random sampler: gaps uniform in 1..511
//	P256           periodic sampler: every 256th tuple
//	C              counter: the length of the stream, sent by Flush
//	CR256          random sampler whose messages carry a real count; so CRC256, CP256
//	A16            associative table of 16 tuples and their counts, lossless
//	H[P256]2048    hash splitter: 2048 strata, each with a P256 of its own
//	H[P256]2048+A16    the messages of the one go through the other
//	tag2-256-2048/2w   tagged table: tag bits, counter's maximum, entries, ways
//	F16384+H[P256]2048     a filter of converged places in front, 16384 bits
//
// and used like this:
//
//	e, err := strat.Parse("P2+A4")
//	a, b := tuple.New(tuple.Load, 1, 7), tuple.New(tuple.Load, 1, 8)
//	e.Push([]tuple.Tuple{a, b, a, b, a, a}, out) // nothing: A4 holds b, b, a
//	e.Flush(out)                                 // {b 4} {a 2}
//
// Nobody but package hwsim/engines does: it has compressors as one Kind of
// engine among others.
//
// What the components hold but have not sent when a stream ends, such as the
// counters of P, is lost, as it is in hardware; only A and a bare C hold
// something that Flush can send.
//
// The package does not measure: errors are in hwsim/metric, overheads in
// hwsim/cost. It can be linked into instrumented programs, and so imports
// nothing but math/bits and what can be linked, too.
//
// Source: Sastry, Bodik and Smith, "Rapid Profiling via Stratified Sampling",
// ISCA 2001, sections 3 and 4.
package strat

import (
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/runtime/tuple"
)

// A component takes messages and sends messages, at most one for each that it
// takes. A tuple of the stream is a message with count 1.
type component interface {
	step(m hwsim.Message) (hwsim.Message, bool)

	// flush appends what can still be sent and makes the component as new but
	// for its random numbers.
	flush(out []hwsim.Message) []hwsim.Message

	// retained returns how many events are counted and not sent.
	retained() int64
}

// A batcher is a component with a loop of its own over the tuples of a stream.
type batcher interface {
	tuples(in []tuple.Tuple, out []hwsim.Message) []hwsim.Message
}

// A chain is components one after the other.
type chain []component

func (c chain) step(m hwsim.Message) (hwsim.Message, bool) {
	for _, x := range c {
		var ok bool
		if m, ok = x.step(m); !ok {
			return m, false
		}
	}
	return m, true
}

func (c chain) flush(out []hwsim.Message) []hwsim.Message {
	start := len(out)
	for _, x := range c {
		out = x.flush(pass(x, out, start))
	}
	return out
}

func (c chain) retained() (n int64) {
	for _, x := range c {
		n += x.retained()
	}
	return n
}

// pass replaces msgs[start:] by what x makes of it, in place: x sends no more
// than it takes.
func pass(x component, msgs []hwsim.Message, start int) []hwsim.Message {
	out := msgs[:start]
	for _, m := range msgs[start:] {
		if m, ok := x.step(m); ok {
			out = append(out, m)
		}
	}
	return out
}

// A Compressor is what a Spec describes. It is an hwsim.Engine.
type Compressor struct {
	filter  *filter // nil if there is none
	stages  chain
	sampled bool // sums of counts are right on average only
}

// Push takes tuples and sends the messages they give rise to, at most one for
// each.
func (c *Compressor) Push(in []tuple.Tuple, out *hwsim.Out) {
	for len(in) > 0 {
		room := out.Room(len(in))
		block := in[:min(len(in), cap(room))]
		in = in[len(block):]
		if c.filter != nil {
			out.Sent(c.pushFiltered(block, room))
		} else {
			out.Sent(c.push(block, room))
		}
	}
}

func (c *Compressor) push(in []tuple.Tuple, out []hwsim.Message) []hwsim.Message {
	first := c.stages[0]
	if b, ok := first.(batcher); ok {
		out = b.tuples(in, out)
	} else {
		for _, t := range in {
			if m, ok := first.step(hwsim.Message{Tuple: t, Count: 1}); ok {
				out = append(out, m)
			}
		}
	}
	for _, x := range c.stages[1:] {
		out = pass(x, out, 0)
	}
	return out
}

// pushFiltered goes tuple by tuple, so that a place is masked at the same event
// however the stream is cut into batches.
func (c *Compressor) pushFiltered(in []tuple.Tuple, out []hwsim.Message) []hwsim.Message {
	for _, t := range in {
		if !c.filter.lets(t.PC) {
			continue
		}
		if m, ok := c.stages.step(hwsim.Message{Tuple: t, Count: 1}); ok {
			c.filter.observe(m)
			out = append(out, m)
		}
	}
	return out
}

// PushWeighted takes messages of another engine. A compressor that does so has
// neither a filter nor a tagged table.
func (c *Compressor) PushWeighted(in []hwsim.Message, out *hwsim.Out) {
	for _, m := range in {
		if m, ok := c.stages.step(m); ok {
			out.Send(m)
		}
	}
}

// Flush sends what can still be sent at the end of a stream.
func (c *Compressor) Flush(out *hwsim.Out) {
	if c.filter != nil {
		c.filter.clear()
		c.filter.stopped = 0
	}
	for _, m := range c.stages.flush(nil) {
		out.Send(m)
	}
}

// Balance says where the events are that have not been sent.
func (c *Compressor) Balance() hwsim.Balance {
	return hwsim.Balance{Held: c.Retained(), Dropped: c.Filtered(), Sampled: c.sampled}
}

// Retained returns how many events the components have counted and not sent.
// It and the counts of all messages sum to the events that were pushed and not
// filtered. There is no such number for random samplers without a counter, and
// none for periodic ones behind messages with different counts. Phases that
// counters begin with are not events: they make it less, and even negative.
func (c *Compressor) Retained() int64 { return c.stages.retained() }

// Filtered returns how many events the filter has stopped since the last Flush.
func (c *Compressor) Filtered() uint64 {
	if c.filter == nil {
		return 0
	}
	return c.filter.stopped
}

// Stratum returns the stratum, or set of a tagged table, that t goes to in the
// first component, from 0, and whether it gets there: it does not if there are
// no strata or if the filter stops it.
func (c *Compressor) Stratum(t tuple.Tuple) (int, bool) {
	if c.filter != nil && c.filter.masked(t.PC) {
		return 0, false
	}
	if x, ok := c.stages[0].(interface{ stratum(tuple.Tuple) int }); ok {
		return x.stratum(t), true
	}
	return 0, false
}
