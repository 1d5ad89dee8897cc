package interp

// This file decodes: prefixes, operands, and the pieces that become of instructions. decodeint.go knows the
// integer instructions, decodevector.go all others.

import "unsafe"

const (
	opSize64    = 32
	pieceInsns  = 32  // at most so many instructions in a piece
	pieceOps    = 200 // and so many operations, before the last instruction
	insnOps     = 24  // at most so many for one instruction, with its actions
	pieceCode   = 768 // and so many bytes of code, which is in less than pieceInsns spans
	pieceMax    = (1 + pieceOps + 2*insnOps + maxValues) * opSize64
	maxInsnSize = 15

	breakpoint = 0xcc // INT3
)

// A decoder decodes one piece.
type decoder struct {
	c *Code // set by Init: pointers that are stored later need write barriers
	m *Machine

	start  uint64 // PC of the piece
	first  uint64 // its first operation
	op     uint64 // where the next operation goes
	branch uint64 // the operation at the end of the piece, if it has events

	code   [16]byte
	given  int // of a single instruction: bytes in code
	have   int // bytes in code
	pos    int // bytes decoded
	bad    bool
	trap   bool   // in memory, a breakpoint is in the place of the first byte
	built  uint64 // where the instruction as it was built is, if it, or what follows it, is not as it was built; or 0
	joins  uint64 // then: the operation that the instruction may be joined with, and what it was before
	before op
	why    Stop // why there is no more code

	text   [pieceCode]byte // the code of the piece as it is in memory, in spans: see keep
	size   uint64          // bytes of text
	span   uint64          // where the last span begins, and which PC would go on with it
	goesOn uint64

	pc   uint64 // of the instruction
	acts Actions
	n    uint32

	// Prefixes.
	rex            uint8
	data16, addr32 bool
	rep            uint8 // 0xf2, 0xf3 or 0
	seg            uint8 // rFS, rGS or 0
	lock           bool
	next           uint64 // the PC of the instruction that is decoded next

	// VEX and EVEX prefixes, with bits as they are meant, not inverted. pp is 0, 1 (66), 2 (F3) or 3 (F2).
	vex       uint8 // 0, 2 (VEX) or 4 (EVEX)
	pp        uint8
	opMap     uint8 // 1: 0F, 2: 0F38, 3: 0F3A; without a VEX prefix, too
	w         bool  // REX.W, VEX.W
	length    uint8 // 0: 16 bytes, 1: 32, 2: 64
	vvvv      uint8 // 0 to 31
	mask      uint8 // EVEX.aaa
	zeroing   bool  // EVEX.z
	broadcast bool  // EVEX.b
	rHigh     uint8 // 16 for EVEX.R', which selects registers 16 to 31
	xHigh     uint8 // 16 for EVEX.X of register operands

	opcode uint8

	// The ModRM byte.
	reg    uint8 // with REX.R
	rm     uint8 // with REX.B, if mod is 3
	digit  uint8 // reg without REX.R
	memory bool
	b, i   uint8
	sh     uint8
	disp   int64
	disp8  bool // the displacement is a byte: with an EVEX prefix it counts operands, see scale

	ops [pieceMax / opSize64]op // the piece: its header, its operations, and the pieces of its events
}

// emit returns the next operation, for the caller to fill.
func (d *decoder) emit(k kind) *op {
	o := (*op)(unsafe.Add(nil, d.op))
	o.k, o.d, o.s, o.b, o.i, o.sh, o.fl, o.disp, o.imm, o.l0, o.l1 = k, rZero, rZero, rZero, rZero, 1, 0, 0, 0, 0, 0
	d.op += opSize64
	return o
}

// byte returns the next byte of the instruction. Behind the end of the readable code it sets d.bad.
func (d *decoder) byte() uint8 {
	if d.pos >= d.have {
		d.fetch()
		if d.pos >= d.have {
			d.bad = true
			return 0
		}
		if d.pos == 0 {
			d.original()
		}
	}
	b := d.code[d.pos&15]
	d.pos++
	return b
}

// fetch reads code: all of it that the instruction may have if that is within one of Code.Texts, and else up to the end
// of the line. Windows do not write to texts, so they are not looked for among what the window has written, and no such
// load counts as one that the program waits for.
func (d *decoder) fetch() {
	if d.m == nil { // a single instruction
		d.have = d.given
		return
	}
	if d.m.Fetch == nil && d.have == 0 && d.c.inText(d.pc, uint64(len(d.code))) {
		w := (*[2]uint64)(unsafe.Pointer(&d.code))
		w[0], w[1] = *word(d.pc), *word(d.pc + 8)
		d.have = maxInsnSize
		return
	}
	for d.have < maxInsnSize {
		a := d.pc + uint64(d.have)
		v, ok := d.m.load(a, 1)
		if !ok {
			d.m.stop, d.why = Done, Fault
			return
		}
		d.code[d.have&15] = uint8(v)
		d.have++
		if (a+1)&lineMask == 0 && d.have > d.pos {
			return
		}
	}
}

