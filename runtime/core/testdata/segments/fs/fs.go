// Package fs reaches into the linked runtime.
package fs

import (
	"syscall"
	"unsafe"
)

//go:linkname readsFS 0pep/core.readsFS
var readsFS bool

//go:linkname segmentOf 0pep/core.segmentOf
func segmentOf(thread uintptr) uintptr

//go:linkname currentG 0pep/golink.CurrentG
func currentG() uintptr

// ForgetInstruction has the handler of ticks do without the instruction.
func ForgetInstruction() { readsFS = false }

// OfHandler returns the base as the handler finds it.
func OfHandler() uintptr { return segmentOf(currentG()) }

// OfKernel returns it as the kernel says.
func OfKernel() (base uintptr) {
	const getFS = 0x1003
	syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, getFS, uintptr(unsafe.Pointer(&base)), 0)
	return base
}
