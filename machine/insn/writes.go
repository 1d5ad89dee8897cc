package insn

// This file says which registers instructions write.

import "strings"

// A RegSet is a set of registers: bits 0 to 15 are the general registers in the
// processor's order (AX CX DX BX SP BP SI DI R8 …), bits 16 to 31 X0 to X15.
type RegSet uint32

// GPR returns the set of a general register, by its number in instructions.
func GPR(n int) RegSet { return 1 << (n & 15) }

// XMM returns the set of a vector register.
func XMM(n int) RegSet { return 1 << (16 + n&15) }

var gprNames = [16]string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R14",
	"R15"}

var xmmNames = [16]string{"X0", "X1", "X2", "X3", "X4", "X5", "X6", "X7", "X8", "X9", "X10", "X11", "X12", "X13", "X14",
	"X15"}

// String returns the names of the registers, as Go's assembler has them.
func (s RegSet) String() string {
	var names []string
	for i := range 16 {
		if s&GPR(i) != 0 {
			names = append(names, gprNames[i])
		}
	}
	for i := range 16 {
		if s&XMM(i) != 0 {
			names = append(names, xmmNames[i])
		}
	}
	return strings.Join(names, " ")
}

// Numbers of general registers that instructions use without naming them.
const (
	ax = 0
	dx = 2
	sp = 4
)

// reg and rm are the registers that the ModRM byte names.
func (in *Inst) reg() int { return int(in.ModRM>>3&7 | in.REX<<1&8) }
func (in *Inst) rm() int  { return int(in.ModRM&7 | in.REX<<3&8) }

// low is the register in the last bits of the opcode.
func (in *Inst) low() int { return int(in.Opcode&7 | in.REX<<3&8) }

// byteReg is the register of an 8-bit operand: without REX, 4 to 7 are AH, CH, DH, BH.
func (in *Inst) byteReg(n int) RegSet {
	if in.REX == 0 && n >= 4 && n < 8 {
		return GPR(n - 4)
	}
	return GPR(n)
}

// Writes returns the registers that the instruction writes, in whole or in part. It
// returns false for instructions that it does not know, and for calls: these may write
// any register. A conditional move counts as a write.
func (in *Inst) Writes() (RegSet, bool) {
	switch {
	case in.VEX || in.Flow == Call || in.Flow == IndirectCall:
		return 0, false
	case in.Map == OneByte:
		return in.writesOneByte()
	case in.Map == Map0F:
		return in.writesTwoByte()
	}
	return 0, false
}

// rmGPR is the set of the register operand in the place of memory, empty for memory.
func (in *Inst) rmGPR(bytes bool) RegSet {
	switch {
	case in.Memory():
		return 0
	case bytes:
		return in.byteReg(in.rm())
	}
	return GPR(in.rm())
}

func (in *Inst) regGPR(bytes bool) RegSet {
	if bytes {
		return in.byteReg(in.reg())
	}
	return GPR(in.reg())
}

func (in *Inst) writesOneByte() (RegSet, bool) {
	op := in.Opcode
	bytes := op&1 == 0
	switch {
	case op < 0x40:
		if op>>3 == 7 { // cmp
			return 0, true
		}
		switch op & 7 {
		case 0, 1:
			return in.rmGPR(bytes), true
		case 2, 3:
			return in.regGPR(bytes), true
		}
		return GPR(ax), true
	case op >= 0x50 && op < 0x58:
		return GPR(sp), true
	case op >= 0x58 && op < 0x60:
		return GPR(sp) | GPR(in.low()), true
	case op>>4 == 7:
		return 0, true
	case op > 0x90 && op < 0x98, op == 0x90 && in.REX&1 != 0:
		return GPR(ax) | GPR(in.low()), true
	case op >= 0xb0 && op < 0xb8:
		return in.byteReg(in.low()), true
	case op >= 0xb8 && op < 0xc0:
		return GPR(in.low()), true
	}
	switch op {
	case 0x63, 0x69, 0x6b, 0x8b, 0x8d:
		return GPR(in.reg()), true
	case 0x8a:
		return in.byteReg(in.reg()), true
	case 0x68, 0x6a, 0xc2, 0xc3:
		return GPR(sp), true
	case 0x80, 0x81, 0x83:
		if in.ModRM>>3&7 == 7 { // cmp
			return 0, true
		}
		return in.rmGPR(bytes), true
	case 0x84, 0x85, 0xa8, 0xa9, 0x90, 0xe9, 0xeb, 0xcc, 0xf5, 0xf8, 0xf9: // test, nop, jumps, flags
		return 0, true
	case 0x86, 0x87:
		return in.rmGPR(bytes) | in.regGPR(bytes), true
	case 0x88, 0x89, 0xc0, 0xc1, 0xc6, 0xc7, 0xd0, 0xd1, 0xd2, 0xd3:
		return in.rmGPR(bytes), true
	case 0x98:
		return GPR(ax), true
	case 0x99:
		return GPR(dx), true
	case 0xf6, 0xf7:
		switch in.ModRM >> 3 & 7 {
		case 0, 1:
			return 0, true
		case 2, 3:
			return in.rmGPR(bytes), true
		}
		return GPR(ax) | GPR(dx), true
	case 0xfe, 0xff:
		switch in.ModRM >> 3 & 7 {
		case 0, 1:
			return in.rmGPR(bytes), true
		case 4:
			return 0, true
		case 6:
			return GPR(sp), true
		}
	}
	return 0, false
}

func (in *Inst) writesTwoByte() (RegSet, bool) {
	rmXMM := func() RegSet {
		if in.Memory() {
			return 0
		}
		return XMM(in.rm())
	}
	switch op := in.Opcode; {
	case op == 0x0b, op == 0x0d, op == 0x18, op == 0x1e, op == 0x1f, op>>4 == 8: // ud2, prefetch, nop, jumps
		return 0, true
	case op>>4 == 4, op == 0xaf, op == 0xb6, op == 0xb7, op == 0xbc, op == 0xbd, op == 0xbe, op == 0xbf, op == 0xb8 &&
		in.Rep:
		return GPR(in.reg()), true
	case op>>4 == 9:
		return in.rmGPR(true), true
	case op >= 0xc8 && op < 0xd0:
		return GPR(in.low()), true
	case op == 0xa3, op == 0xba && in.ModRM>>3&7 == 4: // bt
		return 0, true
	case op == 0xab, op == 0xb3, op == 0xbb, op == 0xba, op == 0xa4, op == 0xa5, op == 0xac, op == 0xad:
		return in.rmGPR(false), true
	case op == 0x10, op == 0x28, op == 0x12, op == 0x14, op == 0x15, op == 0x16, op == 0x2a,
		op == 0x51, op >= 0x54 && op <= 0x5f, op == 0x6e, op == 0x6f, op == 0xef, op == 0x7e && in.Rep:
		return XMM(in.reg()), !(op == 0x2a && !in.Rep && !in.Repne) // cvtpi2ps reads MMX
	case op == 0x11, op == 0x29, op == 0x7f && (in.OpSize || in.Rep), op == 0xd6 && in.OpSize:
		return rmXMM(), true
	case op == 0x7e && in.OpSize:
		return in.rmGPR(false), true
	case op == 0x2c && (in.Rep || in.Repne), op == 0x2d && (in.Rep || in.Repne):
		return GPR(in.reg()), true
	case op == 0x2e, op == 0x2f:
		return 0, true
	}
	return 0, false
}
