package micro

import (
	"golang.org/x/arch/x86/x86asm"
)

// maxLen is the length of the longest instruction in bytes.
const maxLen = 15

// Decode returns the op of the instruction that begins with code and is at address pc.
// Code may be longer than the instruction. The fields Next and Target stay 0.
//
// An instruction that no kind describes becomes a KindStop. If its Len is 0, its length
// is unknown, too.
func Decode(code []byte, pc uint64) Op {
	op := Op{PC: pc, Base: NoReg, Index: NoReg, Third: NoReg}
	if n := max(fence(code), vectorZero(code)); n > 0 {
		op.Kind, op.Len = KindNop, uint8(n)
		return op
	}
	inst, err := x86asm.Decode(code[:min(len(code), maxLen)], 64)
	if err != nil || inst.Op == 0 || inst.Len == 0 {
		op.stop(Undecodable)
		return op
	}
	op.Len, op.Opcode = uint8(inst.Len), uint16(inst.Op)
	d := decoder{op: op, inst: inst, width: inst.MemBytes}
	if reason := d.prefixes(); reason != Done {
		d.op.stop(reason)
	} else if !d.decode() {
		d.clear()
		d.op.stop(d.why)
	}
	return d.op
}

// stop makes op one in front of which the machine stops.
func (op *Op) stop(reason Stop) {
	op.Kind, op.Imm = KindStop, uint64(reason)
}

// A decoder makes one op.
type decoder struct {
	op    Op
	inst  x86asm.Inst
	width int  // bytes of the memory operand
	fs    bool // the memory operand is relative to FS
	why   Stop // why decode returned false
}

// clear forgets operands of an instruction that turned out to be unsupported.
func (d *decoder) clear() {
	d.op = Op{PC: d.op.PC, Len: d.op.Len, Opcode: d.op.Opcode, Base: NoReg, Index: NoReg, Third: NoReg}
}

// next is the address behind the instruction.
func (d *decoder) next() uint64 { return d.op.PC + uint64(d.inst.Len) }

// fail notes why an instruction is not interpreted.
func (d *decoder) fail(why Stop) bool {
	d.why = why
	return false
}

// decode fills in the op. It returns false and a reason in d.why if no kind describes the
// instruction.
func (d *decoder) decode() bool {
	d.why = Unsupported
	in, op := &d.inst, &d.op
	if kind, ok := binary[in.Op]; ok {
		op.Kind = kind
		return d.dst(in.Args[0]) && d.src(in.Args[1])
	}
	if kind, ok := unary[in.Op]; ok {
		op.Kind = kind
		return d.dst(in.Args[0])
	}
	if kind, ok := sourceOnly[in.Op]; ok {
		op.Kind, op.Flags = kind, FlagWriteOnly
		return d.dst(in.Args[0]) && d.src(in.Args[1])
	}
	if c, ok := conditions[in.Op]; ok {
		op.Kind, op.Cond = c.kind, c.cond
		return d.conditional()
	}
	if why, ok := stopped[in.Op]; ok {
		return d.fail(why)
	}
	if done, ok := d.moves(); done {
		return ok
	}
	if done, ok := d.jumps(); done {
		return ok
	}
	if done, ok := d.multiplies(); done {
		return ok
	}
	if done, ok := d.shifts(); done {
		return ok
	}
	return d.vector()
}

func (d *decoder) conditional() bool {
	in, op := &d.inst, &d.op
	switch op.Kind {
	case KindJcc:
		return d.relative(in.Args[0])
	case KindSetcc:
		d.width = 1
		op.Flags = FlagWriteOnly
		return d.dst(in.Args[0])
	}
	return d.dst(in.Args[0]) && d.src(in.Args[1])
}

