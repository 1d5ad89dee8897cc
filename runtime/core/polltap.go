package core

// This file holds the polled tap: core.PollTap(address, on, w).

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/tuple"
)

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

// PollTapCase is [PollTap] where a case of a switch is evaluated, which it does
// not match.
func PollTapCase(tap, on unsafe.Pointer, w uint64) bool {
	PollTap(tap, on, w)
	return false
}

// Bursts of polled taps are those of burst.go, but that nobody tells how long they
// take: nearly all of that is faults. So counts are samples, as those of paths are.

// startPolledTaps makes room for words; in the handler there would be none.
func startPolledTaps() {
	lockMemory()
	openArea()
	unlockMemory()
}

// tickPolledTaps starts a burst of polled taps. It is called in a signal handler.
func tickPolledTaps() action {
	return bursts.tick()
}

// pollTap decides on one polled tap that has faulted.
func pollTap() (take bool, act action) {
	add64(&bursts.Seen, 1)
	take, act = bursts.poll()
	if act == actDisarm {
		area.Burst = bursts // what the writer knows, should the program die
	}
	return take, act
}

// A polled tap knows its number in its package, and the handler where it was;
// which package that is can be seen later. Until then the two stand for the PC of
// the tuple, under a tag that is none.
const tagPolled tuple.Tag = 0x7f

func polledPC(pc uint32, index uintptr) uint64 {
	return tuple.New(tagPolled, uint64(pc)<<24|uint64(index), 0).PC
}

// splitPolledPC is the inverse of polledPC.
func splitPolledPC(t tuple.Tuple) (pc uint32, index int) {
	return uint32(t.Site() >> 24), int(t.Site() & (1<<24 - 1))
}
