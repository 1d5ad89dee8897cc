package core

// This file holds what happens when the program may be about to die. Like
// handler_linux_amd64.go it runs with a g of zeros.
//
// There are three ways for a Go program to die other than by exiting:
//
// By SIGINT, SIGTERM or SIGHUP, unless it has asked to be notified of them, or by
// SIGPIPE, when it writes to a standard output that nobody reads. The runtime
// decides that and, if so, raises the signal once more for the kernel to act
// upon. Then we write the profile.
//
// By an unrecovered panic or a fatal error of the runtime. After its message
// the runtime exits, unless it has been told to dump core (GOTRACEBACK=crash):
// then it raises SIGABRT. So we tell it (keepCrashing), write the profile at
// the SIGABRT, and exit as it would have.
//
// By SIGQUIT, SIGABRT, or a fault outside of Go code. Go's handler prints what
// all goroutines do and exits. Here the profile is written before, for no
// opportunity follows, and the runtime no longer told to dump core, for then it
// would print more.

import "unsafe"

// A fate is what becomes of a program that got a signal, as bits.
type fate uintptr

const (
	fateWrite fate = 1 << iota // run the writer
	fateChain                  // go on with the handler that was there before
	fateExit                   // exit(2)
)

const (
	sigHUP  = 1
	sigINT  = 2
	sigQUIT = 3
	sigILL  = 4
	sigTRAP = 5
	sigABRT = 6
	sigBUS  = 7
	sigFPE  = 8
	sigSEGV = 11
	sigPIPE = 13
	sigTERM = 15

	siUser  = 0 // codes up to here: sent by a process, not by the kernel
	siTkill = -6

	raiseSize = 64 // bytes from the start of runtime.raise, whose code it covers
)

// deadly are the signals that onDeath handles. A SIGSEGV comes to it by way of
// faultEntry in page mode.
var deadly = [...]uintptr{sigHUP, sigINT, sigQUIT, sigILL, sigTRAP, sigABRT, sigBUS, sigFPE, sigSEGV, sigPIPE, sigTERM}

// onDeath handles the deadly signals.
func onDeath(sig uintptr, info *siginfo, ctx *ucontext) (f fate) {
	pc := ctx.rip
	if sig == sigABRT && info.code < siUser && info.code != siTkill {
		info.code = siUser // Go's handler takes note of no others: see keepSignal
	}
	switch {
	case info.code == siTkill && pc-raiseStart < raiseSize: // by the runtime
		if startDying() {
			f = fateWrite
		}
		if sig == sigABRT && crashBitIsOurs() {
			f |= fateExit
		}
		return f
	case !fatal(sig, info.code, pc):
		return fateChain
	case startDying():
		stopCrashing()
		return fateWrite | fateChain
	}
	return fateChain
}

// fatal reports whether Go's handler will end the program at once.
func fatal(sig uintptr, code int32, pc uintptr) bool {
	_, inGo := textOffset(pc)
	switch {
	case sig == sigHUP, sig == sigINT, sig == sigPIPE, sig == sigTERM:
		return false // it will be raised again
	case code <= siUser, sig == sigQUIT, sig == sigABRT:
		return !has(&queue.wanted, sig) && !has(&queue.ignored, sig)
	case sig == sigILL, sig == sigTRAP:
		return true
	}
	return !inGo // in Go code it becomes a panic
}

// dying is set when the writer is started, or the exit hook.
var dying uint32

// startDying reports whether the profile is to be written now: only once.
func startDying() bool {
	if !cas32(&dying, 0, 1) {
		return false
	}
	store32(&counts.Stopped, 1)
	store32(&counts.Denied, load32(&denied))
	return true
}

// signals is the beginning of the runtime's variable sig.
type signals struct {
	note    uintptr
	mask    signalSet
	wanted  signalSet // the program has asked to be notified
	ignored signalSet // the program has asked to have them ignored
}

type signalSet [3]uint32

// has reports whether sig is in set.
func has(set *signalSet, sig uintptr) bool {
	word := (*uint32)(unsafe.Add(unsafe.Pointer(set), sig/32*4))
	return load32(word)>>(sig%32)&1 != 0
}

// crashBit is what GOTRACEBACK=crash sets in runtime.traceback_cache.
const crashBit = 1

// withOurBit is the value of runtime.traceback_cache that we stored last, with
// the crash bit that is ours and not the user's; 0 if the user's is set.
var withOurBit uint32

// keepCrashing sets the crash bit unless it is set. It is called at every tick
// because debug.SetTraceback clears the bit.
func keepCrashing() {
	old := load32(traceback)
	if old&crashBit == 0 && load32(&dying) == 0 && cas32(traceback, old, old|crashBit) {
		store32(&withOurBit, old|crashBit)
	}
}

// crashBitIsOurs reports whether the program would have exited with status 2
// instead of dumping core. (It is mistaken if the user, having started it with
// GOTRACEBACK=system, calls debug.SetTraceback("crash").)
func crashBitIsOurs() bool { return load32(traceback) == load32(&withOurBit) }

func stopCrashing() {
	if old := load32(traceback); crashBitIsOurs() {
		cas32(traceback, old, old&^crashBit)
	}
}
