package core

// newCounters appends a section to the .pep file and returns its counters. The
// file is sparse: paths that are never taken take up no room.
func newCounters(path string, n uint64) uintptr {
	size := sectionSize(n)
	fd, e := open(tableName, oRdwr)
	if e == 0 {
		defer closeFd(fd)
		_, e = sys(sysFtruncate, fd, uintptr(counts.End+size), 0, 0, 0, 0)
	}
	if e == 0 {
		p, e2 := mmap(0, uintptr(size), protRead|protWrite, mapShared, fd, uintptr(counts.End))
		if e = e2; e == 0 {
			s := (*section)(p)
			s.N, s.Size = n, size
			s.PathLen = uint32(copy(s.Path[:], path))
			add64(&counts.End, int64(size))
			return uintptr(p) + pageSize
		}
	}
	unprofiled("making room for the paths of " + path + " in " + tableName + ": " + e.Error())
	return 0
}
