package micro

import "golang.org/x/arch/x86/x86asm"

// Vector returns the lower 64 bits of the vector register that is the last operand of the instruction, in Intel's order: the
// number that it adds, compares, converts or stores.
func (s *Step) Vector(code []byte) (v uint64, ok bool) {
	inst, err := x86asm.Decode(code, 64)
	if err != nil {
		return 0, false
	}
	for _, a := range inst.Args {
		if r, is := a.(x86asm.Reg); is && isVector(r) {
			var i int
			if i, ok = vectorNumber(r); ok {
				v = s.low[i]
			}
		}
	}
	return v, ok
}

// vectorNumber returns the number of a register of X0 to X15, or of the wider one that it is a part of.
func vectorNumber(r x86asm.Reg) (i int, ok bool) {
	for _, first := range []x86asm.Reg{x86asm.X0, x86asm.Y0, x86asm.Z0} {
		if r >= first && r < first+16 {
			return int(r - first), true
		}
	}
	return 0, false
}
