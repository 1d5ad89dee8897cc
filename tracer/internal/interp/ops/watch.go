package ops

// A watcher notes what an instruction does, by its operations: operands before package interp executes them, the result
// afterwards. The program in the kernel notes the same while it executes them: interp.h of package bpf. What an
// operation reads from a temporary register has been noted by the one that wrote it there.
type watcher struct {
	m    *Machine
	s    *Step
	temp [rAddr + 1 - rTmp]value // of the temporary registers, as far as they are known before

	// Where the result is found afterwards.
	where       place
	reg         uint8
	width, from uint8 // bits of the register
}

type value struct {
	v     uint64
	known bool
}

type place uint8

const (
	nowhere place = iota
	register
	condition
	target
)

func temporary(r uint8) bool { return r == rTmp || r == rDst }

// get returns what a register has when the operation is executed.
func (w *watcher) get(r uint8) value {
	if r >= rTmp && r <= rAddr {
		return w.temp[r-rTmp]
	}
	return value{w.m.R[r], true}
}

func (w *watcher) put(r uint8, v value) {
	if r >= rTmp && r <= rAddr {
		w.temp[r-rTmp] = v
	}
}

// note sets a field.
func (w *watcher) note(h Have, field *uint64, x value) {
	*field = x.v
	w.s.Have &^= h
	if x.known {
		w.s.Have |= h
	}
}

func (w *watcher) first(x value)  { w.note(HaveFirst, &w.s.First, x) }
func (w *watcher) second(x value) { w.note(HaveSecond, &w.s.Second, x) }
func (w *watcher) addr(x value)   { w.note(HaveAddr, &w.s.Addr, x) }

// result says that the result is in bits of a register afterwards.
func (w *watcher) result(r, width, from uint8) {
	w.where, w.reg, w.width, w.from = register, r, width, from
}

// operand notes a value that is moved to register d. A move to rDst keeps the old value of the destination.
func (w *watcher) operand(d uint8, v value, width, from uint8) {
	if d == rDst {
		w.first(v)
		return
	}
	w.second(v)
	w.result(d, width, from)
}

// cut cuts what has been noted to a width, for a move from a temporary register.
func (w *watcher) cut(width uint8) {
	mask := ^uint64(0) >> (64 - width)
	w.s.First &= mask
	w.s.Second &= mask
	w.width = min(w.width, width)
}

// Widths of what loads, stores and moves to parts of registers transfer, in bits.
var widths = [kVector]uint8{
	kMov64: 64, kMov32: 32, kMovI: 64, kZx8: 64, kZx16: 64, kZxH: 64, kSx8: 64, kSx16: 64, kSx32: 64,
	kPut8: 8, kPut16: 16, kPutH: 8,
	kLd64: 64, kLdX64: 64, kLd32: 32, kLdX32: 32, kLd8: 8, kLdX8: 8, kLdX16: 16, kLdS8: 8, kLdS16: 16, kLdS32: 32,
	kSt64: 64, kStX64: 64, kSt32: 32, kStX32: 32, kSt8: 8, kStX8: 8, kStX16: 16,
	kAdd64: 64, kAdd32: 32, kSub64: 64, kSub32: 32, kAnd64: 64, kAnd32: 32, kOr64: 64, kOr32: 32, kXor64: 64, kXor32: 32,
}

