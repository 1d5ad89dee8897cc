package core

// This file says where the counters of exact programs are in the .pep file.

import (
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/wire"
)

// A place is where the counters of a package are in the .pep file. All are known
// when the program starts, so that the first Count of a package has nothing to
// make: threads that come to it at once find the same.
type place struct {
	path   string
	paths  uint64
	offset uint64 // of the file
}

var places []place

// placesOf returns the places of all packages of some site tables, and how many
// counters there are.
func placesOf(tables []byte) (list []place, counters uint64, err error) {
	offset := pepfile.LayoutOf(0, 0).Counters
	err = wire.ReadPaths(tables, func(path string, paths uint64) {
		list = append(list, place{path, paths, offset + 8*counters})
		counters += paths
	})
	return list, counters, err
}
