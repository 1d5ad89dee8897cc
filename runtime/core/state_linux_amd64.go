package core

// This file holds the variables that signal handlers and assembly work with.

import "github.com/pepgo/pep/runtime/pepfile"

// mapping is where the .pep file is mapped, address and size. busEntry replaces it when the file
// loses its room.
var mapping [2]uintptr

// detached is not 0 when counting has stopped because a file lost its room. busEntry
// stores the time at detachedAt, the address of a field of the header, and then 2 in detached.
var (
	detached   uint32
	detachedAt uintptr
)

// Handlers and assembly work with these; they are set before handlers are installed.
var (
	counts   pepfile.Table
	labelsAt uintptr // offset of the labels in a g; 0 if not known

	readsFS bool    // the kernel lets programs read the base of FS with an instruction
	selfFS  bool    // threads have this base in their first word there
	fsOfM   uintptr // otherwise it is so far behind the thread's m

	hasC bool // the program has C code, which may put its own handlers of faults in the place of core's

	// Variables of package runtime: see package golink.
	panicking *uint32
	handling  *[65]uint32
	forwarded *[65]uintptr
	sigtramp  uintptr

	tickCode, interruptedCode, killCode, exitCode uintptr     // of the Go functions that handlers call
	killPC                                        uintptr     // of killEntry
	oldHandlers                                   [65]uintptr // handlers that were there before, by signal
	zeroG                                         [64]uint64  // as much of a g as compiled code looks at
)
