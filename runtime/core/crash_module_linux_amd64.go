//go:build !peplinked

package core

import "unsafe"

// This file stands in for crash_linux_amd64.s in the package's own module.

func tracebackCache() *uint32 { return new(uint32) }

func signalQueue() *signals { return new(signals) }

func signalTable() unsafe.Pointer { return unsafe.Pointer(new([65]signalEntry)) }

func asmcgocall(uintptr, unsafe.Pointer) int32 { return 0 }
