package interp

// This file decodes integer instructions.

import "unsafe"

// alu emits an arithmetic operation: dst = a sub (s + imm).
func (d *decoder) alu(sub uint32, width, dst, a, s uint8, imm uint64) {
	k := kAlu
	if width >= 4 {
		switch sub {
		case aAdd:
			k = kAdd64
		case aSub:
			k = kSub64
		case aAnd:
			k = kAnd64
		case aOr:
			k = kOr64
		case aXor:
			k = kXor64
		}
		if k != kAlu && width == 4 {
			k++
		}
	}
	switch {
	case (sub == aXor || sub == aSub) && a == s && imm == 0 && width >= 4:
		k = kClear
	case sub == aCmp:
		k = kCmp
	case sub == aTest && a == s && imm == 0: // the same as a comparison with 0
		k, s = kCmp, rZero
	case sub == aTest:
		k = kTest
	}
	o := d.emit(k)
	o.d, o.b, o.s, o.imm, o.fl, o.l0 = dst, a, s, imm, 64-8*width, sub
	if k == kCmp || k == kTest {
		o.d = rZero
	}
}

// aluTo emits an arithmetic operation on the operand that ModRM names.
func (d *decoder) aluTo(sub uint32, width, s uint8, imm uint64) {
	a := d.operand(width, rDst)
	d.alu(sub, width, a, a, s, imm)
	if sub != aCmp && sub != aTest && sub != aBt {
		d.result(a, width)
	}
}

// aluFrom emits an arithmetic operation on register reg and the operand that ModRM names.
func (d *decoder) aluFrom(sub uint32, width uint8) {
	s := d.operand(width, rTmp)
	a := d.source(d.reg, width, rDst)
	d.alu(sub, width, a, a, s, 0)
	if sub != aCmp && a != d.reg {
		d.put(d.reg, a, width)
	}
}

// get emits the load of the operand that ModRM names into a register of the processor.
func (d *decoder) get(to, width uint8) {
	switch {
	case !d.memory:
		d.put(to, d.source(d.rm, width, rTmp), width)
	case width >= 4:
		d.load(to, width)
	default:
		d.load(rTmp, width)
		d.put(to, rTmp, width)
	}
}

// constant emits the move of a constant to a register of the processor.
func (d *decoder) constant(to, width uint8, v uint64) {
	r := to
	switch width {
	case 4:
		v = uint64(uint32(v))
	case 1, 2:
		r = rTmp
	}
	o := d.emit(kMovI)
	o.d, o.imm = r, v
	if r != to {
		d.put(to, r, width)
	}
}

