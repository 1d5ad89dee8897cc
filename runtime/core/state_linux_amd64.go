package core

// This file holds the variables that signal handlers and assembly work with, and those
// about the .pep file. It also has memory beside the heap.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/sys"
)

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
	counts     pepfile.Table
	textBase   uintptr
	textSize   uintptr
	raiseStart uintptr
	labelsAt   uintptr // offset of the labels in a g; 0 if not known
	readsFS    bool    // the kernel lets programs read the base of FS with an instruction

	tracebackFlags *uint32         // the runtime's traceback_cache
	goSignals      *golink.Signals // the runtime's sig

	tickCode, interruptedCode, deathCode uintptr     // of the Go functions that handlers call
	oldHandlers                          [65]uintptr // handlers that were there before, by signal
	usedCPU                              uintptr     // of the assembly function that sets AX to the CPU time in ns
	zeroG                                [64]uint64  // as much of a g as compiled code looks at
)

var (
	tableName string // the .pep file, with its whole path
	tableIno  uint64 // its inode, which tells it from another file of that name
	allRoom   bool   // all of it had room on disk from the start
)

// offHeap returns memory that is not on the heap: the collector would begin a cycle earlier, or later, for it.
func offHeap[T any](n int) ([]T, sys.Errno) {
	p, e := sys.Mmap(0, uintptr(n)*unsafe.Sizeof(*new(T)), sys.ProtRead|sys.ProtWrite, sys.MapPrivate|sys.MapAnonymous|sys.MapNoreserve, ^uintptr(0), 0)
	if e != 0 {
		return nil, e
	}
	return unsafe.Slice((*T)(p), n), 0
}

// scratch returns the address of n counters that no profile has; 0 if there is no memory.
func scratch(n uint64) uintptr {
	counters, e := offHeap[uint64](int(n))
	if e != 0 {
		return 0
	}
	return uintptr(unsafe.Pointer(&counters[0]))
}