// moves decodes what moves and exchanges values.
func (d *decoder) moves() (done, ok bool) {
	in, op := &d.inst, &d.op
	switch in.Op {
	case x86asm.NOP, x86asm.PAUSE, x86asm.PREFETCHNTA, x86asm.PREFETCHT0, x86asm.PREFETCHT1, x86asm.PREFETCHT2, x86asm.PREFETCHW,
		x86asm.LFENCE, x86asm.MFENCE, x86asm.SFENCE, x86asm.CLD:
		op.Kind = KindNop
		return true, true
	case x86asm.MOV, x86asm.MOVNTI:
		op.Kind, op.Flags = KindMov, FlagWriteOnly
		if !d.dst(in.Args[0]) || !d.src(in.Args[1]) {
			return true, false
		}
		if r, is := in.Args[0].(x86asm.Reg); is && r == x86asm.RSP && !(op.SrcKind == Register && op.Src == BP) {
			return true, d.fail(StackSwitch)
		}
		return true, true
	case x86asm.MOVSX, x86asm.MOVSXD:
		op.Kind, op.Flags = KindMov, FlagWriteOnly|FlagSigned
		return true, d.dst(in.Args[0]) && d.src(in.Args[1])
	case x86asm.LEA:
		m, is := in.Args[1].(x86asm.Mem)
		op.Kind, op.Flags = KindLea, FlagWriteOnly
		m.Segment = 0 // has no effect
		return true, is && d.dst(in.Args[0]) && d.address(m)
	case x86asm.CBW, x86asm.CWDE, x86asm.CDQE:
		op.Kind, op.Flags = KindMov, FlagWriteOnly|FlagSigned
		w := map[x86asm.Op]uint8{x86asm.CBW: 2, x86asm.CWDE: 4, x86asm.CDQE: 8}[in.Op]
		d.register(AX, AX, w)
		op.SrcWidth = w / 2
		return true, true
	case x86asm.CWD, x86asm.CDQ, x86asm.CQO:
		op.Kind, op.Flags = KindSignFill, FlagWriteOnly
		d.register(DX, AX, map[x86asm.Op]uint8{x86asm.CWD: 2, x86asm.CDQ: 4, x86asm.CQO: 8}[in.Op])
		return true, true
	case x86asm.BSWAP:
		op.Kind, op.Flags = KindBswap, FlagWriteOnly
		return true, d.dst(in.Args[0]) && d.src(in.Args[0]) && op.DstWidth >= 4
	case x86asm.XCHG:
		op.Kind = KindXchg
		if !d.dst(in.Args[0]) || !d.src(in.Args[1]) {
			return true, false
		}
		if op.DstKind != Register || op.SrcKind != Register {
			return true, d.fail(Lock) // with memory it locks, prefix or not
		}
		return true, op.Flags == 0
	case x86asm.PUSH:
		op.Kind, op.Flags = KindPush, FlagWriteOnly
		return true, d.src(in.Args[0]) && (op.SrcWidth == 8 || op.SrcKind == Immediate)
	case x86asm.POP:
		op.Kind, op.Flags = KindPop, FlagWriteOnly
		// The address of a memory operand would be computed after SP has changed.
		_, is := in.Args[0].(x86asm.Reg)
		if in.Args[0] == x86asm.RSP {
			return true, d.fail(StackSwitch)
		}
		return true, is && d.dst(in.Args[0]) && op.DstWidth == 8
	case x86asm.LEAVE:
		op.Kind, op.Flags = KindLeave, FlagWriteOnly
		d.register(BP, BP, 8)
		return true, in.DataSize != 16
	}
	return false, false
}

// register makes both operands registers.
func (d *decoder) register(dst, src, width uint8) {
	op := &d.op
	op.DstKind, op.Dst, op.DstWidth = Register, dst, width
	op.SrcKind, op.Src, op.SrcWidth = Register, src, width
}

// jumps decodes what changes the PC.
func (d *decoder) jumps() (done, ok bool) {
	in, op := &d.inst, &d.op
	direct, indirect := KindJmp, KindJmpTo
	switch in.Op {
	case x86asm.CALL:
		direct, indirect = KindCall, KindCallTo
	case x86asm.JMP:
	case x86asm.RET:
		op.Kind = KindRet
		if n, is := in.Args[0].(x86asm.Imm); is {
			op.Imm = uint64(n) & 0xffff
		}
		return true, in.DataSize != 16
	default:
		return false, false
	}
	op.Flags = FlagWriteOnly
	if _, is := in.Args[0].(x86asm.Rel); is {
		op.Kind = direct
		return true, d.relative(in.Args[0])
	}
	op.Kind = indirect
	return true, d.src(in.Args[0]) && op.SrcWidth == 8
}

// relative sets Imm to the address to which a direct jump leads.
func (d *decoder) relative(a x86asm.Arg) bool {
	rel, ok := a.(x86asm.Rel)
	d.op.Imm = d.next() + uint64(int64(rel))
	return ok && d.inst.DataSize != 16
}

