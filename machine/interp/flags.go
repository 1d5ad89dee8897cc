package interp

// This file keeps the flags.

// Flags are what they were computed from, with both operands at the top of the word:
//
//	flagsSub  fa - fb; for logical operations fa is the result and fb 0
//	flagsAdd  fa + fb
//	flagsWord fa holds the bits of EFLAGS
//
// fs is the distance that operands were shifted.
const (
	flagsSub = iota
	flagsAdd
	flagsWord
)

const (
	flagC = 1 << 0
	flagP = 1 << 2
	flagZ = 1 << 6
	flagS = 1 << 7
	flagO = 1 << 11

	arithmetic = flagC | flagP | flagZ | flagS | flagO
)

func (m *Machine) setFlags(f uint64) { m.fk, m.fa = flagsWord, f&arithmetic }

func (m *Machine) carry() bool {
	switch m.fk {
	case flagsSub:
		return m.fa < m.fb
	case flagsAdd:
		return m.fa+m.fb < m.fa
	}
	return m.fa&flagC != 0
}

func (m *Machine) flags() (f uint64) {
	var r, o uint64
	switch m.fk {
	case flagsSub:
		r = m.fa - m.fb
		o = (m.fa ^ m.fb) & (m.fa ^ r)
		if m.fa < m.fb {
			f = flagC
		}
	case flagsAdd:
		r = m.fa + m.fb
		o = (m.fa ^ r) & (m.fb ^ r)
		if r < m.fa {
			f = flagC
		}
	default:
		return m.fa
	}
	return f | o>>63<<11 | szp(r, m.fs)
}

// szp returns the sign, zero and parity flags of a result at the top of the word.
func szp(r uint64, shift uint8) (f uint64) {
	f = r >> 63 << 7
	if r == 0 {
		f |= flagZ
	}
	low := r >> (shift & 63)
	return f | 0x9669>>((low^low>>4)&15)&1*flagP
}

// Holds reports whether a condition, encoded as in the instruction Jcc, holds.
func (m *Machine) Holds(c uint8) bool { return m.holds(c) }

func (m *Machine) holds(c uint8) bool {
	var f uint64
	if m.fk == flagsSub && c&15 > 1 && c&14 != 10 {
		return less(m.fa, m.fb)&when(c) != 0
	}
	f = m.flags()
	var t bool
	switch c >> 1 & 7 {
	case 0:
		t = f&flagO != 0
	case 1:
		t = f&flagC != 0
	case 2:
		t = f&flagZ != 0
	case 3:
		t = f&(flagC|flagZ) != 0
	case 4:
		t = f&flagS != 0
	case 5:
		t = f&flagP != 0
	case 6:
		t = f>>7&1 != f>>11&1
	case 7:
		t = f&flagZ != 0 || f>>7&1 != f>>11&1
	}
	return t != (c&1 != 0)
}

// less says how two numbers compare, in one bit: unsigned below, equal, signed less, and whether their
// difference is negative.
func less(a, b uint64) uint16 {
	var u, e, s, n uint16
	if a < b {
		u = 1
	}
	if a == b {
		e = 2
	}
	if int64(a) < int64(b) {
		s = 4
	}
	if int64(a-b) < 0 {
		n = 8
	}
	return 1 << (u | e | s | n)
}

// when returns for which bits of less a condition holds.
func when(c uint8) uint16 { return whens[c&15] }

// The bits of less that have u, e, s or n.
const (
	below    = 0xaaaa
	equal    = 0xcccc
	lower    = 0xf0f0
	negative = 0xff00
	all      = 0xffff
)

var whens = [16]uint16{
	2: below, 3: all &^ below, 4: equal, 5: all &^ equal, 6: below | equal, 7: all &^ (below | equal),
	8: negative, 9: all &^ negative, 12: lower, 13: all &^ lower, 14: lower | equal, 15: all &^ (lower | equal),
}
