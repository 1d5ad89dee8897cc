package core

// This file holds the files of a profile: the .pep file read, the pprof files
// written.

const tickClock = "cpu"

// writeFrom writes the profiles that the .pep file holds the counts of and
// removes it. It returns the status to exit with. If it cannot, the file stays.
func writeFrom(name string) (status uintptr) {
	problem := tryWriteFrom(name)
	if problem == "" {
		unlink(name)
		return 0
	}
	print("pep: ", problem, "; the counts are in ", name, "\n")
	return 1
}

func tryWriteFrom(name string) (problem string) {
	fd, e := open(name, oRdonly)
	if e != 0 {
		return "reading the counts: " + e.Error()
	}
	defer closeFd(fd)
	size := fileSize(fd)
	if size < pageSize {
		return "reading the counts: not a .pep file"
	}
	m, e := mmap(0, uintptr(size), protRead, mapShared, fd, 0)
	if e != 0 {
		return "reading the counts: " + e.Error()
	}
	c := counted{tableAt(m), uint64(size)}
	if problem := c.check(); problem != "" {
		return "reading the counts: " + problem
	}
	pkgs, build, err := siteTables()
	if err != nil {
		return err.Error()
	}
	if build != c.Build {
		return "reading the counts: of another build of " + string(c.Exe[:c.ExeLen])
	}
	p := c.profile(pkgs, build)
	if pid := c.Pid; pid == getpid() || pid == getppid() {
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

// writeFile writes a file under a temporary name and then gives it its own, so
// that no reader ever sees half of it.
func writeFile(name string, data []byte) (problem string) {
	tmp := name + ".tmp"
	fd, e := open(tmp, oWronly|oCreat|oTrunc)
	if e == 0 {
		e = write(fd, data)
		closeFd(fd)
	}
	if e == 0 {
		e = rename(tmp, name)
	}
	if e != 0 {
		return "writing " + name + ": " + e.Error()
	}
	return ""
}
