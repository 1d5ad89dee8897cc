package interp

// This file executes string instructions: MOVS, STOS, LODS, CMPS and SCAS, with and without repetition.

import "unsafe"

// most is how many repetitions a window has, at most a line each: a handler must not take long.
const most = 1 << 11

// str executes string instructions.
func (m *Machine) str(o *op) bool {
	r := &m.R
	w := o.imm
	fl := o.fl & 63
	for {
		if o.l1 != 0 && r[rCX] == 0 {
			return true
		}
		if m.repeats++; m.repeats > most {
			m.stop = Long
			return false
		}
		if o.l1 != 0 && o.l0 <= sStos && r[rCX]*w >= bulkSize {
			if n := m.bulk(o); n != 0 {
				continue
			} else if m.stop != Done {
				return false
			}
		}
		// Of copies and fills, 8 bytes at once: not if the copy is to see what it has written.
		n := uint64(1)
		if o.l1 != 0 && o.l0 <= sStos && r[rCX] >= uint64(o.disp) && (o.l0 == sStos || r[rDI]-r[rSI] >= 8) {
			n = uint64(o.disp)
		}
		var v, x uint64
		var ok bool
		switch o.l0 {
		case sMovs, sLods, sCmps:
			if v, ok = m.load(r[rSI], n*w); !ok {
				return false
			}
		default:
			v = r[rAX]
		}
		switch o.l0 {
		case sMovs, sStos:
			if n > 1 && o.l0 == sStos {
				v = repeated(v, w)
			}
			if !m.store(r[rDI], v, n*w) {
				return false
			}
			r[rDI] += n * w
		case sLods:
			m.set(rAX, v<<fl, fl)
		default:
			if x, ok = m.load(r[rDI], w); !ok {
				return false
			}
			r[rDI] += w
			m.fk, m.fs, m.fa, m.fb = flagsSub, fl, v<<fl, x<<fl
		}
		if o.l0 == sMovs || o.l0 == sLods || o.l0 == sCmps {
			r[rSI] += n * w
		}
		if o.l1 == 0 {
			return true
		}
		r[rCX] -= n
		if o.l0 >= sScas && (m.fa == m.fb) != (o.l1 == 0xf3) {
			return true
		}
	}
}

// bulkSize is how many bytes make it worth while to copy and fill by lines.
const bulkSize = 64

// bulk executes as many repetitions of MOVS or STOS as end with a line, and reports how many. It reports 0 if that
// is none, if the copy is to see what it has written, or with m.stop set.
func (m *Machine) bulk(o *op) (n uint64) {
	r := &m.R
	w := o.imm
	n = min(r[rCX], (LineSize-r[rDI]&lineMask)*uint64(o.disp)/8) // disp of them make 8 bytes
	if o.l0 == sMovs {
		n = min(n, (LineSize-r[rSI]&lineMask)*uint64(o.disp)/8)
	}
	size := n * w
	if n == 0 || o.l0 == sMovs && r[rDI]-r[rSI] < size {
		return 0
	}
	e := m.enter(r[rDI], true)
	if e == nil {
		return 0
	}
	to := r[rDI] + e.delta
	if o.l0 == sStos {
		v := repeated(r[rAX], w)
		i := uint64(0)
		for ; i+8 <= size; i += 8 {
			*word(to + i) = v
		}
		for ; i < size; i++ {
			*(*uint8)(unsafe.Add(nil, to+i)) = uint8(v >> (8 * i & 63))
		}
	} else {
		// The entry of the source may be that of the destination: to is taken already.
		if e = m.enter(r[rSI], false); e == nil {
			return 0
		}
		from := r[rSI] + e.delta
		i := uint64(0)
		for ; i+8 <= size; i += 8 {
			*word(to + i) = *word(from + i)
		}
		for ; i < size; i++ {
			*(*uint8)(unsafe.Add(nil, to+i)) = *(*uint8)(unsafe.Add(nil, from+i))
		}
		r[rSI] += size
	}
	r[rDI] += size
	r[rCX] -= n
	return n
}

// repeated returns a word of copies of the low w bytes of v.
func repeated(v, w uint64) uint64 {
	fl := (64 - 8*w) & 63
	v = v << fl >> fl
	for i := w; i < 8; i *= 2 {
		v |= v << (8 * i & 63)
	}
	return v
}
