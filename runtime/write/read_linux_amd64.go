package write

// This file opens and reads .pep files.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/sys"
)

// openCounts opens a .pep file.
func openCounts(name string) (fd uintptr, problem string) {
	// A device may do something when it is opened.
	if info, e := sys.Stat(name, sys.AtSymlinkNofollow); e == 0 {
		problem = unfit(&info)
	}
	if problem != "" {
		return 0, problem
	}
	fd, e := sys.Open(name, sys.ORdonly|sys.ONonblock|sys.ONofollow)
	if e != 0 {
		return 0, e.Error()
	}
	info, e := sys.Fstat(fd)
	if e != 0 {
		problem = e.Error()
	} else {
		problem = unfit(&info)
	}
	if problem != "" {
		sys.Close(fd)
	}
	return fd, problem
}

// readCounts reads a .pep file that is open, and closes it.
func readCounts(fd uintptr) (f pepfile.File, problem string) {
	defer sys.Close(fd)
	info, e := sys.Fstat(fd)
	if e != 0 {
		return f, e.Error()
	}
	if info.Size < pepfile.PageSize {
		return f, "not a .pep file"
	}
	m, e := sys.ReadSparse(fd, uint64(info.Size))
	if e != 0 {
		return f, e.Error()
	}
	f = pepfile.File{Table: pepfile.TableAt(m), Size: uint64(info.Size)}
	return f, f.Check()
}

// unfit says why a file is not read as a .pep file. Those of other users are not:
// they could hold anything.
func unfit(info *sys.Info) (problem string) {
	switch {
	case info.Mode&sys.TypeMask == sys.TypeLink:
		return "it is a symbolic link: give the name of the file itself"
	case info.Mode&sys.TypeMask != sys.TypeRegular:
		return "it is " + info.Kind() + ", not a .pep file"
	case info.Uid != sys.Geteuid():
		return "it belongs to user " + digits.Uint(uint64(info.Uid)) + ", and this is user " +
			digits.Uint(uint64(sys.Geteuid())) + ": only the user that it belongs to can make profiles of it"
	}
	return ""
}
