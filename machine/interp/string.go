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
		if o.l1 != 0 && o.l0 <= sStos {
			if m.bulk(o) {
				continue
			}
			if m.stop != Done {
				return false
			}
		}
		var v, x uint64
		var ok bool
		switch o.l0 {
		case sMovs, sLods, sCmps:
			if v, ok = m.load(r[rSI], w); !ok {
				return false
			}
		default:
			v = r[rAX]
		}
		switch o.l0 {
		case sMovs, sStos:
			if !m.store(r[rDI], v, w) {
				return false
			}
			r[rDI] += w
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
			r[rSI] += w
		}
		if o.l1 == 0 {
			return true
		}
		r[rCX]--
		if o.l0 >= sScas && (m.fa == m.fb) != (o.l1 == 0xf3) {
			return true
		}
	}
}

// bulk executes as many repetitions of MOVS or STOS as are in a line, and of a copy that is to see what it has written
// as many as do not. It reports whether there are any; if not, m.stop may be set.
func (m *Machine) bulk(o *op) bool {
	r := &m.R
	w, each := o.imm, uint64(o.disp) // so many make 8 bytes
	n := min(r[rCX], (LineSize-r[rDI]&lineMask)*each/8)
	if o.l0 == sMovs {
		n = min(n, (LineSize-r[rSI]&lineMask)*each/8)
		if ahead := r[rDI] - r[rSI]; ahead < LineSize {
			n = min(n, ahead*each/8)
		}
	}
	if n == 0 {
		return false
	}
	size := n * w
	e := m.enter(r[rDI], true)
	if e == nil {
		return false
	}
	to := r[rDI] + e.delta
	if o.l0 == sStos {
		v := r[rAX] << (o.fl & 63) >> (o.fl & 63)
		for i := w; i < 8; i *= 2 {
			v |= v << (8 * i & 63)
		}
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
			return false
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
	return true
}
