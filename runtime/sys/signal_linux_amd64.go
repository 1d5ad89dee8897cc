package sys

// This file holds signal numbers and installs signal handlers.

import "unsafe"

const (
	SigHUP  = 1
	SigINT  = 2
	SigBUS  = 7
	SigSEGV = 11
	SigPIPE = 13
	SigTERM = 15
	SigURG  = 23
	SigPROF = 27

	SigIgnored = 1 // the handler of signals that are ignored

	SiTkill = -6 // the code of signals that a thread has sent to one of the process
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

// Open returns the action with some signals taken out of what it blocks.
func (a Sigaction) Open(signals ...uintptr) Sigaction {
	for _, sig := range signals {
		a.mask &^= 1 << (sig - 1)
	}
	return a
}

// Action returns the action of a signal.
func Action(sig uintptr) (a Sigaction) {
	Call(NrRtSigaction, sig, 0, uintptr(unsafe.Pointer(&a)), 8, 0, 0)
	return a
}

// SetAction sets the action of a signal, and returns the one that was.
func SetAction(sig uintptr, a Sigaction) (was Sigaction) {
	Call(NrRtSigaction, sig, uintptr(unsafe.Pointer(&a)), uintptr(unsafe.Pointer(&was)), 8, 0, 0)
	return was
}

// Handle makes entry the handler of sig, with all signals blocked but
// SIGBUS, which memory of ours may raise anywhere (busEntry), and those in open. It returns the handler that was.
func Handle(sig, entry uintptr, open ...uintptr) (old uintptr) {
	a := Sigaction{
		Handler:  entry,
		flags:    saSiginfo | saOnstack | saRestorer | saRestart,
		restorer: restorerPC(),
		mask:     ^uint64(1 << (SigBUS - 1)),
	}
	if sig == SigBUS {
		a.flags |= saNodefer
	}
	return SetAction(sig, a.Open(open...)).Handler
}
