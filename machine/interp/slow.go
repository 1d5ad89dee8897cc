package interp

// This file executes the operations that are rare, or that are long anyway.

import "math/bits"

// put sets the flags to a word.
func (m *Machine) word(f uint64) { m.fk, m.fa = flagsWord, f }

// set writes a result, at the top of the word, to a register.
func (m *Machine) set(d uint8, v uint64, fl uint8) {
	v >>= fl & 63
	if fl > 32 {
		mask := uint64(1)<<((64-fl)&63) - 1
		v |= m.R[d] &^ mask
	}
	m.R[d] = v
}

// alu executes a kAlu.
func (m *Machine) alu(o *op) {
	r := &m.R
	fl := o.fl & 63
	width := 64 - fl // in bits
	one := uint64(1) << fl
	a, b := r[o.b]<<fl, (r[o.s]+o.imm)<<fl
	loud := o.l1&noFlags == 0
	var v, f uint64
	switch o.l0 {
	case aAdd:
		v = a + b
		m.fk, m.fs, m.fa, m.fb = flagsAdd, fl, a, b
		loud = false
	case aSub:
		v = a - b
		m.fk, m.fs, m.fa, m.fb = flagsSub, fl, a, b
		loud = false
	case aAnd:
		v = a & b
		f = szp(v, fl)
	case aOr:
		v = a | b
		f = szp(v, fl)
	case aXor:
		v = a ^ b
		f = szp(v, fl)
	case aAdc:
		var c uint64
		if m.carry() {
			c = one
		}
		v = a + b + c
		if v < a || c != 0 && v == a {
			f = flagC
		}
		f |= szp(v, fl) | (a^v)&(b^v)>>63<<11
	case aSbb:
		var c uint64
		if m.carry() {
			c = one
		}
		v = a - b - c
		if a < b || c != 0 && a == b {
			f = flagC
		}
		f |= szp(v, fl) | (a^b)&(a^v)>>63<<11
	case aInc:
		v = a + one
		if loud {
			f = m.flags()&flagC | szp(v, fl) | ^a&v>>63<<11
		}
	case aDec:
		v = a - one
		if loud {
			f = m.flags()&flagC | szp(v, fl) | a&^v>>63<<11
		}
	case aNeg:
		v = -a
		m.fk, m.fs, m.fa, m.fb = flagsSub, fl, 0, a
		loud = false
	case aNot:
		v, loud = ^a, false
	case aRol, aRor, aRcl, aRcr, aShl, aShr, aSal, aSar:
		m.shift(o)
		return
	case aShld, aShrd:
		m.double(o)
		return
	case aBt, aBts, aBtr, aBtc:
		bit := one << (b >> fl & uint64(width-1) & 63)
		if loud {
			f = m.flags() &^ flagC
			if a&bit != 0 {
				f |= flagC
			}
			m.word(f)
		}
		switch o.l0 {
		case aBt:
			return
		case aBts:
			v = a | bit
		case aBtr:
			v = a &^ bit
		case aBtc:
			v = a ^ bit
		}
		loud = false
	case aBsf, aBsr:
		if b == 0 {
			f = flagZ
			if width == 32 {
				m.word(f)
				return // the destination stays
			}
			v = a
		} else if o.l0 == aBsf {
			v = uint64(bits.TrailingZeros64(b>>fl)) << fl
		} else {
			v = uint64(bits.Len64(b>>fl)-1) << fl
		}
	case aTzcnt, aLzcnt:
		switch {
		case b == 0:
			v, f = uint64(width)<<fl, flagC
		case o.l0 == aTzcnt:
			v = uint64(bits.TrailingZeros64(b>>fl)) << fl
		default:
			v = uint64(bits.LeadingZeros64(b)) << fl
		}
		if v == 0 {
			f |= flagZ
		}
	case aPopcnt:
		v = ones(b) << fl
		if v == 0 {
			f = flagZ
		}
	case aImul:
		// Shifted operands are multiples of one, so the product of a and the plain b is at the top.
		hi, lo := bits.Mul64(a, uint64(int64(b)>>fl))
		hi -= uint64(int64(a)>>63)&uint64(int64(b)>>fl) + uint64(int64(b)>>63)&a
		v = lo
		f = szp(v, fl)
		if hi != uint64(int64(lo)>>63) {
			f |= flagC | flagO
		}
	case aBswap:
		v, loud = bits.ReverseBytes64(a>>fl), false
	case aAndn:
		v = ^a & b
		f = szp(v, fl)
	case aBlsr:
		v = b & (b - one)
		f = szp(v, fl)
		if b == 0 {
			f |= flagC
		}
	case aBlsmsk:
		v = b ^ (b - one)
		f = szp(v, fl) &^ flagZ
		if b == 0 {
			f |= flagC
		}
	case aBlsi:
		v = b & -b
		f = szp(v, fl)
		if b != 0 {
			f |= flagC
		}
	case aBextr:
		from, n := b>>fl&0xff, b>>fl>>8&0xff
		if v = a >> fl; from < 64 {
			v >>= from & 63
		} else {
			v = 0
		}
		if n < 64 {
			v &= 1<<(n&63) - 1
		}
		v <<= fl
		if v == 0 {
			f = flagZ
		}
	case aBzhi:
		n := b >> fl & 0xff
		v = a >> fl
		if n < uint64(width) {
			v &= 1<<(n&63) - 1
		} else {
			f = flagC
		}
		v <<= fl
		f |= szp(v, fl)
	case aPdep:
		v, loud = deposit(a>>fl, b>>fl)<<fl, false
	case aPext:
		v, loud = extract(a>>fl, b>>fl)<<fl, false
	case aShlx:
		v, loud = a<<(b>>fl&uint64(width-1)&63), false
	case aShrx:
		v, loud = a>>fl>>(b>>fl&uint64(width-1)&63)<<fl, false
	case aSarx:
		v, loud = uint64(int64(a)>>(b>>fl&uint64(width-1)&63)), false
	case aRorx:
		v, loud = rotate(a, uint64(width)-b>>fl&uint64(width-1), fl), false
	case aMulx:
		hi, lo := bits.Mul64(r[rDX]<<fl>>fl, b>>fl)
		if width == 32 {
			hi, lo = lo>>32, lo&0xffffffff
		}
		r[o.i] = lo
		v, loud = hi<<fl, false
	case aAdcx, aAdox:
		bit := uint64(flagC)
		if o.l0 == aAdox {
			bit = flagO
		}
		f = m.flags()
		c := uint64(0)
		if f&bit != 0 {
			c = one
		}
		f &^= bit
		v = a + b + c
		if v < a || c != 0 && v == a {
			f |= bit
		}
	case aCrc32:
		r[o.d] = crc32c(uint32(r[o.b]), r[o.s], width)
		return
	case aSignFill:
		v, loud = uint64(int64(a)>>63), false
	}
	if loud {
		m.word(f)
	}
	m.set(o.d, v>>fl<<fl, fl)
}