// multiplies decodes multiplications and divisions.
func (d *decoder) multiplies() (done, ok bool) {
	in, op := &d.inst, &d.op
	switch in.Op {
	case x86asm.IMUL:
		switch {
		case in.Args[2] != nil:
			imm, is := in.Args[2].(x86asm.Imm)
			op.Kind, op.Flags = KindImul3, FlagWriteOnly
			if !is || !d.dst(in.Args[0]) || !d.src(in.Args[1]) {
				return true, false
			}
			op.Imm = uint64(imm)
			return true, true
		case in.Args[1] != nil:
			op.Kind = KindImul
			return true, d.dst(in.Args[0]) && d.src(in.Args[1])
		}
		op.Kind = KindImulWide
	case x86asm.MUL:
		op.Kind = KindMulWide
	case x86asm.DIV:
		op.Kind = KindDiv
	case x86asm.IDIV:
		op.Kind = KindIdiv
	default:
		return false, false
	}
	if !d.src(in.Args[0]) || op.SrcWidth < 2 {
		return true, false // operands of 8 bits have their result in AX alone
	}
	op.DstKind, op.Dst, op.DstWidth = Register, AX, op.SrcWidth
	return true, true
}

// shifts decodes shifts with more than two operands, and bit tests.
func (d *decoder) shifts() (done, ok bool) {
	in, op := &d.inst, &d.op
	switch in.Op {
	case x86asm.SHL, x86asm.SHR, x86asm.SAR, x86asm.ROL, x86asm.ROR:
		op.Kind = map[x86asm.Op]Kind{x86asm.SHL: KindShl, x86asm.SHR: KindShr, x86asm.SAR: KindSar, x86asm.ROL: KindRol, x86asm.ROR: KindRor}[in.Op]
		return true, d.dst(in.Args[0]) && d.src(in.Args[1])
	case x86asm.SHLD, x86asm.SHRD:
		op.Kind = map[x86asm.Op]Kind{x86asm.SHLD: KindShld, x86asm.SHRD: KindShrd}[in.Op]
		if !d.dst(in.Args[0]) || !d.src(in.Args[1]) || op.DstWidth < 4 {
			return true, false
		}
		if imm, is := in.Args[2].(x86asm.Imm); is {
			op.Imm = uint64(imm) & 0xff
		} else {
			op.Flags |= FlagCountCL
		}
		return true, true
	case x86asm.BT, x86asm.BTS, x86asm.BTR, x86asm.BTC:
		op.Kind = map[x86asm.Op]Kind{x86asm.BT: KindBt, x86asm.BTS: KindBts, x86asm.BTR: KindBtr, x86asm.BTC: KindBtc}[in.Op]
		if !d.dst(in.Args[0]) || !d.src(in.Args[1]) {
			return true, false
		}
		// With a register as bit number the address depends on the number.
		return true, op.DstKind == Register || op.SrcKind == Immediate
	case x86asm.SHLX, x86asm.SHRX, x86asm.SARX:
		op.Kind = map[x86asm.Op]Kind{x86asm.SHLX: KindShlx, x86asm.SHRX: KindShrx, x86asm.SARX: KindSarx}[in.Op]
		return true, d.three(in.Args[1], in.Args[2])
	case x86asm.ANDN:
		op.Kind = KindAndn
		return true, d.three(in.Args[2], in.Args[1])
	case x86asm.RORX:
		op.Kind, op.Flags = KindRorx, FlagWriteOnly
		imm, is := in.Args[2].(x86asm.Imm)
		ok := is && d.dst(in.Args[0]) && d.src(in.Args[1])
		op.Imm = uint64(imm) & 0xff
		return true, ok
	}
	return false, false
}

// three decodes operands of instructions of three registers, of which the source may be
// in memory.
func (d *decoder) three(src, third x86asm.Arg) bool {
	r, is := third.(x86asm.Reg)
	n, _, _, ok := general(r)
	d.op.Third, d.op.Flags = n, FlagWriteOnly|FlagThird
	if !is || !ok || !d.dst(d.inst.Args[0]) {
		return false
	}
	d.width = int(d.op.DstWidth)
	return d.src(src)
}
