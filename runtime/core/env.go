package core

import (
	"runtime"
	"unsafe"
)

// runtimeEnvs returns the environment; the runtime provides it for package
// syscall.
//
//go:linkname runtimeEnvs syscall.runtime_envs
func runtimeEnvs() []string

// frameStartLine returns the line of f's func keyword; the runtime provides it
// for package runtime/pprof.
//
//go:linkname frameStartLine runtime/pprof.runtime_FrameStartLine
func frameStartLine(f *runtime.Frame) int

// sleep sleeps for ns; the runtime provides it for package time.
//
//go:linkname sleep time.Sleep
func sleep(ns int64)

// nanotime returns the time of the monotonic clock in ns.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

// procPin keeps the goroutine on its P, whose number it returns, and from being
// preempted, until procUnpin has been called as often.
//
//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()

// pauseTime is how long to wait before one looks again whether another thread
// has finished what takes some µs.
const pauseTime = 20_000 // ns

// resolveNameOff returns the name that is off from the types of the module that
// p points into; the runtime provides it for package reflect.
//
//go:linkname resolveNameOff reflect.resolveNameOff
func resolveNameOff(p unsafe.Pointer, off int32) unsafe.Pointer

// setMaxStack sets how large a stack may grow; the runtime provides it for
// package runtime/debug.
//
//go:linkname setMaxStack runtime/debug.setMaxStack
func setMaxStack(bytes int) (old int)

// runtimeArgs returns the command line; the runtime provides it for package os.
//
//go:linkname runtimeArgs os.runtime_args
func runtimeArgs() []string

// auxv returns the vector of facts that the kernel gave the process: tags and
// values. The runtime provides it for golang.org/x/sys.
//
//go:linkname auxv runtime.getAuxv
func auxv() []uintptr

// random returns 64 random bits. The runtime makes them from bits of the kernel's.
//
//go:linkname random runtime.rand
func random() uint64
