package core

// This file prepares windows: see handler_windows_linux_amd64.go.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/libc"
	"github.com/pepgo/pep/runtime/sys"
	"github.com/pepgo/pep/runtime/windows"
)

// readyWindows makes all that windows need, which note some values beside calls and types.
func readyWindows(noted uint32) (problem string) {
	if problem := windows.Ready(windows.Program{Counts: counts, LabelsAt: labelsAt}, noted); problem != "" {
		return problem
	}
	findFS()
	thread, _ := libc.Calls()
	hasC = thread != 0
	longest = windows.Longest
	takerAt = windows.Addresses()
	beginWindowCode, runWindowCode, endWindowCode = golink.CodeOf(beginWindow), golink.CodeOf(windows.Run),
		golink.CodeOf(windows.End)
	return ""
}

// findFS finds out how to get at the base of segment FS without a system call, by that of this thread.
func findFS() {
	const hwcap2, fsgsbase, getFS = 26, 2, 0x1003
	readsFS = sys.AuxValue(hwcap2)&fsgsbase != 0
	g := golink.CurrentG()
	base := segmentOf(g)
	if !readsFS {
		sys.Call(sys.NrArchPrctl, getFS, uintptr(unsafe.Pointer(&base)), 0, 0, 0, 0)
	}
	// In programs with C code, the first word is its own address, by the rules for such code on amd64. In others package
	// runtime has set the base to a field of the thread's m.
	selfFS = *(*uintptr)(golink.At(base)) == base
	const ofM = 48
	fsOfM = base - *(*uintptr)(golink.At(g + ofM))
}
