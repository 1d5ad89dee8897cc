// Package describe says what never changes about an instruction: which registers it reads and
// writes, what it does with memory, how it changes the flow of control.
//
//	in, err := describe.Instruction(image, 0x4011a0, []byte{0x48, 0x8b, 0x0c, 0xd0}) // mov rcx, [rax+rdx*8]
//	in.Reads, in.Writes // RAX and RDX, RCX
//	in.Memory, in.Width // capture.Load, 8
//
// Modules of value sampling choose instructions by these facts, and vreplay follows
// dependences along the registers. Nobody computes with them: package interp has the
// operations that an interpreter executes.
//
// Where golang.org/x/arch/x86/x86asm does not know an instruction, there is an error, and
// Unknown makes a description that claims nothing.
package describe

import (
	"fmt"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// Unknown returns an instruction of which nothing is known but its code.
func Unknown(image *capture.Image, pc uint64, code []byte) *capture.Instruction {
	return &capture.Instruction{Image: image, PC: pc, Code: code}
}

// Decode decodes the instruction at the beginning of code.
func Decode(code []byte) (x86asm.Inst, error) {
	if len(code) >= 4 && string(code[:4]) == "\xf3\x0f\x1e\xfa" { // ENDBR64, which x86asm decodes as 1 byte
		return x86asm.Inst{Op: x86asm.NOP, Len: 4, Mode: 64, DataSize: 32}, nil
	}
	in, err := x86asm.Decode(code, 64)
	if err == nil && in.Op == 0 {
		err = x86asm.ErrUnrecognized
	}
	if err != nil {
		return in, fmt.Errorf("% x: %w", code[:min(len(code), 15)], err)
	}
	return in, nil
}

// Instruction describes the instruction at the beginning of code, whose address in the
// image is pc.
func Instruction(image *capture.Image, pc uint64, code []byte) (*capture.Instruction, error) {
	x, err := Decode(code)
	if err != nil {
		return nil, err
	}
	d := &describer{x: x, in: Unknown(image, pc, append([]byte(nil), code[:x.Len]...))}
	d.flow()
	d.operands()
	d.implicit()
	return d.in, nil
}

type describer struct {
	x  x86asm.Inst
	in *capture.Instruction
}

func (d *describer) flow() {
	name := d.x.Op.String()
	switch {
	case d.x.Op == x86asm.JMP:
		d.in.Flow = capture.Jump
	case d.x.Op == x86asm.CALL:
		d.in.Flow = capture.Call
	case d.x.Op == x86asm.RET:
		d.in.Flow = capture.Return
	case strings.HasPrefix(name, "J"):
		d.in.Flow = capture.Branch
	}
}

// An access says what an instruction does with its first operand.
type access uint8

const (
	reads access = 1 << iota
	writes
)

// first returns what the instruction does with its first operand. Most instructions compute
// it from its old value.
func first(x *x86asm.Inst) access {
	switch x.Op {
	case x86asm.CMP, x86asm.TEST, x86asm.PUSH, x86asm.JMP, x86asm.CALL, x86asm.RET, x86asm.BT, x86asm.NOP, x86asm.UD1,
		x86asm.UD2,
		x86asm.COMISD, x86asm.COMISS, x86asm.UCOMISD, x86asm.UCOMISS, x86asm.PTEST,
		x86asm.PREFETCHT0, x86asm.PREFETCHT1, x86asm.PREFETCHT2, x86asm.PREFETCHNTA, x86asm.PREFETCHW,
		x86asm.MUL, x86asm.DIV, x86asm.IDIV:
		return reads
	case x86asm.MOV, x86asm.MOVZX, x86asm.MOVSX, x86asm.MOVSXD, x86asm.LEA, x86asm.POP, x86asm.POPCNT, x86asm.LZCNT,
		x86asm.TZCNT,
		x86asm.MOVD, x86asm.MOVQ, x86asm.MOVAPS, x86asm.MOVAPD, x86asm.MOVUPS, x86asm.MOVUPD, x86asm.MOVDQA, x86asm.MOVDQU,
		x86asm.MOVNTI,
		x86asm.PMOVMSKB, x86asm.MOVMSKPD, x86asm.MOVMSKPS, x86asm.PSHUFD, x86asm.MOVBE,
		x86asm.CVTSD2SI, x86asm.CVTSS2SI, x86asm.CVTTSD2SI, x86asm.CVTTSS2SI:
		return writes
	case x86asm.MOVSD_XMM, x86asm.MOVSS:
		// Between registers, the upper half stays.
		if _, ok := x.Args[1].(x86asm.Reg); ok && isVector(x.Args[0]) {
			return reads | writes
		}
		return writes
	case x86asm.IMUL:
		if x.Args[1] == nil {
			return reads
		}
		if x.Args[2] != nil {
			return writes
		}
	}
	name := x.Op.String()
	switch {
	case strings.HasPrefix(name, "J"):
		return reads
	case strings.HasPrefix(name, "VCOMI"), strings.HasPrefix(name, "VUCOMI"), strings.HasPrefix(name, "VPTEST"),
		strings.HasPrefix(name, "VTEST"):
		return reads
	case strings.HasPrefix(name, "SET"), strings.HasPrefix(name, "V") && !strings.HasPrefix(name, "VFM"):
		return writes // AVX writes to an operand of its own
	}
	return reads | writes
}

// vectorNumber returns the number of a vector register; Xi, Yi and Zi are parts of one.
func vectorNumber(a x86asm.Arg) (n x86asm.Reg, ok bool) {
	r, ok := a.(x86asm.Reg)
	switch {
	case !ok:
		return 0, false
	case r >= x86asm.X0 && r <= x86asm.X31:
		return r - x86asm.X0, true
	case r >= x86asm.Y0 && r <= x86asm.Y31:
		return r - x86asm.Y0, true
	case r >= x86asm.Z0 && r <= x86asm.Z31:
		return r - x86asm.Z0, true
	}
	return 0, false
}

func isVector(a x86asm.Arg) bool {
	_, ok := vectorNumber(a)
	return ok
}

// operands notes what the operands say.
func (d *describer) operands() {
	x, in := &d.x, d.in
	role := first(x)
	d.width(x.Args[0])
	if d.zeroes() {
		in.Writes |= register(x.Args[0])
		return
	}
	vector := false
	for i, a := range x.Args {
		how := reads
		if i == 0 {
			how = role
		}
		if x.Op == x86asm.XCHG || x.Op == x86asm.XADD {
			how = reads | writes
		}
		switch a := a.(type) {
		case x86asm.Reg:
			vector = vector || isVector(a)
			if how&reads != 0 {
				in.Reads |= register(a)
			}
			if how&writes != 0 {
				in.Writes |= register(a)
				if narrow(a) { // the other bits stay
					in.Reads |= register(a)
				}
			}
		case x86asm.Mem:
			in.Reads |= register(a.Base) | register(a.Index)
			if !touches(x.Op) {
				continue
			}
			if how&reads != 0 {
				in.Memory |= capture.Load
			}
			if how&writes != 0 {
				in.Memory |= capture.Store
			}
			d.width(a)
		}
	}
	if vector {
		in.Float = floatBytes(x.Op)
	}
}

// zeroes reports whether the instruction sets its operand to 0 without reading it.
func (d *describer) zeroes() bool {
	switch d.x.Op {
	case x86asm.XOR, x86asm.SUB, x86asm.PXOR, x86asm.XORPS, x86asm.XORPD:
		r, ok := d.x.Args[0].(x86asm.Reg)
		return ok && !narrow(r) && d.x.Args[0] == d.x.Args[1]
	}
	return false
}

// touches reports whether an instruction reads or writes its memory operand.
func touches(op x86asm.Op) bool {
	switch op {
	case x86asm.LEA, x86asm.NOP, x86asm.UD1, x86asm.PREFETCHT0, x86asm.PREFETCHT1, x86asm.PREFETCHT2, x86asm.PREFETCHNTA,
		x86asm.PREFETCHW:
		return false
	}
	return true
}

// floatBytes returns the size of the scalar floating-point number that an
// instruction on vector registers has as its operand, or 0.
func floatBytes(op x86asm.Op) uint8 {
	name := strings.TrimPrefix(strings.TrimSuffix(op.String(), "_XMM"), "V")
	switch {
	case strings.HasPrefix(name, "CVTSI2"): // from an integer
		return 0
	case strings.HasPrefix(name, "CVTSD2"), strings.HasPrefix(name, "CVTTSD2"), strings.HasSuffix(name, "SD"):
		return 8
	case strings.HasPrefix(name, "CVTSS2"), strings.HasPrefix(name, "CVTTSS2"), strings.HasSuffix(name, "SS"):
		return 4
	}
	return 0
}

// width sets the width to that of an operand.
func (d *describer) width(a x86asm.Arg) {
	switch a := a.(type) {
	case x86asm.Mem:
		if d.in.Width = uint8(d.x.MemBytes); d.in.Width == 0 {
			d.in.Width = uint8(d.x.DataSize / 8)
		}
	case x86asm.Reg:
		switch {
		case a >= x86asm.AL && a <= x86asm.R15B:
			d.in.Width = 1
		case a >= x86asm.AX && a <= x86asm.R15W:
			d.in.Width = 2
		case a >= x86asm.EAX && a <= x86asm.R15L:
			d.in.Width = 4
		case a >= x86asm.RAX && a <= x86asm.R15:
			d.in.Width = 8
		case a >= x86asm.X0 && a <= x86asm.X31:
			d.in.Width = 16
		case isVector(a):
			d.in.Width = 32
		}
	}
}

// narrow reports whether a write of r leaves bits of the 64-bit register as they are.
func narrow(r x86asm.Reg) bool {
	return r >= x86asm.AL && r <= x86asm.R15B || r >= x86asm.AX && r <= x86asm.R15W
}

// register returns the set of the register that r is, or is a part of.
func register(a x86asm.Arg) capture.Registers {
	r, ok := a.(x86asm.Reg)
	if !ok {
		return 0
	}
	bit := func(n x86asm.Reg) capture.Registers { return 1 << n }
	switch {
	case r >= x86asm.AL && r <= x86asm.BL:
		return bit(r - x86asm.AL)
	case r >= x86asm.AH && r <= x86asm.BH:
		return bit(r - x86asm.AH)
	case r >= x86asm.SPB && r <= x86asm.R15B:
		return bit(r - x86asm.SPB + 4)
	case r >= x86asm.AX && r <= x86asm.R15W:
		return bit(r - x86asm.AX)
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return bit(r - x86asm.EAX)
	case r >= x86asm.RAX && r <= x86asm.R15:
		return bit(r - x86asm.RAX)
	}
	if n, ok := vectorNumber(a); ok {
		return bit(16 + n)
	}
	return 0
}

const (
	ax = capture.Registers(1) << 0
	cx = capture.Registers(1) << 1
	dx = capture.Registers(1) << 2
	sp = capture.Registers(1) << 4
	bp = capture.Registers(1) << 5
	si = capture.Registers(1) << 6
	di = capture.Registers(1) << 7
)

// implicit notes what the instruction reads and writes without naming it.
func (d *describer) implicit() {
	x, in := &d.x, d.in
	both := func(regs capture.Registers) {
		in.Reads |= regs
		in.Writes |= regs
	}
	stack := func(a capture.Access) {
		both(sp)
		in.Memory |= a
		in.Width = 8
	}
	switch x.Op {
	case x86asm.PUSH, x86asm.CALL:
		stack(capture.Store)
	case x86asm.POP, x86asm.RET:
		stack(capture.Load)
	case x86asm.LEAVE:
		stack(capture.Load)
		both(bp)
	case x86asm.MUL, x86asm.IMUL:
		if x.Args[1] == nil {
			in.Reads |= ax
			in.Writes |= ax | dx
		}
	case x86asm.DIV, x86asm.IDIV:
		both(ax | dx)
	case x86asm.CWD, x86asm.CDQ, x86asm.CQO:
		in.Reads |= ax
		in.Writes |= dx
	case x86asm.CBW, x86asm.CWDE, x86asm.CDQE:
		both(ax)
	case x86asm.CMPXCHG:
		both(ax)
	case x86asm.MOVSB, x86asm.MOVSW, x86asm.MOVSD, x86asm.MOVSQ, x86asm.CMPSB, x86asm.CMPSW, x86asm.CMPSD, x86asm.CMPSQ:
		both(si | di | cx)
	case x86asm.STOSB, x86asm.STOSW, x86asm.STOSD, x86asm.STOSQ, x86asm.SCASB, x86asm.SCASW, x86asm.SCASD, x86asm.SCASQ:
		both(di | cx)
		in.Reads |= ax
	}
	switch name := x.Op.String(); {
	case in.Flow == capture.Branch, strings.HasPrefix(name, "SET"), strings.HasPrefix(name, "CMOV"), x.Op == x86asm.ADC,
		x.Op == x86asm.SBB:
		in.Reads |= capture.FlagsRegister
	}
	switch x.Op {
	case x86asm.ADD, x86asm.ADC, x86asm.SUB, x86asm.SBB, x86asm.AND, x86asm.OR, x86asm.XOR, x86asm.CMP, x86asm.TEST,
		x86asm.INC, x86asm.DEC, x86asm.NEG, x86asm.SHL, x86asm.SHR, x86asm.SAR, x86asm.ROL, x86asm.ROR, x86asm.RCL,
		x86asm.RCR,
		x86asm.SHLD, x86asm.SHRD, x86asm.IMUL, x86asm.MUL, x86asm.DIV, x86asm.IDIV, x86asm.BSF, x86asm.BSR, x86asm.POPCNT,
		x86asm.LZCNT, x86asm.TZCNT, x86asm.BT, x86asm.BTS, x86asm.BTR, x86asm.BTC, x86asm.CMPXCHG, x86asm.XADD,
		x86asm.COMISD, x86asm.COMISS, x86asm.UCOMISD, x86asm.UCOMISS, x86asm.PTEST,
		x86asm.CMPSB, x86asm.CMPSW, x86asm.CMPSD, x86asm.CMPSQ, x86asm.SCASB, x86asm.SCASW, x86asm.SCASD, x86asm.SCASQ:
		in.Writes |= capture.FlagsRegister
	}
}
