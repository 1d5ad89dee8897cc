package core

// This file holds the polled tap: core.PollTap(address, on, w).

import "unsafe"

// PollTap reports w at the tap that has the TapSpan bytes from tap on, if a
// burst is on. The addresses are constants, on is TapBase.
//
// In instrumented code it is inlined to a comparison with memory, whose operand
// in a register is w, and a branch that never matters:
//
//	MOVL $tap, R; CMPQ (R), W; JNE on; MOVL $on, R; TESTB AL, (R); on:
//
// There is no call that registers would have to be saved for. While a burst is
// on, the comparison faults. The handler finds w in the register that the
// instruction names, and goes on as if the two were different. (The branch has
// a body because the compiler would drop a comparison that nothing depends on,
// and the body another address than the comparison because one check of an
// address is enough for it.)
func PollTap(tap, on unsafe.Pointer, w uint64) {
	if w == *(*uint64)(tap) {
		_ = *(*byte)(on)
	}
}
