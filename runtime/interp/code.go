package interp

// This file holds the cache of decoded code.

import "unsafe"

// Code holds the pieces that code was decoded to. Only one machine at a time may run on it.
type Code struct {
	// Actions, if set, is called when an instruction is decoded. It says which events the instruction
	// has, or returns false if code there is not to be interpreted.
	Actions func(pc uint64, a *Actions) bool

	// Exact makes each instruction a piece of its own, with all its flags, so that a window ends after
	// exactly as many instructions as were asked for.
	Exact bool

	Decoded int // instructions since Clear

	memory  unsafe.Pointer
	base    uint64 // its address
	size    uint64
	free    uint64 // the first byte that is free
	buckets uint64
}

// Actions are the events of an instruction; 0 is none. They are reported in this order.
type Actions struct {
	At       uint64 // before the instruction
	Index    uint64 // at a jump by a table: plus the index
	Taken    uint64 // if the branch is taken
	NotTaken uint64 // if not
}

// Init gives the cache its memory, which must be zero, aligned to 8 bytes, and at least 64 KB.
func (c *Code) Init(memory unsafe.Pointer, size uintptr) {
	c.memory, c.base, c.size = memory, uint64(uintptr(memory)), uint64(size)&^31
	c.buckets = 1
	for c.buckets*512 < c.size {
		c.buckets *= 2
	}
	c.free = (c.buckets*4 + 31) &^ 31
}

// Clear drops all pieces. No machine may be running, and none may go on with a window.
func (c *Code) Clear() {
	for i := uint64(0); i < c.buckets; i++ {
		*c.bucketAt(i) = 0
	}
	c.free, c.Decoded = (c.buckets*4+31)&^31, 0
}

// Used returns how many bytes of the memory are used.
func (c *Code) Used() uint64 { return c.free }

func (c *Code) bucketAt(i uint64) *uint32 { return (*uint32)(unsafe.Add(nil, c.base+4*i)) }

func (c *Code) bucket(pc uint64) *uint32 {
	return c.bucketAt(pc * 0x9e3779b97f4a7c15 >> 32 & (c.buckets - 1))
}

func (c *Code) pieceAt(l uint32) *piece { return (*piece)(unsafe.Add(nil, c.base+uint64(l))) }

// find returns the piece that begins at pc, 0 if there is none yet.
func (c *Code) find(pc uint64) uint32 {
	l := *c.bucket(pc)
	for l != 0 {
		p := c.pieceAt(l)
		if p.pc == pc {
			break
		}
		l = p.next
	}
	return l
}

// piece returns the piece that begins at pc. It decodes it if need be; 0 means that m.stop says why not.
func (m *Machine) piece(pc uint64) uint32 {
	c := m.code
	if l := c.find(pc); l != 0 {
		return l
	}
	return c.decode(m, pc)
}

// decode decodes the piece at pc.
func (c *Code) decode(m *Machine, pc uint64) uint32 {
	d := &m.d
	at := c.free
	if at+pieceMax > c.size {
		m.stop = CodeFull
		return 0
	}
	p := c.pieceAt(uint32(at))
	p.pc = pc
	d.start, d.first, d.op = pc, c.base+at+opSize64, c.base+at+opSize64
	d.piece(p)
	c.free = d.op - c.base
	b := c.bucket(pc)
	p.next = *b
	*b = uint32(at)
	c.Decoded += int(p.n)
	return uint32(at)
}

// link returns the piece that follows p, whose last operation o jumps or does not, and links it.
func (m *Machine) link(p *piece, o *op, taken bool) uint32 {
	to := p.pc + uint64(int64(int32(p.size)))
	if taken {
		to = p.pc + uint64(o.disp)
	}
	m.PC = to
	l := m.piece(to)
	if l == 0 {
		return 0
	}
	if taken {
		o.l1 = l
	} else {
		o.l0 = l
	}
	return l
}
