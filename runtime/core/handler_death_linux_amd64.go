package core

// This file finds out that the program is about to die other than by exiting, and asks for its profile then. What the
// handlers of signals run is on the signal stack, with a g of zeros, and with all signals blocked but SIGBUS. So it
// must not allocate, store pointers with write barriers, lock, call the runtime, or panic. A test looks for all that in
// the compiled code.
//
// A Go program dies in two ways:
//
// By SIGINT, SIGTERM or SIGHUP, unless it has asked to be notified of them, or by
// SIGPIPE, when it writes to a standard output that nobody reads. Package runtime
// decides that, and raises the signal once more for the kernel to act upon. It passes
// the second signal on to the handler that was there before its own, and that is killEntry.
//
// By a panic or a fatal error of the runtime, also because of a signal. Package runtime then prints a message, by
// onPrint (exit_print_linux_amd64.go).

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/sys"
)

// killing are the signals whose second coming ends a program.
var killing = [...]uintptr{sys.SigHUP, sys.SigINT, sys.SigPIPE, sys.SigTERM}

// keepKilling puts killEntry in the place of the handlers that were there before package runtime's own. Package
// os/signal may have put back others. It leaves alone a SIGHUP or SIGINT that was ignored before: package runtime
// compares the handler before its own with SIG_IGN, for these two, and ignores them again when nobody wants to be
// notified any more. SIGTERM and SIGPIPE kill then.
func keepKilling() {
	for _, sig := range killing {
		sig &= 63 // it is, but the compiler would add a panic
		was := golink.LoadPtr(&forwarded[sig])
		ignoredAgain := was == sys.SigIgnored && (sig == sys.SigHUP || sig == sys.SigINT)
		if golink.Load32(&handling[sig]) != 0 && was != killPC && !ignoredAgain {
			oldHandlers[sig] = was
			golink.StorePtr(&forwarded[sig], killPC)
		}
	}
}

// A siginfo is the beginning of struct siginfo, of a signal that a process has sent.
type siginfo struct {
	signo, errno, code, _ int32
	pid                   uint32
}

// onKill reports whether killEntry must ask for the profile. A child that has the program's memory for a time raises
// its signals itself, too.
func onKill(sig uintptr, info *siginfo) bool {
	own := info.code != sys.SiTkill || info.pid == companion.OwnPid
	return golink.Load32(&handling[sig&63]) == 0 && own && startDying()
}

// onExit is called by the C function exit. It reports whether exitEntry must ask for the profile.
func onExit() bool { return startDying() }

// dying says who sees to the profile at the end of the program.
var dying uint32

const (
	byExit  = 1 + iota // finish
	byDeath            // the companion, which a thread that dies asks
	isSeen             // nobody any more: finish has returned
)

// startDying reports whether the caller must ask for the profile, and wait for it. Of several threads that die, the
// first asks, and the others wait, or the program would end, and its companion with it, before the profile is written.
// If another thread has begun to exit, and perhaps to write the profile, the companion has it written as well: the
// files have the same names, and the last one stays. A file that the exiting thread had not finished stays, too, under
// its random name. In a copy of the process that C code has made by fork nobody asks.
//
//go:nosplit
func startDying() bool { return startEnd(byDeath) || golink.Load32(&dying) != isSeen && !isCopy() }

// startEnd reports whether it is the first end of the program, and not one of a copy of the process.
//
//go:nosplit
func startEnd(by uint32) bool {
	if isCopy() || !golink.Cas32(&dying, 0, by) {
		return false
	}
	golink.Store32(&counts.Stopped, 1)
	return true
}

// isCopy reports whether this is a copy of the process.
//
//go:nosplit
func isCopy() bool { return companion.OwnMark != nil && golink.Load32(companion.OwnMark) == 0 }
