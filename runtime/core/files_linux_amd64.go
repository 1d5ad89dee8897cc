package core

// This file holds how files are made. Somebody else may be able to write to the
// directory, so no file is made under a name that exists, and no link is
// followed:
//
//	.pep, .ring   live under their names from the start, which nobody can know
//	              before: they have the time in ns
//	profiles      are written as .pep-<64 random bits> and then renamed, so that
//	              no reader ever sees half of one
//	traces        likewise; they are renamed when their header is written

import "github.com/pepgo/pep/runtime/digits"

// tries is how many names are tried: a second one means that another thread or
// process has taken the first in the same ns, or that the clock stands.
const tries = 100

// maxProg bounds the part of the program in names of files, which may have 255
// bytes.
const maxProg = 160

// createLive makes the .pep file of the program in dir, and returns its name,
// open, and the time that is in the name.
func createLive(dir, prog string, pid uint32) (name string, fd uintptr, start uint64, e errno) {
	prog = prog[:min(len(prog), maxProg)]
	for range tries {
		start = now()
		name = dir + prog + "." + digits.Uint(uint64(pid)) + "." + digits.Uint(start) + ".pep"
		if fd, e = open(name, oRdwr|oCreat|oExcl|oNofollow); e != eEXIST {
			break
		}
	}
	return name, fd, start, e
}

// allocate gives a new file its size. The room on disk is taken at once: a signal
// handler that found the disk full would die of SIGBUS.
func allocate(fd, size uintptr) (problem string) {
	if limit := fileLimit(); uint64(size) > limit {
		return "it takes " + digits.Uint(uint64(size)) + " bytes, and files may have " + digits.Uint(limit) + " (ulimit -f)"
	}
	_, e := sys(sysFallocate, fd, 0, 0, size, 0, 0)
	if e == eOPNOTSUPP {
		_, e = sys(sysFtruncate, fd, size, 0, 0, 0, 0)
	}
	if e != 0 {
		return e.Error()
	}
	return ""
}

// createTemporary makes a file beside the one of the given name, which it is to
// replace.
func createTemporary(name string, flags uintptr) (tmp string, fd uintptr, e errno) {
	dir := name[:len(name)-len(base(name))]
	for range tries {
		tmp = dir + ".pep-" + digits.Hex(random())[2:]
		if fd, e = open(tmp, oWronly|oCreat|oExcl|oNofollow|flags); e != eEXIST {
			break
		}
	}
	return tmp, fd, e
}

// writeFile writes a file.
func writeFile(name string, data []byte) (problem string) {
	if uint64(len(data)) > fileLimit() {
		return "writing " + name + ": it takes " + digits.Uint(uint64(len(data))) + " bytes, and files may have " + digits.Uint(fileLimit()) + " (ulimit -f)"
	}
	tmp, fd, e := createTemporary(name, 0)
	if e == 0 {
		e = write(fd, data)
		closeFd(fd)
		if e == 0 {
			e = rename(tmp, name)
		}
		if e != 0 {
			unlink(tmp)
		}
	}
	if e != 0 {
		return "writing " + name + ": " + e.Error()
	}
	return ""
}

// replaceable says why a file must not be replaced: only regular files are.
func replaceable(name string) (problem string) {
	info, e := stat(name, atSymlinkNofollow)
	switch {
	case e == eNOENT || e == 0 && info.mode&typeMask == typeRegular:
		return ""
	case e != 0:
		return e.Error()
	}
	return "it exists and is " + info.kind() + ", not a regular file"
}

// kind says what a file is.
func (info *fileInfo) kind() string {
	switch info.mode & typeMask {
	case typeRegular:
		return "a regular file"
	case typeLink:
		return "a symbolic link"
	case 0o040000:
		return "a directory"
	case 0o010000:
		return "a FIFO"
	case 0o140000:
		return "a socket"
	}
	return "a device"
}
