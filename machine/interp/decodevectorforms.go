package interp

// This file decodes the vector instructions whose operands are special.

import "math/bits"

// move emits loads and moves of whole vectors.
func (e *vectorDecoder) move() bool {
	n := e.words * 8
	if !e.unused() || e.broadcast {
		return false
	}
	if !e.memory {
		if e.f.key&0xff == 0xf0 || e.f.key&0xff == 0x2a {
			return false
		}
		o := e.op(e.reg, noVector, e.rm)
		if e.vex == 0 {
			o.k = kVMov16
		}
		return true
	}
	if !e.scaled(n) {
		return false
	}
	o := e.address(e.emit(kVLd))
	o.d, o.fl, o.l1 = e.reg, n, e.l1
	switch {
	case uint8(e.l1) != 0:
		o.k, o.fl, o.imm = kVLdMask, e.width*8, uint64(n)
	case e.vex == 0:
		o.k = kVLd16
	}
	return true
}

// moves emits stores, and moves of parts of vectors.
func (e *vectorDecoder) moves() bool {
	f, n := e.f, e.words*8
	masked := uint8(e.l1) != 0
	if masked && f.how != hStore {
		return false
	}
	switch f.how {
	case hStore:
		if !e.unused() || e.broadcast {
			return false
		}
		if !e.memory {
			if c := f.key & 0xff; c == 0x2b || c == 0xe7 {
				return false
			}
			o := e.op(e.rm, noVector, e.reg)
			if e.vex == 0 {
				o.k = kVMov16
			}
			return true
		}
		if !masked {
			return e.storeTo(e.reg, n, 0)
		}
		if e.zeroing || !e.scaled(n) {
			return false
		}
		o := e.address(e.emit(kVStMask))
		o.s, o.fl, o.l1, o.imm = e.reg, e.width*8, e.l1, uint64(n)
		return true
	case hScalarMove, hScalarStore:
		to, from := e.reg, e.rm
		if f.how == hScalarStore {
			to, from = from, to
			if e.memory {
				return e.unused() && e.storeTo(e.reg, f.mem, 0)
			}
		} else if e.memory {
			return e.unused() && e.loadTo(f.mem)
		}
		e.imm, e.words = 1, 2
		a := to
		if e.vex != 0 {
			a = e.vvvv
		}
		e.other(kVShuffle, sBlend, to, a, from)
		return true
	case hLowMove: // MOVLPS, MOVHLPS
		if e.length != 0 {
			return false
		}
		if e.memory {
			s, ok := e.source(8)
			e.imm = 1
			e.other(kVShuffle, sBlend, e.reg, e.first, s)
			return ok && !e.broadcast
		}
		e.other(kVShuffle, sLowFromHigh, e.reg, e.first, e.rm)
		return f.key>>8&3 == 0
	case hHighMove: // MOVHPS, MOVLHPS
		if e.length != 0 {
			return false
		}
		s, ok := e.source(8)
		e.other(kVShuffle, sLow, e.reg, e.first, s)
		return ok && !e.broadcast && (e.memory || f.key>>8&3 == 0)
	case hHalfStore:
		return e.memory && e.length == 0 && e.unused() && e.storeTo(e.reg, 8, uint64(f.key>>2&1))
	case hMoveQ, hStoreQ:
		if e.length != 0 || !e.unused() {
			return false
		}
		if e.memory && f.how == hStoreQ {
			return e.storeTo(e.reg, 8, 0)
		}
		if e.memory {
			return e.loadTo(8)
		}
		to, from := e.reg, e.rm
		if f.how == hStoreQ {
			to, from = from, to
		}
		e.other(kVLanes, fMove, to, noVector, from).sh = 1
		return true
	}
	return false
}

// loadTo emits the load of n bytes to reg.
func (e *vectorDecoder) loadTo(n uint8) bool {
	if e.broadcast || !e.scaled(n) {
		return false
	}
	o := e.address(e.emit(kVLd))
	o.d, o.fl, o.l1 = e.reg, n, e.l1
	return true
}

// general emits instructions that move between vectors and general registers.
func (e *vectorDecoder) general() bool {
	f := e.f
	n := uint8(4)
	if e.w {
		n = 8
	}
	if e.broadcast {
		return false
	}
	switch f.how {
	case hPut:
		if e.length != 0 || !e.unused() {
			return false
		}
		if e.memory {
			return e.loadTo(n)
		}
		e.put(e.reg, e.decoder.rm, n)
		return true
	case hGet:
		if e.length != 0 || !e.unused() {
			return false
		}
		if e.memory {
			return e.storeTo(e.reg, n, 0)
		}
		e.other(kVGet, 0, e.decoder.rm, noVector, e.reg).fl = n * 8
		return true
	case hRepeatR:
		if e.memory || !e.unused() {
			return false
		}
		e.put(vTmp, e.decoder.rm, 8)
		e.op(e.reg, noVector, vTmp).imm = 1
		return true
	case hReplace:
		if e.length != 0 {
			return false
		}
		if f.width == 4 {
			e.width = n
		}
		s := uint8(vTmp)
		if e.memory {
			var ok bool
			if s, ok = e.source(e.width); !ok {
				return false
			}
		} else {
			e.put(vTmp, e.decoder.rm, 8)
		}
		e.op(e.reg, e.first, s)
		return true
	case hPick:
		if e.length != 0 || !e.unused() {
			return false
		}
		to, from := e.decoder.rm, e.reg
		switch f.key {
		case m0F | p66 | 0xc5:
			if e.memory || e.rHigh != 0 {
				return false
			}
			to, from = e.decoder.reg, e.rm
		case m3A | p66 | 0x16:
			e.width = n
		}
		e.imm &= 16>>bits.TrailingZeros8(e.width) - 1
		if e.memory {
			if !e.scaled(e.width) {
				return false
			}
			to = rTmp
		}
		e.other(kVGet, 0, to, noVector, from)
		if e.memory {
			e.decoder.store(rTmp, e.width, 0)
		}
		return true
	case hFromInt:
		s := e.decoder.rm
		if e.memory {
			if !e.scaled(n) {
				return false
			}
			e.decoder.load(rTmp, n)
			s = rTmp
		}
		e.put(vTmp, s, n).imm = 1 // a signed number
		e.other(kVOne, uint32(f.f), e.reg, e.first, vTmp).sh = 2
		return true
	case hToInt:
		s, ok := e.source(f.mem)
		o := e.other(kVInt, 0, e.decoder.reg, noVector, s)
		o.sh, o.imm = n*8, 3
		if f.key&1 != 0 {
			o.imm = 4
		}
		return ok && e.unused() && e.rHigh == 0
	}
	return false
}

