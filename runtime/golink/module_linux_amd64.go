//go:build !peplinked

package golink

// This file stands in for linked_linux_amd64.s in the package's own module.

import "unsafe"

func TracebackCache() *uint32 { return new(uint32) }

func Panicking() *uint32 { return new(uint32) }

func SignalQueue() *Signals { return new(Signals) }

func SignalTable() unsafe.Pointer { return unsafe.Pointer(new([65]SignalEntry)) }

func Asmcgocall(uintptr, unsafe.Pointer) int32 { return 0 }

func OnPrint(func(fd uintptr, p unsafe.Pointer, n int32) int32) {}

func Write(uintptr, unsafe.Pointer, int32) int32 { return 0 }

func SignalAction(uintptr, unsafe.Pointer, unsafe.Pointer) {}
