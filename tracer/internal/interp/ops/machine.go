package ops

import (
	"unsafe"

	"github.com/pepgo/pep/machine/interp"
)

// A Machine executes the code of a stopped thread, and says what each instruction did. Package interp executes; the ops
// of a table only say where operands and results are.
type Machine struct {
	interp.Machine // after Reset, registers may be set

	code  interp.Code
	read  func(addr uint64, to []byte) error
	lines map[uint64]*[interp.LineSize]byte
}

// NewMachine returns a machine for one address space.
func NewMachine() *Machine {
	const size = 1 << 20
	m := &Machine{lines: map[uint64]*[interp.LineSize]byte{}}
	m.code.Init(unsafe.Pointer(&make([]uint64, size/8)[0]), size)
	m.code.Exact = true
	m.Init(&m.code)
	m.Fetch = m.line
	return m
}

// line reads a line of the program, once.
func (m *Machine) line(addr uint64) uint64 {
	b := m.lines[addr]
	if b == nil {
		b = new([interp.LineSize]byte)
		if m.read(addr, b[:]) != nil {
			return 0
		}
		m.lines[addr] = b
	}
	return uint64(uintptr(unsafe.Pointer(b)))
}

// Begin begins at pc, in the state of a thread that has stopped: its registers, its flags, the base of FS. read reads
// its memory, which must not change until the next call. The caller may set vector registers and MXCSR afterwards; they
// are 0 and what programs have in it.
func (m *Machine) Begin(regs [16]uint64, flags, pc, fs uint64, read func(addr uint64, to []byte) error) {
	clear(m.lines)
	m.read = read
	copy(m.R[:], regs[:])
	m.Vectors, m.MXCSR = [64][8]uint64{}, 0x1f80
	m.SetSegments(fs, 0)
	m.Reset(pc, flags)
}

// Forget forgets the code, after the process has executed another program.
func (m *Machine) Forget() { m.code.Clear() }

// has reports whether the code of an instruction, whose first operation is op, is what was decoded.
func (m *Machine) has(op *Op) bool {
	for i, want := range op.Code {
		if at := 8 * uint32(i); at < op.Size {
			if v, ok := m.Load(op.PC+uint64(at), uint64(min(8, op.Size-at))); !ok || v != want {
				return false
			}
		}
	}
	return true
}

// Peek returns the word at addr as the next instruction would load it: stores that have
// been interpreted count.
func (m *Machine) Peek(addr uint64) (uint64, bool) { return m.Load(addr, 8) }

// A Step is what one executed instruction did. Values of less than 64 bits are extended with zeros.
type Step struct {
	PC   uint64
	Have Have
	// the new value of the destination; 1 if a conditional jump is taken; where an indirect jump, call or return leads
	Result uint64
	Addr   uint64 // of the memory operand, or of the word that was pushed or popped
	First  uint64 // the first operand in Intel's order: usually the old value of the destination
	Second uint64 // the second one, or the only one that a destination is made of
	Named  uint64 // the register that the op names, before the instruction
	Vector uint64 // of a vector instruction: the low word of the last register that it names, before the instruction
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

// Run executes up to n instructions of t, and calls visit after each of them, if visit is not nil. The step is valid
// until visit returns.
func (m *Machine) Run(t *Table, n int, visit func(*Step)) Stop {
	for range n {
		i := t.at[m.PC]
		if i == 0 {
			return NotDecoded
		}
		list := t.Instruction(i)
		if !m.has(&list[0]) {
			return Changed
		}
		if why, ok := list[0].Stops(); ok && why == StackSwitch {
			return why
		}
		s := Step{PC: m.PC}
		w := watcher{m: m, s: &s}
		for i := range list {
			w.before(&list[i])
		}
		const cx, si, di = 1, 6, 7
		before := [3]uint64{m.R[cx], m.R[si], m.R[di]}
		why := m.Machine.Run(1)
		if why == interp.CodeFull {
			m.code.Clear()
			why = m.Machine.Run(1)
		}
		if why != interp.Done {
			// A repeated instruction may have done some of its rounds, as the processor's may before a fault.
			m.R[cx], m.R[si], m.R[di] = before[0], before[1], before[2]
			return reasons[why]
		}
		w.after()
		if visit != nil {
			visit(&s)
		}
	}
	return Done
}
