package micro

import "math/bits"

// compute computes the result and the flags of an op that is no jump and does not use the
// stack.
func (m *Machine) compute(op *Op, v *value, addr uint64) {
	w := op.DstWidth
	d, s := v.first, v.second&mask(w)
	v.known = v.firstKnown && v.secondKnown
	v.has, v.writes = true, true
	carry, carryKnown := m.Flags&Carry, m.FlagsKnown&Carry != 0
	switch op.Kind {
	case KindXor, KindSub, KindCmp, KindSbb:
		// The result does not depend on the register if both operands are the same one.
		if op.DstKind == Register && op.SrcKind == Register && op.Dst == op.Src && (op.Flags&FlagSrcHigh != 0) == (op.Flags&FlagDstHigh != 0) {
			d, s, v.known = 0, 0, true
		}
	}
	switch op.Kind {
	case KindNop:
		v.has, v.writes = false, false
	case KindMov, KindLea, KindXchg:
		v.result, v.known = s, v.secondKnown
	case KindAdd:
		v.add(d, s, 0)
	case KindAdc:
		v.known = v.known && carryKnown
		v.add(d, s, carry)
	case KindSub:
		v.sub(d, s, 0)
	case KindCmp:
		v.sub(d, s, 0)
		v.writes = false
	case KindSbb:
		v.known = v.known && carryKnown
		v.sub(d, s, carry)
	case KindAnd:
		v.logic(d & s)
	case KindTest:
		v.logic(d & s)
		v.writes = false
	case KindOr:
		v.logic(d | s)
	case KindXor:
		v.logic(d ^ s)
	case KindInc:
		v.add(d, 1, 0)
		v.changed &^= Carry
	case KindDec:
		v.sub(d, 1, 0)
		v.changed &^= Carry
	case KindNeg:
		v.sub(0, d, 0)
	case KindNot:
		v.result = ^d & mask(w)
	case KindBswap:
		v.result = bits.ReverseBytes64(s) >> (64 - 8*uint(w))
	case KindSignFill:
		v.result = uint64(int64(extend(s, w))>>63) & mask(w)
	case KindAndn:
		v.logic(^d & s)
		v.defined &^= Parity
	case KindShlx, KindShrx, KindSarx, KindRorx:
		v.shiftKeepingFlags(op)
	case KindShl, KindShr, KindSar, KindRol, KindRor:
		v.shift(op.Kind, d, v.second)
	case KindShld, KindShrd:
		count := op.Imm
		if op.Flags&FlagCountCL != 0 {
			count = m.Reg[CX]
			v.known = v.known && m.known(CX)
		}
		v.double(op.Kind, d, s, count)
	case KindImul:
		v.multiply(extend(d, w), extend(s, w))
	case KindImul3:
		v.multiply(extend(op.Imm, w), extend(s, w))
	case KindMulWide, KindImulWide:
		v.multiplyWide(op.Kind == KindImulWide, d, s)
	case KindDiv, KindIdiv:
		m.divide(op, v)
	case KindBsf, KindBsr, KindTzcnt, KindLzcnt, KindPopcnt:
		v.count(op.Kind, d, s)
	case KindBt, KindBts, KindBtr, KindBtc:
		v.bitTest(op.Kind, d, s)
	case KindCmov:
		holds, known := m.condition(op.Cond)
		if v.result, v.known = s, v.secondKnown; !holds {
			v.result, v.known = d, v.firstKnown
		}
		v.known = v.known && known
	case KindSetcc:
		holds, known := m.condition(op.Cond)
		if v.result, v.known = 1, known; !holds {
			v.result = 0
		}
	case KindUnknown, KindPoison:
		v.has, v.known = false, false
		v.writes = op.DstKind != None
		if op.Flags&FlagClobber != 0 {
			v.changed = AllFlags
		}
	}
}

// set sets flags after an operation: those in f, and the three that follow from the
// result.
func (v *value) set(f uint64) {
	v.changed, v.defined = AllFlags, AllFlags
	if v.result == 0 {
		f |= Zero
	}
	if bits.OnesCount8(uint8(v.result))&1 == 0 {
		f |= Parity
	}
	if v.top(v.result) != 0 {
		f |= Sign
	}
	v.flags = f
}

// top returns the sign bit of a number.
func (v *value) top(n uint64) uint64 { return n >> (8*v.width - 1) & 1 }

