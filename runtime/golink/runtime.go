package golink

// This file holds functions of the Go runtime that linkname makes available.

import (
	"runtime"
	"unsafe"
)

// Envs returns the environment; the runtime provides it for package
// syscall.
//
//go:linkname Envs syscall.runtime_envs
func Envs() []string

// FrameStartLine returns the line of f's func keyword; the runtime provides it
// for package runtime/pprof.
//
//go:linkname FrameStartLine runtime/pprof.runtime_FrameStartLine
func FrameStartLine(f *runtime.Frame) int

// FrameSymbolName returns the name that the linker has for f's function; the runtime
// provides it for package runtime/pprof. In the name of an instance of a generic function
// f.Function has [...] in place of its shapes, such as [go.shape.int].
//
//go:linkname FrameSymbolName runtime/pprof.runtime_FrameSymbolName
func FrameSymbolName(f *runtime.Frame) string

// Sleep sleeps for ns; the runtime provides it for package time.
//
//go:linkname Sleep time.Sleep
func Sleep(ns int64)

// Nanotime returns the time of the monotonic clock in ns.
//
//go:linkname Nanotime runtime.nanotime
func Nanotime() int64

// Cycles returns the time in cycles of the processor, or in another unit that is about as
// short.
//
//go:linkname Cycles runtime.cputicks
func Cycles() int64

// ProcPin keeps the goroutine on its P, whose number it returns, and from being
// preempted, until ProcUnpin has been called as often.
//
//go:linkname ProcPin runtime.procPin
func ProcPin() int

//go:linkname ProcUnpin runtime.procUnpin
func ProcUnpin()

// PauseTime is how long to wait before one looks again whether another thread
// has finished what takes some µs.
const PauseTime = 20_000 // ns

// resolveNameOff returns the name that is off from the types of the module that
// p points into; the runtime provides it for package reflect.
//
//go:linkname resolveNameOff reflect.resolveNameOff
func resolveNameOff(p unsafe.Pointer, off int32) unsafe.Pointer

// SetMaxStack sets how large a stack may grow; the runtime provides it for
// package runtime/debug.
//
//go:linkname SetMaxStack runtime/debug.setMaxStack
func SetMaxStack(bytes int) (old int)

// ModInfo returns what runtime/debug.ReadBuildInfo parses, between two marks of 16 bytes.
//
//go:linkname ModInfo runtime/debug.modinfo
func ModInfo() string

// Args returns the command line; the runtime provides it for package os.
//
//go:linkname Args os.runtime_args
func Args() []string

// Auxv returns the vector of facts that the kernel gave the process: tags and
// values. The runtime provides it for golang.org/x/sys.
//
//go:linkname Auxv runtime.getAuxv
func Auxv() []uintptr

// Random returns 64 random bits. The runtime makes them from bits of the kernel's.
//
//go:linkname Random runtime.rand
func Random() uint64

// Unpin ends what pin began.
func Unpin() { ProcUnpin() }
