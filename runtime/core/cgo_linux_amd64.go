package core

// This file holds what C code could do to us, and package os/signal in the same
// manner: take signals away, and end the program by the C function exit, which
// runs no exit hook of Go's.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/libc"
)

var (
	ownPid   uint32  // of the process, and not of one that C code has forked
	exitCode uintptr // of onExit

	// guarded are the signals that deathEntry handles and that package os/signal
	// may take away, with a 0 behind them; deathAction is what to handle them by.
	guarded     [len(deadly) + 1]uintptr
	deathAction sigaction
)

// A signalEntry is an element of the runtime's sigtable.
type signalEntry struct {
	flags int32
	name  string
}

// sigNotify is the flag of signals that package os/signal can have.
const sigNotify = 1

// keepSignal keeps package os/signal off a signal, for which it would put in
// another handler. There are two of them:
//
//	signal 62  signal.Ignore() would end sampling
//	SIGABRT    signal.Ignore() would have panics end in SIGABRT, and not
//	           with status 2: see keepCrashing
//
// All functions of os/signal that change handlers do nothing for a signal
// without the flag. Go's handler, to which ours passes these signals on, needs
// the flag for those only that the kernel has sent, or sigqueue: it relays those
// of kill whether or not there is the flag, if the program has asked for them.
func keepSignal(sig uintptr) { entryOf(sig).flags &^= sigNotify }

func entryOf(sig uintptr) *signalEntry {
	return (*signalEntry)(unsafe.Add(signalTable(), sig*unsafe.Sizeof(signalEntry{})))
}

// guard makes deathEntry the handler of sig, again and again if package os/signal
// can put Go's back.
func guard(sig uintptr) {
	handle(sig, deathEntryPC())
	if entryOf(sig).flags&sigNotify == 0 {
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
	return asmcgocall(fn, unsafe.Pointer(p))
}

// atExitOfC has the profile written when C code calls exit.
func atExitOfC() {
	exitCode = codeOf(onExit)
	if _, atExit := libc.Calls(); atExit != 0 {
		callC(atExit, [2]uintptr{exitEntryPC(), 0}) // it fails for want of memory only
	}
}

// onExit is called by the C function exit.
func onExit() (f fate) {
	if startDying() {
		f = fateWrite
	}
	return f
}
