package interp

// This file decodes single instructions, for the interpreter in the kernel, which executes the same operations.

import "unsafe"

// An Op is an operation as the decoder makes it: op.go says what its fields mean.
type Op struct {
	Kind       uint16
	D, S, B, I uint8
	Sh, Fl     uint8
	Disp       int64
	Imm        uint64
	L0, L1     uint32
}

// A Decoder decodes single instructions. Their operations are those of a Code that is Exact.
type Decoder struct {
	d    decoder
	code Code
	ops  [2 * insnOps]op
}

// Decode decodes the instruction that begins with code and is at address pc. The operations are valid until the next
// call. An instruction without any does nothing. If it is not to be interpreted, why is not Done. Size is 0 if the
// length is unknown.
func (x *Decoder) Decode(code []byte, pc uint64) (ops []Op, size int, why Stop) {
	d := &x.d
	x.code.Exact = true
	d.c, d.m, d.acts, d.given = &x.code, nil, Actions{}, copy(d.code[:maxInsnSize], code)
	d.start, d.pc, d.n = pc, pc, 0
	d.first = uint64(uintptr(unsafe.Pointer(&x.ops[0])))
	d.op = d.first
	if _, ok := d.instruction(); !ok {
		switch {
		case d.bad:
			return nil, 0, Fault
		case d.why == Done:
			return nil, 0, Unknown
		}
		return nil, d.pos, d.why
	}
	return unsafe.Slice((*Op)(unsafe.Pointer(&x.ops[0])), (d.op-d.first)/opSize64), d.pos, Done
}

// LastRegister returns the number of the last register that the last instruction names, in Intel's order: what a vector
// instruction without a memory operand reads, or what it stores.
func (x *Decoder) LastRegister() uint8 {
	if d := &x.d; d.memory || d.opMap == 1 && d.opcode == 0x11 {
		return d.reg
	}
	return x.d.rm
}
