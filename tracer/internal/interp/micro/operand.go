package micro

import "golang.org/x/arch/x86/x86asm"

// dst sets the destination.
func (d *decoder) dst(a x86asm.Arg) bool {
	op := &d.op
	switch a := a.(type) {
	case x86asm.Reg:
		n, width, high, ok := general(a)
		op.DstKind, op.Dst, op.DstWidth = Register, n, width
		if high {
			op.Flags |= FlagDstHigh
		}
		return ok
	case x86asm.Mem:
		op.DstKind, op.DstWidth = InMemory, uint8(d.width)
		return d.wide() && d.address(a)
	}
	return false
}

// src sets the source.
func (d *decoder) src(a x86asm.Arg) bool {
	op := &d.op
	switch a := a.(type) {
	case x86asm.Reg:
		n, width, high, ok := general(a)
		op.SrcKind, op.Src, op.SrcWidth = Register, n, width
		if high {
			op.Flags |= FlagSrcHigh
		}
		return ok
	case x86asm.Mem:
		op.SrcKind, op.SrcWidth = InMemory, uint8(d.width)
		return d.wide() && d.address(a)
	case x86asm.Imm:
		op.SrcKind, op.Imm, op.SrcWidth = Immediate, uint64(a), 8
		return true
	}
	return false
}

// wide reports whether the memory operand is as wide as a part of a register.
func (d *decoder) wide() bool {
	switch d.width {
	case 1, 2, 4, 8:
		return true
	}
	return false
}

// general returns number and width of a general register, and whether it is one of AH,
// CH, DH and BH.
func general(r x86asm.Reg) (n, width uint8, high, ok bool) {
	switch {
	case r >= x86asm.AL && r <= x86asm.BL:
		return uint8(r - x86asm.AL), 1, false, true
	case r >= x86asm.AH && r <= x86asm.BH:
		return uint8(r - x86asm.AH), 1, true, true
	case r >= x86asm.SPB && r <= x86asm.R15B:
		return uint8(r-x86asm.SPB) + SP, 1, false, true
	case r >= x86asm.AX && r <= x86asm.R15W:
		return uint8(r - x86asm.AX), 2, false, true
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return uint8(r - x86asm.EAX), 4, false, true
	case r >= x86asm.RAX && r <= x86asm.R15:
		return uint8(r - x86asm.RAX), 8, false, true
	}
	return 0, 0, false, false
}

// address sets the address of the memory operand. Only addresses of 64 bits are supported.
func (d *decoder) address(m x86asm.Mem) bool {
	op := &d.op
	op.Base, op.Index, op.Disp = NoReg, NoReg, d.displacement(m)
	switch {
	case m.Base == x86asm.RIP || d.relativeVEX(m):
		op.Disp += int64(d.next())
	case m.Base != 0:
		n, width, _, ok := general(m.Base)
		if !ok || width != 8 {
			return false
		}
		op.Base = n
	}
	if m.Index != 0 {
		n, width, _, ok := general(m.Index)
		if !ok || width != 8 {
			return false
		}
		op.Index = n
		op.Shift = map[uint8]uint8{1: 0, 2: 1, 4: 2, 8: 3}[m.Scale]
	}
	switch {
	case !d.fs || op.Kind == KindLea:
	case op.Base == NoReg:
		op.Base = FSBase
	case op.Index == NoReg:
		op.Index, op.Shift = FSBase, 0
	default:
		return d.fail(Segment)
	}
	return true
}
