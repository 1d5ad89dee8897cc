package interp

// This file decodes the integer instructions with three bytes of opcode or a VEX prefix, such as those of BMI.

// threeBytes decodes opcodes that begin with 0F 38.
func (d *decoder) threeBytes() (end, ok bool) {
	if d.opMap != 2 {
		return false, false
	}
	w := d.width(false)
	switch {
	case d.opcode >= 0xf0 && d.opcode <= 0xf1 && d.rep == 0xf2: // CRC32
		w = d.width(d.opcode == 0xf0)
		d.modrm(0)
		s := d.operand(w, rTmp)
		o := d.emit(kAlu)
		o.d, o.b, o.s, o.fl, o.l0 = d.reg, d.reg, s, 64-8*w, aCrc32
	case d.opcode == 0xf0 && d.rep == 0: // MOVBE
		d.modrm(0)
		if !d.memory {
			return false, false
		}
		d.load(rTmp, w)
		d.third(aBswap, w, d.reg, rTmp, rZero, 0)
	case d.opcode == 0xf1 && d.rep == 0:
		d.modrm(0)
		if !d.memory {
			return false, false
		}
		d.alu(aBswap, w, rTmp, d.reg, rZero, 0)
		d.store(rTmp, w, 0)
	case d.opcode == 0xf6 && (d.pp == 1 || d.pp == 2): // ADCX, ADOX
		d.modrm(0)
		w = 4
		if d.w {
			w = 8
		}
		s := d.operand(w, rTmp)
		d.alu(aAdcx+uint32(d.pp)-1, w, d.reg, d.reg, s, 0)
	default:
		return false, false
	}
	return false, true
}

// integerVEX decodes integer instructions with a VEX prefix.
func (d *decoder) integerVEX() (end, ok bool) {
	if d.vex != 2 || d.length != 0 {
		return false, false
	}
	w := uint8(4)
	if d.w {
		w = 8
	}
	type form struct {
		sub   uint32
		order uint8 // 1: reg = vvvv op rm; 2: reg = rm op vvvv; 3: vvvv = op rm; 4: reg = rm op imm8
	}
	var f form
	switch {
	case d.opMap == 3 && d.opcode == 0xf0 && d.pp == 3:
		f = form{aRorx, 4}
	case d.opMap != 2:
		return false, false
	case d.opcode == 0xf2 && d.pp == 0:
		f = form{aAndn, 1}
	case d.opcode == 0xf3 && d.pp == 0:
		f = form{0, 3}
	case d.opcode == 0xf5 && d.pp == 0:
		f = form{aBzhi, 2}
	case d.opcode == 0xf5 && d.pp == 2:
		f = form{aPext, 1}
	case d.opcode == 0xf5 && d.pp == 3:
		f = form{aPdep, 1}
	case d.opcode == 0xf6 && d.pp == 3:
		f = form{aMulx, 1}
	case d.opcode == 0xf7:
		f = form{aBextr, 2}
		if d.pp != 0 {
			f.sub = aShlx
			if d.pp == 2 {
				f.sub = aSarx
			} else if d.pp == 3 {
				f.sub = aShrx
			}
		}
	default:
		return false, false
	}
	tail := uint8(0)
	if f.order == 4 {
		tail = 1
	}
	d.modrm(tail)
	s := d.operand(w, rTmp)
	o := d.emit(kAlu)
	o.l0, o.fl = f.sub, 64-8*w
	switch f.order {
	case 1:
		o.d, o.b, o.s, o.i = d.reg, d.vvvv, s, d.vvvv
	case 2:
		o.d, o.b, o.s = d.reg, s, d.vvvv
	case 3:
		if d.digit < 1 || d.digit > 3 {
			return false, false
		}
		o.l0 = aBlsr + uint32(d.digit) - 1
		o.d, o.b, o.s = d.vvvv, s, s
	case 4:
		o.d, o.b, o.imm = d.reg, s, d.imm8()
	}
	return false, true
}
