package micro

// Memory reads the memory of the interpreted program. It is never written.
type Memory interface {
	// Load reads width bytes at addr, 1, 2, 4 or 8, as a little-endian number. It
	// returns false if they cannot be read.
	Load(addr uint64, width uint8) (uint64, bool)
}

// Flags of the processor that the machine computes. It leaves out the auxiliary carry,
// which no jump looks at.
const (
	Carry    uint64 = 1 << 0
	Parity   uint64 = 1 << 2
	Zero     uint64 = 1 << 6
	Sign     uint64 = 1 << 7
	Overflow uint64 = 1 << 11
	AllFlags        = Carry | Parity | Zero | Sign | Overflow
)

// A Machine interprets ops on a copy of a thread's registers.
type Machine struct {
	// Reg is in the numbering of the processor: AX, CX, DX, BX, SP, BP, SI, DI, R8 to R15;
	// then 0 and the base of FS, which is unknown unless the user of the machine sets it.
	Reg        [FSBase + 1]uint64
	Known      uint32 // bit i: Reg[i] is known
	Flags      uint64
	FlagsKnown uint64
	PC         uint64 // of the next instruction
	Steps      int    // instructions executed so far

	mem    Memory
	stores storeBuffer
	stop   Stop // of the instruction that is being executed
}

// NewMachine returns a machine in the state of a stopped thread. All of these registers are
// known in the beginning.
func NewMachine(regs [16]uint64, flags uint64, mem Memory) *Machine {
	m := &Machine{Known: 1<<(NoReg+1) - 1, Flags: flags, FlagsKnown: AllFlags, mem: mem}
	copy(m.Reg[:], regs[:])
	return m
}

// A Step is what one executed instruction did.
type Step struct {
	Op     *Op
	PC     uint64
	Have   Have
	Result uint64 // the new value of the destination; for jumps 1 if taken; for indirect jumps, calls and returns their target
	Addr   uint64 // of the memory operand, or of the word that was pushed or popped
	First  uint64 // first operand, usually the old value of the destination
	Second uint64 // second operand, the source
	Named  uint64 // register Third, before the instruction
}

// Have says which fields of a Step are known.
type Have uint8

const (
	HaveResult Have = 1 << iota
	HaveAddr
	HaveFirst
	HaveSecond
	HaveNamed
)

// Run executes up to n instructions of t from the op with index start on, and calls visit
// after each of them, if visit is not nil. The step is valid until visit returns.
func (m *Machine) Run(t *Table, start uint32, n int, visit func(*Step)) Stop {
	i := start
	m.PC = t.Ops[i].PC
	for range n {
		if i == 0 {
			return NotDecoded
		}
		op := &t.Ops[i]
		if op.Kind == KindStop {
			return Stop(op.Imm)
		}
		var s Step
		i = m.step(t, op, &s)
		if m.stop != Done {
			return m.stop
		}
		m.Steps++
		if visit != nil {
			visit(&s)
		}
	}
	return Done
}

// Peek returns the word at addr as the next instruction would load it: stores that have
// been interpreted count.
func (m *Machine) Peek(addr uint64) (uint64, bool) {
	stop := m.stop
	v, ok := m.load(addr, 8)
	m.stop = stop
	return v, ok
}

// known reports whether register r is known.
func (m *Machine) known(r uint8) bool { return m.Known>>r&1 != 0 }

// address returns the address of the memory operand of op.
func (m *Machine) address(op *Op) (uint64, bool) {
	return m.Reg[op.Base] + m.Reg[op.Index]<<op.Shift + uint64(op.Disp), m.known(op.Base) && m.known(op.Index)
}

// register reads a register as an operand.
func (m *Machine) register(r, width uint8, high bool) uint64 {
	v := m.Reg[r]
	if high {
		v >>= 8
	}
	return v & mask(width)
}

// set writes a register. Writes of 4 bytes clear the rest of the register; narrower ones
// keep it, so the register is only known if it was before.
func (m *Machine) set(r, width uint8, high bool, v uint64, known bool) {
	old, was := m.Reg[r], m.known(r)
	switch {
	case high:
		v = old&^0xff00 | v&0xff<<8
		known = known && was
	case width < 4:
		v = old&^mask(width) | v&mask(width)
		known = known && was
	default:
		v &= mask(width)
	}
	m.Reg[r] = v
	m.Known &^= 1 << r
	if known {
		m.Known |= 1 << r
	}
}

// load reads memory, through the store buffer. It returns false if the value is unknown.
// A fault stops the machine.
func (m *Machine) load(addr uint64, width uint8) (uint64, bool) {
	v, found, known := m.stores.load(addr, width)
	if found {
		return v, known
	}
	v, ok := m.mem.Load(addr, width)
	if !ok {
		m.stop = Fault
	}
	return v & mask(width), ok
}

// mask has the low bits of width bytes.
func mask(width uint8) uint64 {
	if width >= 8 {
		return ^uint64(0)
	}
	return 1<<(8*width) - 1
}

// extend extends the sign of a number of width bytes.
func extend(v uint64, width uint8) uint64 {
	shift := 64 - 8*min(width, 8)
	return uint64(int64(v<<shift) >> shift)
}
