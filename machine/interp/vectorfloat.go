package interp

// This file computes with floats. Operands that are not numbers are looked at before: the compiler may swap the
// operands of an addition, and then the result would have the other one's payload.

import "unsafe"

// Functions of floats, behind those of [lane].
const (
	fFAdd = fFloats + iota
	fFSub
	fFMul
	fFDiv
	fFMin
	fFMax
	fFSqrt // of b
	fFCmp  // as imm says
	fFRound
	fFMA   // a*b + c
	fFMAN  // -(a*b) + c
	fFMS   // a*b - c
	fFMSN  // -(a*b) - c
	fWiden // b, a float of 32 bits
	fNarrow
	fFromInt // b, a signed word
	fFromUint
	fFromInt32 // b, of 32 bits
	fToInt32
	fToInt32T // toward zero
)

// MXCSR without its sticky flags, and what Go programs have there: nearest, denormals as they are, no exceptions.
const (
	controls = 0xffc0
	usual    = 0x1f80
)

const (
	exponent64 = 0x7ff << 52
	quiet64    = 1 << 51
	exponent32 = 0xff << 23
	quiet32    = 1 << 22
)

func float64Of(x uint64) float64 { return *(*float64)(unsafe.Pointer(&x)) }
func float32Of(x uint32) float32 { return *(*float32)(unsafe.Pointer(&x)) }
func bits64(x float64) uint64    { return *(*uint64)(unsafe.Pointer(&x)) }
func bits32(x float32) uint32    { return *(*uint32)(unsafe.Pointer(&x)) }

func isNaN64(x uint64) bool { return x<<1 > exponent64<<1 }
func isNaN32(x uint32) bool { return x<<1 > exponent32<<1 }

func widen(x uint32) uint64 {
	if isNaN32(x) {
		return uint64(x)>>31<<63 | exponent64 | quiet64 | uint64(x)<<41>>12
	}
	return bits64(float64(float32Of(x)))
}

func narrowFloat(x uint64) uint64 {
	if isNaN64(x) {
		return x>>63<<31 | exponent32 | quiet32 | x<<12>>41
	}
	return uint64(bits32(float32(float64Of(x))))
}

// float applies a function to elements of 64 bits.
func float(f uint32, a, b, c, imm uint64) uint64 {
	switch f {
	case fFMin, fFMax, fFCmp:
		x, y := float64Of(a), float64Of(b)
		return compareFloats(f, a, b, x < y, x == y, x > y, imm)
	case fWiden:
		return widen(uint32(b))
	case fFromInt:
		return bits64(float64(int64(b)))
	case fFromUint:
		return fromUint(b)
	case fFromInt32:
		return bits64(float64(int32(b)))
	case fFMA, fFMAN, fFMS, fFMSN:
		return fma(f, a, b, c)
	case fFSqrt:
		if isNaN64(b) {
			return b | quiet64
		}
		return sqrt64(b)
	case fFRound:
		return round(b, imm)
	}
	if isNaN64(a) {
		return a | quiet64
	}
	if isNaN64(b) {
		return b | quiet64
	}
	x, y := float64Of(a), float64Of(b)
	switch f {
	case fFAdd:
		x += y
	case fFSub:
		x -= y
	case fFMul:
		x *= y
	case fFDiv:
		x /= y
	}
	return bits64(x)
}

// float32bits applies a function to elements of 32 bits. Conversions take all of b.
func float32bits(f uint32, a, b, c, imm uint64) uint64 {
	p, q := uint32(a), uint32(b)
	switch f {
	case fFMin, fFMax, fFCmp:
		x, y := float32Of(p), float32Of(q)
		return compareFloats(f, a, b, x < y, x == y, x > y, imm)
	case fNarrow:
		return narrowFloat(b)
	case fFromInt:
		return uint64(bits32(float32(int64(b))))
	case fFromInt32:
		return uint64(bits32(float32(int32(b))))
	case fToInt32:
		return toInt(widen(q), 4, 32)
	case fToInt32T:
		return toInt(widen(q), 3, 32)
	case fFMA, fFMAN, fFMS, fFMSN:
		return fma32(f, p, q, uint32(c))
	case fFSqrt:
		if isNaN32(q) {
			return uint64(q | quiet32)
		}
		return narrowFloat(sqrt64(widen(q)))
	case fFRound:
		return narrowFloat(round(widen(q), imm))
	}
	if isNaN32(p) {
		return uint64(p | quiet32)
	}
	if isNaN32(q) {
		return uint64(q | quiet32)
	}
	x, y := float32Of(p), float32Of(q)
	switch f {
	case fFAdd:
		x += y
	case fFSub:
		x -= y
	case fFMul:
		x *= y
	case fFDiv:
		x /= y
	}
	return uint64(bits32(x))
}

// relations has the relations for which each comparison holds: less 1, equal 2, greater 4, unordered 8.
var relations = [16]uint8{2, 1, 3, 8, 13, 14, 12, 7, 10, 9, 11, 0, 5, 6, 4, 15}

