package core

import (
	"runtime"
	_ "unsafe" // for linkname
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