// put emits the move of n bytes of a general register to a vector register.
func (e *vectorDecoder) put(to, s, n uint8) *op {
	o := e.emit(kVPut)
	o.d, o.s, o.fl, o.l1 = to, s, n*8, e.l1
	return o
}

// conversion emits conversions between widths.
func (e *vectorDecoder) conversion() bool {
	f := e.f
	if e.broadcast {
		return false
	}
	count := e.words * 8 >> bits.TrailingZeros8(max(f.width, f.mem))
	n := count * f.width // bytes of the result
	e.words = max(2, n/8)
	to, s, ok := e.reg, e.reg, true
	if f.how == hNarrow {
		to = e.rm
		if e.memory {
			if uint8(e.l1) != 0 {
				return false
			}
			to = vTmp
		}
	} else {
		s, ok = e.source(count * f.mem)
	}
	o := e.other(kVConvert, uint32(f.f), to, noVector, s)
	o.disp, o.imm = int64(f.mem*8), uint64(count)
	if f.how == hNarrow && e.memory {
		return e.unused() && e.storeTo(vTmp, n, 0)
	}
	return ok && e.unused()
}

// countImmediate emits shifts by the immediate.
func (e *vectorDecoder) countImmediate(size uint8) bool {
	if e.memory && e.vex != evex {
		return false
	}
	s, ok := e.source(size)
	to := e.first
	if e.vex == 0 {
		to = e.rm
	}
	long := e.vex == evex && e.w
	o := e.other(kVLanes, 0, to, s, noVector)
	switch e.digit {
	case 0, 1:
		o.l0 = fRor - uint32(e.digit)*(fRor-fRol)
		return ok && e.f.width == 4 && e.vex == evex
	case 2:
		o.l0 = fShr
	case 4:
		o.l0 = fSar
		return ok && e.f.width != 8
	case 6:
		o.l0 = fShl
	case 3, 7:
		o.k, o.l0, o.fl, o.b, o.s = kVShuffle, sLeft, 8, noVector, s
		if e.digit == 3 {
			o.l0 = sRight
		}
		return ok && e.f.width == 8 && uint8(e.l1) == 0 && !e.broadcast
	default:
		return false
	}
	return ok && (e.f.width == 2 || e.vex != evex || long == (e.f.width == 8))
}

// maskForms emits instructions with masks as operands, and those that collect bits.
func (e *vectorDecoder) maskForms(size uint8) bool {
	f := e.f
	mask := uint8(e.l1)
	switch f.how {
	case hFlags:
		s, ok := e.source(size)
		o := e.other(kVFlags, uint32(f.f), noVector, e.reg, s)
		if f.key == m38|p66|0x17 {
			o.fl = 0
		}
		return ok && e.unused() && mask == 0 && !e.broadcast
	case hSigns:
		e.other(kVSigns, 0, e.decoder.reg, noVector, e.rm)
		return !e.memory && e.unused()
	case hToMask:
		e.other(kVSigns, 0, rMask+e.reg, noVector, e.rm)
		return !e.memory && e.unused() && mask == 0 && e.reg < 8
	case hFill:
		if e.memory || !e.unused() || mask != 0 || e.decoder.rm > 7 {
			return false
		}
		o := e.other(kVLanes, fEq, e.reg, noVector, noVector)
		o.l1 |= vZeroing | uint32(rMask+e.decoder.rm)
		return true
	case hCompare:
		s, ok := e.source(size)
		o := e.op(vOther, e.first, s)
		o.l1 = vWide
		e.other(kVSigns, 0, rMask+e.reg, noVector, vOther)
		return ok && e.reg < 8 && !e.zeroing
	case hMaskMove, hMaskStore:
		if !e.memory {
			return false
		}
		n := e.words * 8
		e.other(kVSigns, 0, rTmp, noVector, e.vvvv)
		k := kVLdMask
		if f.how == hMaskStore {
			k = kVStMask
		}
		o := e.address(e.emit(k))
		o.d, o.s, o.fl, o.l1, o.imm = e.reg, e.reg, e.width*8, rTmp|vZeroing|vWide, uint64(n)
		return true
	case hCompress:
		if !e.unused() || e.broadcast {
			return false
		}
		if !e.memory {
			e.other(kVPress, 0, e.rm, noVector, e.reg)
			return true
		}
		if e.zeroing || !e.scaled(e.width) {
			return false
		}
		e.l1 |= vZeroing
		e.other(kVPress, 0, vTmp, noVector, e.reg)
		o := e.address(e.emit(kVStMask))
		o.s, o.fl, o.l1, o.imm = vTmp, e.width*8, rTmp, uint64(e.words*8)
		return true
	case hExpand:
		e.other(kVPress, 1, e.reg, noVector, e.rm)
		return !e.memory && e.unused()
	}
	return false
}
