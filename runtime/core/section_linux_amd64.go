package core

// This file adds sections to the .pep file, and finds them in it.

import "unsafe"

// Ways to make room in a file.
const (
	sparse = iota // when it is written to
	filled        // now, so that a full disk is no SIGBUS later
)

// addSection maps size bytes behind the end of the .pep file. They are part of
// it when the caller adds s.Size to counts.End. The caller has lockMemory.
func addSection(size uint64, how int) (s *section, e errno) {
	fd, e := openTable()
	if e != 0 {
		return nil, e
	}
	defer closeTable(fd)
	end := uintptr(counts.End)
	if how == filled {
		_, e = sys(sysFallocate, fd, 0, end, uintptr(size), 0, 0)
	}
	if how == sparse || e == eOPNOTSUPP {
		_, e = sys(sysFtruncate, fd, end+uintptr(size), 0, 0, 0, 0)
	}
	if e != 0 {
		return nil, e
	}
	p, e := mmap(0, uintptr(size), protRead|protWrite, mapShared, fd, end)
	if e != 0 {
		return nil, e
	}
	s = (*section)(p)
	s.Size = size
	return s, 0
}

// ownCounts returns the counts of this program. Sections are mapped elsewhere than
// the table, so if there are some the whole file is mapped once more.
func ownCounts() (c counted, problem string) {
	if end := tableSize(counts.Slots); counts.End == end {
		return counted{counts, end}, ""
	}
	fd, e := openTable()
	if e != 0 {
		return c, e.Error()
	}
	defer closeTable(fd)
	return mapCounts(fd, oRdonly)
}

// tableFd is the .pep file if that has no name any more, or 0.
var tableFd uintptr

func openTable() (fd uintptr, e errno) {
	if tableFd != 0 {
		return tableFd, 0
	}
	return open(tableName, oRdwr|oNofollow)
}

func closeTable(fd uintptr) {
	if fd != tableFd {
		closeFd(fd)
	}
}

// newSection returns memory for what is tapped, nil if there is none.
func newSection(kind uint32, size uint64) unsafe.Pointer {
	s, e := addSection(pageSize+pages(size), filled)
	if e != 0 {
		print("pep: making room for taps in ", tableName, ": ", e.Error(), "; taps report no more\n")
		return nil
	}
	s.Kind = kind
	add64(&counts.End, int64(s.Size))
	return s.data()
}

func (s *section) data() unsafe.Pointer { return unsafe.Add(unsafe.Pointer(s), pageSize) }

// each calls f for every section of a kind.
func (c counted) each(kind uint32, f func(s *section, data unsafe.Pointer)) {
	end := min(c.End, c.size) // the program may just be adding a section
	for off := tableSize(c.Slots); off+pageSize <= end; {
		s := (*section)(unsafe.Add(unsafe.Pointer(c.header), off))
		if s.Size < pageSize || s.Size > end-off {
			break
		}
		if s.Kind == kind {
			f(s, s.data())
		}
		off += s.Size
	}
}

// sections returns the counters of every package in a file of exact counts.
func (c counted) sections() (list []counters) {
	c.each(sectionCounters, func(s *section, data unsafe.Pointer) {
		if s.N > s.Size || s.Size < sectionSize(s.N) || s.PathLen > uint32(len(s.Path)) {
			return
		}
		list = append(list, counters{string(s.Path[:s.PathLen]), unsafe.Slice((*uint64)(data), s.N)})
	})
	return list
}

// tapped returns the profile of words, the streams and the chunks.
func (c counted) tapped() (a areaOf, streams []*stream, chunks []*chunk) {
	c.each(sectionWords, func(s *section, data unsafe.Pointer) {
		if s.Size >= pageSize+areaSize {
			a = areaAt(data)
		}
	})
	c.each(sectionStream, func(s *section, data unsafe.Pointer) {
		if s.Size >= pageSize+streamSize {
			streams = append(streams, (*stream)(data))
		}
	})
	c.each(sectionChunks, func(s *section, data unsafe.Pointer) {
		if s.Size >= pageSize+chunkBlock*chunkSize {
			for i := range (*[chunkBlock]chunk)(data) {
				chunks = append(chunks, &(*[chunkBlock]chunk)(data)[i])
			}
		}
	})
	return a, streams, chunks
}

// mayReadType reports whether there is a type descriptor at p. Those that were
// made while another process ran are not in this one.
func (n names) mayReadType(p uintptr) bool {
	return counts.header != nil && n.of.Start == counts.Start || p >= typesStart() && p < typesEnd()
}
