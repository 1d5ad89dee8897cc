//go:build !peplinked

package core

// This file stands in for link_linked.go in the package's own module, where
// internal/runtime/… cannot be imported and nothing is profiled.

import (
	"strconv"
	"sync/atomic"
)

const linked = false

func atExit(func()) {}

func load32(p *uint32) uint32               { return atomic.LoadUint32(p) }
func store32(p *uint32, x uint32)           { atomic.StoreUint32(p, x) }
func cas32(p *uint32, old, new uint32) bool { return atomic.CompareAndSwapUint32(p, old, new) }
func load64(p *uint64) uint64               { return atomic.LoadUint64(p) }
func store64(p *uint64, x uint64)           { atomic.StoreUint64(p, x) }
func cas64(p *uint64, old, new uint64) bool { return atomic.CompareAndSwapUint64(p, old, new) }
func add64(p *uint64, n int64) uint64       { return atomic.AddUint64(p, uint64(n)) }
func loadPtr(p *uintptr) uintptr            { return atomic.LoadUintptr(p) }
func storePtr(p *uintptr, x uintptr)        { atomic.StoreUintptr(p, x) }

// pause is called while pinned: it must not sleep as goroutines do.
func pause() {
	for start := nanotime(); nanotime()-start < pauseTime; {
	}
}

func formatFloat(x float64, bits int) string { return strconv.FormatFloat(x, 'g', -1, bits) }

func methodPC(uintptr, string) uintptr { return 0 }