func (d *decoder) imm8() uint64 { return uint64(int64(int8(d.byte()))) }

func (d *decoder) imm16() uint64 { return uint64(d.byte()) | uint64(d.byte())<<8 }

func (d *decoder) imm32() uint64 {
	v := uint32(d.imm16())
	return uint64(int64(int32(v | uint32(d.imm16())<<16)))
}

// immZ returns an immediate of the operand's width, but of 4 bytes at most, sign-extended.
func (d *decoder) immZ(width uint8) uint64 {
	switch width {
	case 1:
		return d.imm8()
	case 2:
		return uint64(int64(int16(d.imm16())))
	}
	return d.imm32()
}

// piece decodes the instructions from pc on. If nothing can be decoded there, and that may be otherwise tomorrow, it
// returns the reason.
func (d *decoder) piece(pc uint64) Stop {
	d.start, d.n, d.branch, d.size = pc, 0, 0, 0
	p := (*piece)(unsafe.Pointer(&d.ops))
	p.loads, p.changed = 0, false
	d.first = uint64(uintptr(unsafe.Pointer(p))) + opSize64
	d.op = d.first
	for {
		d.pc = pc
		begin := d.op
		end, why := d.actions()
		if why != Done {
			d.op = begin // the instruction is not executed, and has no event
			if why != Refused && why != Breakpoint && why != Fault {
				d.stopAt(why)
				d.keep(uint64(d.have)) // the decoder has looked at some of that
				p.changed = p.changed || d.acts.Changed
			} else if d.n == 0 {
				return why
			} else {
				d.goOn(pc)
			}
			break
		}
		pc = d.next
		d.n++
		p.loads += d.countLoads(begin)
		d.keep(uint64(d.pos))
		p.changed = p.changed || d.acts.Changed
		if end {
			break
		}
		if d.n >= pieceInsns || d.op-d.first >= pieceOps*opSize64 || d.c.Exact {
			d.goOn(pc)
			break
		}
	}
	p.pc, p.n, p.event, p.size, p.next = d.start, d.n, false, uint32(pc-d.start), 0
	last := d.op
	if o := (*op)(unsafe.Add(nil, last-opSize64)); o.k >= kJcc && o.k < kJmp {
		d.branch = last - opSize64
		d.events(o, int64(pc-d.start))
	}
	if !d.c.Exact {
		d.dropFlags(d.first, last)
	}
	d.close()
	p.codeAt, p.codeSize, p.window = uint16(d.op-uint64(uintptr(unsafe.Pointer(p)))), uint16(d.size), 0
	if d.c.Texts[0].High != 0 {
		p.window = d.m.window // which has just read the code
	}
	d.m.changed = d.m.changed || p.changed
	return Done
}

// keep adds the first n bytes of the instruction, as they are in memory, to the code of the piece. Code that is in one
// piece of memory is a span: a word with the PC and the size, and the code, which zeros fill up to whole words.
func (d *decoder) keep(n uint64) {
	text := uint64(uintptr(unsafe.Pointer(&d.text)))
	if d.size == 0 || d.goesOn != d.pc {
		d.close()
		d.span = text + d.size
		*word(d.span) = d.pc << spanBits
		d.size += 8
	}
	code, to := (*[2]uint64)(unsafe.Pointer(&d.code)), text+d.size
	*word(to), *word(to + 8) = code[0], code[1]
	if d.trap {
		*(*uint8)(unsafe.Add(nil, to)) = breakpoint
	}
	d.size += n
	d.goesOn = d.pc + n
}

// close ends the last span, if there is one.
func (d *decoder) close() {
	if d.size == 0 {
		return
	}
	end := uint64(uintptr(unsafe.Pointer(&d.text))) + d.size
	*word(d.span) += end - d.span - 8
	if last := end &^ 7; last != end {
		*word(last) = *word(last) << (64 - 8*(end&7)) >> (64 - 8*(end&7))
	}
	d.size = (d.size + 7) &^ 7
}

// goOn emits a jump to where the next piece begins.
func (d *decoder) goOn(pc uint64) { d.emit(kJmp).disp = int64(pc - d.start) }