func (v *value) add(d, s, carry uint64) {
	m := mask(v.width)
	v.result = (d + s + carry) & m
	var f uint64
	if v.result < d || carry != 0 && v.result == d {
		f |= Carry
	}
	f |= v.top(^(d^s)&(d^v.result)) * Overflow
	v.set(f)
}

func (v *value) sub(d, s, borrow uint64) {
	v.result = (d - s - borrow) & mask(v.width)
	var f uint64
	if d < s || borrow != 0 && d == s {
		f |= Carry
	}
	f |= v.top((d^s)&(d^v.result)) * Overflow
	v.set(f)
}

func (v *value) logic(r uint64) {
	v.result = r & mask(v.width)
	v.set(0)
}

// countOf returns how far a shift shifts: the processor uses 6 bits of the count for
// operands of 8 bytes, and 5 for others.
func (v *value) countOf(n uint64) uint64 {
	if v.width == 8 {
		return n & 63
	}
	return n & 31
}

// shift computes shifts and rotations by s bits. A shift by 0 changes no flag. The
// overflow flag is defined for shifts by 1 only, and the carry flag only if the last
// bit that left was one of the operand.
func (v *value) shift(kind Kind, d, s uint64) {
	c, size := v.countOf(s), uint64(v.width)*8
	v.result = d
	if c == 0 {
		if !v.secondKnown {
			v.changed = AllFlags
		}
		return
	}
	m := mask(v.width)
	switch kind {
	case KindShl:
		v.result = d << c & m
		v.set(d >> ((size - c) & 63) & 1)
		v.flags |= (v.top(v.result) ^ v.flags&Carry) * Overflow
	case KindShr:
		v.result = d >> c
		v.set(d >> (c - 1) & 1)
		v.flags |= v.top(d) * Overflow
	case KindSar:
		sd := int64(extend(d, v.width))
		v.result = uint64(sd>>c) & m
		v.set(uint64(sd>>(c-1)) & 1)
	case KindRol:
		r := c % size
		v.result = (d<<r | d>>(size-r)) & m
		v.flags = v.result & 1
		v.flags |= (v.top(v.result) ^ v.flags) * Overflow
		v.changed, v.defined = Carry|Overflow, AllFlags
	case KindRor:
		r := c % size
		v.result = (d>>r | d<<(size-r)) & m
		v.flags = v.top(v.result)
		v.flags |= (v.flags ^ v.result>>(size-2)&1) * Overflow
		v.changed, v.defined = Carry|Overflow, AllFlags
	}
	if c != 1 {
		v.defined &^= Overflow
	}
	if c > size && (kind == KindShl || kind == KindShr) {
		v.defined &^= Carry
	}
	if !v.secondKnown {
		v.changed = AllFlags
	}
}

// double computes shifts over two registers.
func (v *value) double(kind Kind, d, s, n uint64) {
	c, size := v.countOf(n), uint64(v.width)*8
	v.result = d
	if c == 0 {
		if !v.known {
			v.changed = AllFlags
		}
		return
	}
	var carry uint64
	if kind == KindShld {
		v.result, carry = d<<c|s>>(size-c), d>>(size-c)&1
	} else {
		v.result, carry = d>>c|s<<(size-c), d>>(c-1)&1
	}
	v.result &= mask(v.width)
	v.set(carry | (v.top(d)^v.top(v.result))*Overflow)
	if c != 1 {
		v.defined &^= Overflow
	}
}

// shiftKeepingFlags computes the shifts of BMI2. The first operand is the count.
func (v *value) shiftKeepingFlags(op *Op) {
	n, c := v.second&mask(v.width), v.countOf(v.first)
	switch op.Kind {
	case KindShlx:
		v.result = n << c
	case KindShrx:
		v.result = n >> c
	case KindSarx:
		v.result = uint64(int64(extend(n, v.width)) >> c)
	case KindRorx:
		c = v.countOf(op.Imm)
		v.result = n>>c | n<<((uint64(v.width)*8-c)&63)
		if c == 0 {
			v.result = n
		}
	}
	v.result &= mask(v.width)
}

// multiply computes a product of two numbers of the width of the result.
func (v *value) multiply(a, b uint64) {
	hi, lo := multiplySigned(a, b)
	v.result = lo & mask(v.width)
	v.changed, v.defined = AllFlags, Carry|Overflow
	if whole := extend(v.result, v.width); whole != lo || hi != uint64(int64(lo)>>63) {
		v.flags = Carry | Overflow
	}
}

