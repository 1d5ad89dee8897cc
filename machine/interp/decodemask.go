package interp

// This file decodes instructions on mask registers.

// masks decodes instructions on mask registers.
func (d *decoder) masks() bool {
	// The width is 1 for the prefix 66, 2 for none; W makes it 4 and 8 in the other order.
	width := uint8(2)
	switch {
	case d.pp == 1 && !d.w:
		width = 1
	case d.pp == 1:
		width = 4
	case d.w:
		width = 8
	}
	d.modrm(0)
	if d.opcode < 0x90 {
		f := [12]uint8{1: qAnd, 2: qAndn, 4: qNot, 5: qOr, 6: qXnor, 7: qXor, 10: qAdd, 11: qUnpack}[d.opcode&15%12]
		unary := d.opcode == 0x44
		switch {
		case d.pp > 1, d.memory, d.reg > 7, d.rm > 7, d.vvvv > 7, unary != (d.length == 0), unary && d.vvvv != 0,
			f == qAnd && d.opcode != 0x41:
			return false
		case f == qUnpack && width == 4:
			return false
		case f == qUnpack && width == 8:
			width = 4
		}
		d.maskOp(uint32(f), rMask+d.reg, rMask+d.vvvv, rMask+d.rm, width)
		return true
	}
	if d.length != 0 || d.vvvv != 0 {
		return false
	}
	switch d.opcode {
	case 0x90:
		if d.pp > 1 || d.reg > 7 {
			return false
		}
		if d.memory {
			d.load(rMask+d.reg, width)
			return true
		}
		if d.rm > 7 {
			return false
		}
		d.maskOp(qOr, rMask+d.reg, rZero, rMask+d.rm, width)
	case 0x91:
		if d.pp > 1 || d.reg > 7 || !d.memory {
			return false
		}
		d.store(rMask+d.reg, width, 0)
	case 0x92, 0x93:
		switch {
		case d.pp == 3 && !d.w:
			width = 4
		case d.pp == 3:
			width = 8
		case d.pp == 2 || d.w:
			return false
		}
		to, from := rMask+d.reg, d.rm
		if d.opcode == 0x93 {
			to, from = d.reg, rMask+d.rm
		}
		if d.memory || to >= rMask+8 || from >= rMask+8 {
			return false
		}
		d.maskOp(qOr, to, rZero, from, width)
	case 0x98, 0x99:
		if d.pp > 1 || d.memory || d.reg > 7 || d.rm > 7 {
			return false
		}
		d.maskOp(qOrTest+uint32(d.opcode&1), rZero, rMask+d.reg, rMask+d.rm, width)
	default:
		return false
	}
	return true
}

func (d *decoder) maskOp(f uint32, to, a, b, width uint8) {
	o := d.emit(kVMask)
	o.d, o.b, o.s, o.fl, o.l0 = to, a, b, 64-8*width, f
}
