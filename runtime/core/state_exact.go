package core

// This file says where the counters of exact programs are in the .pep file.

import (
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/pepfile"
)

// A counterRange says where the counters of a package are in the .pep file. All
// ranges are known when the program starts. So the first Count of a package has
// nothing to allocate, and threads that execute it at the same time find the same
// range.
type counterRange struct {
	path     string
	counters uint64
	offset   uint64 // of the file
}

var counterRanges []counterRange

// counterRangesOf returns the ranges of all packages of some site tables in a file with so many
// streams, and how many counters there are.
func counterRangesOf(tables []byte, streams uint32) (list []counterRange, counters uint64, err error) {
	offset := pepfile.LayoutOf(0, streams, 0).Counters
	err = wire.ReadCounters(tables, func(path string, n uint64) {
		list = append(list, counterRange{path, n, offset + 8*counters})
		counters += n
	})
	return list, counters, err
}
