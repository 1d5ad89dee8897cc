package insn

// This file has the operands that follow an opcode. The tables are those of the opcode
// maps in volume 2 of Intel's Software Developer's Manual, appendix A.

// A form says what follows an opcode: a ModRM byte, an immediate operand, or both.
type form uint8

const (
	none  form = iota
	imm8       // also a distance of one byte
	imm16      // two bytes
	immz       // two or four bytes
	immv       // two, four or eight bytes
	rel32      // a distance of four bytes
	moffs      // an address
	enter      // three bytes
	bad        // no instruction
	modrm form = 0x80
)

// form returns what follows the opcode that has been read.
func (d *decoder) form() form {
	in := &d.in
	op := in.Opcode
	if in.VEX {
		return vex(in.Map, op)
	}
	switch in.Map {
	case OneByte:
		return oneByte(op)
	case Map0F38:
		return modrm
	case Map0F3A:
		return modrm | imm8
	}
	return twoByte(op)
}

func oneByte(op byte) form {
	switch {
	case op < 0x40: // eight operations of arithmetic
		switch op & 7 {
		case 0, 1, 2, 3:
			return modrm
		case 4:
			return imm8
		case 5:
			return immz
		}
		return bad
	case op < 0x60:
		return none
	case op >= 0x70 && op < 0x80:
		return imm8
	case op >= 0x84 && op < 0x90:
		return modrm
	case op >= 0xb0 && op < 0xb8:
		return imm8
	case op >= 0xb8 && op < 0xc0:
		return immv
	case op >= 0xd8 && op < 0xe0:
		return modrm
	case op >= 0xe0 && op < 0xe8:
		return imm8
	case op >= 0xa0 && op < 0xa4:
		return moffs
	}
	switch op {
	case 0x60, 0x61, 0x62, 0x82, 0x9a, 0xce, 0xd4, 0xd5, 0xd6, 0xea:
		return bad
	case 0x63, 0xd0, 0xd1, 0xd2, 0xd3, 0xf6, 0xf7, 0xfe, 0xff: // f6 and f7: decode reads their immediates
		return modrm
	case 0x68, 0xa9:
		return immz
	case 0x69, 0x81, 0xc7:
		return modrm | immz
	case 0x6a, 0xa8, 0xcd, 0xeb:
		return imm8
	case 0x6b, 0x80, 0x83, 0xc0, 0xc1, 0xc6:
		return modrm | imm8
	case 0xc2, 0xca:
		return imm16
	case 0xc8:
		return enter
	case 0xe8, 0xe9:
		return rel32
	}
	return none
}

func twoByte(op byte) form {
	switch {
	case op >= 0x80 && op < 0x90:
		return rel32
	case op >= 0x30 && op < 0x36, op >= 0xc8 && op < 0xd0:
		return none
	}
	switch op {
	case 0x05, 0x06, 0x07, 0x08, 0x09, 0x0b, 0x0e, 0x37, 0x77, 0xa0, 0xa1, 0xa2, 0xa8, 0xa9, 0xaa:
		return none
	case 0x04, 0x0a, 0x0c, 0x24, 0x25, 0x26, 0x27, 0x36, 0x39, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x7a, 0x7b, 0xa6, 0xa7:
		return bad
	case 0x0f, 0x70, 0x71, 0x72, 0x73, 0xa4, 0xac, 0xba, 0xc2, 0xc4, 0xc5, 0xc6:
		return modrm | imm8
	}
	return modrm
}

func vex(m Map, op byte) form {
	switch m {
	case Map0F:
		switch op {
		case 0x77:
			return none
		case 0x70, 0x71, 0x72, 0x73, 0xc2, 0xc4, 0xc5, 0xc6:
			return modrm | imm8
		}
		return modrm
	case Map0F38, 5, 6: // 5 and 6 are EVEX only, for half-precision floats
		return modrm
	case Map0F3A:
		return modrm | imm8
	}
	return bad
}
