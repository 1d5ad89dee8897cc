package core

// This file is the exact poll that instrumented code calls: core.Count(&table, number).
// Within expressions it calls functions that return 0.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
)

// A Table is where the paths of one package, and the calls of its functions, are counted. Instrumented
// code declares one per package, statically initialised.
type Table struct {
	Path string // import path of the package, as in its site table
	N    uint64 // number of counters: see wire.Lazy.Counters

	counters uintptr // address of N counters; 0 until the first Count
}

// Count adds 1 to the counter with the given number within t's package. Every call
// counts, on any number of threads.
func Count(t *Table, number Number) {
	p := golink.LoadPtr(&t.counters)
	if p == 0 {
		if p = t.first(); p == 0 {
			return
		}
	}
	golink.Add64((*uint64)(unsafe.Add(golink.At(p), uintptr(number)*8)), 1)
}

// Increment is Count without a table and without an atomic addition, to measure what these cost: -pepwithout=atomics.
func Increment(counter *uint64) { *counter++ }

// Counted is Count within an expression.
func Counted(t *Table, number Number) Number {
	Count(t, number)
	return 0
}

// Added adds n to a path register.
func Added(r *Number, n Number) Number {
	*r += n
	return 0
}

// Restarted sets a path register to the number that a path begins with.
func Restarted(r *Number, n Number) Number {
	*r = n
	return 0
}

//go:noinline
func (t *Table) first() uintptr {
	if withoutProfile {
		return 0
	}
	for i := range counterRanges {
		if p := &counterRanges[i]; p.path == t.Path && p.counters >= t.N {
			c := uintptr(counts.At(p.offset))
			golink.StorePtr(&t.counters, c)
			return c
		}
	}
	golink.Add64(&counts.Dropped, 1)
	return 0
}
