package interp

// This file multiplies and adds with one rounding. math.FMA asks which processor this is, and calls code that may be
// instrumented.

import (
	"math"
	"math/bits"
)

// fma64 returns x*y + z.
func fma64(x, y, z uint64) uint64 {
	const magnitude, infinity = 1<<63 - 1, 0x7ff << 52
	if x&magnitude == 0 || y&magnitude == 0 || x&infinity == infinity || y&infinity == infinity || z&infinity == infinity {
		p, a := math.Float64frombits(x)*math.Float64frombits(y), math.Float64frombits(z)
		if x&infinity != infinity && y&infinity != infinity && z&infinity == infinity {
			return z // the product of two numbers may overflow, alone
		}
		return math.Float64bits(p + a)
	}
	xm, xe := split(x)
	ym, ye := split(y)
	hi, lo := bits.Mul64(xm, ym) // x*y = (hi:lo) << e
	sign, e := (x^y)>>63, xe+ye
	if z&magnitude != 0 {
		hi, lo, e, sign = addTo(hi, lo, e, sign, z)
		if hi|lo == 0 {
			return 0
		}
	}
	return rounded(hi, lo, e, sign)
}

// split returns the mantissa and the exponent of a number that is not 0: x = m << e.
func split(x uint64) (m uint64, e int) {
	m, e = x&(1<<52-1), int(x>>52&0x7ff)
	if e == 0 {
		e = 1
	} else {
		m |= 1 << 52
	}
	return m, e - 1075
}

// addTo adds z to a product.
func addTo(hi, lo uint64, e int, sign, z uint64) (uint64, uint64, int, uint64) {
	// Both get their highest bit at 125, so that the sum fits.
	hi, lo, e = left(hi, lo, e)
	zm, ze := split(z)
	zhi, zlo, ze := left(zm, 0, ze-64)
	zsign := z >> 63
	if ze > e || ze == e && (zhi > hi || zhi == hi && zlo > lo) { // the larger one first
		hi, lo, e, sign, zhi, zlo, ze, zsign = zhi, zlo, ze, zsign, hi, lo, e, sign
	}
	for n := e - ze; n > 0; n -= 63 { // what leaves at the right stays visible as the lowest bit
		s := uint(min(n, 63))
		lost := zlo << (64 - s)
		zhi, zlo = zhi>>s, zlo>>s|zhi<<(64-s)
		if lost != 0 {
			zlo |= 1
		}
		if n > 256 {
			n = 256
		}
	}
	var carry uint64
	if sign == zsign {
		lo, carry = bits.Add64(lo, zlo, 0)
		hi, _ = bits.Add64(hi, zhi, carry)
	} else {
		lo, carry = bits.Sub64(lo, zlo, 0)
		hi, _ = bits.Sub64(hi, zhi, carry)
	}
	return hi, lo, e, sign
}

// left shifts until the highest bit is bit 125.
func left(hi, lo uint64, e int) (uint64, uint64, int) {
	n := bits.LeadingZeros64(hi)
	if hi == 0 {
		hi, lo, e = lo, 0, e-64
		n = bits.LeadingZeros64(hi)
	}
	if n < 2 { // only if hi was 0, so lo is
		s := uint(2-n) & 63
		return hi >> s, hi << ((64 - s) & 63), e + int(s)
	}
	s := uint(n-2) & 63
	if s == 0 {
		return hi, lo, e
	}
	return hi<<s | lo>>((64-s)&63), lo << s, e - int(s)
}

// rounded rounds (hi:lo) << e, which is not 0, to the nearest number, of two the even one.
func rounded(hi, lo uint64, e int, sign uint64) uint64 {
	if hi == 0 {
		hi, lo, e = lo, 0, e-64
	}
	if n := uint(bits.LeadingZeros64(hi)) & 63; n > 0 {
		hi, lo, e = hi<<n|lo>>((64-n)&63), lo<<n, e-int(n)
	}
	if lo != 0 {
		hi |= 1
	}
	exponent := e + 127 + 1023 // of the highest bit
	if exponent >= 0x7ff {
		return sign<<63 | 0x7ff<<52
	}
	s := 11
	if exponent <= 0 {
		s += 1 - exponent
		exponent = 1
		if s > 64 {
			return sign << 63
		}
	}
	q, rest, half := hi>>uint(s), hi<<uint(64-s), uint64(1)<<63
	if rest > half || rest == half && q&1 != 0 {
		q++
	}
	return sign<<63 | uint64(exponent-1)<<52 + q
}