// compareFloats makes a minimum, a maximum or a comparison of how a and b compare.
func compareFloats(f uint32, a, b uint64, less, equal, greater bool, imm uint64) uint64 {
	relation := uint8(8)
	switch {
	case less:
		relation = 1
	case equal:
		relation = 2
	case greater:
		relation = 4
	}
	switch {
	case f == fFCmp:
		if relations[imm&15]&relation != 0 {
			return ^uint64(0)
		}
		return 0
	case f == fFMin && less, f == fFMax && greater:
		return a
	}
	return b
}

// round rounds to an integer: to nearest, down, up, toward zero, or (with bit 2) as MXCSR says, which is to nearest.
func round(b, mode uint64) uint64 {
	if isNaN64(b) {
		return b | quiet64
	}
	sign := b >> 63 << 63
	x := float64Of(b ^ sign)
	if x >= 1<<52 {
		return b
	}
	if mode&4 != 0 {
		mode = 0
	}
	y := float64(int64(x))
	switch mode & 3 {
	case 0:
		y = x + 1<<52
		y -= 1 << 52
	case 1, 2:
		if (mode&3 == 1) == (sign != 0) && y < x { // away from zero
			y++
		}
	}
	return bits64(y) | sign
}

// toInt converts a float to an integer of so many bits. What does not fit becomes the smallest negative number.
func toInt(b, mode uint64, width uint8) uint64 {
	x := float64Of(round(b, mode))
	limit := float64(1 << 31)
	if width == 64 {
		limit = 1 << 63
	}
	if !(x >= -limit && x < limit) {
		return 1 << ((width - 1) & 63)
	}
	return uint64(int64(x)) & (^uint64(0) >> ((64 - width) & 63))
}

func fromUint(b uint64) uint64 {
	if int64(b) >= 0 {
		return bits64(float64(int64(b)))
	}
	return bits64(2 * float64(int64(b>>1|b&1)))
}

// fma multiplies a and b, and adds c, with one rounding.
func fma(f uint32, a, b, c uint64) uint64 {
	switch {
	case isNaN64(a):
		return a | quiet64
	case isNaN64(b):
		return b | quiet64
	case isNaN64(c):
		return c | quiet64
	}
	if f == fFMAN || f == fFMSN {
		a ^= 1 << 63
	}
	if f == fFMS || f == fFMSN {
		c ^= 1 << 63
	}
	x := fma64(a, b, c)
	if isNaN64(x) {
		return 0xfff<<52 | quiet64
	}
	return x
}

// fma32 does the same with floats of 32 bits: the product is exact with 64 bits. The sum is rounded to odd, so that
// rounding it once more gives what one rounding would have given.
func fma32(f uint32, a, b, c uint32) uint64 {
	switch {
	case isNaN32(a):
		return uint64(a | quiet32)
	case isNaN32(b):
		return uint64(b | quiet32)
	case isNaN32(c):
		return uint64(c | quiet32)
	}
	if f == fFMAN || f == fFMSN {
		a ^= 1 << 31
	}
	if f == fFMS || f == fFMSN {
		c ^= 1 << 31
	}
	p := float64(float64(float32Of(a)) * float64(float32Of(b)))
	z := float64(float32Of(c))
	s := p + z
	if s != s {
		return 0xff8<<20 | quiet32
	}
	u := bits64(s)
	if u&exponent64 != exponent64 && u&1 == 0 {
		v := s - p
		rest := (p - (s - v)) + (z - v) // what the addition lost
		switch {
		case rest == 0:
		case s == 0:
		case (rest > 0) == (s > 0):
			u++
		default:
			u--
		}
	}
	return narrowFloat(u)
}

// vectorFlags executes the operations whose results are flags.
func (m *Machine) vectorFlags(o *op) bool {
	var f uint64
	a, b := &m.Vectors[o.b&63], &m.Vectors[o.s&63]
	if o.l0 == fTestM { // PTEST
		f = flagZ | flagC
		top := ^uint64(0)
		if o.fl != 0 {
			top = lows[o.fl>>4&7] << ((o.fl - 1) & 63)
		}
		for i := range int(o.sh) {
			if a[i&7]&b[i&7]&top != 0 {
				f &^= flagZ
			}
			if ^a[i&7]&b[i&7]&top != 0 {
				f &^= flagC
			}
		}
		m.word(f)
		return true
	}
	if m.MXCSR&controls != usual {
		m.stop = Unknown
		return false
	}
	p, q := a[0], b[0]
	if o.fl == 32 {
		p, q = widen(uint32(p)), widen(uint32(q))
	}
	x, y := float64Of(p), float64Of(q)
	switch {
	case x > y:
	case x < y:
		f = flagC
	case x == y:
		f = flagZ
	default:
		f = flagZ | flagP | flagC
	}
	m.word(f)
	return true
}
