package core

// This file decides in a signal handler whether the program is about to die, and
// whether its profile must be written now. Like all files of this room it runs on the signal stack, with a
// g of zeros, and with all signals blocked but SIGBUS. So it must not allocate, store pointers with write
// barriers, lock, call the runtime, or panic. A test looks for all that in the compiled code.
//
// A Go program dies in three ways, other than by exiting:
//
// By SIGINT, SIGTERM or SIGHUP, unless it has asked to be notified of them, or by
// SIGPIPE, when it writes to a standard output that nobody reads. Go's handler
// decides that, and raises the signal once more for the kernel to act upon. The
// second signal comes from runtime.raise: that is when core writes the profile.
//
// By an unrecovered panic or a fatal error of the runtime. The runtime prints its
// message and exits with status 2, where no hook runs. But if GOTRACEBACK=crash tells
// it to dump core, it raises SIGABRT. So core sets the bit that stands for
// GOTRACEBACK=crash when the message is printed (onPrint), writes the profile at the
// SIGABRT, and exits with status 2 itself.
//
// By SIGQUIT, SIGABRT, or a fault outside of Go code. Go's handler prints what
// all goroutines do and exits. Core writes the profile before that, because it gets no
// second chance, and clears the crash bit, which would make the handler print more.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/sys"
)

var (
	ownPid   uint32  // of the process, and not of one that C code has forked
	exitCode uintptr // of onExit

	// guarded are the signals that deathEntry handles and that package os/signal
	// may take away, with a 0 behind them; deathAction is what to handle them by.
	guarded     [len(deadly) + 1]uintptr
	deathAction sys.Sigaction
)

// A ucontext is the machine state that a signal interrupted: struct ucontext of
// linux/amd64 as far as it is needed.
type ucontext struct {
	_     [16]byte
	stack uintptr // the signal stack, unless flags say that there is none
	flags uint32
	_     [108]byte
	rdx   *ucontext
	rax   int64
	_     [16]byte
	rip   uintptr
	_     [120]byte
	mask  uint64 // signals that were blocked
}

// A siginfo is the beginning of struct siginfo.
type siginfo struct {
	signo, errno, code, _ int32
}

// textOffset returns pc relative to the text segment, and false if pc is outside.
func textOffset(pc uintptr) (off uint32, ok bool) {
	d := pc - textBase
	return uint32(d), d < textSize
}

// onExit is called by the C function exit.
func onExit() (f fate) {
	if startDying() {
		f = fateWrite
	}
	return f
}

// A fate says, as bits, what the handler does with a program that got a signal.
type fate uintptr

const (
	fateWrite fate = 1 << iota // run the writer
	fateChain                  // go on with the handler that was there before
	fateExit                   // exit(2)
)

// deadly are the signals that onDeath handles.
var deadly = [...]uintptr{sys.SigHUP, sys.SigINT, sys.SigQUIT, sys.SigILL, sys.SigTRAP, sys.SigABRT, sys.SigBUS, sys.SigFPE, sys.SigSEGV, sys.SigPIPE, sys.SigTERM}

// onDeath handles the deadly signals.
func onDeath(sig uintptr, info *siginfo, ctx *ucontext) (f fate) {
	pc := ctx.rip
	switch {
	case info.code == sys.SiTkill && pc-raiseStart < sys.RaiseSize: // by the runtime
		if startDying() {
			f = fateWrite
		}
		if sig == sys.SigABRT && crashBitIsOurs() {
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
	case sig == sys.SigHUP, sig == sys.SigINT, sig == sys.SigPIPE, sig == sys.SigTERM:
		return false // it will be raised again
	case code <= sys.SiUser, sig == sys.SigQUIT, sig == sys.SigABRT:
		return !golink.Has(&goSignals.Wanted, sig) && !golink.Has(&goSignals.Ignored, sig)
	case sig == sys.SigILL, sig == sys.SigTRAP:
		return true
	}
	return !inGo // in Go code it becomes a panic
}

// dying is 1 from when the writer or the exit hook begins.
var dying uint32

// startDying reports whether the caller must see to the profile: it is true once.
func startDying() bool {
	if !golink.Cas32(&dying, 0, 1) {
		return false
	}
	golink.Store32(&counts.Stopped, 1)
	golink.Store32(&counts.Denied, golink.Load32(&denied))
	return true
}

// crashBit is what GOTRACEBACK=crash sets in runtime.traceback_cache.
const crashBit = 1

// withOurBit is the value of runtime.traceback_cache that keepCrashing stored last. It
// is 0 if the crash bit was set already, by the user.
var withOurBit uint32

// crashBitIsOurs reports whether the program would have exited with status 2
// instead of dumping core. (It is mistaken if the program, started with
// GOTRACEBACK=system, has called print before it calls debug.SetTraceback("crash").)
//
//go:nosplit
func crashBitIsOurs() bool { return golink.Load32(tracebackFlags) == golink.Load32(&withOurBit) }

// stopCrashing clears the crash bit if it is core's.
//
//go:nosplit
func stopCrashing() {
	if old := golink.Load32(tracebackFlags); crashBitIsOurs() {
		golink.Cas32(tracebackFlags, old, old&^crashBit)
	}
}
