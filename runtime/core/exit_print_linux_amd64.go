package core

// This file gets to know of a panic or a fatal error before the Go runtime decides how the program
// ends. The runtime first prints its message, and then looks whether it is to raise SIGABRT
// (handler_death_linux_amd64.go). So core sets the crash bit whenever the runtime prints. To set it
// once, at the start, would not do: debug.SetTraceback clears it, and package testing calls that
// before it panics because a test has timed out.
//
// The runtime prints on all kinds of stacks and threads, also where there is no goroutine. So all
// functions here are nosplit, and call assembly of the runtime's alone.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/sys"
)

// onPrint writes what the runtime prints, or the program by print. If C code has installed a handler of its
// own for SIGABRT, a panic must not end in that signal.
//
// If the program ignores SIGABRT, its children must inherit that, so onPrint replaces the action only when the program
// is about to end: the runtime counts in panicking before it prints the message of a panic, or the goroutines after that
// of a fatal error. It prints goroutines unless GOTRACEBACK is none.
//
//go:nosplit
func onPrint(fd uintptr, p unsafe.Pointer, n int32) int32 {
	const levelShift = 2 // in traceback_cache
	var abort sys.Sigaction
	golink.SignalAction(sys.SigABRT, nil, unsafe.Pointer(&abort))
	ignored := abort.Handler == sys.SigIgnored
	if ignored && golink.Load32(panicking) != 0 || !ignored && abort.Handler == oldHandlers[sys.SigABRT] {
		golink.SignalAction(sys.SigABRT, unsafe.Pointer(&deathAction), nil)
		abort = deathAction
	}
	if abort.Handler == deathAction.Handler || ignored && golink.Load32(tracebackFlags)>>levelShift != 0 {
		keepCrashing()
	} else {
		stopCrashing()
	}
	return golink.Write(fd, p, n)
}

// keepCrashing sets the crash bit unless it is set.
//
//go:nosplit
func keepCrashing() {
	old := golink.Load32(tracebackFlags)
	if old&crashBit == 0 && golink.Load32(&dying) == 0 && golink.Cas32(tracebackFlags, old, old|crashBit) {
		golink.Store32(&withOurBit, old|crashBit)
	}
}
