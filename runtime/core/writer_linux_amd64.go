package core

// This file holds the process that writes the profile of a program that dies: how
// it is prepared, and what it does. It is the program's own binary, started by
// spawn (asm_linux_amd64.s) from a signal handler. On no account may it go on to
// run the user's program:
//
//   - It knows itself by its first argument, which no environment can change, and
//     always exits.
//   - It does nothing if it has privileges (the file is setuid, and the program has
//     given up what it had): somebody else may have given it that argument.
//   - It installs no handlers, so that it starts no further one when it dies.
//   - It is not started if /proc/self/exe is not the program, or was overwritten, or
//     if the program has confined itself by seccomp, which may kill a process that
//     starts others.
//
// Constructors of C libraries come before all Go code: they run in it.

import "unsafe"

// writerArg is what the writer has as its first argument, and ps shows. The second
// is the name of the .pep file.
const writerArg = "pep writes the profile of"

// How far the writer has come: Writer in the header, which both processes have
// mapped. An exit status would not do: another program might have run.
const (
	writerNone  = iota
	writerBegan // it has opened the file
	writerDone  // the profile is written, or it has been said why not
)

// writer is what assembly needs to run the writer: the path, argv and envp for
// execve, what to say if it does not come to its end, and where it says that it
// did. Its memory is kept by writerMemory.
var (
	writer       [6]uintptr
	writerMemory struct {
		path       *byte
		argv, envp []*byte
		message    []byte
	}
)

// What spawn compares before it runs the writer: the program's file, and whether
// the process is confined.
var (
	exeThen, exeNow fileInfo
	exeIsOurs       bool
	seccompThen     uintptr
)

// prepareWriter makes what spawn needs. Variables that would make the writer's Go
// runtime talk or crawl are left out, and those that are ours.
func prepareWriter(env []string) {
	w := &writerMemory
	w.path = cstring("/proc/self/exe")
	w.argv = []*byte{cstring(writerArg), cstring(tableName), nil}
	for _, e := range env {
		if name, _, _ := cut(e, '='); len(name) >= 2 && name[:2] == "GO" || len(name) >= 3 && name[:3] == "PEP" {
			continue
		}
		w.envp = append(w.envp, cstring(e))
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
	var e errno
	exeThen, e = stat("/proc/self/exe", 0)
	exeIsOurs = e == 0 && loadedByKernel()
	seccompThen = seccomp()
}

// loseName prepares for the removal of the .pep file while the program runs: a
// writer would find nothing.
func loseName() {
	exeIsOurs = false
	w := &writerMemory
	w.message = []byte("pep: there is no profile of what came after a call of exec that did not work\n")
	writer[3], writer[4] = uintptr(unsafe.Pointer(&w.message[0])), uintptr(len(w.message))
}

// seccomp returns whether the process is confined, and how, as the system call
// says it: an error number is negative.
func seccomp() uintptr {
	mode, e := syscall6(sysPrctl, prGetSeccomp, 0, 0, 0, 0, 0)
	if e != 0 {
		return -e
	}
	return mode
}

// isWriter reports whether this process is a writer.
func isWriter(args []string) bool { return len(args) > 0 && args[0] == writerArg }

// writeAsChild is the writer. If it cannot open the file it says nothing: the
// program does.
func writeAsChild(args []string) (status uintptr) {
	if len(args) != 2 || privileged() {
		return 1
	}
	name := args[1]
	fd, problem := openCounts(name)
	if problem != "" {
		return 1
	}
	c, problem := readCounts(fd)
	if problem != "" {
		return 1
	}
	said, e := mapHeader(name)
	if e != 0 {
		return 1
	}
	store32(&said.Writer, writerBegan)
	if problem = c.write(name, true); problem != "" {
		print("pep: ", problem, "; the counts are in ", name, "\n")
		status = 1
	} else if e := unlink(name); e != 0 {
		print("pep: removing ", name, ": ", e.Error(), "; its profiles are written\n")
	}
	store32(&said.Writer, writerDone)
	return status
}

// mapHeader maps the header of a .pep file to be written to.
func mapHeader(name string) (h *header, e errno) {
	fd, e := open(name, oRdwr|oNonblock|oNofollow)
	if e != 0 {
		return nil, e
	}
	defer closeFd(fd)
	p, e := mmap(0, pageSize, protRead|protWrite, mapShared, fd, 0)
	return (*header)(p), e
}