// oneByte decodes instructions with one byte of opcode.
func (d *decoder) oneByte() (end, ok bool) {
	c := d.opcode
	w := d.width(c&1 == 0)
	switch {
	case c < 0x40 && c&7 < 6:
		sub := uint32(c >> 3)
		switch c & 7 {
		case 0, 1:
			d.modrm(0)
			d.aluTo(sub, w, d.source(d.reg, w, rTmp), 0)
		case 2, 3:
			d.modrm(0)
			d.aluFrom(sub, w)
		default:
			d.alu(sub, w, rAX, rAX, rZero, d.immZ(w))
		}
		return false, true
	case c >= 0x50 && c < 0x60:
		if d.data16 {
			return false, false
		}
		r := c&7 | d.rex<<3&8
		if c < 0x58 {
			d.emit(kPush).s = r
		} else {
			d.emit(kPop).d = r
		}
		return false, true
	case c&0xf0 == 0x70:
		d.jump(kJcc, d.imm8())
		return true, !d.data16
	case c >= 0x91 && c < 0x98 || c == 0x90 && d.rex&1 != 0:
		d.reg, d.rm, d.memory = rAX, c&7|d.rex<<3&8, false
		d.exchange(d.width(false))
		return false, true
	case c&0xf8 == 0xb0:
		d.constant(c&7|d.rex<<3&8, 1, d.imm8())
		return false, true
	case c&0xf8 == 0xb8:
		w = d.width(false)
		v := d.immZ(w)
		if w == 8 {
			v = v&0xffffffff | d.imm32()<<32
		}
		d.constant(c&7|d.rex<<3&8, w, v)
		return false, true
	case c >= 0xd8 && c < 0xe0:
		return false, false // x87
	}
	switch c {
	case 0x63: // MOVSXD
		d.modrm(0)
		if w = d.width(false); w == 8 {
			d.extend(4, 8, true)
		} else {
			d.get(d.reg, w)
		}
	case 0x68, 0x6a: // PUSH
		if d.data16 {
			return false, false
		}
		o := d.emit(kPush)
		if c == 0x68 {
			o.imm = d.imm32()
		} else {
			o.imm = d.imm8()
		}
	case 0x69, 0x6b: // IMUL
		w = d.width(false)
		n := min(w, 4)
		if c == 0x6b {
			n = 1
		}
		d.modrm(n)
		s := d.operand(w, rDst)
		d.third(aImul, w, d.reg, s, rZero, d.immZ(n))
	case 0x80, 0x81, 0x83:
		n := min(w, 4)
		if c == 0x83 {
			n = 1
		}
		d.modrm(n)
		imm := d.immZ(n)
		d.aluTo(uint32(d.digit), w, rZero, imm)
	case 0x84, 0x85: // TEST
		d.modrm(0)
		d.aluTo(aTest, w, d.source(d.reg, w, rTmp), 0)
	case 0x86, 0x87:
		d.modrm(0)
		d.exchange(w)
	case 0x88, 0x89: // MOV
		d.modrm(0)
		s := d.source(d.reg, w, rTmp)
		if d.memory {
			d.store(s, w, 0)
		} else {
			d.put(d.rm, s, w)
		}
	case 0x8a, 0x8b:
		d.modrm(0)
		d.get(d.reg, w)
	case 0x8d: // LEA
		d.modrm(0)
		if !d.memory || d.seg != 0 {
			return false, false
		}
		d.lea(d.width(false))
	case 0x8f: // POP
		d.modrm(0)
		if d.digit != 0 || d.data16 || d.seg != 0 || d.addr32 {
			return false, false
		}
		if !d.memory {
			d.emit(kPop).d = d.rm
			break
		}
		d.emit(kPop).d = rTmp
		d.store(rTmp, 8, 0)
	case 0x90: // NOP, PAUSE
	case 0x98: // CBW, CWDE, CDQE
		w = d.width(false)
		d.memory, d.rm, d.reg = false, rAX, rAX
		d.rex |= 0x40 // no AH
		d.extend(w/2, w, true)
	case 0x99: // CWD, CDQ, CQO
		w = d.width(false)
		d.third(aSignFill, w, rDX, rAX, rZero, 0)
	case 0xa4, 0xa5:
		return false, d.str(sMovs, w)
	case 0xa6, 0xa7:
		return false, d.str(sCmps, w)
	case 0xaa, 0xab:
		return false, d.str(sStos, w)
	case 0xac, 0xad:
		return false, d.str(sLods, w)
	case 0xae, 0xaf:
		return false, d.str(sScas, w)
	case 0xa8, 0xa9: // TEST
		d.alu(aTest, w, rAX, rAX, rZero, d.immZ(w))
	case 0xc0, 0xc1:
		d.modrm(1)
		n := d.imm8()
		d.aluTo(uint32(d.digit)+aRol, w, rZero, n)
	case 0xd0, 0xd1:
		d.modrm(0)
		d.aluTo(uint32(d.digit)+aRol, w, rZero, 1)
	case 0xd2, 0xd3:
		d.modrm(0)
		d.aluTo(uint32(d.digit)+aRol, w, rCX, 0)
	case 0xc2, 0xc3: // RET
		o := d.emit(kRet)
		if c == 0xc2 {
			o.imm = d.imm16()
		}
		return true, !d.data16
	case 0xc6, 0xc7: // MOV
		n := min(w, 4)
		d.modrm(n)
		if d.digit != 0 {
			return false, false
		}
		v := d.immZ(n)
		if d.memory {
			d.store(rZero, w, v)
		} else {
			d.constant(d.rm, w, v)
		}
	case 0xc9: // LEAVE
		o := d.emit(kMov64)
		o.d, o.s = rSP, rBP
		d.emit(kPop).d = rBP
		return false, !d.data16
	case 0xcc:
		d.why = Breakpoint
		return false, false
	case 0xcd:
		d.why = Syscall
		return false, false
	case 0xe8: // CALL
		to := d.imm32()
		d.emit(kCall).disp = int64(d.pc) + int64(d.pos) + int64(to) - int64(d.start)
		return true, !d.data16 || d.w // linkers fill up calls of __tls_get_addr with prefixes
	case 0xe9, 0xeb: // JMP
		var to uint64
		if c == 0xe9 {
			to = d.imm32()
		} else {
			to = d.imm8()
		}
		to += d.pc + uint64(d.pos)
		if d.acts.Taken != 0 {
			d.emit(kAct).imm = d.acts.Taken
		}
		if to > d.pc && d.n < pieceInsns/2 && !d.c.Exact { // what follows is in the same piece
			d.next = to
			return false, !d.data16
		}
		d.emit(kJmp).disp = int64(to - d.start)
		return true, !d.data16
	case 0x9c, 0x9d, 0xf5, 0xf8, 0xf9: // PUSHF, POPF, CMC, CLC, STC
		d.emit(kFlag).imm = uint64(c)
		return false, !d.data16
	case 0xfc: // CLD
	case 0xf6, 0xf7:
		return false, d.group3(w)
	case 0xfe, 0xff:
		return d.group5(w)
	default:
		return false, false
	}
	return false, true
}

