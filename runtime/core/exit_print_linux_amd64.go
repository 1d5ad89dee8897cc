package core

// This file gets to know of a panic or a fatal error: the Go runtime prints its message first.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/write"
)

// onPrint writes what the runtime prints, or the program by print. The runtime prints on all kinds of stacks and
// threads, also where there is no goroutine. So it is nosplit, as are all functions that it calls, and calls assembly
// of the runtime's alone.
//
//go:nosplit
func onPrint(fd uintptr, p unsafe.Pointer, n int32) int32 {
	if (golink.Load32(panicking) != 0 || isFatalError(p, n)) && startDying() {
		ask(write.AskWrite)
	}
	return golink.Write(fd, p, n)
}

// isFatalError reports whether the runtime prints the beginning of the message of a fatal error: it may print no more
// (GOTRACEBACK=none). It does so on the stack of the thread, where no code of the program runs.
//
//go:nosplit
func isFatalError(p unsafe.Pointer, n int32) bool {
	const text, ofG = "fatal error: ", 48 // where a g has its m, whose first word is the g of that stack
	if int(n) != len(text) {
		return false
	}
	for i := range uintptr(len(text)) {
		if golink.ByteAt(p, i) != text[i] {
			return false
		}
	}
	g := golink.CurrentG()
	return g != 0 && **(**uintptr)(golink.At(g + ofG)) == g
}
