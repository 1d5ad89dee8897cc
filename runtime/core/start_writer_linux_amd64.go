package core

// This file prepares the process that writes the profile of a program that dies: see
// write_child_linux_amd64.go.

import (
	"unsafe"

	"github.com/pepgo/pep/format/items"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/sys"
)

// prepareWriter makes what spawn needs. The writer's environment has no variables of
// the Go runtime, which could make it print or slow it down, and none of core's own.
func prepareWriter(env []string) {
	w := &writerMemory
	w.path = sys.CString("/proc/self/exe")
	w.argv = []*byte{sys.CString(writerArg), sys.CString(tableName), sys.CString(options.Says[say]), nil}
	for _, e := range env {
		if name, _, _ := items.CutPlain(e, '='); len(name) >= 2 && name[:2] == "GO" || len(name) >= 3 && name[:3] == "PEP" {
			continue
		}
		w.envp = append(w.envp, sys.CString(e))
	}
	w.envp = append(w.envp, nil)
	w.message = []byte("pep: no process could be run to write the profile; the counts are in " + tableName + "\n")
	writer = [6]uintptr{
		uintptr(unsafe.Pointer(w.path)),
		uintptr(unsafe.Pointer(&w.argv[0])),
		uintptr(unsafe.Pointer(&w.envp[0])),
		uintptr(unsafe.Pointer(&w.message[0])),
		uintptr(len(w.message)),
		uintptr(unsafe.Pointer(&counts.Writer)),
	}
	var e sys.Errno
	exeThen, e = sys.Stat("/proc/self/exe", 0)
	exeIsOurs = e == 0 && sys.LoadedByKernel(textBase)
	seccompThen = seccomp()
}

// seccomp returns whether the process is confined, and how, as the system call
// says it: an error number is negative.
func seccomp() uintptr {
	mode, e := sys.Call(sys.NrPrctl, sys.PrGetSeccomp, 0, 0, 0, 0, 0)
	if e != 0 {
		return -uintptr(e)
	}
	return mode
}
