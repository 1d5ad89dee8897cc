package golink

// This file holds the runtime's data about signals.

import "unsafe"

// A SignalEntry is an element of the runtime's sigtable.
type SignalEntry struct {
	Flags int32
	name  string
}

// SigNotify is the flag of signals that package os/signal can have.
const SigNotify = 1

// signals is the beginning of the runtime's variable sig.
type Signals struct {
	note    uintptr
	mask    signalSet
	Wanted  signalSet // the program has asked to be notified
	Ignored signalSet // the program has asked to have them ignored
}

type signalSet [3]uint32

// Has reports whether sig is in set.
func Has(set *signalSet, sig uintptr) bool {
	word := (*uint32)(unsafe.Add(unsafe.Pointer(set), sig/32*4))
	return Load32(word)>>(sig%32)&1 != 0
}
