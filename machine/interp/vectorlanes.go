package interp

// This file computes element by element, within words.

import "math/bits"

// Functions of elements: a is from the first source, b from the second, c from the third.
const (
	fMove = iota // b
	fAnd
	fAndn
	fOr
	fXor
	fTernary
	fAffine
	fAffineInverse
	fAdd
	fSub
	fEq
	fTestM // a and b have a bit in common; only by elements from here on
	fTestN
	fGt
	fCmpS // as imm says
	fCmpU
	fMinS
	fMinU
	fMaxS
	fMaxU
	fAddS // with saturation
	fAddU
	fSubS
	fSubU
	fAvg
	fMulLo
	fMulHighS
	fMulHighU
	fMulRound
	fMulU // of halves
	fMulS
	fMaddS // of pairs
	fMaddU
	fSign
	fAbs
	fShl // by imm
	fShr
	fSar
	fRol
	fRor
	fShlV // by b
	fShrV
	fSarV
	fRolV
	fRorV
	fOnes
	fLeading
	fSad
	fChoose // by the sign of c
	fGalois
	fMaddLow52
	fMaddHigh52
	fExtendZ // b, by kVConvert
	fExtendS
	fSatS
	fSatU

	// Only by operations that look at MXCSR.
	fFloats
)

// The lowest bit of each element, by width / 16.
var lows = [8]uint64{0x0101010101010101, 0x0001000100010001, 0x0000000100000001, 0, 1}

// lanes applies a function to the elements of a word.
func lanes(f uint32, width uint8, a, b, c, imm uint64) (r uint64) {
	low := lows[width>>4&7]
	top := low << ((width - 1) & 63)
	switch f {
	case fMove:
		return b
	case fAnd:
		return a & b
	case fAndn:
		return ^a & b
	case fOr:
		return a | b
	case fXor:
		return a ^ b
	case fTernary: // imm is the table of results
		for i := uint64(0); i < 8; i++ {
			if imm>>i&1 != 0 {
				r |= (c ^ (i>>2&1 - 1)) & (a ^ (i>>1&1 - 1)) & (b ^ (i&1 - 1))
			}
		}
		return r
	case fAffine:
		return affine(b, a) ^ imm&0xff*lows[0]
	case fAffineInverse:
		return affine(b, inverses(a)) ^ imm&0xff*lows[0]
	case fAdd:
		return (a&^top + b&^top) ^ (a^b)&top
	case fSub:
		return (a | top - b&^top) ^ (a^^b)&top
	case fEq:
		x := a ^ b
		x = ^((x&^top + ^top) | x | ^top) // top bits of elements that are 0
		return x >> ((width - 1) & 63) * (^uint64(0) >> ((64 - width) & 63))
	}
	one := ^uint64(0) >> ((64 - width) & 63)
	for at := uint8(0); at < 64; at += width {
		s := at & 63
		r |= lane(f, width, a>>s&one, b>>s&one, c>>s&one, imm) & one << s
	}
	return r
}

