package core

// This file makes profiles of a .pep file: in the program itself when it exits,
// in a child when it dies (writer_linux_amd64.go), and in a process that the user
// has started with PEP_WRITE.

import (
	"github.com/pepgo/pep/runtime/digits"
	"github.com/pepgo/pep/runtime/wire"
)

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
	c, problem := openCounts(name, oRdonly)
	var process int
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

// openCounts maps a .pep file. With flags oRdwr what is stored there is stored in
// the file.
func openCounts(name string, flags uintptr) (c counted, problem string) {
	// A device may do something when it is opened.
	if info, e := stat(name, atSymlinkNofollow); e == 0 {
		problem = info.unfit()
	}
	if problem != "" {
		return c, problem
	}
	fd, e := open(name, flags|oNonblock|oNofollow)
	if e != 0 {
		return c, e.Error()
	}
	defer closeFd(fd)
	return mapCounts(fd, flags)
}

// mapCounts maps a .pep file that is open.
func mapCounts(fd, flags uintptr) (c counted, problem string) {
	info, e := fstat(fd)
	if e != 0 {
		return c, e.Error()
	}
	if problem := info.unfit(); problem != "" {
		return c, problem
	}
	if info.size < pageSize {
		return c, "not a .pep file"
	}
	prot := uintptr(protRead)
	if flags == oRdwr {
		prot |= protWrite
	}
	m, e := mmap(0, uintptr(info.size), prot, mapShared, fd, 0)
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
	return ""
}

// siteTables reads the site tables at the end of this executable.
func siteTables() (pkgs []*wire.Package, build [8]byte, err error) {
	tables, build, err := rawTables()
	if err == nil {
		pkgs, err = packages(tables)
	}
	return pkgs, build, err
}

// buildHash returns the hash that the site tables of this executable are known
// by, zeros if it has none.
func buildHash() (hash [8]byte) {
	fd, e := open("/proc/self/exe", oRdonly)
	if e != 0 {
		return hash
	}
	defer closeFd(fd)
	// Only the footer is read here: checking the tables can wait.
	_, _, _ = wire.FindTrailer(fileSize(fd), func(p []byte, off int64) bool {
		if pread(fd, p, off) && len(p) >= 16 {
			copy(hash[:], p[8:16])
		}
		return false
	})
	return hash
}
