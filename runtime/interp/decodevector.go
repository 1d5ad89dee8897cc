package interp

// This file decodes vector and float instructions. The table in decodevectortable.go has their forms.

import "math/bits"

// A form is one encoding of an instruction. It becomes an operation that applies a function to elements.
type form struct {
	key   uint16 // map, prefix and opcode
	how   uint8  // what the operands are
	f     uint8  // the function, of lanes, shuffles or cryptos
	width uint8  // bytes of an element of the result
	mem   uint8  // bytes of a memory operand, 0 for a whole vector; of conversions: bytes of an element of the source
	w     uint8  // what the W bit has to be
	flags uint16
}

// Parts of a key. Opcodes are compared first.
const (
	m0F = 1 << 10
	m38 = 2 << 10
	m3A = 3 << 10
	p66 = 1 << 8
	pF3 = 2 << 8
	pF2 = 3 << 8
)

// Where the functions of each kind begin.
const (
	shuffles = 128
	cryptos  = 192
)

// Flags of forms.
const (
	sse       = 1 << iota
	vex       // with a VEX prefix
	evex      // with an EVEX prefix
	immediate // a byte follows
	big       // not with 16 bytes
	half      // with 64 bytes only
	small     // with 16 bytes only
	one       // on one element
	whole     // without mask
	plain     // without broadcast

	every = sse | vex | evex
)

// What the W bit has to be.
const (
	wWidth = iota // of EVEX prefixes 1 for elements of 8 bytes, 0 for those of 4
	wAny
	wEvex0 // 0 of EVEX prefixes
	wEvex1
	w0
	w1
	wSelects    // of EVEX prefixes: it doubles the width
	wSelectsAll // of VEX prefixes, too
)

// Operands of forms.
const (
	hBin    = iota // reg = f(vvvv, rm)
	hUn            // reg = f(rm)
	hTri           // reg = f(vvvv, rm, reg)
	hTriT          // reg = f(reg, rm, vvvv)
	hFMA132        // reg = reg*rm + vvvv
	hFMA213        // reg = vvvv*reg + rm
	hFMA231        // reg = vvvv*rm + reg
	hOne           // element 0 of reg = f(vvvv, rm)
	hMove
	hStore
	hScalarMove
	hScalarStore
	hLowMove
	hHighMove
	hHalfStore
	hMoveQ
	hStoreQ
	hPut // a general register to a vector
	hGet
	hReplace // an element by a general register
	hPick    // an element to a general register
	hFromInt
	hToInt
	hConvert
	hNarrow // to rm
	hPack
	hCount  // shifts by an operand
	hCountI // by the immediate; the digit chooses the function
	hChoose // reg = f(vvvv, rm, the register that the immediate names, or XMM0)
	hCompare
	hSigns
	hFlags
	hZero
	hRepeat
	hRepeatR // a general register
	hFill    // elements of a mask
	hToMask
	hInsert
	hExtract
	hMaskMove
	hMaskStore
	hCompress
	hExpand
	hIndex
	hPairs     // neighbours, of vvvv and of rm
	hAlternate // subtracts even elements, and adds odd ones
)

// Temporary vector registers.
const (
	vTmp = 32 + iota // the memory operand
	vOther
	vThird
)

