package cop

// This file makes machines engines of package hwsim. It models the main processor
// beside the machine, and the time of both.

import (
	"math/bits"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/clock"
	"github.com/pepgo/pep/hwsim/cop/host"
	"github.com/pepgo/pep/hwsim/cop/machine"
	"github.com/pepgo/pep/hwsim/sample"
)

// An engine is a machine together with the main processor, which feeds the machine and
// handles its interrupts. While the processor handles an interrupt it retires no
// events.
type engine struct {
	*spec
	run
	copy   run         // for Snapshot
	window host.Window // the window during the interrupt that the host handles
	seed   uint32

	offered func(s machine.Sample, o machine.Outcome) // for debuggers; nil: nobody wants to know
}

// A run is the state of an engine.
type run struct {
	m       *machine.Machine
	memory  host.Memory // of the host, or nil
	clock   clock.Clock
	pending sample.Sample // the sample whose further words may still come; N is 0 if there is none
	taken   uint64        // number of events that the machine has accepted
	refused uint64        // number of events that it has not
	sent    uint64        // number of events in messages
	alarm   uint64        // the cycle of the main processor in which the host's timer is due
}

// New returns a new engine.
func (s *spec) New(i hwsim.Instance) hwsim.Engine {
	e := &engine{spec: s, run: run{m: s.initial.Checkpoint()}, copy: run{m: s.initial.Checkpoint()}}
	if s.params != nil {
		e.memory, e.copy.memory = s.params.Memory(e.m), s.params.Memory(e.m)
	}
	if e.seed = uint32(i.Seed(s.seed)); e.seed == 0 {
		e.seed = 1
	}
	e.reset()
	return e
}

func (e *engine) reset() {
	e.m.Restore(e.initial)
	e.m.Seed(e.seed)
	if e.memory != nil {
		e.memory.Reset()
	}
	e.clock = clock.New(e.processor)
	e.pending.N, e.taken, e.refused, e.sent, e.alarm = 0, 0, 0, 0, 1<<64-1
	if t, ok := e.memory.(host.Timed); ok {
		e.alarm = t.FirstAlarm()
	}
}

// machineCycle returns the machine's cycle that corresponds to a cycle of the main
// processor.
func (s *spec) machineCycle(core uint64) uint64 {
	if s.ratio == billion {
		return core
	}
	hi, lo := bits.Mul64(core, s.ratio)
	if hi >= billion {
		return 1<<64 - 1
	}
	n, _ := bits.Div64(hi, lo, billion)
	return n
}

// coreCycle returns the first cycle of the main processor in which the machine has
// reached a given cycle.
func (s *spec) coreCycle(machine uint64) uint64 {
	hi, lo := bits.Mul64(machine, billion)
	if hi >= s.ratio {
		return 1<<64 - 1
	}
	n, rest := bits.Div64(hi, lo, s.ratio)
	return n + min(rest, 1)
}

// toMachine returns the sample that the machine gets for the words of a sample.
func toMachine(words *sample.Sample) machine.Sample {
	t := words.Tuples[0]
	s := machine.Sample{PC: t.PC, Value: t.W, Class: uint8(t.Tag()), Words: uint8(words.N)}
	switch t.Tag() {
	case tuple.Call, tuple.Direct:
		s.Target = t.W
	case tuple.Addr, tuple.More:
		s.Addr = t.W
	}
	if words.N > 1 {
		s.Addr = words.Tuples[1].W
	}
	if words.N > 2 {
		s.Target = words.Tuples[2].W
	}
	return s
}

// Push runs the machine up to each event. If the machine interrupts before the event,
// the event is delayed.
func (e *engine) Push(in []tuple.Tuple, out *hwsim.Out) {
	for _, t := range in {
		e.add(t, 1, out)
	}
}

// PushWeighted takes messages as events. The machine gets an event once, whatever its
// count is: a retired instruction has no count. The rest of the count is dropped.
func (e *engine) PushWeighted(in []hwsim.Message, out *hwsim.Out) {
	for _, m := range in {
		e.add(m.Tuple, m.Count, out)
	}
}

