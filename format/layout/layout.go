// Package layout finds the positions of a program's taps in its code.
//
//	layout.Find(code, 0x401000, known, func(addr, pc uint64) { … })   // 0x47a1c0, 0x3ea90e208000003
//
// A tap has the PC of its tuples, which is tag and site, as a constant in its code.
// This PC has 64 bits, and the compiler for amd64 loads such a constant by one
// instruction that contains it:
//
//	48 b8 03 00 00 08 e2 90 ea 03     MOVQ $0x03ea90e208000003, AX
//
// So the package finds the taps by the constants in the code. The constants are there
// even if the program is stripped. If the function of a tap is inlined into several
// functions, each of them has the constant. Other sources do not suffice: the line
// table has no columns, so it does not tell the taps of a line apart, and stripped
// programs lack DWARF.
//
// Programs use the package on their own code, and pep uses it on executables.
package layout

// Find calls found for each instruction that loads the PC of a known tap, in the order
// of addresses. base is the address of code[0].
func Find(code []byte, base uint64, known func(pc uint64) bool, found func(addr, pc uint64)) {
	for i := 0; i+10 <= len(code); i++ {
		if code[i]&^1 != 0x48 || code[i+1]&^7 != 0xb8 {
			continue
		}
		var pc uint64
		for k := 7; k >= 0; k-- {
			pc = pc<<8 | uint64(code[i+2+k])
		}
		if known(pc) {
			found(base+uint64(i), pc)
		}
	}
}
