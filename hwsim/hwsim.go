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
// Everything that takes tuples is an Engine. There is a further interface for each thing that only some engines can do:
// Weighted, Snapshotter, Merger, Controlled, Timed, Metered and Stratified, and Sized, Viewer, Rewriter, Sampler and
// Deriver for descriptions. Package hwsim/engines knows all engines by name, and hwsim/enginetest tests that they keep
// the promises of this package.
//
// Engines are linked into instrumented programs. They import nothing heavier than
// math/bits. They allocate when they are made and when they are flushed, and at no
// other time.
package hwsim

import "github.com/pepgo/pep/format/tuple"

// A Message is what an engine sends to software: Tuple stands for Count events.
//
// If Free is not 0, the events had different words. Their words agree in all but the
// lowest Free bits, and the message has 0 in these bits. For example, a message with
// W = 0x40 and Free = 4 is about the words from 0x40 to 0x4f.
//
// Ranges of a site are nested or have no word in common. An event is in one message: one
// that is in the count of a narrower range is not in that of the range around it.
type Message struct {
	Tuple tuple.Tuple
	Count uint64
	Free  uint8 // 0 to 64
}

// An Engine turns a stream of tuples into messages, possibly with loss. Only one
// goroutine at a time may use it.
type Engine interface {
	// Push takes the tuples of in, in order, and sends any number of messages. It
	// does not allocate. The messages depend on the stream alone: not on how it is
	// cut into calls of Push, and not on the size of out.
	Push(in []tuple.Tuple, out *Out)

	// Flush ends a stream: it sends what the engine still knows. After that the
	// engine is as new, except for its random numbers. Flush may allocate.
	Flush(out *Out)

	// Balance accounts for the events that are in no message.
	Balance() Balance
}

// A Balance accounts for the events since an engine was made or flushed:
//
//	events pushed = sum of the counts of all messages + Held + Dropped
type Balance struct {
	Held    int64  // counted by the engine and not sent yet; negative if counters start above 0 and so send too early
	Dropped uint64 // refused: masked, filtered, or too many for a buffer

	// Sampled says that the counts of messages are estimates: the equation then holds
	// on average.
	Sampled bool
}

// A Weighted engine can stand behind another engine: it takes messages as events, each
// with a count. None of these messages has Free bits.
type Weighted interface {
	Engine
	PushWeighted(in []Message, out *Out)
}

// A Snapshotter can send what Flush would send, and go on as if it had not. Snapshot
// does not allocate. Programs use it before syscall.Exec, which may fail.
type Snapshotter interface {
	Engine
	Snapshot(out *Out)
}

// A Merger can take over the events that another engine of the same Spec holds. After Merge
// the other engine is as after Flush. Merge reports whether it is exact: whether this
// engine now sends the same messages as one engine for both streams, first its own and then
// the other's. Even if Merge is not exact, no event is lost. At the end of a program, and
// of a replay, the engines of all streams are merged: see engines.Flush.
type Merger interface {
	Engine
	Merge(from Engine) (exact bool)
}

// A Controlled engine has registers that software reads and writes, for masks, partitions,
// or to invalidate tables. The engine defines what the numbers of its registers mean.
// Store and Load return how many cycles of the main processor the access takes in the
// model. Software calls them between calls of Push, or when it answers an interrupt (see
// Out.Interrupt). They take effect with the next event.
type Controlled interface {
	Engine
	Store(register int, value uint64) (cycles uint64)
	Load(register int) (value, cycles uint64)
}

// A Timed engine has a clock. The clock depends on the stream alone, so a recorded trace
// takes as many cycles as the stream took online.
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

// A Metered engine counts what happens inside of it, such as stalls. What it returns
// depends on the stream alone. Meters may allocate.
type Metered interface {
	Engine
	Meters() []Meter // since the engine was made or flushed; always of the same names, in the same order
}

// A Meter is a quantity that an engine has counted. If Of is 0, the quantity is Count.
// Otherwise it is the ratio Count/Of. The meters of several streams are added up part
// by part: 10 cycles for 2 events and 5 cycles for 3 events are 15 cycles for 5.
type Meter struct {
	Name  string // "stalls for splits"
	Unit  string // "cycles", "cycles/event"; "ratio" for a share
	Count uint64
	Of    uint64
}

// Value returns the quantity.
func (m Meter) Value() float64 {
	if m.Of == 0 {
		return float64(m.Count)
	}
	return float64(m.Count) / float64(m.Of)
}

// A Stratified engine divides the stream into strata, numbered from 0. Stratum returns
// the first one that a tuple goes to, and false if it goes to none.
type Stratified interface {
	Engine
	Stratum(t tuple.Tuple) (int, bool)
}

// A Spec describes an engine. Kind.Parse makes it from text.
type Spec interface {
	String() string // as Kind.Parse reads it, without what is default
	New(i Instance) Engine
	WithSeed(seed uint64) Spec // the same with other random numbers, if it has any
}

// A Sized Spec knows how much storage the engine would need in hardware, if words have
// the given number of bits.
type Sized interface{ Size(word int) []Part }

// A Viewer is a Spec whose engines may not tell all tuples apart. They treat an event as
// the tuple that View returns for it, and their messages are about that tuple. A message
// about all taps of a tag has a pool as its site: tuple.PoolWords, PoolSites or PoolCode.
// Views is false if View changes nothing.
type Viewer interface {
	View(t tuple.Tuple) tuple.Tuple
	Views() bool
}

// A Ranger is a Spec of a Kind that has engines with Ranges, and others without.
type Ranger interface{ Ranges() bool }

// A Rewriter is a Spec whose engines summarise nothing: they pass on events, change
// them, or drop them. The engine behind sees what they send, and so must whoever compares
// that engine with an exact profile: see engines.Spec.Exact.
type Rewriter interface {
	// ForTraces reports that the profiles of programs cannot show what the engines
	// send, for it is neither about taps nor about their words or addresses.
	ForTraces() bool
}

// A Sampler is a Spec whose engines pass on one of Rate events, as samples of them all, and
// count the others with it. Rate is 1 if they pass on all. Engines that join messages do
// not change how many samples there are: H[P256]2048+A16 has the Rate 256, too.
type Sampler interface{ Rate() uint64 }

// A Deriver is a Spec whose messages may be about events that are not in the stream, but
// that follow from several of its tuples: a load depends on a store. Exact returns an engine
// that sends these events one by one, with no limit to its memory, and nil if messages are
// about the tuples of the stream. What it sends makes the exact profile: see
// engines.Spec.Exact. It is not for profiled programs: its Push allocates.
type Deriver interface{ Exact() Engine }

// A Part is the storage of one component: Entries of Bits each.
type Part struct {
	Name    string // as in the engine's description
	Entries int
	Bits    int
}

// An Instance distinguishes the engines that are made from the same text: one for each
// stream, and in a chain one for each stage.
type Instance uint64

// NewInstance returns the instance for a stage, counted from 0, of the chain of
// a stream.
func NewInstance(stream uint32, stage int) Instance {
	return Instance(uint64(stage)<<32 | uint64(stream))
}

// Seed returns the seed of an instance, if the description has the given seed. Stream 0
// has the seed of the description. Other instances have seeds far from it: with
// seed+stream, the second stream of seed 1 would be the first stream of seed 2. Programs
// and replays both take seeds from here, and so draw the same random numbers.
//
// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
// Generators", OOPSLA 2014, for the constants (of Stafford's variant 13).
func (i Instance) Seed(seed uint64) uint64 {
	x := uint64(i)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return seed + (x ^ x>>31)
}