// actions decodes the instruction at d.pc, with the event before it.
func (d *decoder) actions() (end bool, why Stop) {
	begin := d.op
	d.acts.begin(false)
	for {
		if !d.c.has(d.pc) || d.c.Actions != nil && !d.c.Actions(d.pc, &d.acts) {
			return false, Refused
		}
		if d.acts.At != 0 {
			d.emit(kAct).imm = d.acts.At
		}
		d.noteRegisters()
		first := d.op
		end, ok := d.instruction()
		d.noteLoads(first)
		// Who replaces an instruction in a program that runs puts a breakpoint to its first byte meanwhile. If the byte still
		// is what it was, so were the others when they were read. Only the first byte of a breakpoint differs from what was
		// built.
		built := d.asBuilt()
		if d.have > 0 && !d.unchanged() || d.trap && !built || d.acts.Changed && built {
			return false, Breakpoint
		}
		switch {
		case !built && !d.acts.Changed: // once more, without the events of what was built
			*opAt(d.joins), d.op = d.before, begin
			d.acts.begin(true)
			continue
		case ok:
			return end, Done
		case d.why != Done:
			return false, d.why
		}
		return false, Unknown
	}
}

// original compares code that was read with what was built. For a breakpoint it takes the instruction that was built.
func (d *decoder) original() {
	at := d.c.built(d.pc)
	if at == 0 {
		return
	}
	if d.code[0] == breakpoint {
		d.code[0] = *(*uint8)(unsafe.Add(nil, at))
		d.trap = d.code[0] != breakpoint
	}
	code := (*[2]uint64)(unsafe.Pointer(&d.code))
	if code[0] != *word(at) || (code[1]^*word(at + 8))<<8 != 0 {
		d.built = at
		d.joins, d.before = d.op-opSize64, *opAt(d.op - opSize64)
	}
}

// head returns the first byte that memory had when the instruction was read.
func (d *decoder) head() uint8 {
	if d.trap {
		return breakpoint
	}
	return d.code[0]
}

// asBuilt reports whether the instruction is the one that was built, as far as that is known.
func (d *decoder) asBuilt() bool {
	code, n := (*[2]uint64)(unsafe.Pointer(&d.code)), uint64(d.pos)
	return d.built == 0 || (code[0]^*word(d.built))<<tail(0, n) == 0 &&
		(n <= 8 || (code[1]^*word(d.built + 8))<<tail(8, n) == 0)
}

// unchanged reports whether the first byte of the instruction is what it was when it was read.
func (d *decoder) unchanged() bool {
	if d.m.Fetch == nil && d.c.inText(d.pc, 1) {
		return *(*uint8)(unsafe.Add(nil, d.pc)) == d.head()
	}
	b, ok := d.m.load(d.pc, 1)
	return ok && uint8(b) == d.head()
}

// events makes a piece for each event of a conditional jump, and links the jump to it.
func (d *decoder) events(jump *op, next int64) {
	if e := d.acts.Taken; e != 0 {
		jump.l1 = d.event(e, jump.disp)
	}
	if e := d.acts.NotTaken; e != 0 {
		jump.l0 = d.event(e, next)
	}
}

func (d *decoder) event(e uint64, to int64) (l uint32) {
	p := (*piece)(unsafe.Add(nil, d.op))
	l = uint32(d.op - uint64(uintptr(unsafe.Pointer(&d.ops)))) // decode adds where the piece comes to be
	d.op += opSize64
	p.pc, p.n, p.size, p.next, p.event, p.loads = d.start, 0, 0, 0, true, 0
	p.changed, p.codeSize, p.window = false, 0, 0
	d.emit(kAct).imm = e
	d.emit(kJmp).disp = to
	return l
}

// stopAt emits the end of a window at the current instruction.
func (d *decoder) stopAt(why Stop) {
	o := d.emit(kStop)
	o.imm, o.disp = uint64(why), int64(d.pc-d.start)
}

