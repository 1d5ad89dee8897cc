package interp

// This file executes vector operations: moves and masks. What computes is in vectorlanes.go and its neighbours.

import "unsafe"

// Kinds of vector operations. Most have
//
//	V[d] = f(V[b], V[s], V[i], imm)     l0: f, fl: width of elements in bits, sh: words of the result, l1: see below
const (
	kVLd     = kVector + iota // fl bytes
	kVLd16                    // the low 16 bytes of a register
	kVSt                      // fl bytes; up to 8 of word imm
	kVMov16                   // the low 16 bytes of a register
	kVLdMask                  // elements with a bit in the mask
	kVStMask
	kVPut   // V[d] = R[s]; of 32 bits (fl), with the sign if imm is set
	kVGet   // R[d] = element imm of V[s]
	kVSigns // R[d] = the sign bits of V[s]
	kVZero  // VZEROUPPER and VZEROALL
	kVMask  // on mask registers, as l0 says
	kVFlags // PTEST, COMISS and the like
	kVInt   // R[d] = element 0 of V[s], a float, as an integer
	kVIndex // PCMPESTRI
	kVLanes // element by element
	kVOne   // the same, on element 0 only: others are those of V[b]
	kVCount // shifts by the low word of V[s]
	kVShuffle
	kVConvert
	kVPack
	kVPress // compresses or expands
	kVCrypto
	kVControl // MXCSR = R[s], or, if s is rZero, R[d] = MXCSR: that ends windows
)

// Bits of l1. The low byte is the mask register, 0 without mask.
const (
	vZeroing = 1 << 8  // elements that the mask leaves out become 0
	vWide    = 1 << 9  // bytes above the result become 0; without, those above 16 stay
	vInto    = 1 << 10 // kVOne: other elements are those of V[d]
)

// What kVMask does.
const (
	qAnd = iota
	qAndn
	qOr
	qXor
	qXnor
	qNot
	qUnpack
	qAdd
	qOrTest
	qTest
)

const noVector = 16 // a register for operands that an operation does not have

// vector executes an operation of a kind from kVector on. It returns false, with m.stop set, for a fault.
func (m *Machine) vector(o *op) bool {
	v := &m.Vectors
	a := m.R[o.b] + m.R[o.i]*uint64(o.sh) + uint64(o.disp)
	switch o.k {
	case kVLd16:
		d := &v[o.d&63]
		if e := m.entry(a); e.tag-(a+15)&^lineMask <= 1 {
			a += e.delta
			d[0], d[1] = *word(a), *word(a + 8)
			return true
		}
		var r [8]uint64
		if !m.read(&r, a, 16) {
			return false
		}
		d[0], d[1] = r[0], r[1]
	case kVLd:
		if o.fl <= 8 {
			x, ok := m.load(a, uint64(o.fl))
			if ok {
				m.low(o, x, 0)
			}
			return ok
		}
		var r [8]uint64
		n := uint64(o.fl)
		if e := m.entry(a); e.tag-(a+n-1)&^lineMask <= 1 {
			for i := uint64(0); i < n; i += 8 {
				r[i>>3&7] = *word(a + e.delta + i)
			}
		} else if !m.read(&r, a, n) {
			return false
		}
		m.finish(o, &r, ^uint64(0))
	case kVSt:
		s := &v[o.s&63]
		n := uint64(o.fl)
		if n <= 8 {
			return m.store(a, s[o.imm&7], n)
		}
		e := m.entry(a)
		if e.tag != (a+n-1)&^lineMask+1 {
			return m.write(s, a, n)
		}
		for i := uint64(0); i < n; i += 8 {
			*word(a + e.delta + i) = s[i>>3&7]
		}
	case kVMov16:
		d, s := &v[o.d&63], &v[o.s&63]
		d[0], d[1] = s[0], s[1]
	case kVLdMask, kVStMask:
		return m.masked(o, a)
	case kVPut:
		x := m.R[o.s]
		if o.fl == 32 && o.imm != 0 {
			x = uint64(int32(x))
		} else if o.fl == 32 {
			x = uint64(uint32(x))
		}
		m.low(o, x, 0)
	case kVLanes:
		if o.l1 != 0 || o.l0 >= fFloats {
			return m.compute(o)
		}
		a, b, c := &v[o.b&63], &v[o.s&63], &v[o.i&63]
		lo := lanes(o.l0, o.fl, a[0], b[0], c[0], o.imm)
		var hi uint64
		if o.sh > 1 {
			hi = lanes(o.l0, o.fl, a[1], b[1], c[1], o.imm)
		}
		m.low(o, lo, hi)
	case kVOne:
		if o.l0 >= fFloats && m.MXCSR&controls != usual {
			m.stop = Unknown
			return false
		}
		a := &v[o.b&63]
		x := lane(o.l0, o.fl, a[0], v[o.s&63][0], v[o.i&63][0], o.imm)
		if o.l1&vInto != 0 {
			a = &v[o.d&63]
		}
		if o.fl == 32 {
			x = a[0]&^0xffffffff | x&0xffffffff
		}
		m.low(o, x, a[1])
	case kVGet:
		m.R[o.d] = element(&v[o.s&63], o.imm, o.fl)
	case kVSigns:
		m.R[o.d] = m.signs(o)
	case kVZero:
		n := 2
		if o.imm != 0 {
			n = 0
		}
		for i := range 16 {
			for j := n; j < 8; j++ {
				v[i][j&7] = 0
			}
		}
	case kVMask:
		m.maskOp(o)
	case kVFlags:
		return m.vectorFlags(o)
	case kVInt:
		if m.MXCSR&controls != usual {
			m.stop = Unknown
			return false
		}
		x := v[o.s&63][0]
		if o.fl == 32 {
			x = widen(uint32(x))
		}
		m.R[o.d] = toInt(x, o.imm, o.sh)
	case kVIndex:
		m.index(o)
	case kVControl:
		if o.s == rZero || m.R[o.s]>>16 != 0 { // which exceptions there were is not known, nor whether other bits are allowed
			m.stop = Unknown
			return false
		}
		m.MXCSR = uint32(m.R[o.s])
	default:
		return m.compute(o)
	}
	return true
}