// before notes the operands of an operation.
func (w *watcher) before(o *Op) {
	m := w.m
	if o.Flags&First != 0 {
		w.note(HaveNamed, &w.s.Named, value{m.R[o.Named], o.Named != NoReg})
	}
	s, b, i := w.get(o.S), w.get(o.B), w.get(o.I)
	y := value{s.v + o.Imm, s.known}
	a := value{b.v + i.v*uint64(o.Sh) + uint64(o.Disp), b.known && i.known}
	load := func(n uint64) value {
		v, ok := m.Load(a.v, n)
		w.addr(a)
		return value{v, ok && a.known}
	}
	switch k := o.Kind; {
	case k >= kMov64 && k <= kSx32:
		v := value{moved(k, s.v, o.Imm), s.known}
		if temporary(o.S) && k < kSx8 {
			w.cut(widths[k])
		} else {
			w.operand(o.D, v, 64, 0)
		}
		if k == kSx8 || k == kSx16 {
			v.v &= o.Imm
		}
		w.put(o.D, v)
	case k >= kPut8 && k <= kPutH:
		n, from := widths[k], uint8(0)
		if k == kPutH {
			from = 8
		}
		if temporary(o.S) {
			w.cut(n)
		} else {
			w.operand(o.D, value{s.v << (64 - n) >> (64 - n), s.known}, n, from)
		}
	case k >= kLea64 && k <= kLeaX32:
		if k >= kLea32 {
			a.v = uint64(uint32(a.v))
		}
		if o.D != rAddr {
			w.operand(o.D, a, 64, 0)
		}
		w.put(o.D, a)
	case k >= kLd64 && k <= kLdS32:
		v := load(uint64(widths[k]) / 8)
		if k >= kLdS8 {
			n := 64 - widths[k]
			v.v = uint64(int64(v.v<<n) >> n)
		}
		w.operand(o.D, v, 64, 0)
		if k == kLdS8 || k == kLdS16 {
			v.v &= o.Imm
		}
		w.put(o.D, v)
	case k >= kSt64 && k <= kStX16:
		w.addr(a)
		if n := widths[k]; !temporary(o.S) {
			y.v = y.v << (64 - n) >> (64 - n)
			w.second(y)
			w.note(HaveResult, &w.s.Result, y)
			w.where = nowhere
		}
	case k >= kAdd64 && k <= kClear:
		fl := 64 - widths[k]
		if k == kCmp || k == kTest || k == kClear {
			fl = o.Fl
		}
		w.arithmetic(o, aAdd, fl, b, y)
	case k == kAlu:
		w.arithmetic(o, o.L0, o.Fl, b, y)
	case k == kWide:
		w.only(shown(s, o.Fl))
		w.result(rAX, 64-o.Fl, 0)
	case k == kCmov, k == kCmov32:
		n := uint8(0)
		if k == kCmov32 {
			n = 32
		}
		w.first(shown(w.get(o.D), n))
		w.second(shown(s, n))
		w.result(o.D, 64-n, 0)
	case k == kSet:
		w.result(o.D, 8, 0)
	case k == kCmpxchg:
		w.first(shown(b, o.Fl))
		w.second(shown(s, o.Fl))
		w.result(o.D, 64-o.Fl, 0)
	case k == kCmpxchg16:
		w.addr(a)
	case k == kPush:
		w.addr(value{m.R[rSP] - 8, true})
		w.only(y)
	case k == kPop:
		at := m.R[rSP]
		if w.where == register && w.reg == rSP { // LEAVE
			at = m.R[rBP]
		}
		w.addr(value{at, true})
		w.result(o.D, 64, 0)
	case k == kJcc:
		w.where, w.reg = condition, o.Sh
	case k == kCall:
		w.addr(value{m.R[rSP] - 8, true})
	case k == kRet:
		w.addr(value{m.R[rSP], true})
		w.where = target
	case k == kJmpR, k == kCallR:
		if k == kCallR {
			w.addr(value{m.R[rSP] - 8, true})
		}
		w.only(s)
		w.where = target
	case k == kVLd && o.Fl <= 8:
		w.second(load(uint64(o.Fl)))
	case k == kVLd, k == kVLd16, k == kVLdMask, k == kVSt, k == kVStMask:
		w.addr(a)
	case k == kVGet, k == kVSigns, k == kVInt:
		w.result(o.D, 64, 0)
	}
	if o.Kind >= kVector {
		w.s.Vector = m.Vectors[o.Last&31][0]
		if w.where == register && w.reg != o.D { // a number on its way to a vector register
			w.where = nowhere
		}
	}
}

// moved is what a move makes of register s.
func moved(kind uint16, s, imm uint64) uint64 {
	switch kind {
	case kMov32:
		return uint64(uint32(s))
	case kMovI:
		return imm
	case kZx8:
		return uint64(uint8(s))
	case kZx16:
		return uint64(uint16(s))
	case kZxH:
		return uint64(uint8(s >> 8))
	case kSx8:
		return uint64(int8(s))
	case kSx16:
		return uint64(int16(s))
	case kSx32:
		return uint64(int32(s))
	}
	return s
}

// shown cuts an operand to the width of 64 - fl bits.
func shown(x value, fl uint8) value { return value{x.v << (fl & 63) >> (fl & 63), x.known} }

// only notes the only operand that an instruction names.
func (w *watcher) only(x value) {
	w.first(x)
	w.second(value{})
	w.where = nowhere
}

// arithmetic notes the operands of an arithmetic operation, and where its result will be.
func (w *watcher) arithmetic(o *Op, sub uint32, fl uint8, b, y value) {
	w.result(o.D, 64-fl, 0)
	x, y := shown(b, fl), shown(y, fl)
	switch {
	case sub == aInc, sub == aDec, sub == aNeg, sub == aNot:
		w.first(x)
		w.second(value{})
		return
	case sub == aBswap, sub == aSignFill, sub == aRorx, sub == aImul && o.S == rZero:
		w.first(value{})
		w.second(x)
		return
	case sub >= aTzcnt && sub <= aPopcnt, sub >= aBlsr && sub <= aBlsi, sub == aMulx, sub == aPdep, sub == aPext,
		sub == aCrc32:
		if sub == aCrc32 {
			w.width = 64
		}
		w.first(value{})
		w.second(y)
		return
	case sub >= aRol && sub <= aSar:
		y.v &= 0xff
	case sub == aShld, sub == aShrd:
		y = shown(w.get(o.S), fl)
	case sub == aBt, o.Kind == kTest:
		w.where = nowhere
	case o.Kind == kCmp:
		w.where = nowhere
		if o.L0 == aTest { // of a register with itself
			y = x
		}
	}
	w.first(x)
	w.second(y)
}

// after notes the result.
func (w *watcher) after() {
	s := w.s
	switch w.where {
	case register:
		s.Result = w.m.R[w.reg] >> w.from & (^uint64(0) >> (64 - w.width))
	case condition:
		s.Result = 0
		if w.m.Holds(w.reg) { // the PC does not tell: a jump may lead to the next instruction
			s.Result = 1
		}
	case target:
		s.Result = w.m.PC
	default:
		return
	}
	s.Have |= HaveResult
}
