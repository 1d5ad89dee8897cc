package raphw

// This file makes the pipeline an engine of package hwsim, and models the processor
// beside it.

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/clock"
)

// An engine is a pipeline and the clock of the processor that produces the events.
type engine struct {
	pipeline
	processor clock.Clock
	now       uint64 // the pipeline has worked up to this cycle of the processor
}

// New returns a new engine.
func (s spec) New(hwsim.Instance) hwsim.Engine {
	e := &engine{pipeline: newPipeline(s)}
	e.reset()
	return e
}

func (e *engine) reset() {
	e.pipeline.reset()
	e.processor = clock.New(e.spec.processor)
	e.now = 0
}

// Push puts events into the buffer, each in the cycle in which it happens. Push sends
// no messages; Flush and Snapshot send them.
func (e *engine) Push(in []tuple.Tuple, _ *hwsim.Out) {
	for _, t := range in {
		cycle := e.processor.Event(t)
		for e.now+e.clock <= cycle {
			e.now += e.clock * e.run((cycle-e.now)/e.clock, e.keep)
		}
		t = e.View(t)
		switch {
		case t.W&^e.ranges.prefix(e.spec.bits) != 0:
			e.outside++
		case e.queue.accept(t.PC, t.W):
		case e.drop:
			e.overflowed++
		default:
			e.waitWhileFull(cycle)
			e.queue.accept(t.PC, t.W)
		}
	}
}

// waitWhileFull makes the processor wait, from a cycle on, until the buffer is not full.
func (e *engine) waitWhileFull(cycle uint64) {
	for e.queue.tail-e.queue.head == e.queue.size {
		e.now += e.clock * e.run(max(e.stall, 1), e.keep)
	}
	e.processor.Stall(e.now - cycle)
}

// Time returns the cycles of the processor. Cycles in which it waited are stalls.
func (e *engine) Time() hwsim.Time {
	now, stalled := e.processor.Cycles()
	return hwsim.Time{Cycles: now, Stalled: stalled}
}

// Flush sends the same messages as Snapshot, and empties the engine.
func (e *engine) Flush(out *hwsim.Out) {
	e.Snapshot(out)
	e.reset()
}

// Snapshot sends a message for each range that has a count, and a message for each
// point in the buffer.
func (e *engine) Snapshot(out *hwsim.Out) {
	t := &e.ranges
	for i := range t.len() {
		count := t.count[i]
		if e.write.full && e.write.entry == i {
			count = e.write.count
		}
		if count > 0 {
			out.Send(hwsim.Message{Tuple: tuple.Tuple{PC: t.pc[i], W: t.value[i]}, Count: count, Free: t.shift(i)})
		}
	}
	for i := e.queue.head; i < e.queue.tail; i++ {
		w := e.queue.at(i)
		out.Send(hwsim.Message{Tuple: tuple.Tuple{PC: w.pc, W: w.x}, Count: w.times})
	}
}

// Balance returns the number of events that are counted or wait, and of those that were
// lost.
func (e *engine) Balance() hwsim.Balance {
	return hwsim.Balance{
		Held:    int64(e.n - e.saturated + e.queue.events()),
		Dropped: e.saturated + e.noEntry + e.overflowed + e.outside,
	}
}
