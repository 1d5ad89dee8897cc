package interp

// This file holds the cache of decoded code, which many threads use at once.
//
// A machine decodes a piece into memory of its own, where nobody waits for it if a fault ends the decoding. It then
// takes as much of the cache as the piece needs, copies the piece there and puts it into the index, by one atomic
// store behind all others. A piece that is in the index changes no more, but for links, each of them one word. So
// nothing waits for anything: there is no lock.

import "unsafe"

// Code holds the pieces that code was decoded to. Any number of machines may run on it at once.
type Code struct {
	// Actions, if set, is called when an instruction is decoded, by several threads at once. It says which
	// events the instruction has, or returns false if code there is not to be interpreted.
	Actions func(pc uint64, a *Actions) bool

	// Texts are the code that is decoded: elsewhere windows end, see [Refused]. Without any, all code is. What was
	// decoded is kept, so it must be code that is never replaced by other code, such as the executable's own; what
	// else is mapped may be gone tomorrow. A breakpoint that somebody puts into a text, as debuggers and uprobes
	// do, changes nothing: if the instruction was decoded before, the original goes on, and so does the program
	// when the breakpoint was handled. Otherwise it ends windows until it is taken away.
	Texts [4]Text

	// OnEmpty, if set, is called when the cache is emptied, while no machine is in Run.
	OnEmpty func()

	// Calls has windows go on behind system calls that give the thread nothing but their result, such as write, as if
	// the call had succeeded: see syscall.go. Without it all calls end windows.
	Calls bool

	// Fresh, unless 0, is after how many instructions that nobody has decoded yet a window ends, see [NewCode]. So
	// the cost of decoding is spread over windows.
	Fresh int

	// Exact makes each instruction a piece of its own, with all its flags, so that a window ends after
	// exactly as many instructions as were asked for.
	Exact bool

	memory  unsafe.Pointer
	base    uint64 // its address
	size    uint64
	buckets uint64

	free    uint64 // the first byte that is free
	decoded uint64
	emptied uint64
	users   uint32 // machines in Run, plus emptying
	full    uint32 // 1 if a piece found no room
}

// A Text is a range of addresses.
type Text struct{ Low, High uint64 }

// emptying is added to users by the machine that empties the cache.
const emptying = 1 << 31

// Actions are the events of an instruction; 0 is none. They are reported in this order.
type Actions struct {
	At       uint64 // before the instruction
	Index    uint64 // at a jump by a table: plus the index
	Taken    uint64 // if the branch is taken, or the condition holds of CMOVcc or SETcc
	NotTaken uint64 // if not

	// Note is for the function that finds actions: a machine keeps it from one instruction to the next.
	Note int
}

// Init gives the cache its memory, which must be zero, aligned to 8 bytes, at least 64 KB and below 4 GB. When it is
// full, windows end with [CodeFull], and the next window that begins while no machine is in Run empties it.
func (c *Code) Init(memory unsafe.Pointer, size uintptr) {
	c.memory, c.base, c.size = memory, uint64(uintptr(memory)), uint64(size)&^31
	c.buckets = 1
	for c.buckets*512 < c.size {
		c.buckets *= 2
	}
	c.free = (c.buckets*4 + 31) &^ 31
}

// Clear drops all pieces. No machine may be running.
func (c *Code) Clear() {
	for i := uint64(0); i < c.buckets; i++ {
		*c.bucketAt(i) = 0
	}
	store64(&c.free, (c.buckets*4+31)&^31)
	store64(&c.decoded, 0)
	store32(&c.full, 0)
}

// Fill has the cache emptied as if it were full.
func (c *Code) Fill() { store32(&c.full, 1) }

// Used returns how many bytes of the memory are used.
func (c *Code) Used() uint64 { return load64(&c.free) }

// Decoded returns how many instructions the cache holds.
func (c *Code) Decoded() int { return int(load64(&c.decoded)) }

// Emptied returns how often the cache was emptied because it was full.
func (c *Code) Emptied() int { return int(load64(&c.emptied)) }

