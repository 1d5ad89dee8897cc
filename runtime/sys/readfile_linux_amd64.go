package sys

// This file reads whole files.

import "unsafe"

// ReadSparse returns the content of a file with the given size, in memory of its own. It
// does not read holes, that is pages that were never written: on some file systems,
// reading them where the file is mapped takes space on disk, and the disk may be full.
func ReadSparse(fd uintptr, size uint64) (p unsafe.Pointer, e Errno) {
	const seekData, seekHole = 3, 4
	p, e = Mmap(0, uintptr(size), ProtRead|ProtWrite, MapPrivate|MapAnonymous|MapNoreserve, ^uintptr(0), 0)
	for end := uintptr(0); e == 0 && end < uintptr(size); {
		var begin uintptr
		switch begin, e = Call(NrLseek, fd, end, seekData, 0, 0, 0); e {
		case eNXIO: // holes up to the end
			return p, 0
		case eINVAL: // a file system that does not know
			begin, end, e = end, uintptr(size), 0
		case 0:
			end, e = Call(NrLseek, fd, begin, seekHole, 0, 0, 0)
		}
		end = min(end, uintptr(size))
		if e == 0 && begin < end && !pread(fd, unsafe.Slice((*byte)(unsafe.Add(p, begin)), end-begin), int64(begin)) {
			e = eIO
		}
	}
	return p, e
}

// maxFile is the size of the largest file that can be part of the settings.
const maxFile = 1 << 20

// A fileError says what is wrong with a file.
type fileError struct{ name, problem string }

func (e *fileError) Error() string { return e.name + ": " + e.problem }

// ReadFile returns what is in a file, relative to the current directory.
func ReadFile(name string) ([]byte, error) {
	fd, e := Open(name, ORdonly|ONonblock)
	if e != 0 {
		return nil, &fileError{name, e.Error()}
	}
	defer Close(fd)
	info, e := Fstat(fd)
	switch {
	case e != 0:
		return nil, &fileError{name, e.Error()}
	case info.Mode&TypeMask != TypeRegular:
		return nil, &fileError{name, "it is " + info.Kind() + ", not a regular file"}
	case info.Size > maxFile:
		return nil, &fileError{name, "larger than 1 MB"}
	}
	b := make([]byte, info.Size)
	if !pread(fd, b, 0) {
		return nil, &fileError{name, "cannot be read to its end"}
	}
	return b, nil
}