// instruction decodes the instruction at d.pc. end says that it is the last one of its piece. If it is not to be
// interpreted, ok is false and d.why may say why.
func (d *decoder) instruction() (end, ok bool) {
	d.have, d.pos, d.bad, d.trap, d.built, d.why, d.next = 0, 0, false, false, 0, Done, 0
	d.rex, d.data16, d.addr32, d.rep, d.seg, d.lock = 0, false, false, 0, 0, false
	d.vex, d.pp, d.opMap, d.w, d.length, d.vvvv, d.mask = 0, 0, 0, false, 0, 0, 0
	d.zeroing, d.broadcast, d.rHigh, d.xHigh = false, false, 0, 0
	for {
		b := d.byte()
		switch b {
		case 0x66:
			d.data16, d.rex = true, 0
			continue
		case 0x67:
			d.addr32, d.rex = true, 0
			continue
		case 0xf2, 0xf3:
			d.rep, d.rex = b, 0
			continue
		case 0xf0:
			d.lock, d.rex = true, 0
			continue
		case 0x64:
			d.seg, d.rex = rFS, 0
			continue
		case 0x65:
			d.seg, d.rex = rGS, 0
			continue
		case 0x26, 0x2e, 0x36, 0x3e:
			d.rex = 0
			continue
		}
		if d.bad {
			return false, false
		}
		if b&0xf0 == 0x40 {
			d.rex = b
			b = d.byte()
			if isPrefix(b) { // the REX prefix does not count
				d.rex = 0
				d.pos--
				continue
			}
		}
		d.opcode = b
		break
	}
	d.w = d.rex&8 != 0
	switch {
	case d.opcode == 0xc4 || d.opcode == 0xc5 || d.opcode == 0x62:
		if d.rex != 0 || d.data16 || d.rep != 0 || d.lock || !d.vexPrefix() {
			return false, false
		}
	case d.opcode == 0x0f:
		d.opMap = 1
		switch d.opcode = d.byte(); d.opcode {
		case 0x38:
			d.opMap, d.opcode = 2, d.byte()
		case 0x3a:
			d.opMap, d.opcode = 3, d.byte()
		}
	}
	switch {
	case d.vex != 0:
	case d.rep == 0xf3:
		d.pp = 2
	case d.rep == 0xf2:
		d.pp = 3
	case d.data16:
		d.pp = 1
	}
	begin, pos := d.op, d.pos
	switch {
	case d.vex != 0:
		end, ok = d.integerVEX()
	case d.opMap == 0:
		end, ok = d.oneByte()
	case d.opMap == 1:
		end, ok = d.twoBytes()
	default:
		end, ok = d.threeBytes()
	}
	if !ok && d.why == Done && !d.bad && d.opMap != 0 {
		d.op, d.pos = begin, pos
		end, ok = false, d.vector()
	}
	if d.next == 0 {
		d.next = d.pc + uint64(d.pos)
	}
	return end, ok && !d.bad && d.op-begin <= insnOps*opSize64
}

func isPrefix(b uint8) bool {
	switch b {
	case 0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x64, 0x65, 0x26, 0x2e, 0x36, 0x3e:
		return true
	}
	return b&0xf0 == 0x40
}

// vexPrefix decodes a VEX or EVEX prefix and the opcode behind it.
func (d *decoder) vexPrefix() bool {
	var p0, p1, p2 uint8
	switch d.opcode {
	case 0xc5:
		p1 = d.byte()
		d.rex = ^p1 >> 5 & 4
		d.opMap, d.vex = 1, 2
	case 0xc4:
		p0, p1 = d.byte(), d.byte()
		d.rex = ^p0 >> 5 & 7
		d.opMap, d.vex = p0&31, 2
		d.w = p1&0x80 != 0
	default:
		p0, p1, p2 = d.byte(), d.byte(), d.byte()
		if p0&8 != 0 || p1&4 == 0 {
			return false
		}
		d.rex = ^p0 >> 5 & 7
		d.rHigh = ^p0 & 0x10
		d.xHigh = ^p0 >> 2 & 0x10
		d.opMap, d.vex = p0&7, 4
		d.w = p1&0x80 != 0
		d.mask, d.zeroing, d.broadcast = p2&7, p2&0x80 != 0, p2&0x10 != 0
		d.length = p2 >> 5 & 3
		d.vvvv = ^p2 << 1 & 0x10
	}
	d.vvvv |= ^p1 >> 3 & 15
	d.pp = p1 & 3
	if d.vex == 2 {
		d.length = p1 >> 2 & 1
	}
	d.opcode = d.byte()
	return d.opMap >= 1 && d.opMap <= 3
}

