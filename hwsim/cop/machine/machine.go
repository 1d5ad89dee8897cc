package machine

// This file holds the machine: its state, and the entry of events.

import "math/bits"

// A State says what a machine is doing.
type State uint8

const (
	Waiting     State = iota // the machine waits for an event
	Running                  // the routine of an event runs
	Interrupted              // the machine is halted until Resume
)

// How many index registers and base registers a machine has.
const (
	NumIndexes = 8
	NumBases   = 4
)

// A Machine is a co-processor. Only one goroutine at a time may use it.
type Machine struct {
	Filters Filters

	config Config
	code   []code
	words  []uint64 // the words that code was decoded from

	// reg has all inputs of the main ALU, by Source, and behind them a register for
	// results that no one uses.
	reg        [64]uint64
	flags      uint32 // a bit for each Pred
	indexWidth [NumIndexes]uint8
	indexMask  [NumIndexes]uint64
	base       [NumBases]uint64
	baseSize   [NumBases]uint8 // log2
	target     [4]uint16
	entry      [NumClasses]uint16
	fields     Fields
	lfsr       uint32
	keyHash    uint8

	data  []uint64
	cam   cam
	queue queue

	mask    uint64 // mask of values
	state   State
	pc      uint16
	pcMask  uint16
	cycle   uint64 // cycle of the next microinstruction
	routine uint64 // microinstructions that the current event may still take
	stats   Stats

	watch func(until uint64) State // of a debugger, or nil
}

// code is a decoded microinstruction, in the form that step uses.
type code struct {
	main, a, b, dst         uint8
	index, isrc, idst       uint8
	data, base, dsrc, field uint8
	cam, csrc               uint8
	camResult               bool
	pred                    uint8
	not                     uint8
	kind                    uint8
	guess                   uint8  // 1: predicted to be taken
	to                      uint16 // the address for BranchOffset
	branches                uint8  // 1: the branch slot is used
}

// Stats are counts since the machine was made.
type Stats struct {
	Accepted    uint64 // events that the filters have accepted and that the sample buffer had space for
	Filtered    uint64 // events that a filter has rejected
	Dropped     uint64 // events that were lost because the sample buffer was full
	Done        uint64 // events whose routine has ended
	Killed      uint64 // events that the watchdog has ended
	KilledWords uint64 // the sum of their Words

	Instrs       uint64 // microinstructions executed
	Branches     uint64 // microinstructions with a branch
	Taken        uint64 // branches that were taken
	Mispredicted uint64 // branches whose direction was predicted wrongly
	Lost         uint64 // cycles lost by wrong predictions
	Idle         uint64 // cycles without an event, and until the first microinstruction of the next one
	Halted       uint64 // cycles between an interrupt and the first microinstruction after Resume
	Interrupts   uint64 // interrupts of software
	BadStores    uint64 // stores of software that the machine refused
}

// New returns a machine without a program. All its registers and memory are 0.
func New(c Config) (*Machine, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	m := &Machine{
		config: c,
		code:   make([]code, c.Microcode),
		words:  make([]uint64, c.Microcode),
		data:   make([]uint64, c.Data),
		cam:    newCam(c.Slots, c.KeyBits),
		queue:  queue{ring: make([]Sample, c.Buffer)}, // a sample has at least one byte
		mask:   1<<(c.Width-1)<<1 - 1,
		pcMask: uint16(c.Microcode - 1),
		lfsr:   c.Seed,
	}
	m.Filters.hashes = c.Hashes
	m.Filters.bits = make([]uint64, c.FilterPCs/64)
	for i := range m.code {
		m.setCode(i, Instr{})
	}
	for i := range m.indexWidth {
		m.setIndexWidth(i, uint8(min(bits.Len(uint(c.Data-1)), 16)))
	}
	m.setFields(0)
	m.setEmpty()
	return m, nil
}

// Config returns the Config of m, with the defaults filled in.
func (m *Machine) Config() Config { return m.config }

// Stats returns what m has counted.
func (m *Machine) Stats() Stats { return m.stats }

// State returns the state of m, and a cycle: that of the next microinstruction or, if m
// is not running, the cycle in which it stopped.
func (m *Machine) State() (s State, cycle uint64) { return m.state, m.cycle }

// Flag reports whether a predicate is true.
func (m *Machine) Flag(p Pred) bool { return m.flags>>p&1 == 1 }

// Read returns the value that the main ALU would read from a source.
func (m *Machine) Read(s Source) uint64 { return m.reg[s&63] }

// PC returns the address of the next microinstruction.
func (m *Machine) PC() int { return int(m.pc) }

// Queued returns the number of events in the sample buffer, and the number that fit
// into it.
func (m *Machine) Queued() (n, capacity int) { return m.queue.n, m.queue.capacity }

