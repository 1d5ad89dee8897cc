package golink

// This file holds the runtime's data about signals.

// A SignalEntry is an element of the runtime's sigtable.
type SignalEntry struct {
	Flags int32
	name  string
}

// SigNotify is the flag of signals that package os/signal can have.
const SigNotify = 1