// enter counts a machine that begins to run. Before, it empties a full cache if no other runs. It returns false if
// another one is about to do so.
func (c *Code) enter() bool {
	if load32(&c.full) != 0 && cas32(&c.users, 0, emptying) {
		if load32(&c.full) != 0 { // nobody else has emptied it meanwhile
			c.Clear()
			if c.OnEmpty != nil {
				c.OnEmpty()
			}
			add64(&c.emptied, 1)
		}
		add32(&c.users, -emptying)
	}
	if add32(&c.users, 1) >= emptying {
		c.leave()
		return false
	}
	return true
}

func (c *Code) leave() { add32(&c.users, -1) }

// has reports whether code at pc may be decoded.
func (c *Code) has(pc uint64) bool {
	if c.Texts[0].High == 0 {
		return true
	}
	for i := range c.Texts {
		if t := &c.Texts[i]; pc-t.Low < t.High-t.Low {
			return true
		}
	}
	return false
}

// inText reports whether n bytes from pc on are in one of the texts.
func (c *Code) inText(pc, n uint64) bool {
	for i := range c.Texts {
		if t := &c.Texts[i]; pc-t.Low < t.High-t.Low && t.High-pc >= n {
			return true
		}
	}
	return false
}

func (c *Code) bucketAt(i uint64) *uint32 { return (*uint32)(unsafe.Add(nil, c.base+4*i)) }

func (c *Code) bucket(pc uint64) *uint32 {
	return c.bucketAt(pc * 0x9e3779b97f4a7c15 >> 32 & (c.buckets - 1))
}

func (c *Code) pieceAt(l uint32) *piece { return (*piece)(unsafe.Add(nil, c.base+uint64(l))) }

// find returns the piece that begins at pc, 0 if there is none yet.
func (c *Code) find(pc uint64) uint32 { return c.after(load32(c.bucket(pc)), pc) }

// after returns the first piece of a list that begins at pc.
func (c *Code) after(l uint32, pc uint64) uint32 {
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
	if l := m.code.find(pc); l != 0 {
		return l
	}
	return m.decode(pc)
}

// decode decodes the piece at pc.
func (m *Machine) decode(pc uint64) uint32 {
	c, d := m.code, &m.d
	if c.Fresh > 0 && m.fresh >= c.Fresh {
		m.stop = NewCode
		return 0
	}
	if load32(&c.full) != 0 {
		m.stop = CodeFull
		return 0
	}
	if m.stop = d.piece(pc); m.stop != Done {
		return 0
	}
	m.fresh += int(d.n)
	if l := c.find(pc); l != 0 { // another machine has decoded it meanwhile
		return l
	}
	first := uint64(uintptr(unsafe.Pointer(&d.ops)))
	need := d.op - first
	var at uint64
	for {
		at = load64(&c.free)
		if at+need > c.size {
			store32(&c.full, 1)
			m.stop = CodeFull
			return 0
		}
		if cas64(&c.free, at, at+need) {
			break
		}
	}
	if d.branch != 0 { // to the pieces of its events, which are behind it
		o := (*op)(unsafe.Add(nil, d.branch))
		if o.l0 != 0 {
			o.l0 += uint32(at)
		}
		if o.l1 != 0 {
			o.l1 += uint32(at)
		}
	}
	for i := uint64(0); i < need; i += 8 {
		*word(c.base + at + i) = *word(first + i)
	}
	p, b := c.pieceAt(uint32(at)), c.bucket(pc)
	for {
		head := load32(b)
		if l := c.after(head, pc); l != 0 { // another machine was first, and the memory is lost until the cache is emptied
			return l
		}
		p.next = head
		if cas32(b, head, uint32(at)) {
			break
		}
	}
	add64(&c.decoded, uint64(d.n))
	return uint32(at)
}

// link returns the piece at pc, and links it with what leads there.
func (m *Machine) link(pc uint64, from *uint32) uint32 {
	l := m.piece(pc)
	if l != 0 {
		store32(from, l)
	}
	return l
}
