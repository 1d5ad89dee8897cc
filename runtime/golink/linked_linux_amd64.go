//go:build peplinked

package golink

// This file declares the functions of linked_linux_amd64.s, and how core gets to know that the runtime
// prints.

import "unsafe"

// TracebackCache returns the address of the runtime's variable traceback_cache.
func TracebackCache() (p *uint32)

// Panicking returns the address of the runtime's variable panicking.
func Panicking() (p *uint32)

// SignalTable returns the address of the runtime's variable sigtable.
func SignalTable() (p unsafe.Pointer)

// Asmcgocall calls a C function that does not block, on the stack that the
// operating system made for the thread.
func Asmcgocall(fn uintptr, arg unsafe.Pointer) (r int32)

// SignalQueue returns the address of the runtime's variable sig.
func SignalQueue() (p *Signals)

// OnPrint has the runtime call f, in place of its own function, to write what it prints.
func OnPrint(f func(fd uintptr, p unsafe.Pointer, n int32) int32) { overrideWrite = f }

//go:linkname overrideWrite runtime.overrideWrite
var overrideWrite func(fd uintptr, p unsafe.Pointer, n int32) int32

// Write is the runtime's own function to write. It returns how many bytes it wrote, or minus the number of an error.
//
//go:linkname Write runtime.write1
//go:noescape
func Write(fd uintptr, p unsafe.Pointer, n int32) int32

// SignalAction stores the kernel's struct sigaction of a signal in old, and has new take its place. Either may be nil.
//
//go:nosplit
func SignalAction(sig uintptr, new, old unsafe.Pointer) { sigaction(sig, new, old, 8) }

//go:linkname sigaction runtime.rt_sigaction
//go:noescape
func sigaction(sig uintptr, new, old unsafe.Pointer, size uintptr) int32
