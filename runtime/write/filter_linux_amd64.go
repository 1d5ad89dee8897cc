package write

// This file looks at a filter of system calls (seccomp) that the program has had from its start. The filter may kill
// the process for a call that a plain program does not make. So a copy of the process makes all these calls first, in a
// way in which they do nothing. To find out whether there is a filter, the program opens, reads and closes a file, as
// package runtime has just done.

import "github.com/pepgo/pep/runtime/sys"

// InheritedFilter says what is wrong with the filter that the program has had from its start, if there is one.
func InheritedFilter() (problem string) {
	workings.status = sys.CString("/proc/self/status")
	if state, ok := seccompOf(workings.status); state == 0 || !ok {
		return ""
	}
	p, e := sys.Mmap(0, pageSize, sys.ProtRead|sys.ProtWrite, sys.MapShared|sys.MapAnonymous, ^uintptr(0), 0)
	if e != 0 {
		return "" // what fails says so itself
	}
	tried = (*uint32)(p)
	const wait = 0x4000 // CLONE_VFORK: copyProcess returns when the copy has ended. The filter may forbid wait4
	pid, e := copyProcess(wait, tryCalls)
	if e != 0 {
		return ""
	}
	if *tried == 0 {
		return "the program has inherited a filter of system calls (seccomp) that kills for calls of a profiled program: start it without the filter"
	}
	sys.Call(sys.NrWait4, pid, 0, allChildren, 0, 0, 0)
	return ""
}

// tried is 1 when tryCalls has come to its end. Both processes have it.
var tried *uint32

// tries are the system calls of a profiled program, in the order of their first use. They get arguments with which they
// fail.
var tries = [...]uintptr{
	sys.NrGetcwd, sys.NrReadlink, sys.NrClockGettime, sys.NrOpenat, sys.NrPrlimit64, sys.NrFallocate, sys.NrFtruncate,
	sys.NrPwritev,
	sys.NrMmap, sys.NrMadvise, sys.NrFstat, sys.NrRead, sys.NrClose, sys.NrNewfstatat, sys.NrRtSigprocmask,
	sys.NrUserfaultfd, sys.NrIoctl,
	sys.NrTimerCreate, sys.NrTimerSettime, sys.NrRtSigaction, sys.NrArchPrctl, sys.NrGetrusage, sys.NrTimerDelete,
	sys.NrLseek, sys.NrPread,
	sys.NrWrite, sys.NrRename, sys.NrUnlink, sys.NrWait4,
	// of the companion
	sys.NrPrctl, sys.NrCloseRange, sys.NrPidfdOpen, sys.NrPoll, sys.NrGetdents64, sys.NrNanosleep, sys.NrDup3,
	sys.NrExecve,
}

// tryCalls makes all of them, and ends.
//
//go:nosplit
func tryCalls() {
	const none = ^uintptr(0) // an address, a file and a number that do not exist
	sys.Raw(sys.NrGetpid, 0, 0, 0, 0, 0)
	sys.Raw(sys.NrGeteuid, 0, 0, 0, 0, 0)
	sys.Raw(sys.NrGetppid, 0, 0, 0, 0, 0)
	for i := range tries {
		sys.Raw(tries[i], none, none, none, none, none)
	}
	*tried = 1
	sys.Raw(sys.NrExitGroup, 0, 0, 0, 0, 0)
}
