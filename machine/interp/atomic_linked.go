//go:build peplinked

package interp

// This file has the atomic operations for programs, whose package sync/atomic may be instrumented. The compiler makes
// single instructions of all of them.

import "internal/runtime/atomic"

func load32(p *uint32) uint32               { return atomic.Load(p) }
func store32(p *uint32, x uint32)           { atomic.Store(p, x) }
func cas32(p *uint32, old, new uint32) bool { return atomic.Cas(p, old, new) }
func add32(p *uint32, n int32) uint32       { return atomic.Xadd(p, n) }
func load64(p *uint64) uint64               { return atomic.Load64(p) }
func store64(p *uint64, x uint64)           { atomic.Store64(p, x) }
func cas64(p *uint64, old, new uint64) bool { return atomic.Cas64(p, old, new) }
func add64(p *uint64, n uint64) uint64      { return atomic.Xadd64(p, int64(n)) }