// ones counts bits. That of package bits asks which processor this is.
func ones(x uint64) uint64 {
	x -= x >> 1 & 0x5555555555555555
	x = x>>2&0x3333333333333333 + x&0x3333333333333333
	x = (x>>4 + x) & 0x0f0f0f0f0f0f0f0f
	return x * 0x0101010101010101 >> 56
}

// rotate rotates left by n, at most the width.
func rotate(a, n uint64, fl uint8) uint64 {
	x := a >> (fl & 63)
	width := uint64(64 - fl)
	n %= width
	if n == 0 {
		return a
	}
	return (x<<(n&63) | x>>((width-n)&63)) << (fl & 63)
}

// shift executes shifts and rotations.
func (m *Machine) shift(o *op) {
	r := &m.R
	fl := o.fl & 63
	width := uint64(64 - fl)
	a := r[o.b] << fl
	n := (r[o.s] + o.imm) & 31
	if width == 64 {
		n = (r[o.s] + o.imm) & 63
	}
	if n == 0 {
		if fl == 32 {
			m.set(o.d, a, fl) // clears the upper half
		}
		return
	}
	var v, c uint64 // c is the carry
	f := uint64(0)
	x := a >> fl
	switch o.l0 {
	case aShl, aSal:
		v = a << n
		if n <= width {
			c = x >> ((width - n) & 63) & 1
		}
		f = szp(v, fl) | (v>>63^c)<<11
	case aShr:
		v = x >> n << fl
		c = x >> (n - 1) & 1
		f = szp(v, fl) | a>>63<<11
	case aSar:
		s := uint64(int64(a) >> fl)
		v = uint64(int64(s)>>n) << fl
		c = uint64(int64(s)>>(n-1)) & 1
		f = szp(v, fl)
	case aRol:
		v = rotate(a, n, fl)
		c = v >> fl & 1
		f = m.flags()&^(flagC|flagO) | (v>>63^c)<<11
	case aRor:
		v = rotate(a, width-n%width, fl)
		c = v >> 63
		f = m.flags()&^(flagC|flagO) | (v>>63^v>>62&1)<<11
	case aRcl, aRcr:
		if m.carry() {
			c = 1
		}
		n %= width + 1
		for i := uint64(0); i < n; i++ {
			if o.l0 == aRcl {
				out := x >> (width - 1) & 1
				x, c = x<<1|c, out
			} else {
				out := x & 1
				x, c = x>>1|c<<((width-1)&63), out
			}
			x = x << fl >> fl
		}
		v = x << fl
		f = m.flags() &^ (flagC | flagO)
		if o.l0 == aRcl {
			f |= (v>>63 ^ c) << 11
		} else {
			f |= (v>>63 ^ v>>62&1) << 11
		}
	}
	if o.l1&noFlags == 0 {
		m.word(f&^flagC | c)
	}
	m.set(o.d, v, fl)
}