// compute executes operations that make a vector of vectors.
func (m *Machine) compute(o *op) bool {
	v := &m.Vectors
	var r [8]uint64
	a, b, c := &v[o.b&63], &v[o.s&63], &v[o.i&63]
	n, imm, k := int(o.sh), o.imm, ^uint64(0)
	if mask := uint8(o.l1); mask != 0 {
		k = m.R[mask]
	}
	if (o.k == kVLanes || o.k == kVConvert) && o.l0 >= fFloats && m.MXCSR&controls != usual {
		m.stop = Unknown
		return false
	}
	switch o.k {
	case kVLanes:
		for i := range n {
			r[i&7] = lanes(o.l0, o.fl, a[i&7], b[i&7], c[i&7], imm)
		}
	case kVCount:
		imm = b[0]
		for i := range n {
			r[i&7] = lanes(o.l0, o.fl, a[i&7], 0, 0, imm)
		}
	case kVShuffle:
		shuffle(o, &r, a, b, c)
	case kVConvert:
		convert(o, &r, b)
		k |= ^fill(imm) // bytes behind the result become 0
	case kVPack:
		pack(o, &r, a, b)
	case kVPress:
		k = m.press(o, &r, b, k)
		m.R[rTmp] = k // for a store
	case kVCrypto:
		for i := 0; i < n; i += 2 {
			r[i&7], r[(i+1)&7] = crypto(o.l0, imm, pair{a[i&7], a[(i+1)&7]}, pair{b[i&7], b[(i+1)&7]}, pair{c[i&7], c[(i+1)&7]})
		}
	default:
		m.stop = Unknown
		return false
	}
	m.finish(o, &r, k)
	return true
}

// low writes a result of 16 bytes.
func (m *Machine) low(o *op, lo, hi uint64) {
	d := &m.Vectors[o.d&63]
	d[0], d[1] = lo, hi
	if o.l1&vWide != 0 {
		for i := 2; i < 8; i++ {
			d[i] = 0
		}
	}
}

