//go:build !peplinked

package interp

// This file has atomic operations for the package's own module, where internal/runtime/… cannot be imported.

import "sync/atomic"

func load32(p *uint32) uint32               { return atomic.LoadUint32(p) }
func store32(p *uint32, x uint32)           { atomic.StoreUint32(p, x) }
func cas32(p *uint32, old, new uint32) bool { return atomic.CompareAndSwapUint32(p, old, new) }
func add32(p *uint32, n int32) uint32       { return atomic.AddUint32(p, uint32(n)) }
func load64(p *uint64) uint64               { return atomic.LoadUint64(p) }
func store64(p *uint64, x uint64)           { atomic.StoreUint64(p, x) }
func cas64(p *uint64, old, new uint64) bool { return atomic.CompareAndSwapUint64(p, old, new) }
func add64(p *uint64, n uint64) uint64      { return atomic.AddUint64(p, n) }
