package micro

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/interp"
)

// Flags of the processor that interpreters compute. They leave out the auxiliary carry,
// which no jump looks at.
const (
	Carry    uint64 = 1 << 0
	Parity   uint64 = 1 << 2
	Zero     uint64 = 1 << 6
	Sign     uint64 = 1 << 7
	Overflow uint64 = 1 << 11
	AllFlags        = Carry | Parity | Zero | Sign | Overflow
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

// Begin begins at pc, in the state of a thread that has stopped: its registers, its flags, the base of FS. read reads its
// memory, which must not change until the next call. The caller may set vector registers and MXCSR afterwards; they are 0 and
// what programs have in it.
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

	low [16]uint64 // of vector registers, before the instruction, if it may read one
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

// Run executes up to n instructions of t, and calls visit after each of them, if visit is not nil. The step is valid until
// visit returns.
func (m *Machine) Run(t *Table, n int, visit func(*Step)) Stop {
	for range n {
		i := t.at[m.PC]
		if i == 0 {
			return NotDecoded
		}
		op := &t.Ops[i]
		if op.Kind == KindStop && Stop(op.Imm) == StackSwitch {
			return StackSwitch
		}
		s := Step{Op: op, PC: op.PC}
		m.before(op, &s)
		why := m.Machine.Run(1)
		if why == interp.CodeFull {
			m.code.Clear()
			why = m.Machine.Run(1)
		}
		if why != interp.Done {
			return reasons[why]
		}
		m.after(op, &s)
		if visit != nil {
			visit(&s)
		}
	}
	return Done
}

// reasons has the words of this package for those of package interp.
var reasons = [interp.NStops]Stop{
	interp.Fault: Fault, interp.Unknown: Unsupported, interp.Syscall: Syscall, interp.Breakpoint: Trap, interp.Undefined: Trap,
	interp.Machinery: Unsupported, interp.Divide: Divide, interp.StoresFull: StoresFull, interp.CodeFull: StoresFull,
	interp.Refused: Unsupported, interp.NewCode: Unsupported, interp.Long: String,
}

// before notes the operands of an instruction that is about to be executed.
func (m *Machine) before(op *Op, s *Step) {
	have := func(field *uint64, h Have, v uint64, ok bool) {
		if ok {
			*field, s.Have = v, s.Have|h
		}
	}
	switch op.Kind {
	case KindNop, KindUnknown, KindPoison, KindStop: // all vector instructions are among these
		for i := range s.low {
			s.low[i] = m.Vectors[i][0]
		}
	}
	have(&s.Named, HaveNamed, m.reg(op.Third), op.Third != NoReg)
	addr := m.reg(op.Base) + m.reg(op.Index)<<op.Shift + uint64(op.Disp)
	have(&s.Addr, HaveAddr, addr, op.DstKind == InMemory || op.SrcKind == InMemory)
	switch op.Kind {
	case KindPush, KindCall, KindCallTo:
		have(&s.Addr, HaveAddr, m.R[SP]-8, true)
	case KindPop, KindRet:
		have(&s.Addr, HaveAddr, m.R[SP], true)
	case KindLeave:
		have(&s.Addr, HaveAddr, m.R[BP], true)
	}
	var second uint64
	ok := true
	switch {
	case op.Kind == KindLea:
		second = addr
	case op.SrcKind == Register:
		second = m.register(op.Src, op.SrcWidth, op.Flags&FlagSrcHigh != 0)
	case op.SrcKind == Immediate:
		second = op.Imm
	case op.SrcKind == InMemory:
		second, ok = m.Load(addr, uint64(op.SrcWidth))
	}
	if op.Flags&FlagSigned != 0 {
		second = extend(second, op.SrcWidth)
	}
	have(&s.Second, HaveSecond, second, ok && op.SrcKind != None)
	switch {
	case op.Flags&FlagThird != 0:
		have(&s.First, HaveFirst, m.register(op.Third, op.DstWidth, false), true)
	case op.Flags&FlagWriteOnly != 0:
	case op.DstKind == Register:
		have(&s.First, HaveFirst, m.register(op.Dst, op.DstWidth, op.Flags&FlagDstHigh != 0), true)
	case op.DstKind == InMemory && op.DstWidth <= 8:
		v, ok := m.Load(addr, uint64(op.DstWidth))
		have(&s.First, HaveFirst, v, ok)
	}
}

// after notes the result of an instruction that has been executed.
func (m *Machine) after(op *Op, s *Step) {
	ok := true
	switch op.Kind {
	case KindStop, KindNop, KindJmp, KindCall, KindPoison:
		ok = false
	case KindJcc:
		if m.Holds(op.Cond) { // the PC does not tell: a jump may lead to the next instruction
			s.Result = 1
		}
	case KindJmpTo, KindCallTo, KindRet:
		s.Result = m.PC
	case KindPush:
		s.Result = s.Second
	case KindCmp:
		s.Result = (s.First - s.Second) & mask(op.DstWidth)
	case KindTest:
		s.Result = s.First & s.Second & mask(op.DstWidth)
	case KindBt:
		s.Result = s.First
	default:
		switch op.DstKind {
		case Register:
			s.Result = m.register(op.Dst, op.DstWidth, op.Flags&FlagDstHigh != 0)
		case InMemory:
			s.Result, ok = m.Load(s.Addr, uint64(op.DstWidth))
		default:
			ok = op.Kind == KindPop || op.Kind == KindLeave
			s.Result = m.reg(op.Dst)
		}
	}
	if ok {
		s.Have |= HaveResult
	}
}

// Peek returns the word at addr as the next instruction would load it: stores that have
// been interpreted count.
func (m *Machine) Peek(addr uint64) (uint64, bool) { return m.Load(addr, 8) }

// reg returns a register in the numbering of ops.
func (m *Machine) reg(r uint8) uint64 {
	if r == FSBase {
		return m.Segment()
	}
	return m.R[r]
}

// register reads a register as an operand.
func (m *Machine) register(r, width uint8, high bool) uint64 {
	v := m.R[r]
	if high {
		v >>= 8
	}
	return v & mask(width)
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
