package core

// This file holds the exact poll: core.Count(&table, number).

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/wire"
)

// A Table is where the paths of one package are counted. Instrumented code
// declares one per package, statically initialised.
type Table struct {
	Path string // import path of the package, as in its site table
	N    uint64 // number of paths in the package

	counters uintptr // address of N counters; 0 until the first Count
}

// Count counts the path with the given number within t's package. Every call
// counts, on any number of threads.
func Count(t *Table, number uintptr) {
	p := loadPtr(&t.counters)
	if p == 0 {
		if p = t.first(); p == 0 {
			return
		}
	}
	add64((*uint64)(unsafe.Add(at(p), number*8)), 1)
}

// at makes an address that is not on the heap a pointer.
func at(p uintptr) unsafe.Pointer { return unsafe.Add(nil, p) }

//go:noinline
func (t *Table) first() uintptr {
	if off {
		return 0
	}
	for i := range places {
		if p := &places[i]; p.path == t.Path && p.paths >= t.N {
			c := uintptr(counts.at(p.offset))
			storePtr(&t.counters, c)
			return c
		}
	}
	add64(&counts.Dropped, 1)
	return 0
}

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
	offset := layoutOf(0, 0).counters
	err = wire.ReadPaths(tables, func(path string, paths uint64) {
		list = append(list, place{path, paths, offset + 8*counters})
		counters += paths
	})
	return list, counters, err
}
