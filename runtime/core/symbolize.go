package core

// This file turns program counters into functions and lines.

import (
	"runtime"
	"unsafe"

	"github.com/pepgo/pep/runtime/report"
)

// address returns the program counter that is off from the text segment. (The
// difference is signed where textBase is just some function's address.)
func address(off uint32) uintptr { return textBase + uintptr(int(int32(off))) }

// settleLeaf decides whether the word at the stack top was a return address,
// and makes it the innermost caller if so.
func (k *key) settleLeaf() {
	leaf := k.Leaf
	k.Leaf = 0
	if leaf == 0 || !frameless(address(k.PC)) {
		return
	}
	n := min(k.N, maxCallers-1)
	copy(k.Callers[1:n+1], k.Callers[:n])
	k.Callers[0] = leaf
	k.N = n + 1
}

// frameless reports whether the function that pc is in keeps no frame pointer:
// whether there is no PUSHQ BP; MOVQ SP, BP between its entry and pc, or within
// what a prologue can be long.
func frameless(pc uintptr) bool {
	const maxPrologue = 64
	f := runtime.FuncForPC(pc)
	if f == nil {
		return false
	}
	entry := f.Entry() // of the outermost function, if pc is in an inlined one
	code := unsafe.Slice((*byte)(at(entry)), min(pc-entry, maxPrologue))
	for i := 0; i+4 <= len(code); i++ {
		if code[i] == 0x55 && code[i+1] == 0x48 && code[i+2] == 0x89 && code[i+3] == 0xe5 {
			return false
		}
	}
	return true
}

// sentinel is a program counter to follow all others: runtime.CallersFrames
// expands the inlined frames of a program counter only if another one follows.
var sentinel = codeOf(packages)

// codeOf returns the address of f's code.
func codeOf[F any](f F) uintptr { return **(**uintptr)(unsafe.Pointer(&f)) }

// stack returns the frames of a sample, inlined ones expanded: the function
// that polled first. The end of a goroutine's stack, runtime.goexit, is left
// out as runtime/pprof does.
func (k *key) stack() []report.Frame {
	var pcs [maxCallers + 2]uintptr
	pcs[0] = address(k.PC)
	if mode == modePage {
		pcs[0]++ // the poll's own; the rest are return addresses already
	}
	n := 1
	for _, off := range k.Callers[:min(k.N, maxCallers)] {
		pcs[n] = address(off)
		n++
	}
	pcs[n] = sentinel + 1
	frames := runtime.CallersFrames(pcs[:n+1])
	var stack []report.Frame
	for {
		f, more := frames.Next()
		if !more {
			break // at the sentinel
		}
		if f.Function == "runtime.goexit" {
			continue
		}
		stack = append(stack, report.Frame{Func: f.Function, File: f.File, Line: f.Line, StartLine: frameStartLine(&f)})
	}
	return stack
}
