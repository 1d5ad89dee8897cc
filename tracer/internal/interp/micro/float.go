package micro

import "golang.org/x/arch/x86/x86asm"

// Vector returns the number of the vector register that is the last operand of an instruction, in Intel's order: the one that
// it adds, compares, converts or stores.
func Vector(code []byte) (register int, ok bool) {
	inst, err := x86asm.Decode(code, 64)
	if err != nil {
		return 0, false
	}
	for _, a := range inst.Args {
		if r, is := a.(x86asm.Reg); is && isVector(r) {
			register, ok = vectorNumber(r)
		}
	}
	return register, ok
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
