package core

// This file makes profiles of a .pep file: in the program itself when it exits,
// in a child when it dies (writer_linux_amd64.go), and in a process that the user
// has started with PEP_WRITE.

import "github.com/pepgo/pep/runtime/digits"

const tickClock = "cpu"

// writeHere writes the profiles of this program and removes its .pep file. It
// reads the counts where they are mapped: the program may have lost its right to
// open the file, or the file its name.
func writeHere() {
	c, problem := ownCounts()
	if problem == "" {
		problem = c.write(tableName, true)
	}
	if problem != "" {
		print("pep: ", problem, whereCountsAre(), "\n")
		return
	}
	if e := unlink(tableName); e != 0 && e != eNOENT {
		print("pep: removing ", tableName, ": ", e.Error(), "; its profiles are written\n")
	}
}

// whereCountsAre ends a message that says why there is no profile.
func whereCountsAre() string {
	if _, e := stat(tableName, atSymlinkNofollow); e == eNOENT {
		return "; the counts were in " + tableName + ", which is gone, or outside of the root that the process has now"
	}
	return "; the counts are in " + tableName
}

// writeFor does what the user has set PEP_WRITE for and returns the status to
// exit with. The file of a program that has ended is removed when its profiles
// are written.
func writeFor(name string) (status uintptr) {
	var c counted
	var process int
	fd, problem := openCounts(name)
	if problem == "" {
		c, problem = readCounts(fd)
	}
	if problem == "" {
		process = c.process()
		problem = c.write(name, process == processRuns)
	}
	if problem == "" && process == processEnded {
		if e := unlink(name); e != 0 {
			problem = "the profiles are written, but it cannot be removed: " + e.Error()
		}
	}
	if problem != "" {
		print("pep: PEP_WRITE=", quote(name), ": ", problem, "\n")
		return 1
	}
	which := string(c.Exe[:c.ExeLen]) + " (process " + digits.Uint(uint64(c.Pid)) + ")"
	switch process {
	case processRuns:
		print("pep: ", which, " still runs: the profiles are of its counts so far, and ", name, " stays\n")
	case processUnknown:
		print("pep: it cannot be told from here whether ", which, " still runs: the profiles are written, and ", name, " stays\n")
	}
	return 0
}

// ownCounts returns the counts of this program. They are read from the file, for to
// read what was never written to where it is mapped takes room on disk on some file
// systems, and there may be none; and what was cut off is not there. If the program
// has lost its right to open the file, or the file its name, they are taken from
// where they are mapped.
func ownCounts() (c counted, problem string) {
	if info, e := stat(tableName, atSymlinkNofollow); e == 0 && info.ino == tableIno {
		if fd, problem := openCounts(tableName); problem == "" {
			switch c, problem = readCounts(fd); {
			case problem != "" && uintptr(info.size) < live[0][1]:
				problem = "reading the counts: the file was cut off"
			case problem != "":
				problem = "reading the counts: " + problem
			}
			return c, problem
		}
	}
	if load32(&detached) != 0 {
		return c, "the disk was full or the file was cut off"
	}
	return counted{counts, counts.layout().size}, ""
}

// openCounts opens a .pep file.
func openCounts(name string) (fd uintptr, problem string) {
	// A device may do something when it is opened.
	if info, e := stat(name, atSymlinkNofollow); e == 0 {
		problem = info.unfit()
	}
	if problem != "" {
		return 0, problem
	}
	fd, e := open(name, oRdonly|oNonblock|oNofollow)
	if e != 0 {
		return 0, e.Error()
	}
	info, e := fstat(fd)
	if e != 0 {
		problem = e.Error()
	} else {
		problem = info.unfit()
	}
	if problem != "" {
		closeFd(fd)
	}
	return fd, problem
}

// readCounts reads a .pep file that is open, and closes it.
func readCounts(fd uintptr) (c counted, problem string) {
	defer closeFd(fd)
	info, e := fstat(fd)
	if e != 0 {
		return c, e.Error()
	}
	if info.size < pageSize {
		return c, "not a .pep file"
	}
	m, e := readSparse(fd, uint64(info.size))
	if e != 0 {
		return c, e.Error()
	}
	c = counted{tableAt(m), uint64(info.size)}
	return c, c.check()
}

// unfit says why a file is not read as a .pep file. Those of other users are not:
// they could hold anything.
func (info *fileInfo) unfit() (problem string) {
	switch {
	case info.mode&typeMask == typeLink:
		return "it is a symbolic link: give the name of the file itself"
	case info.mode&typeMask != typeRegular:
		return "it is " + info.kind() + ", not a .pep file"
	case info.uid != geteuid():
		return "it belongs to user " + digits.Uint(uint64(info.uid)) + ", and this is user " + digits.Uint(uint64(geteuid())) + ": only the user that it belongs to can make profiles of it"
	}
	return ""
}

// write writes the profiles of the counts beside the .pep file with the given
// name. They last until now if the program does.
func (c counted) write(name string, untilNow bool) (problem string) {
	pkgs, build, err := siteTables()
	if err != nil {
		return err.Error()
	}
	if build != c.Build {
		return "of another build of " + string(c.Exe[:c.ExeLen])
	}
	if why := c.whyStopped(); why != "" {
		print("pep: sampling stopped after ", digits.Uint(c.Ticks), " ticks: ", why, "\n")
	}
	p := c.profile(pkgs, build)
	if untilNow {
		p.Duration = int64(now() - c.Start)
	}
	stem := name
	if n := len(name) - len(".pep"); n > 0 && name[n:] == ".pep" {
		stem = name[:n]
	}
	for _, f := range append(p.Write(), c.tapFiles(p)...) {
		if problem := writeFile(stem+"."+f.Kind+".pb.gz", f.Data); problem != "" {
			return problem
		}
	}
	if a := c.area(); c.Detached != 0 && a.areaHeader != nil && a.Deliver == deliverRing {
		print("pep: taps", c.untilDetached(), "\n") // there is no profile that could say so
	}
	return ""
}

// mayReadType reports whether there is a type descriptor at p. Those that were
// made while another process ran are not in this one. That the process has the same
// number says nothing: in containers all have number 1.
func (n names) mayReadType(p uintptr) bool {
	ours := counts.header != nil && n.of.Pid == counts.Pid && n.of.Start == counts.Start
	return ours || p >= typesStart() && p < typesEnd()
}
