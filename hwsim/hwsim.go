// Package hwsim is what models of profiling hardware have in common: an engine
// takes a stream of tuples, compresses it, and sends messages to software.
//
//	spec, err := engines.Parse("H[P256]2048+A16", nil) // package hwsim/engines
//	…
//	e := spec.New(0) // of stream 0
//	out := hwsim.NewOut(512, func(msgs []hwsim.Message) {
//		// fold msgs into a profile
//	})
//	for batch := range batches {
//		e.Push(batch, out)
//	}
//	e.Flush(out)
//	out.Drain()
//
// Everything that eats tuples is an Engine. What only some can do is an
// interface of its own: Weighted, Snapshotter, Merger, Controlled, Timed,
// Stratified for engines, and Sized for their descriptions. Package
// hwsim/engines knows all engines by name, and hwsim/enginetest tests that they
// keep the promises made here.
//
// Engines can be linked into instrumented programs. They import nothing heavier
// than math/bits, and allocate when they are made and flushed, not in between.
package hwsim

import "github.com/pepgo/pep/runtime/tuple"

// A Message is what an engine sends to software: Tuple stands for Count events.
//
// With Free bits the events had different words, which agree in all but the
// lowest Free bits of Tuple.W; these are 0 in the message. So a message of
// {W: 0x40, Free: 4} is about the words from 0x40 to 0x4f.
type Message struct {
	Tuple tuple.Tuple
	Count uint64
	Free  uint8 // 0 to 64
}

// An Engine turns a stream of tuples into messages, possibly with loss. It is
// for one goroutine at a time.
type Engine interface {
	// Push takes the tuples of in, in order, and sends the messages that they
	// give rise to, any number of them. It does not allocate. The messages are
	// the same however a stream is cut into calls of Push, and whatever the size
	// of out.
	Push(in []tuple.Tuple, out *Out)

	// Flush sends what the engine still knows at the end of a stream, and leaves
	// the engine as new but for its random numbers. It may allocate.
	Flush(out *Out)

	// Balance says where those events are that are in no message.
	Balance() Balance
}

// A Balance accounts for the events since an engine was made or flushed:
//
//	events pushed = sum of the counts of all messages + Held + Dropped
type Balance struct {
	Held    int64  // counted by the engine and not sent. Counters that begin with a phase make it less, and even negative
	Dropped uint64 // turned away: masked, filtered, or too many for a buffer

	// Sampled says that counts of messages are estimates, so that the equation
	// holds on average only.
	Sampled bool
}

// A Weighted engine can stand behind another: it takes messages as events with
// a count. None of them has Free bits.
type Weighted interface {
	Engine
	PushWeighted(in []Message, out *Out)
}

// A Snapshotter can send what Flush would send without changing anything. It
// does not allocate.
type Snapshotter interface {
	Engine
	Snapshot(out *Out)
}

// A Merger can take over what another engine of the same Spec holds. The other
// is as after Flush. It is exact if the engine is now in the state of one that
// has seen its own stream and then the other's, as far as messages can tell.
type Merger interface {
	Engine
	Merge(from Engine) (exact bool)
}

// A Controlled engine has registers that software can read and write: masks,
// tables to be invalidated, partitions. What the numbers of the registers mean
// is up to the engine. Both return how many cycles of the main processor the
// access takes in the model. They are called between calls of Push, or by what
// answers to an interrupt (see Out.Interrupt), and take effect with the next
// event.
type Controlled interface {
	Engine
	Store(register int, value uint64) (cycles uint64)
	Load(register int) (value, cycles uint64)
}

// A Timed engine has a clock. It depends on the stream alone: a recorded trace
// takes the cycles that the stream took online.
type Timed interface {
	Engine
	Time() Time
}

// A Time is in cycles of the main processor since the engine was made or
// flushed.
type Time struct {
	Cycles  uint64 // in all
	Stalled uint64 // of these, cycles that the processor waited for the engine or its software
}

// A Stratified engine divides the stream. Stratum returns the stratum that a
// tuple goes to first, from 0, and whether it gets to one.
type Stratified interface {
	Engine
	Stratum(t tuple.Tuple) (int, bool)
}

// A Spec describes an engine. It is what Kind.Parse makes of text.
type Spec interface {
	String() string // as Kind.Parse reads it, without what is default
	New(i Instance) Engine
	WithSeed(seed uint64) Spec // the same with other random numbers, if it has any
}

// A Sized Spec knows the storage that the engine would have in hardware, if
// words have so many bits.
type Sized interface{ Size(word int) []Part }

// A Viewer is a Spec whose engines may not tell all tuples apart: an event is for
// them what View makes of its tuple, and that is what messages are about. A place
// with the site 0 stands for all places of its tag. Views is false if View changes
// nothing.
type Viewer interface {
	View(t tuple.Tuple) tuple.Tuple
	Views() bool
}

// A Part is the storage of one component: Entries of Bits each.
type Part struct {
	Name    string // as in the engine's description
	Entries int
	Bits    int
}

// An Instance tells the engines that are made of the same text apart: there is
// one for each stream, and in a chain one for each stage.
type Instance uint64

// NewInstance returns the instance for a stage, counted from 0, of the chain of
// a stream.
func NewInstance(stream uint32, stage int) Instance {
	return Instance(uint64(stage)<<32 | uint64(stream))
}

// Seed returns the seed of an instance of an engine that is described with the
// given seed. It is the seed itself for stream 0. Those of other instances are
// far from it, so that the second stream of seed 1 is not the first stream of
// seed 2. Whoever makes engines, in programs or over traces, has the seeds from
// here.
//
// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
// Generators", OOPSLA 2014, for the constants (of Stafford's variant 13).
func (i Instance) Seed(seed uint64) uint64 {
	x := uint64(i)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return seed + (x ^ x>>31)
}
