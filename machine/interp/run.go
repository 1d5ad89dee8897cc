package interp

// This file is the interpreter's loop.

import "unsafe"

// Run interprets until about n more instructions are done, or something ends the window. It ends between pieces, so
// it may do up to 31 instructions more.
func (m *Machine) Run(n int) Stop {
	if !m.code.enter() {
		m.stop = CodeFull
		return CodeFull
	}
	m.inside = true
	if m.window == 0 {
		m.window = add32(&m.code.windows, 1)
	}
	why := m.run(n)
	m.inside = false
	m.code.leave()
	return why
}

func (m *Machine) run(n int) Stop {
	var (
		r    = &m.R
		base = m.code.base
		left = n
		l    uint32
		p    uint64 // the address of the piece
		o    *op
		e    *near
		a, v uint64
		ok   bool
	)
	if l = m.piece(m.PC); l == 0 {
		return m.stop
	}
enter:
	p = base + uint64(l)
	if left <= 0 && !pieceOf(p).event {
		m.PC = pieceOf(p).pc
		m.Steps += n - left
		return Done
	}
	if pieceOf(p).window != m.window {
		if l = m.current(l); l == 0 {
			goto end
		}
		p = base + uint64(l)
	}
	left -= int(pieceOf(p).n)
	a = p + opSize64
	if m.choice.until -= int32(pieceOf(p).loads); m.choice.until < 0 {
		a = m.choose(p)
	}
	for o = (*op)(unsafe.Add(nil, a)); ; o = (*op)(unsafe.Add(unsafe.Pointer(o), opSize)) {
		switch o.k {
		case kNop:
		case kAct:
			m.Act(m, o.imm)
		case kActAt:
			m.Act(m, o.imm+r[o.s])
		case kNote:
			m.note(o, r[o.s]&uint64(o.disp))
		case kNoteV:
			m.note(o, m.Vectors[o.s&63][0]&uint64(o.disp))
		case kNoteA:
			m.note(o, r[o.b]+r[o.i]*uint64(o.sh)+uint64(o.disp))

		case kMov64:
			r[o.d] = r[o.s]
		case kMov32:
			r[o.d] = uint64(uint32(r[o.s]))
		case kMovI:
			r[o.d] = o.imm
		case kZx8:
			r[o.d] = uint64(uint8(r[o.s]))
		case kZx16:
			r[o.d] = uint64(uint16(r[o.s]))
		case kZxH:
			r[o.d] = uint64(uint8(r[o.s] >> 8))
		case kSx8:
			r[o.d] = uint64(int8(r[o.s])) & o.imm
		case kSx16:
			r[o.d] = uint64(int16(r[o.s])) & o.imm
		case kSx32:
			r[o.d] = uint64(int32(r[o.s]))
		case kPut8:
			r[o.d] = r[o.d]&^0xff | uint64(uint8(r[o.s]))
		case kPut16:
			r[o.d] = r[o.d]&^0xffff | uint64(uint16(r[o.s]))
		case kPutH:
			r[o.d] = r[o.d]&^0xff00 | uint64(uint8(r[o.s]))<<8
		case kLea64:
			r[o.d] = r[o.b] + uint64(o.disp)
		case kLeaX64:
			r[o.d] = r[o.b] + r[o.i]*uint64(o.sh) + uint64(o.disp)
		case kLea32:
			r[o.d] = uint64(uint32(r[o.b] + uint64(o.disp)))
		case kLeaX32:
			r[o.d] = uint64(uint32(r[o.b] + r[o.i]*uint64(o.sh) + uint64(o.disp)))

		case kLd64:
			a = r[o.b] + uint64(o.disp)
			if e = m.entry(a); e.tag-(a+7)&^lineMask <= 1 {
				r[o.d] = *word(a + e.delta)
				continue
			}
			if r[o.d], ok = m.load(a, 8); !ok {
				goto fault
			}
		case kLdX64:
			a = r[o.b] + r[o.i]*uint64(o.sh) + uint64(o.disp)
			if e = m.entry(a); e.tag-(a+7)&^lineMask <= 1 {
				r[o.d] = *word(a + e.delta)
				continue
			}
			if r[o.d], ok = m.load(a, 8); !ok {
				goto fault
			}
		case kLd32:
			a = r[o.b] + uint64(o.disp)
			if e = m.entry(a); e.tag-(a+3)&^lineMask <= 1 {
				r[o.d] = uint64(*(*uint32)(unsafe.Add(nil, a+e.delta)))
				continue
			}
			if r[o.d], ok = m.load(a, 4); !ok {
				goto fault
			}
		case kLdX32:
			a = r[o.b] + r[o.i]*uint64(o.sh) + uint64(o.disp)
			if e = m.entry(a); e.tag-(a+3)&^lineMask <= 1 {
				r[o.d] = uint64(*(*uint32)(unsafe.Add(nil, a+e.delta)))
				continue
			}
			if r[o.d], ok = m.load(a, 4); !ok {
				goto fault
			}
		case kLd8:
			a = r[o.b] + uint64(o.disp)
			if e = m.entry(a); e.tag-a&^lineMask <= 1 {
				r[o.d] = uint64(*(*uint8)(unsafe.Add(nil, a+e.delta)))
				continue
			}
			if r[o.d], ok = m.load(a, 1); !ok {
				goto fault
			}
		case kLdX8:
			a = r[o.b] + r[o.i]*uint64(o.sh) + uint64(o.disp)
			if e = m.entry(a); e.tag-a&^lineMask <= 1 {
				r[o.d] = uint64(*(*uint8)(unsafe.Add(nil, a+e.delta)))
				continue
			}
			if r[o.d], ok = m.load(a, 1); !ok {
				goto fault
			}
		case kLdX16:
			if r[o.d], ok = m.load(r[o.b]+r[o.i]*uint64(o.sh)+uint64(o.disp), 2); !ok {
				goto fault
			}
		case kLdS8:
			if v, ok = m.load(r[o.b]+r[o.i]*uint64(o.sh)+uint64(o.disp), 1); !ok {
				goto fault
			}
			r[o.d] = uint64(int8(v)) & o.imm
		case kLdS16:
			if v, ok = m.load(r[o.b]+r[o.i]*uint64(o.sh)+uint64(o.disp), 2); !ok {
				goto fault
			}
			r[o.d] = uint64(int16(v)) & o.imm
		case kLdS32:
			if v, ok = m.load(r[o.b]+r[o.i]*uint64(o.sh)+uint64(o.disp), 4); !ok {
				goto fault
			}
			r[o.d] = uint64(int32(v))

		case kSt64:
			a = r[o.b] + uint64(o.disp)
			v = r[o.s] + o.imm
			if e = m.entry(a); e.tag == (a+7)&^lineMask+1 {
				*word(a + e.delta) = v
				continue
			}
			if !m.store(a, v, 8) {
				goto fault
			}
		case kStX64:
			a = r[o.b] + r[o.i]*uint64(o.sh) + uint64(o.disp)
			v = r[o.s] + o.imm
			if e = m.entry(a); e.tag == (a+7)&^lineMask+1 {
				*word(a + e.delta) = v
				continue
			}
			if !m.store(a, v, 8) {
				goto fault
			}
		case kSt32:
			a = r[o.b] + uint64(o.disp)
			v = r[o.s] + o.imm
			if e = m.entry(a); e.tag == (a+3)&^lineMask+1 {
				*(*uint32)(unsafe.Add(nil, a+e.delta)) = uint32(v)
				continue
			}
			if !m.store(a, v, 4) {
				goto fault
			}
		case kStX32:
			if !m.store(r[o.b]+r[o.i]*uint64(o.sh)+uint64(o.disp), r[o.s]+o.imm, 4) {
				goto fault
			}
		case kSt8:
			a = r[o.b] + uint64(o.disp)
			v = r[o.s] + o.imm
			if e = m.entry(a); e.tag == a&^lineMask+1 {
				*(*uint8)(unsafe.Add(nil, a+e.delta)) = uint8(v)
				continue
			}
			if !m.store(a, v, 1) {
				goto fault
			}
		case kStX8:
			a = r[o.b] + r[o.i]*uint64(o.sh) + uint64(o.disp)
			v = r[o.s] + o.imm
			if e = m.entry(a); e.tag == a&^lineMask+1 {
				*(*uint8)(unsafe.Add(nil, a+e.delta)) = uint8(v)
				continue
			}
			if !m.store(a, v, 1) {
				goto fault
			}
		case kStX16:
			if !m.store(r[o.b]+r[o.i]*uint64(o.sh)+uint64(o.disp), r[o.s]+o.imm, 2) {
				goto fault
			}

		case kAdd64:
			a, v = r[o.b], r[o.s]+o.imm
			m.fk, m.fs, m.fa, m.fb = flagsAdd, 0, a, v
			r[o.d] = a + v
		case kAdd32:
			a, v = r[o.b]<<32, (r[o.s]+o.imm)<<32
			m.fk, m.fs, m.fa, m.fb = flagsAdd, 32, a, v
			r[o.d] = (a + v) >> 32
		case kSub64:
			a, v = r[o.b], r[o.s]+o.imm
			m.fk, m.fs, m.fa, m.fb = flagsSub, 0, a, v
			r[o.d] = a - v
		case kSub32:
			a, v = r[o.b]<<32, (r[o.s]+o.imm)<<32
			m.fk, m.fs, m.fa, m.fb = flagsSub, 32, a, v
			r[o.d] = (a - v) >> 32
		case kAnd64:
			v = r[o.b] & (r[o.s] + o.imm)
			m.fk, m.fs, m.fa, m.fb = flagsSub, 0, v, 0
			r[o.d] = v
		case kAnd32:
			v = uint64(uint32(r[o.b] & (r[o.s] + o.imm)))
			m.fk, m.fs, m.fa, m.fb = flagsSub, 32, v<<32, 0
			r[o.d] = v
		case kOr64:
			v = r[o.b] | (r[o.s] + o.imm)
			m.fk, m.fs, m.fa, m.fb = flagsSub, 0, v, 0
			r[o.d] = v
		case kOr32:
			v = uint64(uint32(r[o.b] | (r[o.s] + o.imm)))
			m.fk, m.fs, m.fa, m.fb = flagsSub, 32, v<<32, 0
			r[o.d] = v
		case kXor64:
			v = r[o.b] ^ (r[o.s] + o.imm)
			m.fk, m.fs, m.fa, m.fb = flagsSub, 0, v, 0
			r[o.d] = v
		case kXor32:
			v = uint64(uint32(r[o.b] ^ (r[o.s] + o.imm)))
			m.fk, m.fs, m.fa, m.fb = flagsSub, 32, v<<32, 0
			r[o.d] = v
		case kCmp:
			m.fk, m.fs, m.fa, m.fb = flagsSub, o.fl, r[o.b]<<(o.fl&63), (r[o.s]+o.imm)<<(o.fl&63)
		case kTest:
			m.fk, m.fs, m.fa, m.fb = flagsSub, o.fl, r[o.b]&(r[o.s]+o.imm)<<(o.fl&63), 0
		case kClear:
			r[o.d] = 0
			m.fk, m.fs, m.fa, m.fb = flagsSub, 0, 0, 0

		case kSubQ64:
			r[o.d] = r[o.b] - (r[o.s] + o.imm)
		case kSubQ32:
			r[o.d] = uint64(uint32(r[o.b] - (r[o.s] + o.imm)))
		case kAndQ64:
			r[o.d] = r[o.b] & (r[o.s] + o.imm)
		case kAndQ32:
			r[o.d] = uint64(uint32(r[o.b] & (r[o.s] + o.imm)))
		case kOrQ64:
			r[o.d] = r[o.b] | (r[o.s] + o.imm)
		case kOrQ32:
			r[o.d] = uint64(uint32(r[o.b] | (r[o.s] + o.imm)))
		case kXorQ64:
			r[o.d] = r[o.b] ^ (r[o.s] + o.imm)
		case kXorQ32:
			r[o.d] = uint64(uint32(r[o.b] ^ (r[o.s] + o.imm)))
		case kShlQ64:
			r[o.d] = r[o.b] << (o.imm & 63)
		case kShrQ64:
			r[o.d] = r[o.b] >> (o.imm & 63)
		case kSarQ64:
			r[o.d] = uint64(int64(r[o.b]) >> (o.imm & 63))
		case kShlQ32:
			r[o.d] = uint64(uint32(r[o.b]) << (o.imm & 31))
		case kShrQ32:
			r[o.d] = uint64(uint32(r[o.b]) >> (o.imm & 31))
		case kSarQ32:
			r[o.d] = uint64(uint32(int32(r[o.b]) >> (o.imm & 31)))
		case kImulQ64:
			r[o.d] = r[o.b] * (r[o.s] + o.imm)
		case kImulQ32:
			r[o.d] = uint64(uint32(r[o.b] * (r[o.s] + o.imm)))

		case kAlu:
			m.alu(o)
		case kWide:
			if !m.wide(o) {
				goto fault
			}
		case kCmov:
			if m.holds(o.sh) {
				r[o.d] = r[o.s]
			}
		case kCmov32:
			v = r[o.d]
			if m.holds(o.sh) {
				v = r[o.s]
			}
			r[o.d] = uint64(uint32(v))
		case kSet:
			v = r[o.d] &^ 0xff
			if m.holds(o.sh) {
				v |= 1
			}
			r[o.d] = v
		case kActIf:
			v = uint64(o.disp)
			if m.holds(o.sh) {
				v = o.imm
			}
			if v != 0 {
				m.Act(m, v)
			}
		case kPush:
			a = r[rSP] - 8
			v = r[o.s] + o.imm
			if e = m.entry(a); e.tag == (a+7)&^lineMask+1 {
				*word(a + e.delta) = v
				r[rSP] = a
				continue
			}
			if !m.store(a, v, 8) {
				goto fault
			}
			r[rSP] = a
		case kPop:
			a = r[rSP]
			if e = m.entry(a); e.tag-(a+7)&^lineMask <= 1 {
				r[rSP] = a + 8
				r[o.d] = *word(a + e.delta)
				continue
			}
			if v, ok = m.load(a, 8); !ok {
				goto fault
			}
			r[rSP] = a + 8
			r[o.d] = v
		case kCmpxchg:
			m.cmpxchg(o)
		case kCmpxchg16:
			if !m.cmpxchg16(o) {
				goto fault
			}
		case kString:
			if !m.str(o) {
				goto fault
			}
		case kFlag:
			if !m.flag(o.imm) {
				goto fault
			}
		case kClock:
			if !m.clock(o.imm, n-left) {
				goto fault
			}

		case kJcc:
			if m.holds(o.sh) {
				goto yes
			}
			goto no
		case kCmp64RJ:
			a, v = r[o.b], r[o.s]
			m.fk, m.fs, m.fa, m.fb = flagsSub, 0, a, v
			if less(a, v)&when(o.sh) != 0 {
				goto yes
			}
			goto no
		case kCmp64IJ:
			a, v = r[o.b], o.imm
			m.fk, m.fs, m.fa, m.fb = flagsSub, 0, a, v
			if less(a, v)&when(o.sh) != 0 {
				goto yes
			}
			goto no
		case kCmp32RJ:
			a, v = r[o.b]<<32, r[o.s]<<32
			m.fk, m.fs, m.fa, m.fb = flagsSub, 32, a, v
			if less(a, v)&when(o.sh) != 0 {
				goto yes
			}
			goto no
		case kCmp32IJ:
			a, v = r[o.b]<<32, o.imm
			m.fk, m.fs, m.fa, m.fb = flagsSub, 32, a, v
			if less(a, v)&when(o.sh) != 0 {
				goto yes
			}
			goto no
		case kCmpRJ:
			a, v = r[o.b]<<(o.fl&63), r[o.s]<<(o.fl&63)
			m.fk, m.fs, m.fa, m.fb = flagsSub, o.fl, a, v
			if less(a, v)&when(o.sh) != 0 {
				goto yes
			}
			goto no
		case kCmpIJ:
			a, v = r[o.b]<<(o.fl&63), o.imm
			m.fk, m.fs, m.fa, m.fb = flagsSub, o.fl, a, v
			if less(a, v)&when(o.sh) != 0 {
				goto yes
			}
			goto no
		case kTestJ:
			a = r[o.b] & r[o.s] << (o.fl & 63)
			m.fk, m.fs, m.fa, m.fb = flagsSub, o.fl, a, 0
			if less(a, 0)&when(o.sh) != 0 {
				goto yes
			}
			goto no
		case kTestIJ:
			a = r[o.b] & o.imm << (o.fl & 63)
			m.fk, m.fs, m.fa, m.fb = flagsSub, o.fl, a, 0
			if less(a, 0)&when(o.sh) != 0 {
				goto yes
			}
			goto no
		case kJmp:
			goto taken
		case kCall:
			a = r[rSP] - 8
			v = behind(p)
			if e = m.entry(a); e.tag == (a+7)&^lineMask+1 {
				*word(a + e.delta) = v
				r[rSP] = a
				goto taken
			}
			if !m.store(a, v, 8) {
				goto fault
			}
			r[rSP] = a
			goto taken
		case kRet:
			a = r[rSP]
			if e = m.entry(a); e.tag-(a+7)&^lineMask <= 1 {
				v = *word(a + e.delta)
			} else if v, ok = m.load(a, 8); !ok {
				goto fault
			}
			r[rSP] = a + 8 + o.imm
			if a > m.Returned {
				m.Returned = a
			}
			goto indirect
		case kJmpR:
			v = r[o.s]
			goto indirect
		case kCallR:
			v = r[o.s]
			a = r[rSP] - 8
			if !m.store(a, behind(p), 8) {
				goto fault
			}
			r[rSP] = a
			goto indirect
		case kStop:
			if o.imm == goBack {
				o = opAt(m.choice.op - opSize64)
				continue
			}
			m.PC = pieceOf(p).pc + uint64(o.disp)
			m.Steps += n - left
			m.stop = Stop(o.imm)
			return m.stop
		default:
			if !m.vector(o) {
				goto fault
			}
		}
	}

yes: // a conditional branch is taken
	if m.predict.outcome(placeOf(o), 1) {
		m.meter.mispredicted()
	}
	goto taken

no:
	if m.predict.outcome(placeOf(o), 0) {
		m.meter.mispredicted()
	}
	goto fallen

taken:
	if l = load32(&o.l1); l != 0 {
		goto enter
	}
	m.PC = pieceOf(p).pc + uint64(o.disp)
	if left > 0 {
		if l = m.link(m.PC, &o.l1); l != 0 {
			goto enter
		}
	}
	goto end

fallen:
	if l = load32(&o.l0); l != 0 {
		goto enter
	}
	m.PC = behind(p)
	if left > 0 {
		if l = m.link(m.PC, &o.l0); l != 0 {
			goto enter
		}
	}
	goto end

indirect:
	if l = m.code.find(v); l != 0 {
		goto enter
	}
	m.PC = v
	if left > 0 {
		if l = m.piece(v); l != 0 {
			goto enter
		}
	}

end: // there is no piece at m.PC, or none is needed
	m.Steps += n - left
	if left <= 0 {
		return Done
	}
	return m.stop

fault:
	m.PC = pieceOf(p).pc
	m.Steps += n - left - int(pieceOf(p).n)
	return m.stop
}

func pieceOf(at uint64) *piece { return (*piece)(unsafe.Add(nil, at)) }

// placeOf tells operations from each other.
func placeOf(o *op) uint64 { return uint64(uintptr(unsafe.Pointer(o)) / opSize) }

// behind returns the PC behind a piece.
func behind(at uint64) uint64 { return pieceOf(at).pc + uint64(int64(int32(pieceOf(at).size))) }
