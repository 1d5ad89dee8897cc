package interp

// This file executes instructions for ciphers, checksums and strings.

import "math/bits"

// Functions of kVCrypto.
const (
	cEncrypt = iota
	cEncryptLast
	cDecrypt
	cDecryptLast
	cInverseMix // of b
	cKeyAssist
	cMultiply // without carries
	cSha1Rounds
	cSha1Next
	cSha1Message1
	cSha1Message2
	cSha256Rounds
	cSha256Message1
	cSha256Message2
)

// A pair is 16 bytes.
type pair struct{ lo, hi uint64 }

func (p pair) words() [4]uint32 {
	return [4]uint32{uint32(p.lo), uint32(p.lo >> 32), uint32(p.hi), uint32(p.hi >> 32)}
}

func join(w0, w1, w2, w3 uint32) (lo, hi uint64) {
	return uint64(w0) | uint64(w1)<<32, uint64(w2) | uint64(w3)<<32
}

// crypto applies a function to 16 bytes.
func crypto(f uint32, imm uint64, a, b, c pair) (lo, hi uint64) {
	x, y := a.words(), b.words()
	switch f {
	case cEncrypt, cEncryptLast:
		lo, hi = a.rows(1)
		lo, hi = affineByte(lo), affineByte(hi)
		if f == cEncrypt {
			lo, hi = mix(lo), mix(hi)
		}
		return lo ^ b.lo, hi ^ b.hi
	case cDecrypt, cDecryptLast:
		lo, hi = pair{affineBack(a.lo), affineBack(a.hi)}.rows(-1)
		if f == cDecrypt {
			lo, hi = unmix(lo), unmix(hi)
		}
		return lo ^ b.lo, hi ^ b.hi
	case cInverseMix:
		return unmix(b.lo), unmix(b.hi)
	case cKeyAssist:
		p, q := uint32(affineByte(inverses(b.lo))>>32), uint32(affineByte(inverses(b.hi))>>32)
		r := uint32(imm & 0xff)
		return join(p, bits.RotateLeft32(p, -8)^r, q, bits.RotateLeft32(q, -8)^r)
	case cMultiply:
		p, q := a.lo, b.lo
		if imm&1 != 0 {
			p = a.hi
		}
		if imm&16 != 0 {
			q = b.hi
		}
		return carryless(p, q)
	case cSha1Rounds:
		return sha1Rounds(imm&3, x, y)
	case cSha1Next:
		return join(y[0], y[1], y[2], y[3]+bits.RotateLeft32(x[3], 30))
	case cSha1Message1:
		return join(x[0]^y[2], x[1]^y[3], x[2]^x[0], x[3]^x[1])
	case cSha1Message2:
		w16 := bits.RotateLeft32(x[3]^y[2], 1)
		return join(bits.RotateLeft32(x[0]^w16, 1), bits.RotateLeft32(x[1]^y[0], 1), bits.RotateLeft32(x[2]^y[1], 1), w16)
	case cSha256Rounds:
		return sha256Rounds(x, y, uint32(c.lo), uint32(c.lo>>32))
	case cSha256Message1:
		return join(x[0]+small0(x[1]), x[1]+small0(x[2]), x[2]+small0(x[3]), x[3]+small0(y[0]))
	case cSha256Message2:
		w16, w17 := x[0]+small1(y[2]), x[1]+small1(y[3])
		return join(w16, w17, x[2]+small1(w16), x[3]+small1(w17))
	}
	return 0, 0
}

// rows shifts the rows of the cipher's state, to the left or (-1) back, and inverts each byte.
func (p pair) rows(direction int) (lo, hi uint64) {
	v := [2]uint64{p.lo, p.hi}
	for i := range 8 {
		s := (i + 4*direction*(i&3)) & 15
		lo |= uint64(inverse[uint8(v[s>>3&1]>>(8*s&63))]) << (8 * i & 63)
		s = (s + 8) & 15
		hi |= uint64(inverse[uint8(v[s>>3&1]>>(8*s&63))]) << (8 * i & 63)
	}
	return lo, hi
}

// rotated rotates each byte by a bit to the left.
func rotated(x uint64) uint64 {
	return x&(0x7f*0x0101010101010101)<<1 | x>>7&0x0101010101010101
}

// affineByte is the affine transformation of bytes in the cipher's substitution: the sum of five rotations. The
// substitution inverts before.
func affineByte(x uint64) uint64 {
	r := x ^ 0x63*lows[0]
	for range 4 {
		x = rotated(x)
		r ^= x
	}
	return r
}

