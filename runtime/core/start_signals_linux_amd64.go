package core

// This file installs the signal handlers and keeps them installed. Package os/signal
// and C code can take signals away, and C code can end the program by the C function
// exit, which runs no exit hook of Go's.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/libc"
	"github.com/pepgo/pep/runtime/sys"
)

// guard makes deathEntry the handler of sig. If package os/signal can put Go's handler
// back, every tick looks and repeats that (keepHandlers).
func guard(sig uintptr) {
	sys.Handle(sig, deathEntryPC())
	entry := (*golink.SignalEntry)(unsafe.Add(golink.SignalTable(), sig*unsafe.Sizeof(golink.SignalEntry{})))
	if entry.Flags&golink.SigNotify == 0 {
		return
	}
	i := 0
	for guarded[i] != 0 {
		i++
	}
	guarded[i] = sig
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
	raiseStart = golink.RaisePC()
	ownPid = counts.Pid
	tracebackFlags, panicking, goSignals = golink.TracebackCache(), golink.Panicking(), golink.SignalQueue()
	tickCode, deathCode = golink.CodeOf(onTick), golink.CodeOf(onDeath)
	interruptedCode = golink.CodeOf(onInterrupted)
	usedCPU = sys.UsedCPUPC()
	for _, sig := range deadly {
		oldHandlers[sig] = sys.Handler(sig)
		switch {
		case sig == sys.SigBUS:
			sys.Handle(sig, busEntryPC())
		case oldHandlers[sig] > sys.SigIgnored:
			guard(sig)
		}
	}
	if ticking() && !byThread {
		goHandler = sys.Handler(sys.SigURG)
		oldHandlers[tickSignal] = sys.Handler(tickSignal)
		sys.Handle(tickSignal, tickEntryPC(), sys.SigSEGV) // windows may fault
	}
	deathAction = sys.ActionOf(deathEntryPC())
	golink.OnPrint(onPrint)
}
