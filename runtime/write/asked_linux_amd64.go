package write

// This file writes the profiles of a .pep file for a user who has set PEP_WRITE.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/items"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/sys"
)

// IfAsked writes profiles and ends the process, if that has been started for it, given its arguments and
// environment.
func IfAsked(args, env []string) {
	if isWriter(args) {
		sys.Exit(writeAsChild(args))
	}
	if name := options.Lookup(env, "PEP_WRITE"); name != "" && !sys.Privileged() {
		sys.Exit(writeFor(name))
	}
}

// writeFor writes the profiles of the file that PEP_WRITE names, and returns the exit
// status. If the program has ended, it then removes the file.
func writeFor(name string) (status uintptr) {
	var f pepfile.File
	var process int
	var kinds []string
	fd, problem := openCounts(name)
	if problem == "" {
		f, problem = readCounts(fd)
	}
	if problem == "" {
		process = processOf(f.Header)
		kinds, problem = writeProfiles(toConvert(f, nil, nil), name, process == processRuns)
	}
	if problem == "" && process == processEnded {
		if e := sys.Unlink(name); e != 0 {
			problem = "the profiles are written, but it cannot be removed: " + e.Error()
		}
	}
	if problem != "" {
		print("pep: PEP_WRITE=", items.Quote(name), ": ", problem, "\n")
		return 1
	}
	which := string(f.Exe[:f.ExeLen]) + " (process " + digits.Uint(uint64(f.Pid)) + ")"
	switch process {
	case processRuns:
		print("pep: ", which, " still runs: the profiles are of its counts so far, and ", name, " stays\n")
	case processUnknown:
		print("pep: cannot tell from here whether ", which, " still runs: the profiles are written, and ", name, " stays\n")
	}
	sayWritten(stemOf(name), kinds, options.SayOnTerminal)
	return 0
}
