//go:build peplinked

package core

import "unsafe"

// tracebackCache returns the address of the runtime's variable traceback_cache.
func tracebackCache() (p *uint32)

// signalTable returns the address of the runtime's variable sigtable.
func signalTable() (p unsafe.Pointer)

// asmcgocall calls a C function that does not block, on the stack that the
// operating system made for the thread.
func asmcgocall(fn uintptr, arg unsafe.Pointer) (r int32)

// signalQueue returns the address of the runtime's variable sig.
func signalQueue() (p *signals)
