package core

// This file knows the instructions that page polls are compiled to.

import "unsafe"

// pollLen returns the length in bytes of the poll at pc, a TESTB of a register
// with a byte in memory, or 0 if another instruction is there. The compiler
// addresses the byte by a register (with REX.B from R8 on, with a SIB byte for
// SP and R12, with a displacement for R13 and BP) or by register and
// displacement when it has folded an addition into the poll.
func pollLen(pc unsafe.Pointer) uintptr {
	n := uintptr(0)
	if byteAt(pc, 0)&0xf0 == 0x40 { // REX
		n++
	}
	if byteAt(pc, n) != 0x84 { // TEST r/m8, r8
		return 0
	}
	operand := operandLen(unsafe.Add(pc, n+1))
	if operand == 0 {
		return 0
	}
	return n + 1 + operand
}

// An operand is what an instruction compares with memory: a register, by the
// processor's number (AX, CX, DX, BX, SP, BP, SI, DI, R8 … R15), or a constant.
type operand struct {
	reg   uintptr // noRegister for a constant
	value uint64  // of the constant
}

const noRegister = 16

// comparison returns what the instruction at pc, a CMPQ, compares with memory,
// and the length of the instruction; a length of 0 says that another instruction
// is there.
func comparison(pc unsafe.Pointer) (o operand, length uintptr) {
	rex, op := byteAt(pc, 0), byteAt(pc, 1)
	if rex&0xf8 != 0x48 { // REX.W
		return o, 0
	}
	n := operandLen(unsafe.Add(pc, 2))
	if n == 0 {
		return o, 0
	}
	n += 2
	reg := byteAt(pc, 2) >> 3 & 7
	switch {
	case op == 0x3b, op == 0x39: // CMP r64, r/m64 and the reverse
		if rex&4 != 0 { // REX.R
			reg += 8
		}
		return operand{reg: uintptr(reg)}, n
	case op == 0x83 && reg == 7: // CMP r/m64, imm8
		return operand{noRegister, uint64(int8(byteAt(pc, n)))}, n + 1
	case op == 0x81 && reg == 7: // CMP r/m64, imm32
		imm := uint32(byteAt(pc, n)) | uint32(byteAt(pc, n+1))<<8 | uint32(byteAt(pc, n+2))<<16 | uint32(byteAt(pc, n+3))<<24
		return operand{noRegister, uint64(int32(imm))}, n + 4
	}
	return o, 0
}

// operandLen returns the length of a ModRM byte that names memory and of what
// belongs to it, or 0 if it names a register.
func operandLen(p unsafe.Pointer) (n uintptr) {
	modrm := byteAt(p, 0)
	n++
	mod, rm := modrm>>6, modrm&7
	if mod == 3 {
		return 0
	}
	if rm == 4 {
		rm = byteAt(p, n) & 7 // SIB: its base has the same special case as rm
		n++
	}
	switch {
	case mod == 1:
		n++
	case mod == 2, mod == 0 && rm == 5: // disp32; without a base, absolute or relative to RIP
		n += 4
	}
	return n
}

func byteAt(p unsafe.Pointer, i uintptr) byte { return *(*byte)(unsafe.Add(p, i)) }
