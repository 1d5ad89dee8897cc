package sys

// This file creates files. Somebody else may be able to write to the directory, so it
// creates no file under a name that exists, and follows no link:
//
//	.pep files  have their final names from the start; nobody can know these
//	            before, since they contain the time in ns
//	profiles    are written as .pep-<64 random bits> and then renamed, so that
//	            no reader ever sees half of one
//	traces      likewise; they are renamed when their header is written

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/runtime/golink"
)

// tries is how many names are tried: a second one means that another thread or
// process has taken the first in the same ns, or that the clock stands.
const tries = 100

// maxProg bounds the part of the program in names of files, which may have 255
// bytes.
const maxProg = 160

// CreateLive makes the .pep file of the program in dir, and returns its name,
// open, and the time that is in the name.
func CreateLive(dir, prog string, pid uint32) (name string, fd uintptr, start uint64, e Errno) {
	prog = prog[:min(len(prog), maxProg)]
	for range tries {
		start = Now()
		name = dir + prog + "." + digits.Uint(uint64(pid)) + "." + digits.Uint(start) + ".pep"
		if fd, e = Open(name, ORdwr|OCreat|OExcl|ONofollow); e != EEXIST {
			break
		}
	}
	return name, fd, start, e
}

// CreateTemporary makes a file beside the one of the given name, which it is to
// replace.
func CreateTemporary(name string, flags uintptr) (tmp string, fd uintptr, e Errno) {
	dir := name[:len(name)-len(Base(name))]
	for range tries {
		tmp = dir + ".pep-" + digits.Hex(golink.Random())[2:]
		if fd, e = Open(tmp, OWronly|OCreat|OExcl|ONofollow|flags); e != EEXIST {
			break
		}
	}
	return tmp, fd, e
}

// WriteFile writes a file.
func WriteFile(name string, data []byte) (problem string) {
	if uint64(len(data)) > FileLimit() {
		return "writing " + name + ": it takes " + digits.Uint(uint64(len(data))) + " bytes, and files may have " +
			digits.Uint(FileLimit()) + " (ulimit -f)"
	}
	tmp, fd, e := CreateTemporary(name, 0)
	if e == 0 {
		e = Write(fd, data)
		Close(fd)
		if e == 0 {
			e = Rename(tmp, name)
		}
		if e != 0 {
			Unlink(tmp)
		}
	}
	if e != 0 {
		return "writing " + name + ": " + e.Error()
	}
	return ""
}

// Replaceable says why a file must not be replaced: only regular files are.
func Replaceable(name string) (problem string) {
	info, e := Stat(name, AtSymlinkNofollow)
	switch {
	case e == ENOENT || e == 0 && info.Mode&TypeMask == TypeRegular:
		return ""
	case e != 0:
		return e.Error()
	}
	return "it exists and is " + info.Kind() + ", not a regular file"
}

// Kind says what a file is.
func (info *Info) Kind() string {
	switch info.Mode & TypeMask {
	case TypeRegular:
		return "a regular file"
	case TypeLink:
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
