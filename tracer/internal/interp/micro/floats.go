package micro

import (
	"math"

	"golang.org/x/arch/x86/x86asm"
)

// Floats follow the floating-point numbers in vector registers while a Machine interprets. They are apart
// from the machine because only a tracer that has stopped a thread can read these
// registers; the program in the kernel cannot.
//
// Moves between registers, loads of numbers, and + - * / and square roots of single numbers are
// computed. After any other instruction its destination is unknown.
type Floats struct {
	Low   [16]uint64 // the lower 64 bits of X0 to X15
	Known uint16     // bit i: Low[i] is known

	usual bool // arithmetic is as in Go: rounded to the nearest, with denormals, without traps
}

// NewFloats returns the numbers of a stopped thread. Control is its MXCSR register.
func NewFloats(low [16]uint64, control uint32) *Floats {
	const flags, usual = 0x3f, 0x1f80 // what has happened; all exceptions masked, and nothing else
	return &Floats{Low: low, Known: 1<<16 - 1, usual: control&^flags == usual}
}

// Operand returns the number in the vector register that is the last operand of an instruction, in
// Intel's order: the one that it adds, compares, converts or stores.
func (f *Floats) Operand(code []byte) (v uint64, ok bool) {
	inst, err := x86asm.Decode(code, 64)
	if err != nil {
		return 0, false
	}
	for _, a := range inst.Args {
		if r, is := a.(x86asm.Reg); is && isVector(r) {
			v, ok = f.get(a)
		}
	}
	return v, ok
}

// Step does to the numbers what an instruction did that the machine has executed.
func (f *Floats) Step(code []byte, s *Step) {
	switch {
	case fence(code) > 0:
		return
	case vectorZero(code) > 0:
		f.Known = 0
		return
	}
	inst, err := x86asm.Decode(code, 64)
	if err != nil {
		f.Known = 0
		return
	}
	switch inst.Op {
	case x86asm.LDMXCSR, x86asm.VLDMXCSR:
		f.usual = false
		return
	case x86asm.VGATHERDPD, x86asm.VGATHERDPS, x86asm.VGATHERQPD, x86asm.VGATHERQPS,
		x86asm.VPGATHERDD, x86asm.VPGATHERDQ, x86asm.VPGATHERQD, x86asm.VPGATHERQQ: // they write their masks, too
		f.Known = 0
		return
	}
	to, is := inst.Args[0].(x86asm.Reg)
	if !is || !isVector(to) || flagsOf[inst.Op] {
		return
	}
	old, oldKnown := f.get(to)
	v, known := f.get(inst.Args[1])
	if _, is := inst.Args[1].(x86asm.Mem); is {
		v, known = s.Second, s.Have&HaveSecond != 0
	}
	f.set(to, 0, false)
	switch inst.Op {
	case x86asm.MOVAPS, x86asm.MOVAPD, x86asm.MOVUPS, x86asm.MOVUPD, x86asm.MOVDQA, x86asm.MOVDQU, x86asm.MOVQ, x86asm.MOVSD_XMM, x86asm.MOVD:
		f.set(to, v, known)
	case x86asm.MOVSS:
		if _, is := inst.Args[1].(x86asm.Mem); !is {
			v, known = old&^math.MaxUint32|v&math.MaxUint32, known && oldKnown
		}
		f.set(to, v, known)
	case x86asm.XORPS, x86asm.XORPD, x86asm.PXOR:
		f.set(to, 0, inst.Args[0] == inst.Args[1])
	default:
		if double, ok := arithmetic[inst.Op]; ok && f.usual && known && oldKnown {
			w := double(math.Float64frombits(old), math.Float64frombits(v))
			f.set(to, math.Float64bits(w), w == w)
		}
		if single, ok := arithmetic32[inst.Op]; ok && f.usual && known && oldKnown {
			w := single(math.Float32frombits(uint32(old)), math.Float32frombits(uint32(v)))
			f.set(to, old&^math.MaxUint32|uint64(math.Float32bits(w)), w == w)
		}
	}
}

// Which of several NaNs an instruction makes is not computed: the result is unknown then.
var arithmetic = map[x86asm.Op]func(d, s float64) float64{
	x86asm.ADDSD:  func(d, s float64) float64 { return d + s },
	x86asm.SUBSD:  func(d, s float64) float64 { return d - s },
	x86asm.MULSD:  func(d, s float64) float64 { return d * s },
	x86asm.DIVSD:  func(d, s float64) float64 { return d / s },
	x86asm.SQRTSD: func(_, s float64) float64 { return math.Sqrt(s) },
}

var arithmetic32 = map[x86asm.Op]func(d, s float32) float32{
	x86asm.ADDSS:  func(d, s float32) float32 { return d + s },
	x86asm.SUBSS:  func(d, s float32) float32 { return d - s },
	x86asm.MULSS:  func(d, s float32) float32 { return d * s },
	x86asm.DIVSS:  func(d, s float32) float32 { return d / s },
	x86asm.SQRTSS: func(_, s float32) float32 { return float32(math.Sqrt(float64(s))) },
}

// get returns the lower 64 bits of a register of X0 to X15, or of the wider one that it is a part of.
func (f *Floats) get(a x86asm.Arg) (v uint64, known bool) {
	i, ok := vectorNumber(a)
	if !ok {
		return 0, false
	}
	return f.Low[i], f.Known>>i&1 != 0
}

func (f *Floats) set(a x86asm.Arg, v uint64, known bool) {
	i, ok := vectorNumber(a)
	if !ok {
		return
	}
	f.Low[i] = v
	f.Known &^= 1 << i
	if known {
		f.Known |= 1 << i
	}
}

func vectorNumber(a x86asm.Arg) (i int, ok bool) {
	r, _ := a.(x86asm.Reg)
	for _, first := range []x86asm.Reg{x86asm.X0, x86asm.Y0, x86asm.Z0} {
		if r >= first && r < first+16 {
			return int(r - first), true
		}
	}
	return 0, false
}