// find returns the form of the instruction, nil if there is none.
func (d *decoder) find() *form {
	key := uint16(d.opMap)<<10 | uint16(d.opcode)<<2 | uint16(d.pp)
	enc := uint16(sse)
	if d.vex != 0 {
		enc = uint16(d.vex)
	}
	lo, hi := uint(0), uint(len(forms))
	for lo < hi {
		mid := (lo + hi) >> 1
		if mid >= uint(len(forms)) { // never, but then the compiler needs no panic
			break
		}
		if forms[mid].order() < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < uint(len(forms)) && forms[lo].order() == key; lo++ {
		if f := &forms[lo]; f.flags&enc != 0 && d.fits(f) {
			return f
		}
	}
	return nil
}

func (f *form) order() uint16 { return f.key&^0x3ff | f.key<<2&0x3fc | f.key>>8&3 }

// fits reports whether W bit and length are those of the form.
func (d *decoder) fits(f *form) bool {
	if d.vex == 0 {
		return true
	}
	switch {
	case d.length > 2, f.flags&big != 0 && d.length == 0, f.flags&half != 0 && d.length != 2, f.flags&small != 0 && d.length != 0:
		return false
	}
	e := d.vex == evex
	switch f.w {
	case wWidth:
		return !e || f.width < 4 || d.w == (f.width == 8)
	case wEvex0:
		return !e || !d.w
	case wEvex1:
		return !e || d.w
	case w0:
		return !d.w
	case w1:
		return d.w
	}
	return true
}

// vector decodes all that is not an integer instruction: SSE, AVX and AVX-512. The prefixes and the opcode have been
// read, and modrm comes next.
func (d *decoder) vector() bool {
	if d.lock {
		return false
	}
	if d.vex == 2 && d.opMap == 1 && (d.opcode >= 0x41 && d.opcode < 0x4c || d.opcode >= 0x90 && d.opcode < 0x9a) {
		return d.masks()
	}
	f := d.find()
	if f == nil {
		return false
	}
	if f.how == hZero {
		d.emit(kVZero).imm = uint64(d.length)
		return d.vvvv == 0
	}
	tail := uint8(0)
	if f.flags&immediate != 0 {
		tail = 1
	}
	d.modrm(tail)
	e := vectorDecoder{decoder: d, f: f, width: f.width, words: 2 << d.length, reg: d.reg | d.rHigh, rm: d.rm | d.xHigh}
	if d.vex == evex && f.w == wSelects || f.w == wSelectsAll {
		if d.w {
			e.width *= 2
		}
	}
	if d.vex != 0 {
		e.l1 = vWide
	}
	if d.vex == evex {
		e.l1 |= uint32(d.mask)
		if d.mask != 0 {
			e.l1 += rMask
		} else if d.zeroing {
			return false
		}
		if d.zeroing {
			e.l1 |= vZeroing
		}
		if f.flags&whole != 0 && d.mask != 0 || d.broadcast && (!d.memory || f.flags&plain != 0) {
			return false
		}
	}
	e.first = e.reg
	if d.vex != 0 {
		e.first = d.vvvv
	}
	if tail != 0 {
		e.imm = d.imm8() & 0xff
		if f.f == fFCmp && d.vex == 0 {
			e.imm &= 7
		}
	}
	return e.form() && !e.bad
}

// A vectorDecoder decodes one vector instruction.
type vectorDecoder struct {
	*decoder
	f     *form
	width uint8 // bytes of an element
	words uint8
	reg   uint8 // vector registers, with the bits of EVEX prefixes
	rm    uint8
	first uint8 // the first source
	l1    uint32
	imm   uint64
}

// op emits an operation with the function of the form.
func (e *vectorDecoder) op(dst, a, b uint8) *op {
	f := uint32(e.f.f)
	k := kVLanes
	switch {
	case f >= cryptos:
		k, f = kVCrypto, f-cryptos
	case f >= shuffles:
		k, f = kVShuffle, f-shuffles
	}
	return e.other(k, f, dst, a, b)
}

// other emits an operation of another kind or with another function.
func (e *vectorDecoder) other(k kind, f uint32, dst, a, b uint8) *op {
	o := e.emit(k)
	o.d, o.b, o.s, o.i, o.sh, o.fl, o.l0, o.l1, o.imm = dst, a, b, noVector, e.words, e.width*8, f, e.l1, e.imm
	return o
}

// unused reports whether the field of the first source is empty, as it has to be if there is none.
func (e *vectorDecoder) unused() bool { return e.vex == 0 || e.vvvv == 0 }

// source returns the register of the operand rm, which it loads if it is memory of n bytes.
func (e *vectorDecoder) source(n uint8) (r uint8, ok bool) {
	if !e.memory {
		return e.rm, true
	}
	width := e.width
	if e.f.f == fAffine || e.f.f == fAffineInverse { // on bytes, by matrices of 8 bytes
		width = 8
	}
	if e.broadcast && (n != e.words*8 || width < 4) {
		return 0, false
	}
	if e.broadcast {
		n = width
	}
	if e.vex == evex {
		if !e.scale(int64(n)) && e.disp8 {
			return 0, false
		}
	}
	e.loadVector(vTmp, n)
	if e.broadcast {
		o := e.other(kVShuffle, sRepeat, vTmp, noVector, vTmp)
		o.imm, o.l1, o.fl = 1, vWide, width*8
	}
	return vTmp, true
}

// loadVector emits the load of n bytes to a temporary register.
func (e *vectorDecoder) loadVector(r, n uint8) {
	o := e.address(e.emit(kVLd))
	o.d, o.fl, o.l1 = r, n, vWide
	if n == 16 {
		o.k = kVLd16
	}
}

// storeTo emits the store of n bytes of a register from a word on.
func (e *vectorDecoder) storeTo(r, n uint8, word uint64) bool {
	if e.broadcast || e.vex == evex && !e.scale(int64(n)) && e.disp8 {
		return false
	}
	o := e.address(e.emit(kVSt))
	o.s, o.fl, o.imm = r, n, word
	return true
}

// form emits the operations of the instruction.
func (e *vectorDecoder) form() bool {
	f := e.f
	size := f.mem
	if size == 0 {
		size = e.words * 8
	}
	mask := uint8(e.l1)
	switch f.how {
	case hMove:
		return e.move()
	case hStore, hScalarMove, hScalarStore, hLowMove, hHighMove, hHalfStore, hMoveQ, hStoreQ:
		return e.moves()
	case hPut, hGet, hReplace, hPick, hFromInt, hToInt, hRepeatR:
		return mask == 0 && e.general()
	case hFill, hToMask, hCompare, hSigns, hFlags, hMaskMove, hMaskStore, hCompress, hExpand:
		return e.maskForms(size)
	case hConvert, hNarrow:
		return e.conversion()
	case hUn:
		if f.f == shuffles+sDup && f.width == 8 && e.words == 2 {
			size = 8
		}
		s, ok := e.source(size)
		e.op(e.reg, noVector, s)
		return ok && e.unused()
	case hBin, hTri, hTriT, hChoose:
		if f.f == fSad && mask != 0 {
			return false
		}
		s, ok := e.source(size)
		if f.f == shuffles+sInsertPS && e.memory {
			e.imm &= 0x3f
		}
		o := e.op(e.reg, e.first, s)
		switch f.how {
		case hTri:
			o.i = e.reg
		case hTriT:
			o.b, o.i = e.reg, e.first
		case hChoose:
			o.i = 0
			if e.vex != 0 {
				o.i = uint8(e.imm >> 4)
			}
		}
		return ok
	case hFMA132, hFMA213, hFMA231:
		if f.flags&one != 0 {
			size = e.width
		}
		s, ok := e.source(size)
		o := e.op(e.reg, e.reg, s)
		o.i = e.first
		switch f.how {
		case hFMA213:
			o.b, o.s, o.i = e.first, e.reg, s
		case hFMA231:
			o.b, o.s, o.i = e.first, s, e.reg
		}
		if f.flags&one != 0 {
			o.k, o.sh = kVOne, 2
			o.l1 |= vInto
			return ok && mask == 0
		}
		return ok
	case hOne:
		s, ok := e.source(size)
		o := e.op(e.reg, e.first, s)
		o.k, o.sh = kVOne, 2
		return ok && mask == 0
	case hPack:
		if e.width == 2 && e.vex == evex && e.broadcast {
			return false
		}
		s, ok := e.source(size)
		e.other(kVPack, uint32(f.f), e.reg, e.first, s)
		return ok
	case hCount:
		s, ok := e.source(size)
		e.other(kVCount, uint32(f.f), e.reg, e.first, s)
		return ok && !e.broadcast
	case hCountI:
		return e.countImmediate(size)
	case hRepeat:
		s, ok := e.source(size)
		o := e.op(e.reg, noVector, s)
		o.imm = uint64(size >> bits.TrailingZeros8(e.width))
		return ok && e.unused() && !e.broadcast && (e.memory || size <= 8)
	case hInsert:
		s, ok := e.source(size)
		o := e.op(e.reg, e.first, s)
		o.l1 |= uint32(size>>bits.TrailingZeros8(e.width)) << vChunk
		o.imm &= uint64(e.words>>bits.TrailingZeros8(size>>3)) - 1
		return ok && !e.broadcast
	case hExtract:
		e.imm &= uint64(e.words>>bits.TrailingZeros8(size>>3)) - 1
		to := e.rm
		if e.memory {
			to = vTmp
			if mask != 0 {
				return false
			}
		}
		o := e.op(to, noVector, e.reg)
		o.sh = size / 8
		if e.memory {
			return e.unused() && e.storeTo(vTmp, size, 0)
		}
		return e.unused()
	case hPairs:
		s, ok := e.source(size)
		e.other(kVShuffle, sEven, vOther, e.first, s).l1 = vWide
		e.other(kVShuffle, sOdd, vThird, e.first, s).l1 = vWide
		e.op(e.reg, vOther, vThird)
		return ok
	case hAlternate:
		s, ok := e.source(size)
		e.op(vOther, e.first, s).l1 = vWide
		o := e.op(vThird, e.first, s)
		o.l0, o.l1 = fFAdd, vWide
		e.imm = 0xaa
		e.other(kVShuffle, sBlend, e.reg, vOther, vThird)
		return ok
	case hIndex:
		s, ok := e.source(size)
		o := e.other(kVIndex, 0, noVector, e.reg, s)
		o.fl = 32
		if e.w {
			o.fl = 0
		}
		return ok && e.imm == 0x0c
	}
	return false
}

// move emits loads and moves of whole vectors.
func (e *vectorDecoder) move() bool {
	n := e.words * 8
	if !e.unused() || e.broadcast {
		return false
	}
	if !e.memory {
		if e.f.key&0xff == 0xf0 || e.f.key&0xff == 0x2a {
			return false
		}
		o := e.op(e.reg, noVector, e.rm)
		if e.vex == 0 {
			o.k = kVMov16
		}
		return true
	}
	if e.vex == evex && !e.scale(int64(n)) && e.disp8 {
		return false
	}
	o := e.address(e.emit(kVLd))
	o.d, o.fl, o.l1 = e.reg, n, e.l1
	switch {
	case uint8(e.l1) != 0:
		o.k, o.fl, o.imm = kVLdMask, e.width*8, uint64(n)
	case e.vex == 0:
		o.k = kVLd16
	}
	return true
}

// moves emits stores, and moves of parts of vectors.
func (e *vectorDecoder) moves() bool {
	f, n := e.f, e.words*8
	masked := uint8(e.l1) != 0
	if masked && f.how != hStore {
		return false
	}
	switch f.how {
	case hStore:
		if !e.unused() || e.broadcast {
			return false
		}
		if !e.memory {
			if c := f.key & 0xff; c == 0x2b || c == 0xe7 {
				return false
			}
			o := e.op(e.rm, noVector, e.reg)
			if e.vex == 0 {
				o.k = kVMov16
			}
			return true
		}
		if !masked {
			return e.storeTo(e.reg, n, 0)
		}
		if e.zeroing || !e.scale(int64(n)) && e.disp8 {
			return false
		}
		o := e.address(e.emit(kVStMask))
		o.s, o.fl, o.l1, o.imm = e.reg, e.width*8, e.l1, uint64(n)
		return true
	case hScalarMove, hScalarStore:
		to, from := e.reg, e.rm
		if f.how == hScalarStore {
			to, from = from, to
			if e.memory {
				return e.unused() && e.storeTo(e.reg, f.mem, 0)
			}
		} else if e.memory {
			return e.unused() && e.loadTo(f.mem)
		}
		e.imm, e.words = 1, 2
		a := to
		if e.vex != 0 {
			a = e.vvvv
		}
		e.other(kVShuffle, sBlend, to, a, from)
		return true
	case hLowMove: // MOVLPS, MOVHLPS
		if e.length != 0 {
			return false
		}
		if e.memory {
			s, ok := e.source(8)
			e.imm = 1
			e.other(kVShuffle, sBlend, e.reg, e.first, s)
			return ok && !e.broadcast
		}
		e.other(kVShuffle, sLowFromHigh, e.reg, e.first, e.rm)
		return f.key>>8&3 == 0
	case hHighMove: // MOVHPS, MOVLHPS
		if e.length != 0 {
			return false
		}
		s, ok := e.source(8)
		e.other(kVShuffle, sLow, e.reg, e.first, s)
		return ok && !e.broadcast && (e.memory || f.key>>8&3 == 0)
	case hHalfStore:
		return e.memory && e.length == 0 && e.unused() && e.storeTo(e.reg, 8, uint64(f.key>>2&1))
	case hMoveQ, hStoreQ:
		if e.length != 0 || !e.unused() {
			return false
		}
		if e.memory && f.how == hStoreQ {
			return e.storeTo(e.reg, 8, 0)
		}
		if e.memory {
			return e.loadTo(8)
		}
		to, from := e.reg, e.rm
		if f.how == hStoreQ {
			to, from = from, to
		}
		e.other(kVLanes, fMove, to, noVector, from).sh = 1
		return true
	}
	return false
}

// loadTo emits the load of n bytes to reg.
func (e *vectorDecoder) loadTo(n uint8) bool {
	if e.broadcast || e.vex == evex && !e.scale(int64(n)) && e.disp8 {
		return false
	}
	o := e.address(e.emit(kVLd))
	o.d, o.fl, o.l1 = e.reg, n, e.l1
	return true
}

// general emits instructions that move between vectors and general registers.
func (e *vectorDecoder) general() bool {
	f := e.f
	n := uint8(4)
	if e.w {
		n = 8
	}
	if e.broadcast {
		return false
	}
	switch f.how {
	case hPut:
		if e.length != 0 || !e.unused() {
			return false
		}
		if e.memory {
			return e.loadTo(n)
		}
		e.put(e.reg, e.decoder.rm, n)
		return true
	case hGet:
		if e.length != 0 || !e.unused() {
			return false
		}
		if e.memory {
			return e.storeTo(e.reg, n, 0)
		}
		e.other(kVGet, 0, e.decoder.rm, noVector, e.reg).fl = n * 8
		return true
	case hRepeatR:
		if e.memory || !e.unused() {
			return false
		}
		e.put(vTmp, e.decoder.rm, 8)
		e.op(e.reg, noVector, vTmp).imm = 1
		return true
	case hReplace:
		if e.length != 0 {
			return false
		}
		if f.width == 4 {
			e.width = n
		}
		s := uint8(vTmp)
		if e.memory {
			var ok bool
			if s, ok = e.source(e.width); !ok {
				return false
			}
		} else {
			e.put(vTmp, e.decoder.rm, 8)
		}
		e.op(e.reg, e.first, s)
		return true
	case hPick:
		if e.length != 0 || !e.unused() {
			return false
		}
		to, from := e.decoder.rm, e.reg
		switch f.key {
		case m0F | p66 | 0xc5:
			if e.memory || e.rHigh != 0 {
				return false
			}
			to, from = e.decoder.reg, e.rm
		case m3A | p66 | 0x16:
			e.width = n
		}
		e.imm &= 16>>bits.TrailingZeros8(e.width) - 1
		if e.memory {
			if e.vex == evex && !e.scale(int64(e.width)) && e.disp8 {
				return false
			}
			to = rTmp
		}
		e.other(kVGet, 0, to, noVector, from)
		if e.memory {
			e.decoder.store(rTmp, e.width, 0)
		}
		return true
	case hFromInt:
		s := e.decoder.rm
		if e.memory {
			if e.vex == evex && !e.scale(int64(n)) && e.disp8 {
				return false
			}
			e.decoder.load(rTmp, n)
			s = rTmp
		}
		e.put(vTmp, s, n).imm = 1 // a signed number
		e.other(kVOne, uint32(f.f), e.reg, e.first, vTmp).sh = 2
		return true
	case hToInt:
		s, ok := e.source(f.mem)
		o := e.other(kVInt, 0, e.decoder.reg, noVector, s)
		o.sh, o.imm = n*8, 3
		if f.key&1 != 0 {
			o.imm = 4
		}
		return ok && e.unused() && e.rHigh == 0
	}
	return false
}

// put emits the move of n bytes of a general register to a vector register.
func (e *vectorDecoder) put(to, s, n uint8) *op {
	o := e.emit(kVPut)
	o.d, o.s, o.fl, o.l1 = to, s, n*8, e.l1
	return o
}

// conversion emits conversions between widths.
func (e *vectorDecoder) conversion() bool {
	f := e.f
	count := e.words * 8 >> bits.TrailingZeros8(max(f.width, f.mem))
	n := count * f.width // bytes of the result
	e.words = max(2, n/8)
	to, s, ok := e.reg, e.reg, true
	if f.how == hNarrow {
		to = e.rm
		if e.memory {
			if uint8(e.l1) != 0 {
				return false
			}
			to = vTmp
		}
	} else {
		s, ok = e.conversionSource(count * f.mem)
	}
	o := e.other(kVConvert, uint32(f.f), to, noVector, s)
	o.disp, o.imm = int64(f.mem*8), uint64(count)
	if f.how == hNarrow && e.memory {
		return e.unused() && e.storeTo(vTmp, n, 0)
	}
	return ok && e.unused()
}

func (e *vectorDecoder) conversionSource(n uint8) (uint8, bool) {
	if e.broadcast {
		return 0, false
	}
	return e.source(n)
}

// countImmediate emits shifts by the immediate.
func (e *vectorDecoder) countImmediate(size uint8) bool {
	if e.memory && e.vex != evex {
		return false
	}
	s, ok := e.source(size)
	to := e.first
	if e.vex == 0 {
		to = e.rm
	}
	long := e.vex == evex && e.w
	o := e.other(kVLanes, 0, to, s, noVector)
	switch e.digit {
	case 0, 1:
		o.l0 = fRor - uint32(e.digit)*(fRor-fRol)
		return ok && e.f.width == 4 && e.vex == evex
	case 2:
		o.l0 = fShr
	case 4:
		o.l0 = fSar
		return ok && e.f.width != 8
	case 6:
		o.l0 = fShl
	case 3, 7:
		o.k, o.l0, o.fl, o.b, o.s = kVShuffle, sLeft, 8, noVector, s
		if e.digit == 3 {
			o.l0 = sRight
		}
		return ok && e.f.width == 8 && uint8(e.l1) == 0 && !e.broadcast
	default:
		return false
	}
	return ok && (e.f.width == 2 || e.vex != evex || long == (e.f.width == 8))
}

// maskForms emits instructions with masks as operands, and those that collect bits.
func (e *vectorDecoder) maskForms(size uint8) bool {
	f := e.f
	mask := uint8(e.l1)
	switch f.how {
	case hFlags:
		s, ok := e.source(size)
		o := e.other(kVFlags, uint32(f.f), noVector, e.reg, s)
		if f.key == m38|p66|0x17 {
			o.fl = 0
		}
		return ok && e.unused() && mask == 0 && !e.broadcast
	case hSigns:
		e.other(kVSigns, 0, e.decoder.reg, noVector, e.rm)
		return !e.memory && e.unused()
	case hToMask:
		e.other(kVSigns, 0, rMask+e.reg, noVector, e.rm)
		return !e.memory && e.unused() && mask == 0 && e.reg < 8
	case hFill:
		if e.memory || !e.unused() || mask != 0 || e.decoder.rm > 7 {
			return false
		}
		o := e.other(kVLanes, fEq, e.reg, noVector, noVector)
		o.l1 |= vZeroing | uint32(rMask+e.decoder.rm)
		return true
	case hCompare:
		s, ok := e.source(size)
		o := e.op(vOther, e.first, s)
		o.l1 = vWide
		e.other(kVSigns, 0, rMask+e.reg, noVector, vOther)
		return ok && e.reg < 8 && !e.zeroing
	case hMaskMove, hMaskStore:
		if !e.memory {
			return false
		}
		n := e.words * 8
		e.other(kVSigns, 0, rTmp, noVector, e.vvvv)
		k := kVLdMask
		if f.how == hMaskStore {
			k = kVStMask
		}
		o := e.address(e.emit(k))
		o.d, o.s, o.fl, o.l1, o.imm = e.reg, e.reg, e.width*8, rTmp|vZeroing|vWide, uint64(n)
		return true
	case hCompress:
		if !e.unused() || e.broadcast {
			return false
		}
		if !e.memory {
			e.other(kVPress, 0, e.rm, noVector, e.reg)
			return true
		}
		if e.zeroing || !e.scale(int64(e.width)) && e.disp8 {
			return false
		}
		e.l1 |= vZeroing
		e.other(kVPress, 0, vTmp, noVector, e.reg)
		o := e.address(e.emit(kVStMask))
		o.s, o.fl, o.l1, o.imm = vTmp, e.width*8, rTmp, uint64(e.words*8)
		return true
	case hExpand:
		e.other(kVPress, 1, e.reg, noVector, e.rm)
		return !e.memory && e.unused()
	}
	return false
}

// masks decodes instructions on mask registers.
func (d *decoder) masks() bool {
	// The width is 1 for the prefix 66, 2 for none; W makes it 4 and 8 in the other order.
	width := uint8(2)
	switch {
	case d.pp == 1 && !d.w:
		width = 1
	case d.pp == 1:
		width = 4
	case d.w:
		width = 8
	}
	d.modrm(0)
	if d.opcode < 0x90 {
		f := [12]uint8{1: qAnd, 2: qAndn, 4: qNot, 5: qOr, 6: qXnor, 7: qXor, 10: qAdd, 11: qUnpack}[d.opcode&15%12]
		unary := d.opcode == 0x44
		switch {
		case d.pp > 1, d.memory, d.reg > 7, d.rm > 7, d.vvvv > 7, unary != (d.length == 0), unary && d.vvvv != 0,
			f == qAnd && d.opcode != 0x41:
			return false
		case f == qUnpack && width == 4:
			return false
		case f == qUnpack && width == 8:
			width = 4
		}
		d.maskOp(uint32(f), rMask+d.reg, rMask+d.vvvv, rMask+d.rm, width)
		return true
	}
	if d.length != 0 || d.vvvv != 0 {
		return false
	}
	switch d.opcode {
	case 0x90:
		if d.pp > 1 || d.reg > 7 {
			return false
		}
		if d.memory {
			d.load(rMask+d.reg, width)
			return true
		}
		if d.rm > 7 {
			return false
		}
		d.maskOp(qOr, rMask+d.reg, rZero, rMask+d.rm, width)
	case 0x91:
		if d.pp > 1 || d.reg > 7 || !d.memory {
			return false
		}
		d.store(rMask+d.reg, width, 0)
	case 0x92, 0x93:
		switch {
		case d.pp == 3 && !d.w:
			width = 4
		case d.pp == 3:
			width = 8
		case d.pp == 2 || d.w:
			return false
		}
		to, from := rMask+d.reg, d.rm
		if d.opcode == 0x93 {
			to, from = d.reg, rMask+d.rm
		}
		if d.memory || to >= rMask+8 || from >= rMask+8 {
			return false
		}
		d.maskOp(qOr, to, rZero, from, width)
	case 0x98, 0x99:
		if d.pp > 1 || d.memory || d.reg > 7 || d.rm > 7 {
			return false
		}
		d.maskOp(qOrTest+uint32(d.opcode&1), rZero, rMask+d.reg, rMask+d.rm, width)
	default:
		return false
	}
	return true
}

func (d *decoder) maskOp(f uint32, to, a, b, width uint8) {
	o := d.emit(kVMask)
	o.d, o.b, o.s, o.fl, o.l0 = to, a, b, 64-8*width, f
}