// affineBack is its inverse.
func affineBack(x uint64) uint64 {
	x = rotated(x)
	y := rotated(rotated(x))
	return x ^ y ^ rotated(rotated(rotated(y))) ^ 0x05*lows[0]
}

// twice multiplies bytes by 2 in the cipher's field.
func twice(x uint64) uint64 {
	return x&(0x7f*0x0101010101010101)<<1 ^ x>>7&0x0101010101010101*0x1b
}

// turn rotates each column, which is 4 bytes, by n bits to the right.
func turn(x uint64, n uint) uint64 {
	low := uint64(1)<<(32-n) - 1
	low |= low << 32
	return x>>n&low | x<<(32-n)&^low
}

// mix mixes columns: 2 times each byte, 3 times the next, and the other two.
func mix(x uint64) uint64 {
	next := turn(x, 8)
	return twice(x^next) ^ next ^ turn(x, 16) ^ turn(x, 24)
}

func unmix(x uint64) uint64 { return mix(x ^ twice(twice(x^turn(x, 16)))) }

// galois multiplies two bytes in the cipher's field.
func galois(a, b uint64) (r uint64) {
	for i := uint(0); i < 8; i++ {
		if b>>i&1 != 0 {
			r ^= a
		}
		a = a<<1 ^ a>>7&1*0x11b
	}
	return r & 0xff
}

// affine multiplies each byte of x by a matrix of 8x8 bits.
func affine(matrix, x uint64) (r uint64) {
	for i := range 8 {
		row := matrix >> (8 * (7 - i) & 63) & 0xff * lows[0]
		v := row & x
		v ^= v >> 4
		v ^= v >> 2
		v ^= v >> 1
		r |= v & lows[0] << (i & 7)
	}
	return r
}

func inverses(x uint64) (r uint64) {
	for i := uint(0); i < 64; i += 8 {
		r |= uint64(inverse[uint8(x>>i)]) << i
	}
	return r
}

// carryless multiplies without carries.
func carryless(a, b uint64) (lo, hi uint64) {
	for i := uint(0); i < 64; i++ {
		mask := -(b >> i & 1)
		lo ^= a << i & mask
		hi ^= a >> 1 >> (63 - i) & mask
	}
	return lo, hi
}

func sha1Rounds(f uint64, x, w [4]uint32) (lo, hi uint64) {
	a, b, c, d, e := x[3], x[2], x[1], x[0], uint32(0)
	k := [4]uint32{0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6}[f&3]
	for i := 3; i >= 0; i-- {
		g := b ^ c ^ d
		switch f & 3 {
		case 0:
			g = b&c ^ ^b&d
		case 2:
			g = b&c ^ b&d ^ c&d
		}
		a, b, c, d, e = g+bits.RotateLeft32(a, 5)+w[i&3]+e+k, a, bits.RotateLeft32(b, 30), c, d
	}
	return join(d, c, b, a)
}

func sha256Rounds(x, y [4]uint32, k0, k1 uint32) (lo, hi uint64) {
	a, b, c, d := y[3], y[2], x[3], x[2]
	e, f, g, h := y[1], y[0], x[1], x[0]
	for range 2 {
		t := h + k0 + (e&f ^ ^e&g) + (bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e, -25))
		u := (a&b ^ a&c ^ b&c) + (bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22))
		a, b, c, d, e, f, g, h = t+u, a, b, c, d+t, e, f, g
		k0 = k1
	}
	return join(f, e, b, a)
}

func small0(x uint32) uint32 { return bits.RotateLeft32(x, -7) ^ bits.RotateLeft32(x, -18) ^ x>>3 }
func small1(x uint32) uint32 { return bits.RotateLeft32(x, -17) ^ bits.RotateLeft32(x, -19) ^ x>>10 }

// index executes PCMPESTRI with the immediate 0C: where does the string a begin in b?
func (m *Machine) index(o *op) {
	a, b := bytes(&m.Vectors[o.b&63]), bytes(&m.Vectors[o.s&63])
	la, lb := length(m.R[rAX], o.fl), length(m.R[rDX], o.fl)
	var found uint64
	for j := range 16 {
		same := true
		for i := 0; i < la && i+j < 16; i++ {
			if i+j >= lb || a[i&63] != b[(i+j)&63] {
				same = false
				break
			}
		}
		if same {
			found |= 1 << (j & 63)
		}
	}
	var f uint64
	if found != 0 {
		f = flagC | found&1<<11
	}
	if lb < 16 {
		f |= flagZ
	}
	if la < 16 {
		f |= flagS
	}
	m.word(f)
	m.R[rCX] = uint64(bits.TrailingZeros64(found | 1<<16))
}