// lane applies a function to one element. Bits of the result above the width have no meaning.
func lane(f uint32, width uint8, a, b, c, imm uint64) uint64 {
	if f >= fFloats {
		if width == 64 {
			return float(f, a, b, c, imm)
		}
		return float32bits(f, a, b, c, imm)
	}
	fl := (64 - width) & 63
	sa, sb := int64(a<<fl)>>fl, int64(b<<fl)>>fl
	w := uint64(width)
	t := false
	switch f {
	case fTestM:
		t = a&b != 0
	case fTestN:
		t = a&b == 0
	case fGt:
		t = sa > sb
	case fCmpS:
		t = predicate(sa < sb, sa == sb, imm)
	case fCmpU:
		t = predicate(a < b, a == b, imm)
	case fMinS:
		if sa < sb {
			return a
		}
		return b
	case fMinU:
		return min(a, b)
	case fMaxS:
		if sa > sb {
			return a
		}
		return b
	case fMaxU:
		return max(a, b)
	case fAddS:
		return saturate(sa+sb, width)
	case fAddU:
		return min(a+b, ^uint64(0)>>fl)
	case fSubS:
		return saturate(sa-sb, width)
	case fSubU:
		return a - min(a, b)
	case fAvg:
		return (a + b + 1) >> 1
	case fMulLo:
		return a * b
	case fMulHighS:
		return uint64(sa*sb) >> (w & 63)
	case fMulHighU:
		return a * b >> (w & 63)
	case fMulRound:
		return uint64((sa*sb>>14 + 1) >> 1)
	case fMulU:
		return a & 0xffffffff * (b & 0xffffffff)
	case fMulS:
		return uint64(int64(int32(a)) * int64(int32(b)))
	case fMaddS:
		return uint64(int64(int16(a))*int64(int16(b)) + int64(int16(a>>16))*int64(int16(b>>16)))
	case fMaddU:
		return saturate(int64(uint8(a))*int64(int8(b))+int64(uint8(a>>8))*int64(int8(b>>8)), 16)
	case fSign:
		switch {
		case sb < 0:
			return -a
		case sb == 0:
			return 0
		}
		return a
	case fAbs:
		if sb < 0 {
			return -b
		}
		return b
	case fShlV, fShrV, fSarV:
		return shifted(f-fShlV+fShl, width, a, b)
	case fShl, fShr, fSar:
		return shifted(f, width, a, imm)
	case fRol:
		return turned(a, imm, w)
	case fRor:
		return turned(a, -imm, w)
	case fRolV:
		return turned(a, b, w)
	case fRorV:
		return turned(a, -b, w)
	case fOnes:
		return ones(b)
	case fLeading:
		return uint64(bits.LeadingZeros64(b)) - uint64(fl)
	case fSad:
		var sum uint64
		for i := uint(0); i < 64; i += 8 {
			x, y := a>>i&0xff, b>>i&0xff
			sum += max(x, y) - min(x, y)
		}
		return sum
	case fChoose:
		if c>>((w-1)&63)&1 != 0 {
			return b
		}
		return a
	case fGalois:
		return galois(a, b)
	case fMaddLow52, fMaddHigh52:
		hi, lo := bits.Mul64(a<<12>>12, b<<12>>12)
		if f == fMaddHigh52 {
			return c + (hi<<12 | lo>>52)
		}
		return c + lo<<12>>12
	}
	if t {
		return ^uint64(0)
	}
	return 0
}

// predicate is the comparison that the three low bits of imm choose.
func predicate(less, equal bool, imm uint64) bool {
	var t bool
	switch imm & 3 {
	case 0:
		t = equal
	case 1:
		t = less
	case 2:
		t = less || equal
	}
	return t != (imm&4 != 0)
}

// saturate limits v to a signed number of so many bits.
func saturate(v int64, width uint8) uint64 {
	limit := int64(1) << ((width - 1) & 63)
	return uint64(max(-limit, min(limit-1, v)))
}

func shifted(f uint32, width uint8, a, n uint64) uint64 {
	fl := (64 - width) & 63
	if n >= uint64(width) {
		if f != fSar {
			return 0
		}
		n = 63
	}
	switch f {
	case fShl:
		return a << (n & 63)
	case fShr:
		return a >> (n & 63)
	}
	return uint64(int64(a<<fl) >> fl >> (n & 63))
}

// turned rotates an element of w bits to the left.
func turned(a, n, w uint64) uint64 {
	n &= w - 1
	return a<<(n&63) | a>>((w-n)&63)&(1<<(n&63)-1)
}

// pack narrows elements to the width fl with saturation, alternately those of 16 bytes of a and of b.
func pack(o *op, r, a, b *[8]uint64) {
	half := per(64, o.fl) // elements of a word
	from := o.fl * 2
	for i := range uint64(o.sh) {
		s := a
		if i&1 != 0 {
			s = b
		}
		for j := range half {
			x := element(s, i>>1*half+j, from)
			r[i&7] |= narrow(o.l0, o.fl, from, x) << (j * uint64(o.fl) & 63)
		}
	}
}

// narrow converts an element from one width to a smaller one, as f says.
func narrow(f uint32, width, from uint8, x uint64) uint64 {
	s := int64(x<<((64-from)&63)) >> ((64 - from) & 63)
	one := ^uint64(0) >> ((64 - width) & 63)
	switch f {
	case fSatS:
		return saturate(s, width) & one
	case fSatU:
		return uint64(max(0, min(int64(one), s)))
	}
	return x & one
}

// press compresses the elements of b that the mask selects, or expands to them (o.l0 is 1). It returns which elements
// of the result it has set.
func (m *Machine) press(o *op, r, b *[8]uint64, k uint64) uint64 {
	w := uint64(o.fl)
	to := uint64(0)
	for i := uint64(0); i*w < uint64(o.sh)*64; i++ {
		if k>>(i&63)&1 == 0 {
			continue
		}
		if o.l0 == 0 {
			r[to*w>>6&7] |= element(b, i, o.fl) << (to * w & 63)
		} else {
			r[i*w>>6&7] |= element(b, to, o.fl) << (i * w & 63)
		}
		to++
	}
	if o.l0 == 0 {
		k = fill(to)
	}
	return k
}
