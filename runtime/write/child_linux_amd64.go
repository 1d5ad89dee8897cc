package write

// This file is the process that writes the profile of a program that dies, the writer.
// It is the program's own binary, which the companion starts
// (companion_linux_amd64.go). It must never run the user's program:
//
//   - It knows itself by its first argument, which no environment can change, and
//     always exits.
//   - It does nothing if it has privileges (the file is setuid, and the program has
//     given up what it had): somebody else may have given it that argument.
//   - It installs no handlers, so it starts no further writer when it dies.
//   - It is not started if /proc/self/exe is not the program, or was overwritten, or
//     if the program has confined itself by seccomp, which may kill a process that
//     starts others.
//
// Constructors of C libraries run before all Go code, so they do run in the writer.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/sys"
)

// writerArg is what the writer has as its first argument, and ps shows. The second
// is the name of the .pep file, the third whether the writer says what it has written.
const writerArg = "pep writes the profile of"

// Values of Writer in the header, which both processes have mapped: how far the writer
// has come. The exit status of the child could be that of another program, which has
// taken the place of the file.
const (
	writerNone  = iota
	writerBegan // it has opened the file
	writerDone  // the profile is written, or it has been said why not
)

// isWriter reports whether this process is a writer.
func isWriter(args []string) bool { return len(args) > 0 && args[0] == writerArg }

// writeAsChild is the writer. If it cannot open the file it prints nothing, because
// the program then says that no process could write the profile.
func writeAsChild(args []string) (status uintptr) {
	if len(args) != 3 || sys.Privileged() {
		return 1
	}
	name, say := args[1], uint32(options.SayOnTerminal)
	for i, x := range options.Says {
		if args[2] == x {
			say = uint32(i)
		}
	}
	fd, problem := openCounts(name)
	if problem != "" {
		return 1
	}
	f, problem := readCounts(fd)
	if problem != "" {
		return 1
	}
	said, e := mapHeader(name)
	if e != 0 {
		return 1
	}
	golink.Store32(&said.Writer, writerBegan)
	var kinds []string
	if hasTicks(f) {
		kinds, problem = writeProfiles(toConvert(f, nil, nil), name, true)
	}
	if problem != "" {
		print("pep: ", problem, "; the counts are in ", name, "\n")
		status = 1
	} else if e := sys.Unlink(name); e != 0 && e != sys.ENOENT { // the program may have removed it: core.startDying
		print("pep: removing ", name, ": ", e.Error(), "; its profiles are written\n")
	}
	sayWritten(stemOf(name), kinds, say)
	golink.Store32(&said.Writer, writerDone)
	return status
}

// mapHeader maps the header of a .pep file to be written to.
func mapHeader(name string) (h *pepfile.Header, e sys.Errno) {
	fd, e := sys.Open(name, sys.ORdwr|sys.ONonblock|sys.ONofollow)
	if e != 0 {
		return nil, e
	}
	defer sys.Close(fd)
	p, e := sys.Mmap(0, pepfile.PageSize, sys.ProtRead|sys.ProtWrite, sys.MapShared, fd, 0)
	return (*pepfile.Header)(p), e
}