// double executes SHLD and SHRD of 32 and 64 bits.
func (m *Machine) double(o *op) {
	r := &m.R
	fl := o.fl & 63
	width := uint64(64 - fl)
	a, b := r[o.b]<<fl>>fl, r[o.s]<<fl>>fl
	n := (r[o.i] + o.imm) & (width - 1) & 63
	if n == 0 {
		if fl == 32 {
			m.set(o.d, a<<fl, fl)
		}
		return
	}
	var v, c uint64
	if o.l0 == aShld {
		v = a<<n | b>>((width-n)&63)
		c = a >> ((width - n) & 63) & 1
	} else {
		v = a>>n | b<<((width-n)&63)
		c = a >> (n - 1) & 1
	}
	v <<= fl
	if o.l1&noFlags == 0 {
		m.word(szp(v, fl) | c | (v>>63^a<<fl>>63)<<11)
	}
	m.set(o.d, v, fl)
}

func deposit(v, mask uint64) (r uint64) {
	for ; mask != 0; mask &= mask - 1 {
		if v&1 != 0 {
			r |= mask & -mask
		}
		v >>= 1
	}
	return r
}

func extract(v, mask uint64) (r uint64) {
	for bit := uint64(1); mask != 0; mask &= mask - 1 {
		if v&(mask&-mask) != 0 {
			r |= bit
		}
		bit <<= 1
	}
	return r
}

// crc32c adds bytes to a checksum.
func crc32c(c uint32, v uint64, width uint8) uint64 {
	for i := uint8(0); i < width; i++ {
		bit := (c ^ uint32(v)) & 1
		c = c>>1 ^ 0x82f63b78&-bit
		v >>= 1
	}
	return uint64(c)
}

// wide executes MUL, IMUL, DIV and IDIV of AX and DX.
func (m *Machine) wide(o *op) bool {
	r := &m.R
	fl := o.fl & 63
	width := 64 - fl
	b := r[o.s] << fl
	mask := ^uint64(0) >> fl
	lo, hi := r[rAX]&mask, r[rDX]&mask
	if width == 8 {
		lo, hi = r[rAX]&0xff, r[rAX]>>8&0xff
	}
	switch o.l0 {
	case wMul:
		hi, lo = bits.Mul64(lo, b>>fl)
		if width < 64 {
			hi, lo = lo>>width, lo&mask
		}
		m.fk, m.fs = flagsWord, 0
		m.fa = szp(lo<<fl, fl)
		if hi != 0 {
			m.fa |= flagC | flagO
		}
	case wImul:
		x, y := uint64(int64(lo<<fl)>>fl), uint64(int64(b)>>fl)
		hi, lo = bits.Mul64(x, y)
		hi -= uint64(int64(x)>>63)&y + uint64(int64(y)>>63)&x
		if width < 64 {
			hi, lo = lo>>width&mask, lo&mask
		}
		m.word(szp(lo<<fl, fl))
		if hi != uint64(int64(lo<<fl)>>63)&mask {
			m.fa |= flagC | flagO
		}
	default:
		var q, rem uint64
		var ok bool
		if width == 64 {
			q, rem, ok = divide(hi, lo, b, o.l0 == wIdiv)
		} else {
			q, rem, ok = divideNarrow(hi<<width|lo, b, width, o.l0 == wIdiv)
		}
		if !ok {
			m.stop = Divide
			return false
		}
		lo, hi = q&mask, rem&mask
	}
	if width == 8 {
		m.set(rAX, (hi<<8|lo)<<48, 48)
		return true
	}
	m.set(rAX, lo<<fl, fl)
	m.set(rDX, hi<<fl, fl)
	return true
}

