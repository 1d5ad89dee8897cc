package core

// newCounters appends counters to the .pep file, and returns where they are.
// The file is sparse: paths that are never taken take up no room.
func newCounters(path string, n uint64) uintptr {
	s, e := addSection(sectionSize(n), sparse)
	if e != 0 {
		unprofiled("making room for the paths of " + path + " in " + tableName + ": " + e.Error())
		return 0
	}
	s.N = n
	s.PathLen = uint32(copy(s.Path[:], path))
	add64(&counts.End, int64(s.Size))
	return uintptr(s.data())
}