// third emits an operation with a destination that need not be the first source.
func (d *decoder) third(sub uint32, width, dst, a, s uint8, imm uint64) {
	if width >= 4 {
		d.alu(sub, width, dst, a, s, imm)
		return
	}
	d.alu(sub, width, rTmp, a, s, imm)
	d.put(dst, rTmp, width)
}

// extend emits MOVZX and MOVSX.
func (d *decoder) extend(from, to uint8, signed bool) {
	dst := d.reg
	if to < 4 {
		dst = rTmp
	}
	var k kind
	switch {
	case !signed && d.memory:
		d.load(dst, from)
	case !signed:
		k = kZx8
		if from == 2 {
			k = kZx16
		}
	case d.memory:
		k = kLdS8
		if from == 2 {
			k = kLdS16
		} else if from == 4 {
			k = kLdS32
		}
	default:
		k = kSx8
		if from == 2 {
			k = kSx16
		} else if from == 4 {
			k = kSx32
		}
	}
	if k != 0 {
		s := uint8(rZero)
		if !d.memory {
			s = d.source(d.rm, from, rTmp)
		}
		o := d.emit(k)
		o.d, o.s, o.imm = dst, s, ^uint64(0)
		if d.memory {
			d.address(o)
		}
		if to == 4 {
			o.imm = 0xffffffff
		}
	}
	if dst != d.reg {
		d.put(d.reg, dst, to)
	}
}

func (d *decoder) lea(width uint8) {
	dst := d.reg
	if width == 2 {
		dst = rTmp
	}
	k := kLea64
	if d.i != rZero {
		k = kLeaX64
	}
	if width == 4 {
		k += kLea32 - kLea64
	}
	d.address(d.emit(k)).d = dst
	if dst != d.reg {
		d.put(d.reg, dst, width)
	}
}

func (d *decoder) exchange(width uint8) {
	s := d.source(d.reg, width, rTmp)
	if d.memory {
		d.load(rDst, width)
		d.store(s, width, 0)
		d.put(d.reg, rDst, width)
		return
	}
	o := d.emit(kMov64)
	o.d, o.s = rDst, d.source(d.rm, width, rDst)
	d.put(d.rm, s, width)
	d.put(d.reg, rDst, width)
}

func (d *decoder) str(what uint32, width uint8) bool {
	o := d.emit(kString)
	o.l0, o.l1, o.fl, o.imm, o.disp = what, uint32(d.rep), 64-8*width, uint64(width), 1
	for ; width < 8; width *= 2 {
		o.disp *= 2 // so many make 8 bytes
	}
	return d.seg == 0 && !d.addr32
}

func (d *decoder) group3(w uint8) bool {
	// The immediate of TEST follows the operand.
	x := d.byte()
	d.pos--
	n := min(w, 4)
	if x>>3&7 > 1 {
		n = 0
	}
	d.modrm(n)
	switch d.digit {
	case 0, 1:
		imm := d.immZ(n)
		d.aluTo(aTest, w, rZero, imm)
	case 2:
		d.aluTo(aNot, w, rZero, 0)
	case 3:
		d.aluTo(aNeg, w, rZero, 0)
	default:
		s := d.operand(w, rTmp)
		o := d.emit(kWide)
		o.s, o.fl, o.l0 = s, 64-8*w, uint32(d.digit)-4
	}
	return true
}

