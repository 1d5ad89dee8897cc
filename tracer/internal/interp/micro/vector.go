package micro

import "golang.org/x/arch/x86/x86asm"

// In the kernel no float or vector register is captured, so the interpreter there does not know their values.
// Instructions that change nothing but such registers are like KindNop; a number that they read from
// memory is their second operand. Those that write a general register make it unknown, and those
// that store make the bytes unknown. Package interp executes them all.

// flagsOf lists vector instructions that set flags.
var flagsOf = set(
	x86asm.COMISD, x86asm.COMISS, x86asm.UCOMISD, x86asm.UCOMISS, x86asm.PTEST,
	x86asm.VCOMISD, x86asm.VCOMISS, x86asm.VUCOMISD, x86asm.VUCOMISS, x86asm.VPTEST, x86asm.VTESTPD, x86asm.VTESTPS,
	x86asm.KORTESTB, x86asm.KORTESTD, x86asm.KORTESTQ, x86asm.KORTESTW, x86asm.KTESTB, x86asm.KTESTD, x86asm.KTESTQ, x86asm.KTESTW,
)

// hidden lists vector instructions that write a general register or memory which are
// not their operands.
var hidden = set(
	x86asm.PCMPESTRI, x86asm.PCMPESTRM, x86asm.PCMPISTRI, x86asm.PCMPISTRM,
	x86asm.VPCMPESTRI, x86asm.VPCMPESTRM, x86asm.VPCMPISTRI, x86asm.VPCMPISTRM,
	x86asm.MASKMOVDQU, x86asm.MASKMOVQ, x86asm.VMASKMOVDQU,
)

// unknownResult lists instructions on general registers whose result is not computed.
// The value says whether flags become unknown.
var unknownResult = map[x86asm.Op]bool{
	x86asm.CRC32: false, x86asm.PDEP: false, x86asm.PEXT: false, x86asm.STMXCSR: false,
	x86asm.CVTSD2SI: false, x86asm.CVTSS2SI: false, x86asm.CVTTSD2SI: false, x86asm.CVTTSS2SI: false,
	x86asm.VCVTSD2SI: false, x86asm.VCVTSS2SI: false, x86asm.VCVTTSD2SI: false, x86asm.VCVTTSS2SI: false,
	x86asm.VCVTSD2USI: false, x86asm.VCVTSS2USI: false, x86asm.VCVTTSD2USI: false, x86asm.VCVTTSS2USI: false,
	x86asm.BEXTR: true, x86asm.BZHI: true, x86asm.BLSI: true, x86asm.BLSMSK: true, x86asm.BLSR: true,
	x86asm.RCL: true, x86asm.RCR: true,
}

// vector decodes instructions on vector registers, and others with unknown results.
func (d *decoder) vector() bool {
	in, op := &d.inst, &d.op
	op.Kind = KindNop
	switch in.Op {
	case x86asm.CLC, x86asm.STC, x86asm.CMC, x86asm.SAHF:
		op.Kind, op.Flags = KindUnknown, FlagClobber
		return true
	case x86asm.EMMS, x86asm.LDMXCSR, x86asm.VLDMXCSR:
		return true
	}
	clobber, ok := unknownResult[in.Op]
	if !ok && (hidden[in.Op] || !d.usesVectors()) {
		return false
	}
	if clobber || flagsOf[in.Op] {
		op.Kind, op.Flags = KindUnknown, FlagClobber
	}
	d.number()
	if flagsOf[in.Op] {
		return true // it compares, its operands stay as they are
	}
	switch a := in.Args[0].(type) {
	case x86asm.Reg:
		if isVector(a) {
			return true
		}
		op.Kind = KindUnknown
		op.Flags |= FlagWriteOnly
		return d.dst(a)
	case x86asm.Mem:
		op.Kind = KindPoison
		op.Flags |= FlagWriteOnly
		op.DstKind, op.DstWidth = InMemory, d.storeWidth()
		return d.address(a)
	}
	return false
}

// number makes a memory operand of 4 or 8 bytes, such as a floating-point number, the second
// operand. x86asm does not know its width in instructions with a VEX prefix.
func (d *decoder) number() {
	m, is := d.inst.Args[1].(x86asm.Mem)
	if op := &d.op; !is || d.vex() || d.width != 4 && d.width != 8 || !d.src(m) {
		op.SrcKind, op.SrcWidth, op.Base, op.Index, op.Shift, op.Disp = None, 0, NoReg, NoReg, 0, 0
	}
}

// storeWidth returns how many bytes a vector instruction stores: as many as its memory
// operand has, or, as x86asm does not know the width of each, as many as its widest
// register. If it stores fewer, more bytes than necessary become unknown.
func (d *decoder) storeWidth() uint8 {
	width := uint8(min(d.inst.MemBytes, 64))
	for _, a := range d.inst.Args {
		r, is := a.(x86asm.Reg)
		switch {
		case !is || d.inst.MemBytes > 0 && !d.vex():
		case r >= x86asm.Z0 && r <= x86asm.Z31:
			width = max(width, 64)
		case r >= x86asm.Y0 && r <= x86asm.Y31:
			width = max(width, 32)
		case r >= x86asm.X0 && r <= x86asm.X31:
			width = max(width, 16)
		}
	}
	if width == 0 {
		width = 64
	}
	return width
}

func (d *decoder) usesVectors() bool {
	for _, a := range d.inst.Args {
		if r, is := a.(x86asm.Reg); is && isVector(r) {
			return true
		}
	}
	return false
}

// isVector reports whether r is a register of MMX, SSE or AVX, masks included.
func isVector(r x86asm.Reg) bool { return r >= x86asm.M0 && r <= x86asm.K7 }
