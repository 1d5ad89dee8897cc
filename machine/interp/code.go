package interp

// This file holds the cache of decoded code, which many threads use at once.
//
// A machine decodes a piece into memory of its own, where nobody waits for it if a fault ends the decoding. It then
// takes as much of the cache as the piece needs, copies the piece there and puts it into the index, by one atomic store
// behind all others. A piece that is in the index changes no more, but for links and the number of the window that has
// compared it last, each of them one word. So nothing waits for anything: there is no lock.
//
// Programs change their code: tests replace functions by a jump, tracers put breakpoints. So a piece has the bytes that
// it was decoded from, and when a window first comes to a piece, it compares these with memory. If they differ, the
// piece of what is there now is looked for, or decoded. A piece is never taken out, since the old code may come back,
// and links may go on to lead to it: there the next window compares again.

import "unsafe"

// Code holds the pieces that code was decoded to. Any number of machines may run on it at once.
type Code struct {
	// Actions, if set, is called when an instruction is decoded, by several threads at once. It says which
	// events the instruction has, or returns false if code there is not to be interpreted.
	Actions func(pc uint64, a *Actions) bool

	// Texts are the code that is decoded: elsewhere windows end, see [Refused]. A store to a text ends a window, too:
	// see [Patch]. Without any texts, all code is decoded, and compared with memory each time that it is executed.
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
	windows uint32 // how many there were
}

// A Text is a range of addresses with code.
type Text struct {
	Low, High uint64

	// Built, unless 0, is the address of a copy of the text as it was built. By that a window tells a breakpoint from
	// other changes. A breakpoint is what a debugger or a uprobe puts to the first byte of an instruction, and when that
	// was handled, the program executes the original instruction. So does the window. Without Built, and for changes of
	// other bytes, a window takes what is there: a breakpoint ends it.
	Built uint64
}

// emptying is added to users by the machine that empties the cache.
const emptying = 1 << 31

// Actions are the events of an instruction; 0 is none. They are reported in this order.
type Actions struct {
	At       uint64 // before the instruction
	Index    uint64 // at a jump by a table: plus the index
	Taken    uint64 // if the branch is taken, or the condition holds of CMOVcc or SETcc
	NotTaken uint64 // if not

	// Changed says that the instruction is not the one that was built, so that events of that one do not happen here.
	Changed bool

	values [maxValues]Value // the first n, see [Actions.Add]
	n      int

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

// overlaps reports whether n bytes from an address on have code of one of the texts.
func (c *Code) overlaps(addr, n uint64) bool {
	for i := range c.Texts {
		if t := &c.Texts[i]; addr < t.High && addr+n > t.Low {
			return true
		}
	}
	return false
}

// built returns the address of the code at pc as it was built, 0 if that is not known.
func (c *Code) built(pc uint64) uint64 {
	for i := range c.Texts {
		if t := &c.Texts[i]; pc-t.Low < t.High-t.Low {
			if t.Built == 0 {
				break
			}
			return pc - t.Low + t.Built
		}
	}
	return 0
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

// piece returns a piece that begins at pc, of code that is there or was there. It decodes it if need be; 0 means that
// m.stop says why not.
func (m *Machine) piece(pc uint64) uint32 {
	if l := m.code.find(pc); l != 0 {
		return l
	}
	return m.decode(pc)
}

// maxCodes is how many pieces of different code there may be at one place: then the cache is emptied.
const maxCodes = 64

// current returns the piece of the code that is where that of l was decoded. It decodes it if need be; 0 means that
// m.stop says why not.
func (m *Machine) current(l uint32) uint32 {
	if m.compare(l) {
		return l
	}
	c, n := m.code, 0
	pc := c.pieceAt(l).pc
	for l = c.find(pc); l != 0; l = c.after(c.pieceAt(l).next, pc) {
		if m.compare(l) {
			return l
		}
		n++
	}
	if n >= maxCodes {
		c.Fill() // or the lists would become long
	}
	m.PC = pc
	return m.decode(pc)
}

// compare reports whether a piece is that of the code in memory. If so, the window does not compare it again, unless
// there are no texts. Other machines may store the number of their window at the same time. Then one of the two
// compares once more.
func (m *Machine) compare(l uint32) bool {
	p := m.code.pieceAt(l)
	for at, end := p.code(), p.code()+uint64(p.codeSize); at < end; {
		pc, n := *word(at)>>spanBits, *word(at)&(1<<spanBits-1)
		at += 8
		if !m.has(pc, at, n) {
			return false
		}
		at += (n + 7) &^ 7
	}
	if m.code.Texts[0].High != 0 {
		p.window = m.window
	}
	m.changed = m.changed || p.changed
	return true
}

// spanBits is how many bits of the word before each span of code have its size. The others have the PC.
const spanBits = 16

// has reports whether memory has at pc the n bytes that are at the address at.
func (m *Machine) has(pc, at, n uint64) bool {
	direct := m.Fetch == nil && m.code.inText(pc, n+7)
	for i := uint64(0); i < n; i += 8 {
		var v uint64
		if direct {
			v = *word(pc + i)
		} else {
			var ok bool
			if v, ok = m.load(pc+i, min(8, n-i)); !ok {
				m.stop = Done
				return false
			}
		}
		if (v^*word(at + i))<<tail(i, n) != 0 {
			return false
		}
	}
	return true
}

// code returns where the spans of code are that a piece was decoded from.
func (p *piece) code() uint64 { return uint64(uintptr(unsafe.Pointer(p))) + uint64(p.codeAt) }

// tail returns how many bits of the word at i are behind the last of n bytes.
func tail(i, n uint64) uint64 { return uint64(8*max(0, int64(i+8-n))) & 63 }

// twin returns the first piece of a list that was decoded from the same code as that in the decoder, 0 if there is
// none.
func (m *Machine) twin(l uint32) uint32 {
	c, d := m.code, &m.d
	text := uint64(uintptr(unsafe.Pointer(&d.text)))
	for l = c.after(l, d.start); l != 0; l = c.after(c.pieceAt(l).next, d.start) {
		p, i := c.pieceAt(l), uint64(0)
		for i < d.size && uint64(p.codeSize) == d.size && *word(p.code() + i) == *word(text + i) {
			i += 8
		}
		if i >= d.size {
			break
		}
	}
	return l
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
	if l := m.twin(load32(c.bucket(pc))); l != 0 { // another machine has decoded it meanwhile
		return l
	}
	first := uint64(uintptr(unsafe.Pointer(&d.ops)))
	size := d.op - first
	need := size + (d.size+opSize64-1)&^(opSize64-1)
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
	for i := uint64(0); i < size; i += 8 {
		*word(c.base + at + i) = *word(first + i)
	}
	for i := uint64(0); i < d.size; i += 8 {
		*word(c.base + at + size + i) = *word(uint64(uintptr(unsafe.Pointer(&d.text))) + i)
	}
	p, b := c.pieceAt(uint32(at)), c.bucket(pc)
	for {
		head := load32(b)
		if l := m.twin(head); l != 0 { // another machine was first, and the memory is lost until the cache is emptied
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
