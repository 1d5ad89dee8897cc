package sys

// This file holds signal numbers and installs signal handlers.

import "unsafe"

const (
	SigHUP  = 1
	SigINT  = 2
	SigQUIT = 3
	SigILL  = 4
	SigTRAP = 5
	SigABRT = 6
	SigBUS  = 7
	SigFPE  = 8
	SigSEGV = 11
	SigPIPE = 13
	SigTERM = 15
	SigURG  = 23
	SigPROF = 27

	SiUser  = 0 // codes up to here: sent by a process, not by the kernel
	SiTkill = -6

	RaiseSize = 64 // bytes from the start of runtime.raise, whose code it covers
)

func restorer()

func restorerPC() (p uintptr)

// A Sigaction is the kernel's struct sigaction.
type Sigaction struct {
	Handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const (
	saSiginfo  = 0x4
	saOnstack  = 0x08000000
	saNodefer  = 0x40000000
	saRestorer = 0x04000000
	saRestart  = 0x10000000
)

// ActionOf is to have a signal handled by entry, with all signals blocked but
// SIGBUS, which memory of ours may raise anywhere (busEntry), and those in open.
func ActionOf(entry uintptr, open ...uintptr) Sigaction {
	mask := ^uint64(1 << (SigBUS - 1))
	for _, sig := range open {
		mask &^= 1 << (sig - 1)
	}
	return Sigaction{
		Handler:  entry,
		flags:    saSiginfo | saOnstack | saRestorer | saRestart,
		restorer: restorerPC(),
		mask:     mask,
	}
}

// Handle makes entry the handler of sig, as ActionOf says.
func Handle(sig, entry uintptr, open ...uintptr) {
	sa := ActionOf(entry, open...)
	if sig == SigBUS {
		sa.flags |= saNodefer
	}
	Call(NrRtSigaction, sig, uintptr(unsafe.Pointer(&sa)), 0, 8, 0, 0)
}

// SigIgnored is the handler of signals that are ignored, 0 that of signals with the kernel's default action.
const SigIgnored = 1

// Handler returns the handler of sig.
func Handler(sig uintptr) uintptr {
	var was Sigaction
	Call(NrRtSigaction, sig, 0, uintptr(unsafe.Pointer(&was)), 8, 0, 0)
	return was.Handler
}
