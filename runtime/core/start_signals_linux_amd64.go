package core

// This file installs the signal handlers, and the functions that hear of the program's death. C code can end the
// program by the C function exit, which runs no exit hook of Go's.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/libc"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sys"
)

// openHandlers lets the signal of ticks interrupt Go's handlers of SIGURG and SIGPROF, which package runtime has just
// installed in one way. Windows may fault there, so faults must not be blocked either.
func openHandlers() {
	action := sys.Action(sys.SigURG)
	goHandler = action.Handler
	for _, sig := range [...]uintptr{sys.SigURG, sys.SigPROF} {
		if was := sys.SetAction(sig, action.Open(tickSignal, sys.SigSEGV, sys.SigBUS)); was.Handler != goHandler {
			sys.SetAction(sig, was) // it was ignored when the program started
		}
	}
}

// callC calls a C function that takes the address of two words, and returns what
// it returns.
func callC(fn uintptr, arg [2]uintptr) int32 {
	p := new([2]uintptr)
	*p = arg
	return golink.Asmcgocall(fn, unsafe.Pointer(p))
}

// atExitOfC has the profile written when C code calls exit.
func atExitOfC() {
	exitCode = golink.CodeOf(onExit)
	if _, atExit := libc.Calls(); atExit != 0 {
		callC(atExit, [2]uintptr{exitEntryPC(), 0}) // it fails for want of memory only
	}
}

func installHandlers() {
	panicking, handling, forwarded, sigtramp = golink.Panicking(), golink.Handling(), golink.Forwarded(), golink.Sigtramp()
	tickCode, killCode, interruptedCode = golink.CodeOf(onTick), golink.CodeOf(onKill), golink.CodeOf(onInterrupted)
	killPC = killEntryPC()
	keepKilling()
	golink.OnPrint(onPrint)
	oldHandlers[sys.SigBUS] = sys.Handle(sys.SigBUS, busEntryPC())
	if poll.Interprets {
		oldHandlers[sys.SigSEGV] = sys.Handle(sys.SigSEGV, faultEntryPC())
	}
	if ticking && !byThread {
		openHandlers()
		oldHandlers[tickSignal] = sys.Handle(tickSignal, tickEntryPC(), sys.SigSEGV) // windows may fault
	}
}
