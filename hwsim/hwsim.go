// Package hwsim is what models of profiling hardware have in common: they take
// a stream of tuples, compress it, and send messages to software.
//
//	e, err := strat.Parse("H[P256]2048+A16")
//	…
//	msgs := make([]hwsim.Message, 0, 2*len(batch))
//	for batch := range batches {
//		msgs = e.Push(batch, msgs[:0])
//		// fold msgs into a profile
//	}
//	msgs = e.Flush(msgs[:0])
//
// Engines can be linked into instrumented programs. They import nothing heavier
// than math/bits, and allocate when they are made and not later.
package hwsim

import "github.com/pepgo/pep/runtime/tuple"

// A Message is what an engine sends to software: Tuple stands for Count events.
type Message struct {
	Tuple tuple.Tuple
	Count uint64
}

// An Engine turns a stream of tuples into messages, possibly with loss.
type Engine interface {
	// Push takes the tuples of in, in order, and appends the messages that
	// they give rise to to out. It does not allocate if out has room for two
	// messages a tuple.
	Push(in []tuple.Tuple, out []Message) []Message

	// Flush appends the messages that are left at the end of a stream, and
	// leaves the engine as if new but for its random numbers. What it appends
	// is bounded by the size of the engine, not the stream.
	Flush(out []Message) []Message
}
