//go:build peplinked

package golink

// This file declares the functions of linked_linux_amd64.s.

import "unsafe"

// TracebackCache returns the address of the runtime's variable traceback_cache.
func TracebackCache() (p *uint32)

// SignalTable returns the address of the runtime's variable sigtable.
func SignalTable() (p unsafe.Pointer)

// Asmcgocall calls a C function that does not block, on the stack that the
// operating system made for the thread.
func Asmcgocall(fn uintptr, arg unsafe.Pointer) (r int32)

// SignalQueue returns the address of the runtime's variable sig.
func SignalQueue() (p *Signals)