// divideNarrow divides a number of twice the width.
func divideNarrow(n, b uint64, width uint8, signed bool) (q, rem uint64, ok bool) {
	fl := 64 - width
	if b == 0 {
		return 0, 0, false
	}
	if !signed {
		b >>= fl & 63
		if b == 0 {
			return 0, 0, false
		}
		q = n / b
		return q, n % b, q>>(width&63) == 0
	}
	double := (64 - 2*width) & 63
	x := int64(n<<double) >> double
	y := int64(b) >> (fl & 63)
	if y == 0 || y == -1 && x == -1<<63 {
		return 0, 0, false
	}
	s := x / y
	return uint64(s), uint64(x % y), s<<(fl&63)>>(fl&63) == s
}

// divide divides 128 bits by 64.
func divide(hi, lo, b uint64, signed bool) (q, rem uint64, ok bool) {
	if !signed {
		if hi >= b {
			return 0, 0, false
		}
		q, rem = div128(hi, lo, b)
		return q, rem, true
	}
	negN, negB := int64(hi) < 0, int64(b) < 0
	if negN {
		lo = -lo
		hi = ^hi
		if lo == 0 {
			hi++
		}
	}
	if negB {
		b = -b
	}
	if hi >= b {
		return 0, 0, false
	}
	q, rem = div128(hi, lo, b)
	if negN != negB {
		if q > 1<<63 {
			return 0, 0, false
		}
		q = -q
	} else if q >= 1<<63 {
		return 0, 0, false
	}
	if negN {
		rem = -rem
	}
	return q, rem, true
}

// div128 is bits.Div64 without its panics. hi is less than b.
func div128(hi, lo, b uint64) (q, rem uint64) {
	if hi == 0 && b != 0 {
		return lo / b, lo % b
	}
	for i := 0; i < 64; i++ {
		carry := hi >> 63
		hi = hi<<1 | lo>>63
		lo <<= 1
		q <<= 1
		if carry != 0 || hi >= b {
			hi -= b
			q |= 1
		}
	}
	return q, hi
}

// cmpxchg compares AX with the operand b. It makes d what is to be stored there; a register
// that is the operand stays if they differ, even its upper half.
func (m *Machine) cmpxchg(o *op) {
	r := &m.R
	fl := o.fl & 63
	a, old := r[rAX]<<fl, r[o.b]<<fl
	m.fk, m.fs, m.fa, m.fb = flagsSub, fl, a, old
	if a == old {
		m.set(o.d, r[o.s]<<fl, fl)
		return
	}
	if o.d == rTmp {
		r[rTmp] = r[o.b]
	}
	m.set(rAX, old, fl)
}

func (m *Machine) cmpxchg16(o *op) bool {
	r := &m.R
	at, w := r[o.b]+r[o.i]*uint64(o.sh)+uint64(o.disp), uint64(o.l0)
	if w == 8 && at&15 != 0 {
		m.stop = Fault
		return false
	}
	lo, ok := m.load(at, w)
	if !ok {
		return false
	}
	hi, ok := m.load(at+w, w)
	if !ok {
		return false
	}
	f := m.flags() &^ flagZ
	fl := uint8(64 - 8*w)
	if lo == r[rAX]<<(fl&63)>>(fl&63) && hi == r[rDX]<<(fl&63)>>(fl&63) {
		m.word(f | flagZ)
		return m.store(at, r[rBX], w) && m.store(at+w, r[rCX], w)
	}
	m.word(f)
	r[rAX], r[rDX] = lo, hi
	return true
}

// flag executes CLC, STC, CMC, PUSHF and POPF.
func (m *Machine) flag(opcode uint64) bool {
	f := m.flags()
	switch opcode {
	case 0x9c:
		const always, interrupts = 1 << 1, 1 << 9
		if !m.store(m.R[rSP]-8, f|always|interrupts, 8) {
			return false
		}
		m.R[rSP] -= 8
	case 0x9d:
		v, ok := m.load(m.R[rSP], 8)
		if !ok {
			return false
		}
		m.R[rSP] += 8
		f = v & arithmetic
	case 0xf5:
		f ^= flagC
	case 0xf8:
		f &^= flagC
	default:
		f |= flagC
	}
	m.word(f)
	return true
}

// clock executes RDTSC and RDTSCP, after so many steps of this Run, and SYSCALL.
func (m *Machine) clock(which uint64, steps int) bool {
	if which > 1 {
		return m.syscall(which)
	}
	if m.TSC == 0 {
		m.stop = Machinery
		return false
	}
	now := m.TSC + uint64(m.Steps+steps)
	m.R[rAX], m.R[rDX] = now&0xffffffff, now>>32
	if which != 0 { // the number of the processor
		m.R[rCX] = 0
	}
	return true
}
