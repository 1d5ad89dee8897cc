package interp

// This file holds memory as the window sees it: that of the program, under the lines that the window wrote.
//
// A line is copied when the window first writes to it. A table of 256 entries, indexed by address, holds
// the lines met last, and where their bytes are: in the program, in a copy, or where Fetch says. So a load
// is a comparison and an addition away from what it costs in the program.

import "unsafe"

const (
	lineBits = 8
	LineSize = 1 << lineBits // bytes that are copied together
	lineMask = LineSize - 1

	nearSize = 256
	dirBits  = 11
	dirSize  = 1 << dirBits
	maxLines = 1024
)

// A near entry says where the bytes of a line are.
type near struct {
	tag   uint64 // the line's address, plus 1 if it may be written; 2 for none
	delta uint64 // add it to an address in the line
}

// A dirEntry says which line of the buffer is a copy of a line of the program.
type dirEntry struct{ line, copy uint64 }

// forget drops what earlier windows wrote.
func (m *Machine) forget() {
	for i := range m.near {
		m.near[i].tag = 2
	}
	for i := 0; i < len(m.taken); i++ {
		m.taken[i] = 0
	}
	m.used = 0
}

// entry returns the entry of the line that holds the address a, and whether it is that line's.
func (m *Machine) entry(a uint64) *near { return &m.near[a>>lineBits&(nearSize-1)] }

// enter makes the near entry of the line that holds a, writable or not. It returns nil, with m.stop set, if there
// is no such memory or no room.
func (m *Machine) enter(a uint64, write bool) *near {
	line := a &^ lineMask
	e := m.entry(a)
	if e.tag == line+1 || e.tag == line && !write {
		return e
	}
	h := dirOf(line)
	for ; *m.takenAt(h)>>(h%64)&1 != 0; h++ {
		if f := &m.dir[h%dirSize]; f.line == line {
			e.tag, e.delta = line+1, m.lineAt(f.copy)-line
			return e
		}
	}
	at := line
	if m.Fetch != nil {
		at = m.Fetch(line)
		if at == 0 {
			m.stop = Fault
			return nil
		}
	} else if line < 4096 || line >= 1<<47 {
		m.stop = Fault
		return nil
	}
	if m.Time != nil {
		m.mayTime(a, a-line+at)
	}
	if !write {
		e.tag, e.delta = line, at-line
		return e
	}
	if m.used >= maxLines {
		m.stop = StoresFull
		return nil
	}
	if m.code.overlaps(line, LineSize) {
		m.stop = Patch
		return nil
	}
	to := m.lineAt(m.used)
	for i := uint64(0); i < LineSize; i += 8 {
		*word(to + i) = *word(at + i)
	}
	m.dir[h%dirSize] = dirEntry{line, m.used}
	*m.takenAt(h) |= 1 << (h % 64)
	m.used++
	e.tag, e.delta = line+1, to-line
	return e
}

// dirOf returns where in dir the search for a line begins: neighbours are next to each other.
func dirOf(line uint64) uint64 {
	line >>= lineBits
	return (line ^ line>>dirBits ^ line>>(2*dirBits)) & (dirSize - 1)
}

// takenAt returns the word of taken that has the bit of an entry.
func (m *Machine) takenAt(h uint64) *uint64 { return &m.taken[h%dirSize/64] }

func (m *Machine) lineAt(i uint64) uint64 {
	return uint64(uintptr(unsafe.Pointer(&m.lines[i%maxLines])))
}

// load loads w bytes, 1 to 8, zero-extended.
func (m *Machine) load(a uint64, w uint64) (v uint64, ok bool) {
	if (a^(a+w-1))&^lineMask != 0 { // two lines
		first := LineSize - a&lineMask
		lo, ok := m.load(a, first)
		if !ok {
			return 0, false
		}
		hi, ok := m.load(a+first, w-first)
		return lo | hi<<(8*first&63), ok
	}
	e := m.enter(a, false)
	if e == nil {
		return 0, false
	}
	at := a + e.delta
	switch w {
	case 1:
		return uint64(*(*uint8)(unsafe.Add(nil, at))), true
	case 2:
		return uint64(*(*uint16)(unsafe.Add(nil, at))), true
	case 4:
		return uint64(*(*uint32)(unsafe.Add(nil, at))), true
	case 8:
		return *word(at), true
	}
	for i := uint64(0); i < w; i++ {
		v |= uint64(*(*uint8)(unsafe.Add(nil, at+i))) << (8 * i & 63)
	}
	return v, true
}

// store stores w bytes, 1 to 8.
func (m *Machine) store(a, v, w uint64) bool {
	if (a^(a+w-1))&^lineMask != 0 { // two lines
		first := LineSize - a&lineMask
		return m.store(a, v, first) && m.store(a+first, v>>(8*first&63), w-first)
	}
	e := m.enter(a, true)
	if e == nil {
		return false
	}
	at := a + e.delta
	switch w {
	case 1:
		*(*uint8)(unsafe.Add(nil, at)) = uint8(v)
	case 2:
		*(*uint16)(unsafe.Add(nil, at)) = uint16(v)
	case 4:
		*(*uint32)(unsafe.Add(nil, at)) = uint32(v)
	case 8:
		*word(at) = v
	default:
		for i := uint64(0); i < w; i++ {
			*(*uint8)(unsafe.Add(nil, at+i)) = uint8(v >> (8 * i & 63))
		}
	}
	return true
}

// read loads n bytes, 1 to 64, into v, whose other bytes become 0.
func (m *Machine) read(v *[8]uint64, a, n uint64) bool {
	var r [8]uint64
	for i := uint64(0); i < 8 && 8*i < n; i++ {
		x, ok := m.load(a+8*i, min(8, n-8*i))
		if !ok {
			return false
		}
		r[i] = x
	}
	*v = r
	return true
}

// write stores the first n bytes of v, 1 to 64.
func (m *Machine) write(v *[8]uint64, a, n uint64) bool {
	for i := uint64(0); i < 8 && 8*i < n; i++ {
		if !m.store(a+8*i, v[i], min(8, n-8*i)) {
			return false
		}
	}
	return true
}

// Load returns w bytes, 1 to 8, as the window sees them.
func (m *Machine) Load(a, w uint64) (v uint64, ok bool) { return m.load(a, w) }

// Store changes what the window sees, as if the window had stored it: the low w bytes, 1 to 8, of v.
func (m *Machine) Store(a, v, w uint64) bool { return m.store(a, v, w) }

// Wrote reports whether the window has written to the line of an address.
func (m *Machine) Wrote(a uint64) bool {
	line := a &^ lineMask
	for h := dirOf(line); *m.takenAt(h)>>(h%64)&1 != 0; h++ {
		if m.dir[h%dirSize].line == line {
			return true
		}
	}
	return false
}

// word is the word at an address of this process.
func word(at uint64) *uint64 { return (*uint64)(unsafe.Add(nil, at)) }

// Written calls f with the address of each line that the window wrote to, until f returns false.
func (m *Machine) Written(f func(line uint64) bool) {
	for i := range m.dir {
		if m.taken[i/64]>>(i%64)&1 != 0 && !f(m.dir[i].line) {
			return
		}
	}
}
