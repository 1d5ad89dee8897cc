package core

// This file says where things are in a .pep file. The file gets its whole size
// when the program starts, and is mapped whole: nothing that polls or taps call
// makes room for anything. It is sparse: what is never written to takes no room
// on disk.

import "unsafe"

// pages rounds n up to whole pages.
func pages(n uint64) uint64 { return (n + pageSize - 1) &^ (pageSize - 1) }

// A layout is the offsets of a file's parts, which follow each other:
//
//	header and slots of sampled paths
//	the counters of exact programs: one for each path of each package, in the
//	order of the site tables
//	in programs with taps that report:
//	the words that taps have seen (words.go)
//	the streams of the Ps (stream.go)
//	the chunks of the goroutines (chunk.go)
type layout struct {
	counters uint64 // offset of the counters
	words    uint64
	streams  uint64
	chunks   uint64
	size     uint64 // of the file
}

// layoutOf returns the layout of a file with so many counters and streams. Files
// without streams have no room for taps.
func layoutOf(counters uint64, streams uint32) (l layout) {
	l.counters = tableSize(slotsOf(mode))
	l.words = l.counters + pages(8*counters)
	l.streams, l.chunks, l.size = l.words, l.words, l.words
	if streams > 0 {
		l.streams += areaSize
		l.chunks = l.streams + uint64(streams)*streamSize
		l.size = l.chunks + maxChunks*chunkSize
	}
	return l
}

func (t table) layout() layout { return layoutOf(t.Counters, t.Streams) }

// at returns what is at an offset of the file.
func (t table) at(offset uint64) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(t.header), uintptr(offset))
}

// area returns the words that taps have seen, without a header if there are none.
func (t table) area() (a areaOf) {
	if t.Streams > 0 {
		a = areaAt(t.at(t.layout().words))
	}
	return a
}

// stream returns the stream of a P.
func (t table) stream(p uint32) *stream {
	return (*stream)(t.at(t.layout().streams + uint64(p)*streamSize))
}

// chunk returns a chunk.
func (t table) chunk(i uint32) *chunk {
	return (*chunk)(t.at(t.layout().chunks + uint64(i)*chunkSize))
}
