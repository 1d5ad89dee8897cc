package core

// This file holds the exact poll: core.Count(&table, number).

import "unsafe"

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
	lockMemory()
	defer unlockMemory()
	p := loadPtr(&t.counters)
	if p == 0 {
		p = newCounters(t.Path, t.N)
		storePtr(&t.counters, p)
	}
	return p
}

func sectionSize(n uint64) uint64 { return pageSize + pages(8*n) }
