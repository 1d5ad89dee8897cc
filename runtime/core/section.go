package core

// This file defines the sections of a .pep file: what is added to it while the
// program runs.

// Kinds of sections.
const (
	sectionCounters = iota // the exact counts of a package, N of them
	sectionWords           // the profile of words, an areaHeader and its slots
	sectionStream          // a stream
	sectionChunks          // a block of chunks
)

// A section is the beginning of a part of a .pep file. It takes up a page; what
// it is the beginning of follows.
type section struct {
	N       uint64 // number of counters
	Size    uint64 // bytes from this header to the next
	Kind    uint32
	PathLen uint32
	Path    [pageSize - 24]byte // import path of the package whose counters they are
}

// pages rounds n up to whole pages.
func pages(n uint64) uint64 { return (n + pageSize - 1) &^ (pageSize - 1) }