// setCode stores a microinstruction.
func (m *Machine) setCode(i int, in Instr) {
	c := code{
		main: uint8(in.Main), a: uint8(in.A), b: uint8(in.B), dst: uint8(sink),
		index: uint8(in.Index), isrc: in.IndexSrc, idst: in.IndexDst,
		data: uint8(in.Data), base: in.Base, dsrc: in.DataIndex, field: uint8(in.Field),
		cam: uint8(in.Cam), csrc: in.CamIndex, camResult: in.CamResult,
		pred: uint8(in.Pred), not: uint8(bit(in.Not)), kind: uint8(in.Branch),
		guess: uint8(bit(in.Hint)), branches: uint8(bit(in.Branches())),
	}
	if in.Dst != 0 {
		c.dst = in.Dst & 7
	}
	switch in.Branch {
	case BranchOffset:
		c.to = uint16(i+int(in.Offset)) & m.pcMask
	case BranchTarget:
		c.to = uint16(in.Offset)
	}
	m.code[i], m.words[i] = c, in.Encode()
}

func (m *Machine) setIndexWidth(i int, width uint8) {
	m.indexWidth[i], m.indexMask[i] = width, 1<<width-1
	m.reg[SourceI+Source(i)] &= m.indexMask[i]
}

// setFields selects the fields of samples. The sample buffer must be empty.
func (m *Machine) setFields(f Fields) {
	m.fields = f
	m.queue.capacity = len(m.queue.ring) / f.Bytes()
}

// setEmpty updates the predicate EMPTY.
func (m *Machine) setEmpty() {
	m.flags &^= 1 << PredEmpty
	if m.queue.n <= 1 {
		m.flags |= 1 << PredEmpty
	}
}

// An Outcome says what happened to an event.
type Outcome uint8

const (
	Accepted Outcome = iota // it is in the sample buffer
	Filtered                // a filter rejected it
	Dropped                 // the sample buffer was full
)

// Offer gives m an event that retires in a cycle. The caller must have run m up to that
// cycle.
func (m *Machine) Offer(cycle uint64, s Sample) Outcome {
	if !m.Filters.Accepts(&s) {
		m.stats.Filtered++
		return Filtered
	}
	m.fields.cut(&s)
	s.Class &= NumClasses - 1
	if !m.queue.push(s) {
		m.stats.Dropped++
		return Dropped
	}
	m.stats.Accepted++
	m.setEmpty()
	if m.state == Waiting {
		start := max(m.cycle, cycle) + m.config.Penalty
		m.stats.Idle += start - m.cycle
		m.cycle = start
		m.dispatch()
	}
	return Accepted
}

// dispatch starts the routine of the event at the head of the sample buffer, if the
// buffer is not empty.
func (m *Machine) dispatch() {
	m.setEmpty()
	if m.queue.n == 0 {
		m.state = Waiting
		return
	}
	s := &m.queue.ring[m.queue.head]
	m.reg[SourcePC] = s.PC & m.mask
	m.reg[SourceValue] = s.Value & m.mask
	m.reg[SourceAddr] = s.Addr & m.mask
	m.reg[SourceInsn] = s.Insn & m.mask
	m.reg[SourceTarget] = s.Target & m.mask
	m.reg[SourceClass] = uint64(s.Class)
	m.reg[SourceEvent] = uint64(s.Event)
	m.reg[SourceOp] = s.Insn >> 26 & 63
	m.reg[SourceRA] = s.Insn >> 21 & 31
	m.reg[SourceRB] = s.Insn >> 16 & 31
	m.pc = m.entry[s.Class]
	m.routine = m.config.Watchdog
	m.state = Running
}

// Busy reports whether Run has anything to do.
func (m *Machine) Busy() bool { return m.state != Waiting || m.watch != nil }

// Rejects reports whether a filter rejects an event, as Offer then would, and counts the event if so.
func (m *Machine) Rejects(pc uint64, class uint8) bool {
	if m.Filters.accepts(pc, class) {
		return false
	}
	m.stats.Filtered++
	return true
}

// Resume ends an interrupt in a cycle: m continues with the event after the one whose
// routine interrupted. If m is not interrupted, Resume does nothing.
func (m *Machine) Resume(cycle uint64) {
	if m.state != Interrupted {
		return
	}
	start := max(m.cycle, cycle) + m.config.Penalty
	m.stats.Halted += start - m.cycle
	m.cycle = start
	m.queue.pop()
	m.stats.Done++
	m.dispatch()
}

// Checkpoint returns a copy of m. The copy shares no memory with m.
func (m *Machine) Checkpoint() *Machine {
	c, err := New(m.config)
	if err != nil {
		panic(err) // New has accepted this Config for m
	}
	c.Restore(m)
	return c
}

// Restore copies the state of from into m. Both must have the same Config. Restore does
// not allocate.
func (m *Machine) Restore(from *Machine) {
	old := *m
	*m = *from
	m.code, m.words, m.data, m.cam = old.code, old.words, old.data, old.cam
	m.queue.ring, m.Filters.bits, m.watch = old.queue.ring, old.Filters.bits, old.watch
	copy(m.code, from.code)
	copy(m.words, from.words)
	copy(m.data, from.data)
	m.cam.copy(&from.cam)
	copy(m.queue.ring, from.queue.ring)
	copy(m.Filters.bits, from.Filters.bits)
}

// Watch makes Run call f instead of executing microinstructions itself. So f decides when
// the machine makes its steps, by Step. It returns the state of the machine when no step
// before the cycle until is left. With nil Run works as before.
func (m *Machine) Watch(f func(until uint64) State) { m.watch = f }