// finish writes the elements of a result that k selects. Its bytes above o.sh words are 0.
func (m *Machine) finish(o *op, r *[8]uint64, k uint64) {
	d := &m.Vectors[o.d&63]
	if k != ^uint64(0) {
		step := per(64, o.fl)
		for i := range int(o.sh) {
			keep := spread(k, o.fl)
			k >>= step & 63
			old := d[i&7]
			if o.l1&vZeroing != 0 {
				old = 0
			}
			r[i&7] = r[i&7]&keep | old&^keep
		}
	}
	if o.l1&vWide == 0 {
		m.low(o, r[0], r[1])
		return
	}
	for i := range d { // an assignment would call memmove
		d[i] = r[i]
	}
}

// fill returns n bits that are set.
func fill(n uint64) uint64 {
	if n > 63 {
		return ^uint64(0)
	}
	return 1<<(n&63) - 1
}

// spread makes elements of a word, all ones or all zero, of the bits of a mask.
func spread(k uint64, width uint8) (v uint64) {
	one := ^uint64(0) >> ((64 - width) & 63)
	for at := uint8(0); at < 64; at += width {
		if k&1 != 0 {
			v |= one << (at & 63)
		}
		k >>= 1
	}
	return v
}

// element returns element i of a vector.
func element(v *[8]uint64, i uint64, width uint8) uint64 {
	at := i * uint64(width)
	return v[at>>6&7] >> (at & 63) & (^uint64(0) >> ((64 - width) & 63))
}

// signs collects the sign bits of elements.
func (m *Machine) signs(o *op) (k uint64) {
	s := &m.Vectors[o.s&63]
	bit := uint(0)
	for i := range int(o.sh) {
		x := s[i&7]
		if o.fl == 8 { // the multiplication moves bit 8n to bit 56+n
			k |= x >> 7 & 0x0101010101010101 * 0x0102040810204080 >> 56 << (bit & 63)
			bit += 8
			continue
		}
		for at := o.fl - 1; at < 64; at += o.fl {
			k |= x >> (at & 63) & 1 << (bit & 63)
			bit++
		}
	}
	if mask := uint8(o.l1); mask != 0 {
		k &= m.R[mask]
	}
	return k
}

// masked loads and stores elements that a mask selects.
func (m *Machine) masked(o *op, a uint64) bool {
	var r [8]uint64
	k := m.R[uint8(o.l1)]
	w := uint64(o.fl >> 3)
	for i := uint64(0); i*w < o.imm&127; i++ {
		if k>>(i&63)&1 == 0 {
			continue
		}
		if o.k == kVStMask {
			if !m.store(a+i*w, element(&m.Vectors[o.s&63], i, o.fl), w) {
				return false
			}
			continue
		}
		x, ok := m.load(a+i*w, w)
		if !ok {
			return false
		}
		r[i*w>>3&7] |= x << (i * w * 8 & 63)
	}
	if o.k == kVStMask {
		return true
	}
	d := &m.Vectors[o.d&63]
	if o.l1&vZeroing == 0 {
		for i := range o.imm & 127 >> 3 {
			r[i&7] |= d[i&7] &^ spread(k>>(per(i*64, o.fl)&63), o.fl)
		}
	}
	*d = r
	return true
}

// maskOp executes an operation on mask registers. o.fl is 64 - the width.
func (m *Machine) maskOp(o *op) {
	a, b := m.R[o.b], m.R[o.s]
	fl := o.fl & 63
	var r uint64
	switch o.l0 {
	case qAnd:
		r = a & b
	case qAndn:
		r = ^a & b
	case qOr:
		r = a | b
	case qXor:
		r = a ^ b
	case qXnor:
		r = ^(a ^ b)
	case qNot:
		r = ^b
	case qAdd:
		r = a + b
	case qUnpack: // fl is that of the operands
		half := (64 - fl) & 63
		m.R[o.d] = b<<fl>>fl | a<<fl>>fl<<half
		return
	case qOrTest, qTest:
		var f uint64
		r = (a | b) << fl
		if o.l0 == qTest {
			r = (a & b) << fl
			a = ^a & b << fl
		} else {
			a = ^(r | (1<<fl - 1))
		}
		if r == 0 {
			f = flagZ
		}
		if a == 0 {
			f |= flagC
		}
		m.word(f)
		return
	}
	m.R[o.d] = r << fl >> fl
}

// bytes is a vector as bytes: this interpreter runs on amd64 only, so the order is that of the processor.
func bytes(v *[8]uint64) *[64]byte { return (*[64]byte)(unsafe.Pointer(v)) }