// length returns the length of a string: at most 16, whatever the sign. fl is 64 minus the width.
func length(v uint64, fl uint8) int {
	n := int64(v<<(fl&63)) >> (fl & 63)
	if n < -16 || n > 16 {
		return 16
	}
	return int(max(n, -n))
}

// inverse has the inverses of bytes in the field of x⁸+x⁴+x³+x+1. That of 0 is 0.
var inverse = [256]uint8{
	0x00, 0x01, 0x8d, 0xf6, 0xcb, 0x52, 0x7b, 0xd1, 0xe8, 0x4f, 0x29, 0xc0, 0xb0, 0xe1, 0xe5, 0xc7,
	0x74, 0xb4, 0xaa, 0x4b, 0x99, 0x2b, 0x60, 0x5f, 0x58, 0x3f, 0xfd, 0xcc, 0xff, 0x40, 0xee, 0xb2,
	0x3a, 0x6e, 0x5a, 0xf1, 0x55, 0x4d, 0xa8, 0xc9, 0xc1, 0x0a, 0x98, 0x15, 0x30, 0x44, 0xa2, 0xc2,
	0x2c, 0x45, 0x92, 0x6c, 0xf3, 0x39, 0x66, 0x42, 0xf2, 0x35, 0x20, 0x6f, 0x77, 0xbb, 0x59, 0x19,
	0x1d, 0xfe, 0x37, 0x67, 0x2d, 0x31, 0xf5, 0x69, 0xa7, 0x64, 0xab, 0x13, 0x54, 0x25, 0xe9, 0x09,
	0xed, 0x5c, 0x05, 0xca, 0x4c, 0x24, 0x87, 0xbf, 0x18, 0x3e, 0x22, 0xf0, 0x51, 0xec, 0x61, 0x17,
	0x16, 0x5e, 0xaf, 0xd3, 0x49, 0xa6, 0x36, 0x43, 0xf4, 0x47, 0x91, 0xdf, 0x33, 0x93, 0x21, 0x3b,
	0x79, 0xb7, 0x97, 0x85, 0x10, 0xb5, 0xba, 0x3c, 0xb6, 0x70, 0xd0, 0x06, 0xa1, 0xfa, 0x81, 0x82,
	0x83, 0x7e, 0x7f, 0x80, 0x96, 0x73, 0xbe, 0x56, 0x9b, 0x9e, 0x95, 0xd9, 0xf7, 0x02, 0xb9, 0xa4,
	0xde, 0x6a, 0x32, 0x6d, 0xd8, 0x8a, 0x84, 0x72, 0x2a, 0x14, 0x9f, 0x88, 0xf9, 0xdc, 0x89, 0x9a,
	0xfb, 0x7c, 0x2e, 0xc3, 0x8f, 0xb8, 0x65, 0x48, 0x26, 0xc8, 0x12, 0x4a, 0xce, 0xe7, 0xd2, 0x62,
	0x0c, 0xe0, 0x1f, 0xef, 0x11, 0x75, 0x78, 0x71, 0xa5, 0x8e, 0x76, 0x3d, 0xbd, 0xbc, 0x86, 0x57,
	0x0b, 0x28, 0x2f, 0xa3, 0xda, 0xd4, 0xe4, 0x0f, 0xa9, 0x27, 0x53, 0x04, 0x1b, 0xfc, 0xac, 0xe6,
	0x7a, 0x07, 0xae, 0x63, 0xc5, 0xdb, 0xe2, 0xea, 0x94, 0x8b, 0xc4, 0xd5, 0x9d, 0xf8, 0x90, 0x6b,
	0xb1, 0x0d, 0xd6, 0xeb, 0xc6, 0x0e, 0xcf, 0xad, 0x08, 0x4e, 0xd7, 0xe3, 0x5d, 0x50, 0x1e, 0xb3,
	0x5b, 0x23, 0x38, 0x34, 0x68, 0x46, 0x03, 0x8c, 0xdd, 0x9c, 0x7d, 0xa0, 0xcd, 0x1a, 0x41, 0x1c,
}
