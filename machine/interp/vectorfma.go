package interp

// This file multiplies and adds with one rounding, and takes roots. Programs may instrument package math, so nothing
// here may call it.

import "math/bits"

// fma64 returns x*y + z.
func fma64(x, y, z uint64) uint64 {
	const magnitude, infinity = 1<<63 - 1, 0x7ff << 52
	if x&magnitude == 0 || y&magnitude == 0 || x&infinity == infinity || y&infinity == infinity || z&infinity == infinity {
		p, a := float64Of(x)*float64Of(y), float64Of(z)
		if x&infinity != infinity && y&infinity != infinity && z&infinity == infinity {
			return z // the product of two numbers may overflow, alone
		}
		return bits64(p + a)
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

// sqrt64 returns the square root of x, which is not NaN.
func sqrt64(x uint64) uint64 {
	if x<<1 == 0 || x == exponent64 {
		return x
	}
	if x>>63 != 0 {
		return 1<<63 | exponent64 | quiet64
	}
	m, e := split(x)
	n := bits.LeadingZeros64(m) & 63
	if m, e = m<<n, e-n; e&1 != 0 {
		m, e = m>>1, e+1
	}
	// Newton's method finds y, the root of m, as far as a float64 goes, and r the root of m << 64 but for some of its
	// low bits. What m << 64 is more than r*r gives these.
	f := float64(m>>1) * 2
	y := float64Of(bits64(f)>>1 + 1023<<51)
	for range 4 {
		y = (y + f/y) / 2
	}
	r := ^uint64(0)
	if y < 1<<32 {
		r = uint64(int64(y*(1<<31))) << 1
	}
	hi, lo := bits.Mul64(r, r)
	lo, borrow := bits.Sub64(0, lo, 0)
	hi, _ = bits.Sub64(m, hi, borrow)
	r += uint64(int64((float64(int64(hi))*(1<<64) + float64(lo>>1)*2) / (2 * (float64(r>>1) * 2))))
	for {
		hi, lo = bits.Mul64(r, r)
		if hi < m || hi == m && lo == 0 {
			break
		}
		r--
	}
	for {
		next := r + 1
		h, l := bits.Mul64(next, next)
		if next == 0 || h > m || h == m && l != 0 {
			break
		}
		r, hi, lo = next, h, l
	}
	if hi != m || lo != 0 {
		lo = 1
	}
	return rounded(r, lo, (e-64)/2-64, 0)
}
