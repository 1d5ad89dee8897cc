// Package strat is the component framework of stratified sampling. Samplers,
// counters, hash splitters, associative tables and tagged tables combine freely
// into compressors of a stream of tuples.
//
// Descriptions of compressors are written as in the paper, with the subscripts on
// the line:
//
//	R256           random sampler: each tuple with probability 1/256
//	RC256          countdown random sampler: gaps uniform in 1..511
//	P256           periodic sampler: every 256th tuple
//	C              counter: the length of the stream, sent by Flush
//	CR256          random sampler whose messages have a real count; likewise CRC256, CP256
//	A16            associative table of 16 tuples and their counts, lossless
//	H[P256]2048    hash splitter: 2048 strata, each with its own P256
//	H[P256]2048+A16    a chain: A16 takes the messages of H[P256]2048
//	tag2-256-2048/2w   tagged table: tag bits, counter's maximum, entries, ways
//	F16384+H[P256]2048     a filter of converged places, of 16384 bits, in front
//	F16384-2-never/8+P256  the same; places known to 2 %, never sampled anew, 1 of 8 events passes
//
// and used like this:
//
//	e, err := strat.Parse("P2+A4")
//	a, b := tuple.New(tuple.Load, 1, 7), tuple.New(tuple.Load, 1, 8)
//	e.Push([]tuple.Tuple{a, b, a, b, a, a}, out) // nothing: A4 holds b, b, a
//	e.Flush(out)                                 // {b 4} {a 2}
//
// Only package hwsim/engines imports this package: compressors are one Kind of engine among
// others.
//
// When a stream ends, the counts that components have not sent are lost, as they are in
// hardware. P, for instance, loses its count. Flush sends the counts of A and of a C
// alone; no other component has anything that it can send.
//
// Package hwsim/metric measures the errors of compressors, and package hwsim/cost models
// their overheads. Package strat is linked into instrumented programs, so it imports only
// math/bits and other packages that are linked into them.
//
// Source: Sastry, Bodik and Smith, "Rapid Profiling via Stratified Sampling",
// ISCA 2001, sections 3 and 4.
package strat

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// A component takes messages and sends messages, at most one for each that it
// takes. A tuple of the stream is a message with count 1.
type component interface {
	step(m hwsim.Message) (hwsim.Message, bool)

	// flush appends the messages that the component can still send. It resets the
	// component, except for its random numbers, which go on.
	flush(out []hwsim.Message) []hwsim.Message

	// retained returns how many events the component has counted and not sent.
	retained() int64
}

// A batcher is a component that has its own, fast loop over the tuples of a stream.
type batcher interface {
	tuples(in []tuple.Tuple, out []hwsim.Message) []hwsim.Message
}

// A chain is a list of components, each of which takes the messages of the one before.
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

// pass gives msgs[start:] to x and puts the messages of x in their place. There is space,
// because x sends at most one message for each that it takes.
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
	sampled bool // the sums of counts are right only on average
}

// Push takes tuples, and sends at most one message for each.
func (c *Compressor) Push(in []tuple.Tuple, out *hwsim.Out) {
	for len(in) > 0 {
		space := out.Space(len(in))
		block := in[:min(len(in), cap(space))]
		in = in[len(block):]
		if c.filter != nil {
			out.Sent(c.pushFiltered(block, space))
		} else {
			out.Sent(c.push(block, space))
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

// pushFiltered takes one tuple after the other, so that the filter masks a place at the same
// event however the stream is cut into batches.
func (c *Compressor) pushFiltered(in []tuple.Tuple, out []hwsim.Message) []hwsim.Message {
	for _, t := range in {
		n := c.filter.weight(t.PC)
		if n == 0 {
			continue
		}
		if m, ok := c.stages.step(hwsim.Message{Tuple: t, Count: n}); ok {
			c.filter.observe(m)
			out = append(out, m)
		}
	}
	return out
}

// PushWeighted takes messages of another engine. Compressors with a filter or a tagged table
// cannot stand behind another engine.
func (c *Compressor) PushWeighted(in []hwsim.Message, out *hwsim.Out) {
	for _, m := range in {
		if m, ok := c.stages.step(m); ok {
			out.Send(m)
		}
	}
}

// Flush sends the counts that components can still send at the end of a stream.
func (c *Compressor) Flush(out *hwsim.Out) {
	if c.filter != nil {
		c.filter.clear()
		c.filter.stopped = 0
	}
	for _, m := range c.stages.flush(nil) {
		out.Send(m)
	}
}

// Balance implements hwsim.Engine.
func (c *Compressor) Balance() hwsim.Balance {
	return hwsim.Balance{Held: c.Retained(), Dropped: c.Filtered(), Sampled: c.sampled}
}

// Retained returns how many events the components have counted and not sent. The sum of
// this number and of the counts of all messages is the number of events that were pushed
// and not filtered. That does not hold for random samplers without a counter, nor for
// periodic samplers that take messages with different counts. A counter that starts with
// a phase above 0 sends its first message too early, so the number can be negative.
func (c *Compressor) Retained() int64 { return c.stages.retained() }

// Filtered returns how many events the filter has stopped since the last Flush.
func (c *Compressor) Filtered() uint64 {
	if c.filter == nil {
		return 0
	}
	return c.filter.stopped
}

// Stratum returns the stratum of the first component, or the set of a tagged table, that t
// goes to, numbered from 0. It returns false if there are no strata, or if the filter
// stops t.
func (c *Compressor) Stratum(t tuple.Tuple) (int, bool) {
	if c.filter != nil && c.filter.masked(t.PC) {
		return 0, false
	}
	if x, ok := c.stages[0].(interface{ stratum(tuple.Tuple) int }); ok {
		return x.stratum(t), true
	}
	return 0, false
}
