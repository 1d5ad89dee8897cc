package core

// This file decides whether a tick begins a window. Package windows takes it.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/callers"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/sys"
	"github.com/pepgo/pep/runtime/windows"
)

var (
	takerAt [windows.Takers]uintptr // where the takers are, for assembly; 0 until windows may be taken

	beginWindowCode, runWindowCode, endWindowCode uintptr // for assembly; 0 in programs without windows
)

// beginWindow returns the taker that takes a window at a tick, 0 if there is none. The tick stands for some ns, and has
// interrupted ctx; the base of segment FS is fs. The thread's g is at the address g, which is 0 in a thread of C.
// Windows may fault, so there is none if faults are blocked, or if C code has handlers for them, and unless the signal
// stack has room for a window and for the handler: threads of C may have brought a small one.
func beginWindow(ctx *ucontext, stands uint64, fs, g uint64, catches bool) *windows.Taker {
	const faults = 1<<(sys.SigSEGV-1) | 1<<(sys.SigBUS-1)
	if stands == 0 || golink.Load32(&detached) != 0 || golink.Load32(&counts.Stopped) != 0 {
		return nil
	}
	const disabled, windowStack = 2, 16 << 10
	hasRoom := ctx.flags&disabled == 0 && uintptr(unsafe.Pointer(ctx))-ctx.stack > windowStack
	blocked := ctx.mask // also by Go's handler that the tick may have interrupted
	if ctx.rip == goHandler {
		ctx = ctx.rdx
		blocked |= ctx.mask
	}
	switch _, inText := callers.Offset(ctx.rip); {
	case !inText || g == 0:
		golink.Add64(&counts.Windows.Other, 1)
		return nil
	case ctx.inCall():
		golink.Add64(&counts.Windows.Calls, 1)
		return nil
	case !catches || !hasRoom || blocked&faults != 0:
		golink.Add64(&counts.Windows.Uncaught, 1)
		return nil
	}
	return windows.Begin(uintptr(unsafe.Pointer(ctx)), stands, fs, g)
}
