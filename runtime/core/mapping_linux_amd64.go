package core

// This file maps the .pep file: once, when the program starts, with the room that
// it will ever need.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/digits"
)

// maxChunks bounds the memory of chunks to 64 MB. What further goroutines report
// is dropped, and counted.
const maxChunks = 1 << 15

// Mappings of files that the program writes to, as addresses and sizes: of the
// .pep file, and of the ring. busEntry replaces them when they lose their room.
var live [2][2]uintptr

// detached is 1 when counting has stopped because a file lost its room. The time of
// that goes to detachedAt, the address of the header's field.
var (
	detached   uint32
	detachedAt uintptr
)

// mapTable gives the .pep file its size and maps it. The table of paths gets its
// room on disk at once: it is what signal handlers write to.
func mapTable(fd uintptr, l layout) (t table, problem string) {
	if limit := fileLimit(); l.size > limit {
		return t, "it takes " + digits.Uint(l.size) + " bytes, and files may have " + digits.Uint(limit) + " (ulimit -f)"
	}
	_, e := sys(sysFallocate, fd, 0, 0, uintptr(l.counters), 0, 0)
	if e == 0 || e == eOPNOTSUPP {
		_, e = sys(sysFtruncate, fd, uintptr(l.size), 0, 0, 0, 0)
	}
	if e != 0 {
		return t, e.Error()
	}
	p, e := mmap(0, uintptr(l.size), protRead|protWrite, mapShared, fd, 0)
	if e != 0 {
		return t, "mapping " + digits.Uint(l.size) + " bytes: " + e.Error() + " (ulimit -v?)"
	}
	t = tableAt(p)
	detachedAt = uintptr(unsafe.Pointer(&t.Detached))
	live[0] = [2]uintptr{uintptr(p), uintptr(l.size)}
	return t, ""
}

// readSparse returns the content of a file of so many bytes, in memory of its own.
// What was never written is not read: to read it where the file is mapped would
// take room on disk on some file systems, and there may be none.
func readSparse(fd uintptr, size uint64) (p unsafe.Pointer, e errno) {
	const seekData, seekHole = 3, 4
	p, e = mmap(0, uintptr(size), protRead|protWrite, mapPrivate|mapAnonymous|mapNoreserve, ^uintptr(0), 0)
	for end := uintptr(0); e == 0 && end < uintptr(size); {
		var begin uintptr
		switch begin, e = sys(sysLseek, fd, end, seekData, 0, 0, 0); e {
		case eNXIO: // holes up to the end
			return p, 0
		case eINVAL: // a file system that does not know
			begin, end, e = end, uintptr(size), 0
		case 0:
			end, e = sys(sysLseek, fd, begin, seekHole, 0, 0, 0)
		}
		end = min(end, uintptr(size))
		if e == 0 && begin < end && !pread(fd, unsafe.Slice((*byte)(unsafe.Add(p, begin)), end-begin), int64(begin)) {
			e = eIO
		}
	}
	return p, e
}

// spareChunks makes chunks that nobody reads, for a program whose taps report
// nothing: they store all the same. Without them they store to one place, which
// is slower.
func spareChunks() {
	if !tapped || chunkBase != 0 {
		return
	}
	p, e := mmap(0, maxChunks*chunkSize, protRead|protWrite, mapPrivate|mapAnonymous|mapNoreserve, ^uintptr(0), 0)
	if e == 0 {
		chunkBase = uintptr(p)
	}
}