func (d *decoder) group5(w uint8) (end, ok bool) {
	d.modrm(0)
	switch {
	case d.digit == 0:
		d.aluTo(aInc, w, rZero, 0)
		return false, true
	case d.digit == 1:
		d.aluTo(aDec, w, rZero, 0)
		return false, true
	case d.opcode == 0xfe || d.data16:
		return false, false
	}
	s := d.operand(8, rTmp)
	switch d.digit {
	case 2:
		d.noteTarget(s)
		d.emit(kCallR).s = s
		return true, true
	case 4:
		if e := d.acts.Index; e != 0 {
			if d.i == rZero || !d.memory {
				return false, false
			}
			o := d.emit(kActAt)
			o.imm, o.s = e, d.i
		}
		d.emit(kJmpR).s = s
		return true, true
	case 6:
		d.emit(kPush).s = s
		return false, true
	}
	return false, false
}

// jump emits a conditional jump, and makes one operation of a comparison and the jump.
func (d *decoder) jump(k kind, rel uint64) {
	c := d.opcode & 15
	to := d.pc + uint64(d.pos) + rel
	if d.op > d.first && c > 1 && c&14 != 10 && !d.c.Exact {
		o := (*op)(unsafe.Add(nil, d.op-opSize64))
		fused := kNop
		switch imm := o.s == rZero; {
		case o.k == kCmp && o.fl == 0 && imm:
			fused = kCmp64IJ
		case o.k == kCmp && o.fl == 0 && o.imm == 0:
			fused = kCmp64RJ
		case o.k == kCmp && imm:
			fused = kCmpIJ
			if o.fl == 32 {
				fused = kCmp32IJ
			}
			o.imm <<= o.fl & 63
		case o.k == kCmp:
			fused = kCmpRJ
			if o.fl == 32 {
				fused = kCmp32RJ
			}
		case o.k == kTest && imm:
			fused = kTestIJ
		case o.k == kTest:
			fused = kTestJ
		}
		if fused != kNop {
			o.k, o.sh, o.disp = fused, c, int64(to-d.start)
			o.l0, o.l1 = 0, 0
			return
		}
	}
	o := d.emit(k)
	o.sh, o.disp = c, int64(to-d.start)
}

// decides emits the events of an instruction that does something if a condition holds, and is no jump: in front of the
// operation that looks at the flags, which are there for that.
func (d *decoder) decides(c uint8) {
	if d.acts.Taken != 0 || d.acts.NotTaken != 0 {
		o := d.emit(kActIf)
		o.sh, o.imm, o.disp = c, d.acts.Taken, int64(d.acts.NotTaken)
	}
}

