package interp

// This file moves elements.

import "math/bits"

// Functions of kVShuffle. Each says which element becomes element j of the result.
const (
	sLow         = iota // alternately of a and b, from the lower half of each 16 bytes
	sHigh               // from the upper half
	sShuffle            // of b, as imm says
	sShuffleLow         // the lower four of 16 bytes
	sShuffleHigh        // the upper four
	sShuffle2           // SHUFPS: of a, then of b
	sShufflePD
	sPermilPD
	sAlign
	sLeft // by bytes
	sRight
	sBytes   // PSHUFB
	sPermilV // of a, as b says
	sPermQ
	sPermV   // of b, as a says
	sPerm2V  // of a and b, as c says
	sPerm128 // halves of 32 bytes
	sInsert  // as many elements of b as fl and l1 say
	sExtract
	sRepeat // the first imm elements of b
	sDup    // even elements
	sDupOdd
	sBlend // b where imm has a bit
	sInsertPS
	sReplace // element imm by b
	sAlignAll
	sShuffle128
	sLowFromHigh // MOVHLPS
	sEven        // even elements of a, then those of b, of each 16 bytes
	sOdd
)

const vChunk = 16 // sInsert: from this bit on, l1 has the number of elements

// shuffle executes a kVShuffle.
func shuffle(o *op, r, a, b, c *[8]uint64) {
	if o.l0 == sBytes {
		shuffleBytes(r, a, b, uint64(o.sh))
		return
	}
	var t [16]uint64 // a, then b
	for i := range 8 {
		t[i], t[i+8] = a[i], b[i]
	}
	w := uint64(o.fl)
	one := ^uint64(0) >> ((64 - w) & 63)
	count := per(uint64(o.sh)*64, o.fl)
	for j := range count {
		at := from(o, j, count, a, b, c)
		if at == none {
			continue
		}
		at *= w
		r[j*w>>6&7] |= t[at>>6&15] >> (at & 63) & one << (j * w & 63)
	}
}

// shuffleBytes executes PSHUFB, which is frequent.
func shuffleBytes(r, a, b *[8]uint64, words uint64) {
	to, from, index := bytes(r), bytes(a), bytes(b)
	for j := range words * 8 {
		if x := index[j&63]; x < 0x80 {
			to[j&63] = from[j&0x30|uint64(x&15)]
		}
	}
}

const none = ^uint64(0)

// from returns which element of a and b becomes element j, or none.
func from(o *op, j, count uint64, a, b, c *[8]uint64) uint64 {
	second := per(512, o.fl) // the first element of b
	lane := per(128, o.fl)   // elements of 16 bytes
	p := j & (lane - 1)
	q := j - p
	imm := o.imm
	switch o.l0 {
	case sLow:
		return q + p>>1 + p&1*second
	case sHigh:
		return q + lane>>1 + p>>1 + p&1*second
	case sShuffle:
		return second + q + imm>>(2*p&7)&3
	case sShuffleLow:
		if p < 4 {
			return second + q + imm>>(2*p&7)&3
		}
		return second + j
	case sShuffleHigh:
		if p >= 4 {
			return second + q + 4 + imm>>(2*p&7)&3
		}
		return second + j
	case sShuffle2:
		return q + imm>>(2*p&7)&3 + p>>1*second
	case sShufflePD:
		return q + imm>>(j&7)&1 + p*second
	case sPermilPD:
		return second + q + imm>>(j&7)&1
	case sAlign:
		switch p += imm; {
		case p < lane:
			return second + q + p
		case p < 2*lane:
			return q + p - lane
		}
		return none
	case sLeft:
		if p < imm {
			return none
		}
		return second + j - imm
	case sRight:
		if p+imm >= lane {
			return none
		}
		return second + j + imm
	case sPermilV:
		x := element(b, j, o.fl)
		if o.fl == 64 {
			x >>= 1
		}
		return q + x&(lane-1)
	case sPermQ:
		return second + j&^3 + imm>>(2*j&7)&3
	case sPermV:
		return second + element(a, j, o.fl)&(count-1)
	case sPerm2V:
		x := element(c, j, o.fl) & (2*count - 1)
		if x >= count {
			x += second - count
		}
		return x
	case sPerm128:
		x := imm >> (j >> 1 * 4 & 7)
		if x&8 != 0 {
			return none
		}
		return x>>1&1*second + x&1*2 + j&1
	case sInsert:
		n := uint64(o.l1 >> vChunk)
		if x := j - imm*n; x < n {
			return second + x
		}
		return j
	case sExtract:
		return second + imm*count + j
	case sRepeat:
		return second + j&(imm-1)
	case sDup:
		return second + j&^1
	case sDupOdd:
		return second + j | 1
	case sBlend:
		return j + imm>>(j&7)&1*second
	case sInsertPS:
		switch {
		case imm>>j&1 != 0:
			return none
		case imm>>4&3 == j:
			return second + imm>>6&3
		}
		return j
	case sReplace:
		if imm&(lane-1) == j {
			return second
		}
		return j
	case sAlignAll:
		x := j + imm&(count-1)
		if x < count {
			return second + x
		}
		return x - count
	case sShuffle128:
		lanes := uint64(o.sh >> 1)
		k := per(j*uint64(o.fl), 128) // which 16 bytes
		x := imm >> (k * (lanes >> 1) & 7) & (lanes - 1) * lane
		if k >= lanes>>1 {
			x += second
		}
		return x + p
	case sEven, sOdd:
		x := 2*p + uint64(o.l0-sEven)
		if x >= lane {
			x += second - lane
		}
		return q + x
	case sLowFromHigh:
		if j == 0 {
			return second + 1
		}
		return j
	}
	return none
}

// convert makes imm elements of the width fl of elements of the width disp.
func convert(o *op, r, b *[8]uint64) {
	from := uint8(o.disp)
	for j := range o.imm & 63 {
		x := element(b, j, from)
		switch o.l0 {
		case fExtendZ:
		case fExtendS:
			x = uint64(int64(x<<((64-from)&63)) >> ((64 - from) & 63))
		case fMove, fSatS, fSatU:
			x = narrow(o.l0, o.fl, from, x)
		case fToInt32, fToInt32T:
			x = toInt(x, 4-uint64(o.l0-fToInt32), 32)
		case fFromInt32:
			x = float(fFromInt32, 0, x, 0, 0)
		case fWiden:
			x = widen(uint32(x))
		case fNarrow:
			x = narrowFloat(x)
		}
		w := uint64(o.fl)
		r[j*w>>6&7] |= x & (^uint64(0) >> ((64 - w) & 63)) << (j * w & 63)
	}
}

// per returns how many elements n bits have.
func per(n uint64, width uint8) uint64 { return n >> (bits.TrailingZeros8(width) & 63) }