// add adds a tuple to the sample if it is its next word. Otherwise the machine gets the
// sample, and the tuple begins a new one. If the program does not select addresses, each
// word is a sample.
func (e *engine) add(t tuple.Tuple, count uint64, out *hwsim.Out) {
	if e.m.Fields()&machine.SelectAddr != 0 {
		if !e.pending.Add(t, count) {
			e.offer(out, true)
			e.pending.Begin(t, count)
		}
		return
	}
	if e.pending.N > 0 {
		e.offer(out, true) // the program has selected addresses until now
	}
	cycle := e.until(t, out, true)
	if e.offered == nil && e.m.Rejects(t.PC, uint8(t.Tag())) {
		e.refused += count // most events end here
		return
	}
	e.pending.Begin(t, count)
	e.give(cycle)
}

// offer runs the machine up to the time of the sample, and gives the machine the sample.
// ask says whether software may answer interrupts.
func (e *engine) offer(out *hwsim.Out, ask bool) {
	s := &e.pending
	if s.N == 0 {
		return
	}
	e.give(e.until(s.Tuples[0], out, ask))
}

// until runs the machine up to the time of an event, and returns this cycle of the machine.
func (e *engine) until(t tuple.Tuple, out *hwsim.Out, ask bool) (cycle uint64) {
	core := e.clock.Event(t)
	cycle = e.machineCycle(core)
	if e.m.Busy() {
		for e.m.Run(cycle) == machine.Interrupted {
			cycle = e.interrupt(out, ask)
		}
	}
	if core >= e.alarm {
		cycle = e.timer(out, ask)
	}
	return cycle
}

// give gives the machine the sample in a cycle up to which it has run.
func (e *engine) give(cycle uint64) {
	s := &e.pending
	x := toMachine(s)
	outcome := e.m.Offer(cycle, x)
	if e.offered != nil {
		e.offered(x, outcome)
	}
	if outcome == machine.Accepted {
		e.taken += uint64(s.N)
		e.refused += s.Events() - uint64(s.N)
	} else {
		e.refused += s.Events()
	}
	s.N = 0
}

// interrupt makes the processor handle an interrupt as soon as the machine halts. The
// machine then resumes. The next event is delayed; interrupt returns its new cycle.
func (e *engine) interrupt(out *hwsim.Out, ask bool) (cycle uint64) {
	_, at := e.m.State()
	_, before := e.clock.Cycles()
	e.clock.Stall(e.answer(out))
	e.setAlarm()
	if ask {
		out.Interrupt() // software may make stores, which stall the processor too
	}
	now, after := e.clock.Cycles()
	e.m.Resume(e.machineCycle(e.coreCycle(at) + after - before))
	return e.machineCycle(now)
}

// settle runs the machine until it waits for an event.
func (e *engine) settle(out *hwsim.Out, ask bool) {
	for e.m.Run(1<<64-1) == machine.Interrupted {
		e.interrupt(out, ask)
	}
}

// timer makes the processor wait until the machine waits for an event, and then makes the
// host answer the timer. It returns the new cycle of the next event.
func (e *engine) timer(out *hwsim.Out, ask bool) (cycle uint64) {
	e.settle(out, ask)
	_, at := e.m.State()
	if now, _ := e.clock.Cycles(); e.coreCycle(at) > now {
		e.clock.Stall(e.coreCycle(at) - now)
	}
	e.window = e.newWindow()
	e.window.Cycles = e.handler
	e.memory.(host.Timed).Timer(&e.window, out)
	e.sent += e.window.Events
	e.clock.Stall(e.window.Cycles)
	e.setAlarm()
	if ask {
		out.Interrupt()
	}
	now, _ := e.clock.Cycles()
	return e.machineCycle(now)
}