// twoBytes decodes opcodes that begin with 0F.
func (d *decoder) twoBytes() (end, ok bool) {
	c := d.opcode
	w := d.width(false)
	switch c >> 4 {
	case 4: // CMOVcc
		d.modrm(0)
		s := d.operand(w, rTmp)
		k, dst := kCmov, d.reg
		switch w {
		case 4:
			k = kCmov32
		case 2:
			o := d.emit(kMov64)
			o.d, o.s, dst = rDst, d.reg, rDst
		}
		d.decides(c & 15)
		o := d.emit(k)
		o.d, o.s, o.sh = dst, s, c&15
		if w == 2 {
			d.put(d.reg, rDst, 2)
		}
		return false, true
	case 8:
		d.jump(kJcc, d.imm32())
		return true, !d.data16
	case 9: // SETcc
		d.modrm(0)
		r := d.rm
		if d.memory || d.high(r) {
			r = rTmp
		}
		d.decides(c & 15)
		o := d.emit(kSet)
		o.d, o.sh = r, c&15
		if r == rTmp {
			d.result(r, 1)
		}
		return false, true
	}
	if c&0xf8 == 0xc8 {
		r := c&7 | d.rex<<3&8
		d.alu(aBswap, w, r, r, rZero, 0)
		return false, w > 2
	}
	switch c {
	case 0x05:
		if !d.c.Calls {
			d.why = Syscall
			return false, false
		}
		d.emit(kClock).imm = d.pc + uint64(d.pos)
	case 0x0b:
		d.why = Undefined
		return false, false
	case 0x01:
		if x := d.byte(); x != 0xf9 { // RDTSCP; XGETBV is among the others
			d.why = Machinery
			return false, false
		}
		d.emit(kClock).imm = 1
	case 0x31: // RDTSC
		d.emit(kClock)
	case 0xa2: // CPUID
		d.why = Machinery
		return false, false
	case 0x0d, 0x18, 0x19, 0x1c, 0x1d, 0x1e, 0x1f: // PREFETCH, NOP, ENDBR64
		d.modrm(0)
	case 0xa3, 0xab, 0xb3, 0xbb: // BT and so on
		d.modrm(0)
		if d.memory { // the number of the bit selects another word
			return false, false
		}
		d.aluTo(uint32(c>>3&3)+aBt, w, d.reg, 0)
	case 0xba:
		d.modrm(1)
		n := d.imm8()
		if d.digit < 4 {
			return false, false
		}
		d.aluTo(uint32(d.digit)-4+aBt, w, rZero, n&uint64(8*w-1))
	case 0xa4, 0xac: // SHLD, SHRD
		d.modrm(1)
		return false, d.double(w, rZero, d.imm8())
	case 0xa5, 0xad:
		d.modrm(0)
		return false, d.double(w, rCX, 0)
	case 0xae:
		d.modrm(0)
		switch {
		case !d.memory && d.rep == 0xf3 && d.digit < 2: // RDFSBASE, RDGSBASE
			d.put(d.rm, rFS+d.digit, w)
		case !d.memory && d.rep == 0 && d.digit >= 5: // fences
		case d.memory && d.digit == 7: // CLFLUSH
		case d.memory && d.digit == 2 && d.pp == 0: // LDMXCSR
			d.load(rTmp, 4)
			d.emit(kVControl).s = rTmp
		case d.memory && d.digit == 3 && d.pp == 0: // STMXCSR
			d.emit(kVControl).d = rTmp
			d.store(rTmp, 4, 0)
		default:
			return false, false
		}
	case 0xaf:
		d.modrm(0)
		s := d.operand(w, rTmp)
		d.third(aImul, w, d.reg, d.reg, s, 0)
	case 0xb0, 0xb1: // CMPXCHG
		w = d.width(c == 0xb0)
		d.modrm(0)
		a := d.operand(w, rDst)
		s := d.source(d.reg, w, rTmp)
		o := d.emit(kCmpxchg)
		o.d, o.b, o.s, o.fl = rTmp, a, s, 64-8*w
		if a < rZero {
			o.d = a
		} else {
			d.result(rTmp, w)
		}
	case 0xb6, 0xb7:
		d.modrm(0)
		d.extend(1+c&1, w, false)
	case 0xbe, 0xbf:
		d.modrm(0)
		d.extend(1+c&1, w, true)
	case 0xb8:
		if d.rep != 0xf3 {
			return false, false
		}
		d.modrm(0)
		d.bitCount(aPopcnt, w)
	case 0xbc, 0xbd:
		d.modrm(0)
		sub := uint32(c-0xbc) + aBsf
		if d.rep == 0xf3 {
			sub += aTzcnt - aBsf
		}
		d.bitCount(sub, w)
	case 0xc0, 0xc1: // XADD
		w = d.width(c == 0xc0)
		d.modrm(0)
		a := d.operand(w, rDst)
		if a != rDst {
			o := d.emit(kMov64)
			o.d, o.s = rDst, a
		}
		s := d.source(d.reg, w, rTmp)
		if d.memory {
			d.alu(aAdd, w, rTmp, rDst, s, 0)
			d.store(rTmp, w, 0)
			d.put(d.reg, rDst, w)
			break
		}
		d.alu(aAdd, w, rTmp, rDst, s, 0)
		d.put(d.reg, rDst, w) // first: both may be the same register
		d.put(d.rm, rTmp, w)
	case 0xc3: // MOVNTI
		if d.pp != 0 {
			return false, false
		}
		d.modrm(0)
		if !d.memory {
			return false, false
		}
		d.store(d.reg, w, 0)
	case 0xc7:
		d.modrm(0)
		switch {
		case !d.memory && d.digit >= 6: // RDRAND and the like
			d.why = Machinery
			return false, false
		case d.memory && d.digit == 1: // CMPXCHG8B, CMPXCHG16B
			o := d.address(d.emit(kCmpxchg16))
			o.l0 = 4
			if d.w {
				o.l0 = 8
			}
			return false, d.rep == 0
		}
		return false, false
	default:
		return false, false
	}
	return false, true
}

func (d *decoder) bitCount(sub uint32, w uint8) {
	s := d.operand(w, rTmp)
	d.third(sub, w, d.reg, d.reg, s, 0)
}

// double emits SHLD and SHRD.
func (d *decoder) double(w, count uint8, imm uint64) bool {
	a := d.operand(w, rDst)
	o := d.emit(kAlu)
	o.d, o.b, o.s, o.i, o.imm, o.fl, o.l0 = a, a, d.reg, count, imm&0xff, 64-8*w, aShld
	if d.opcode >= 0xac {
		o.l0 = aShrd
	}
	d.result(a, w)
	return w > 2 // of 16 bits, the result of large counts is undefined
}
