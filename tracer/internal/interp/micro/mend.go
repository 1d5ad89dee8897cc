package micro

import "golang.org/x/arch/x86/x86asm"

// This file mends what package x86asm does not do as the processor does.

// fence returns the length of an ENDBR64 or ENDBR32 with which code begins, or 0. For
// x86asm these are an instruction of one byte without a name, and the three bytes behind
// it would be decoded as code.
func fence(code []byte) int {
	if len(code) >= 4 && code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && (code[3] == 0xfa || code[3] == 0xfb) {
		return 4
	}
	return 0
}

// vectorZero returns the length of a VZEROUPPER or VZEROALL with which code begins, or 0.
// x86asm believes that a further byte, with operands, follows.
func vectorZero(code []byte) int {
	switch {
	case len(code) >= 3 && code[0] == 0xc5 && code[2] == 0x77:
		return 3
	case len(code) >= 4 && code[0] == 0xc4 && code[1]&0x1f == 1 && code[3] == 0x77:
		return 4
	}
	return 0
}

// displacement returns the displacement of an address. x86asm does not extend the sign of
// a displacement of 32 bits: [RBX-0x8000] becomes [RBX+0xffff8000]. Displacements of 8
// bits are right. Instructions A0 to A3 have a whole address of 64 bits instead.
func (d *decoder) displacement(m x86asm.Mem) int64 {
	if code := d.inst.Opcode >> 24; d.inst.Op == x86asm.MOV && code >= 0xa0 && code <= 0xa3 {
		return m.Disp
	}
	return int64(int32(m.Disp))
}

// relativeVEX reports whether m is relative to the PC. x86asm does not say so in
// instructions with VEX or EVEX prefix, where such an address has neither base nor scale.
func (d *decoder) relativeVEX(m x86asm.Mem) bool {
	return d.vex() && m.Base == 0 && m.Scale == 0
}

// vex reports whether the instruction has a VEX or EVEX prefix.
func (d *decoder) vex() bool {
	for _, p := range d.inst.Prefix {
		if p == 0 {
			break
		}
		if p.IsVEX() || p.IsEVEX() {
			return true
		}
	}
	return false
}

// prefixes returns why the prefixes of the instruction keep it from being interpreted,
// or Done. x86asm leaves prefixes to its user, also those that it did not understand.
func (d *decoder) prefixes() Stop {
	for _, p := range d.inst.Prefix {
		if p == 0 || p.IsVEX() || p.IsEVEX() {
			break // the bytes behind a VEX prefix belong to it
		}
		switch p &^ (x86asm.PrefixImplicit | x86asm.PrefixIgnored | x86asm.PrefixInvalid) {
		case x86asm.PrefixLOCK:
			return Lock
		case x86asm.PrefixFS:
			d.fs = true
		case x86asm.PrefixGS:
			if d.inst.Op != x86asm.NOP && d.inst.Op != x86asm.LEA {
				return Segment
			}
		case x86asm.PrefixAddrSize, x86asm.PrefixAddr16, x86asm.PrefixAddr32:
			return Unsupported
		}
	}
	return Done
}