// setAlarm sets the timer as the host wants. It is called before others use the window for stores.
func (e *engine) setAlarm() {
	if e.window.Alarm > 0 {
		now, _ := e.clock.Cycles()
		e.alarm = now + e.window.Alarm
	}
}

func (e *engine) newWindow() host.Window {
	now, _ := e.clock.Cycles()
	return host.Window{Machine: e.m, Memory: e.memory, Access: e.access, Record: e.trans, Now: now}
}

// answer makes the host handle an interrupt, and returns the number of cycles of the
// main processor that this takes.
func (e *engine) answer(out *hwsim.Out) uint64 {
	e.window = e.newWindow()
	e.window.Cycles = e.handler
	e.host.Read(&e.window, false, out)
	e.sent += e.window.Events
	return e.window.Cycles
}

// finish makes the machine finish all events, the pending one too.
func (e *engine) finish(out *hwsim.Out) {
	e.offer(out, false)
	for e.m.Run(1<<64-1) == machine.Interrupted {
		e.answer(out)
		e.m.Resume(0)
	}
}

// end finishes, and reads what the machine still holds.
func (e *engine) end(out *hwsim.Out) {
	e.finish(out)
	e.window = e.newWindow()
	e.host.Read(&e.window, true, out)
}

// Flush sends all samples that the machine holds.
func (e *engine) Flush(out *hwsim.Out) {
	e.end(out)
	e.reset()
}

// Snapshot sends the same messages as Flush, from a copy of the machine.
func (e *engine) Snapshot(out *hwsim.Out) { e.snapshot(func() { e.end(out) }) }

// snapshot calls do while e has the state of a copy.
func (e *engine) snapshot(do func()) {
	e.copy.m.Restore(e.m)
	if e.memory != nil {
		e.copy.memory.Copy(e.memory)
	}
	m, memory := e.copy.m, e.copy.memory
	e.copy = e.run
	e.copy.m, e.copy.memory = m, memory
	e.run, e.copy = e.copy, e.run
	do()
	e.run, e.copy = e.copy, e.run
}

// Balance returns the events that the filters, the buffer and the watchdog have
// dropped. Of the other events it returns those that are in no message yet. When a
// sample is sent, the events that it stands for are subtracted.
func (e *engine) Balance() hwsim.Balance {
	lost := e.m.Stats().KilledWords
	if e.memory != nil {
		lost += e.memory.Lost()
	}
	return hwsim.Balance{
		Held:    int64(e.taken - lost + e.pending.Events() - e.sent),
		Dropped: e.refused + lost,
		Sampled: e.host.Estimates,
	}
}

// Time returns the cycles of the main processor. The processor stalls for interrupts
// and accesses.
func (e *engine) Time() hwsim.Time {
	now, stalled := e.clock.Cycles()
	return hwsim.Time{Cycles: now, Stalled: stalled}
}

// Store stores to a register of the window. The registers are numbered as in package
// cop: ConstWindow, for example. A store changes nothing and is counted in
// RefusedStores if the machine refuses it, or if it would take something away that the
// program's host needs. The registers from FirstRegister on are those of the host.
func (e *engine) Store(register int, value uint64) (cycles uint64) {
	e.clock.Stall(e.access)
	if r, ok := e.memory.(host.Registered); ok && register >= host.FirstRegister {
		e.window = e.newWindow()
		if r.Store(&e.window, register-host.FirstRegister, value) {
			e.clock.Stall(e.window.Cycles)
			return e.access + e.window.Cycles
		}
	}
	e.m.SetIf(register, value, e.host.Check) // a store that is refused is counted
	return e.access
}

// Load reads a register of the window, or of the host. It returns 0 if there is no such
// register.
func (e *engine) Load(register int) (value, cycles uint64) {
	e.clock.Stall(e.access)
	if r, ok := e.memory.(host.Registered); ok && register >= host.FirstRegister {
		if value, ok := r.Load(register - host.FirstRegister); ok {
			return value, e.access
		}
	}
	value, _ = e.m.Get(register)
	return value, e.access
}
