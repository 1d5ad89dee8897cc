// Package layout finds where the taps of a program stand in its code.
//
//	layout.Find(code, 0x401000, known, func(addr, pc uint64) { … })   // 0x47a1c0, 0x3ea90e208000003
//
// A tap has the PC of its tuples, tag and site, as a constant in its code. It has 64
// bits, and the compiler for amd64 loads such constants by one instruction that
// contains them:
//
//	48 b8 03 00 00 08 e2 90 ea 03     MOVQ $0x03ea90e208000003, AX
//
// So the constants in the code are the taps. They are there however the program was
// stripped, and once for each function that the tap's function is inlined in. The line
// table has no columns, so it does not tell the taps of a line apart, and DWARF is what
// stripped programs lack.
//
// Programs look at their own code with it, and pep at that of executables.
package layout

// Find calls found for each instruction that loads the PC of a known tap, in the order of
// addresses. Base is the address of code[0].
func Find(code []byte, base uint64, known func(pc uint64) bool, found func(addr, pc uint64)) {
	for i := 0; i+10 <= len(code); i++ {
		if code[i]&^1 != 0x48 || code[i+1]&^7 != 0xb8 {
			continue
		}
		pc := uint64(0)
		for k := 7; k >= 0; k-- {
			pc = pc<<8 | uint64(code[i+2+k])
		}
		if known(pc) {
			found(base+uint64(i), pc)
		}
	}
}
