//go:build peplinked

package golink

// This file declares the functions of linked_linux_amd64.s, and how core gets to know that the runtime
// prints.

import "unsafe"

// Panicking returns the address of the runtime's variable panicking: how many threads die of a panic or a fatal error.
func Panicking() (p *uint32)

// Handling returns the address of the runtime's variable handlingSig: 1 for signals that it handles.
func Handling() (p *[65]uint32)

// Forwarded returns the address of the runtime's variable fwdSig: the handlers that were there before its own.
func Forwarded() (p *[65]uintptr)

// Sigtramp returns where the runtime's handler of signals begins, which is called as C functions are.
func Sigtramp() (p uintptr)

// Asmcgocall calls a C function that does not block, on the stack that the
// operating system made for the thread.
func Asmcgocall(fn uintptr, arg unsafe.Pointer) (r int32)

// OnPrint has the runtime call f, in place of its own function, to write what it prints.
func OnPrint(f func(fd uintptr, p unsafe.Pointer, n int32) int32) { overrideWrite = f }

//go:linkname overrideWrite runtime.overrideWrite
var overrideWrite func(fd uintptr, p unsafe.Pointer, n int32) int32

// Write is the runtime's own function to write. It returns how many bytes it wrote, or minus the number of an error.
//
//go:linkname Write runtime.write1
//go:noescape
func Write(fd uintptr, p unsafe.Pointer, n int32) int32