// modrm decodes the ModRM byte and the address. tail is the number of immediate bytes that follow.
func (d *decoder) modrm(tail uint8) {
	x := d.byte()
	d.digit = x >> 3 & 7
	d.reg = d.digit | d.rex<<1&8
	d.rm = x&7 | d.rex<<3&8
	d.memory = x < 0xc0
	if !d.memory {
		return
	}
	d.b, d.i, d.sh, d.disp, d.disp8 = d.rm, rZero, 1, 0, false
	mod := x >> 6
	if x&7 == 4 {
		s := d.byte()
		d.b = s&7 | d.rex<<3&8
		if i := s>>3&7 | d.rex<<2&8; i != rSP {
			d.i, d.sh = i, 1<<(s>>6)
		}
		if s&7 == 5 && mod == 0 {
			d.b = rZero
			d.disp = int64(d.imm32())
			d.finish()
			return
		}
	} else if x&7 == 5 && mod == 0 {
		d.disp = int64(d.imm32())
		d.b = rZero
		d.disp += int64(d.pc) + int64(d.pos) + int64(tail)
		d.finish()
		return
	}
	switch mod {
	case 1:
		d.disp = int64(d.imm8())
		d.disp8 = true
	case 2:
		d.disp = int64(d.imm32())
	}
	d.finish()
}

// finish makes the address of operations that exceed base, index and displacement.
func (d *decoder) finish() {
	if d.addr32 {
		o := d.emit(kLeaX32)
		o.d, o.b, o.i, o.sh, o.disp = rAddr, d.b, d.i, d.sh, d.disp
		d.b, d.i, d.sh, d.disp = rAddr, rZero, 1, 0
	}
	switch {
	case d.seg == 0:
	case d.i == rZero:
		d.i, d.sh = d.seg, 1
	default:
		o := d.emit(kLeaX64)
		o.d, o.b, o.i, o.sh, o.disp = rAddr, d.b, d.i, d.sh, d.disp
		d.b, d.i, d.sh, d.disp = rAddr, d.seg, 1, 0
	}
}

// scale multiplies a displacement of one byte by the size of the memory operand. Instructions with an EVEX prefix
// call it after modrm. It returns false for addresses that are made of more than one operation.
func (d *decoder) scale(n int64) bool {
	if d.memory && d.disp8 {
		d.disp *= n
	}
	return d.seg == 0 && !d.addr32
}

// address gives an operation the address of the memory operand.
func (d *decoder) address(o *op) *op {
	o.b, o.i, o.sh, o.disp = d.b, d.i, d.sh, d.disp
	return o
}

// width returns the width of the operands of an instruction that has a byte form if bit 0 of the opcode is 0.
func (d *decoder) width(byteForm bool) uint8 {
	switch {
	case byteForm:
		return 1
	case d.w:
		return 8
	case d.data16:
		return 2
	}
	return 4
}

// load emits the load of the memory operand, zero-extended, to register r.
func (d *decoder) load(r, width uint8) {
	k := kLd64
	switch width {
	case 4:
		k = kLd32
	case 2:
		k = kLdX16
	case 1:
		k = kLd8
	}
	if d.i != rZero && k != kLdX16 {
		k++ // with index
	}
	d.address(d.emit(k)).d = r
}

// store emits the store of register s, plus imm.
func (d *decoder) store(s, width uint8, imm uint64) {
	k := kSt64
	switch width {
	case 4:
		k = kSt32
	case 2:
		k = kStX16
	case 1:
		k = kSt8
	}
	if d.i != rZero && k != kStX16 {
		k++
	}
	o := d.address(d.emit(k))
	o.s, o.imm = s, imm
}

// high reports whether register r of a byte operand is one of AH, CH, DH, BH.
func (d *decoder) high(r uint8) bool { return d.rex == 0 && r >= 4 && r < 8 }

// source returns the register that holds register r, of this width, zero-extended from bits 8 to 15 if it is AH and
// the like.
func (d *decoder) source(r, width, tmp uint8) uint8 {
	if width != 1 || !d.high(r) {
		return r
	}
	o := d.emit(kZxH)
	o.d, o.s = tmp, r-4
	return tmp
}

// operand emits the load of the operand that ModRM names, and returns the register that has it.
func (d *decoder) operand(width, tmp uint8) uint8 {
	if d.memory {
		d.load(tmp, width)
		return tmp
	}
	return d.source(d.rm, width, tmp)
}

// result emits what brings register r to the operand that ModRM names, if it is not there.
func (d *decoder) result(r, width uint8) {
	switch {
	case d.memory:
		d.store(r, width, 0)
	case r != d.rm:
		d.put(d.rm, r, width)
	}
}

// put emits the move of r to a register of the processor.
func (d *decoder) put(to, r, width uint8) {
	k := kMov64
	switch width {
	case 4:
		k = kMov32
	case 2:
		k = kPut16
	case 1:
		k = kPut8
		if d.high(to) {
			k, to = kPutH, to-4
		}
	}
	o := d.emit(k)
	o.d, o.s = to, r
}
