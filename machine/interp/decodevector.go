package interp

// This file decodes vector and float instructions.
//
// decodevectortable.go has a row for each form of an instruction, in the order of maps and opcodes. The row names the
// operands, the function that is applied to the elements, and the width of the elements. Instructions with special
// operands, such as moves, have code in decodevectorforms.go, and those on mask registers in decodemask.go. To add an
// instruction, add a row, and if need be a function of elements (vectorlanes.go, vectorfloat.go), of positions
// (vectorshuffle.go) or of 16 bytes (vectorcrypto.go). Memory operands are loaded to a temporary register before.
//
// Left out are: MMX, x87, MXCSR (a window with other than the usual rounding ends at the first float operation, and so
// does one that reads the flags), approximations, gathers and scatters, dot products, floats of 16 bits, and of AVX-512
// scalars with masks, rounding in the instruction, and what neither Go's compiler nor its packages use. Memory operands
// that the processor wants aligned are not checked.

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
		if mid < uint(len(forms)) && forms[mid].order() < key { // the first condition always holds: no panic
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
	case d.length > 2, f.flags&big != 0 && d.length == 0, f.flags&half != 0 && d.length != 2,
		f.flags&small != 0 && d.length != 0:
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

// scaled multiplies the displacement of an EVEX prefix by the size of the operand. It returns false if it is too late.
func (e *vectorDecoder) scaled(n uint8) bool { return e.vex != evex || e.scale(int64(n)) || !e.disp8 }

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
	if !e.scaled(n) {
		return 0, false
	}
	o := e.address(e.emit(kVLd))
	o.d, o.fl, o.l1 = vTmp, n, vWide
	if n == 16 {
		o.k = kVLd16
	}
	if e.broadcast {
		o := e.other(kVShuffle, sRepeat, vTmp, noVector, vTmp)
		o.imm, o.l1, o.fl = 1, vWide, width*8
	}
	return vTmp, true
}

// storeTo emits the store of n bytes of a register from a word on.
func (e *vectorDecoder) storeTo(r, n uint8, word uint64) bool {
	if e.broadcast || !e.scaled(n) {
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