// multiplySigned returns the 128 bits of a signed product.
func multiplySigned(a, b uint64) (hi, lo uint64) {
	hi, lo = bits.Mul64(a, b)
	if int64(a) < 0 {
		hi -= b
	}
	if int64(b) < 0 {
		hi -= a
	}
	return hi, lo
}

// multiplyWide computes a product of twice the width of its factors.
func (v *value) multiplyWide(signed bool, d, s uint64) {
	size := uint(v.width) * 8
	var hi, lo uint64
	if signed {
		hi, lo = multiplySigned(extend(d, v.width), extend(s, v.width))
	} else {
		hi, lo = bits.Mul64(d, s)
	}
	v.result, v.high = lo, hi
	if size < 64 {
		v.result, v.high = lo&mask(v.width), lo>>size&mask(v.width)
	}
	v.changed, v.defined = AllFlags, Carry|Overflow
	fits := v.high == 0
	if signed {
		fits = v.high == uint64(int64(extend(v.result, v.width))>>63)&mask(v.width)
	}
	if !fits {
		v.flags = Carry | Overflow
	}
}

// divide computes quotient and remainder. It stops the machine where the processor would
// trap, and for dividends of more than 64 bits, which do not occur in compiled code.
func (m *Machine) divide(op *Op, v *value) {
	v.changed = AllFlags
	v.known = v.known && m.known(DX)
	if !v.known {
		return
	}
	w := op.DstWidth
	size := uint(w) * 8
	low, high, by := v.first, m.Reg[DX]&mask(w), v.second
	if w < 8 {
		low, high = low|high<<size, 0
	}
	if op.Kind == KindDiv {
		if by == 0 || high != 0 || low/by > mask(w) {
			m.stop = Divide
			return
		}
		v.result, v.high = low/by, low%by
		return
	}
	n, q := low, extend(by, w)
	if w < 8 {
		n = extend(low, 2*w)
	} else if high != uint64(int64(low)>>63) {
		m.stop = Divide
		return
	}
	if q == 0 || n == 1<<63 && q == ^uint64(0) {
		m.stop = Divide
		return
	}
	quotient := uint64(int64(n) / int64(q))
	if extend(quotient, w) != quotient {
		m.stop = Divide
		return
	}
	v.result, v.high = quotient&mask(w), uint64(int64(n)%int64(q))&mask(w)
}

// count computes what counts bits.
func (v *value) count(kind Kind, d, s uint64) {
	size := uint64(v.width) * 8
	v.changed = AllFlags
	switch kind {
	case KindBsf, KindBsr:
		v.defined = Zero
		if s == 0 {
			// The destination stays as it is. Processors differ in the upper half of
			// destinations of 4 bytes.
			v.result, v.flags = d, Zero
			v.known, v.flagsOnly = v.known && v.width == 8, v.secondKnown
			return
		}
		v.known = v.secondKnown
		if v.result = uint64(bits.TrailingZeros64(s)); kind == KindBsr {
			v.result = uint64(63 - bits.LeadingZeros64(s))
		}
	case KindTzcnt, KindLzcnt:
		v.defined = Carry | Zero
		if kind == KindTzcnt {
			v.result = min(uint64(bits.TrailingZeros64(s)), size)
		} else {
			v.result = uint64(bits.LeadingZeros64(s)) - (64 - size)
		}
		if s == 0 {
			v.flags |= Carry
		}
		if v.result == 0 {
			v.flags |= Zero
		}
	case KindPopcnt:
		v.defined = AllFlags
		if v.result = uint64(bits.OnesCount64(s)); s == 0 {
			v.flags = Zero
		}
	}
}

// bitTest computes the carry flag of a bit test, and what becomes of the bit.
func (v *value) bitTest(kind Kind, d, s uint64) {
	n := s & (uint64(v.width)*8 - 1)
	v.changed, v.defined, v.flags = AllFlags&^Zero, Carry, d>>n&1
	switch kind {
	case KindBt:
		v.result, v.writes = v.flags, false
	case KindBts:
		v.result = d | 1<<n
	case KindBtr:
		v.result = d &^ (1 << n)
	case KindBtc:
		v.result = d ^ 1<<n
	}
}
