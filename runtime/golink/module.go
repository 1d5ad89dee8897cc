//go:build !peplinked

package golink

// This file stands in for linked.go in the package's own module, where
// internal/runtime/… cannot be imported and nothing is profiled.

import (
	"strconv"
	"sync/atomic"
)

// Linked says that this build runs inside a profiled program.
const Linked = false

// Race would say that the profiled program is built with -race.
const Race = false

// AtExit does nothing: there is no program to profile.
func AtExit(func()) {}

func Load32(p *uint32) uint32               { return atomic.LoadUint32(p) }
func Store32(p *uint32, x uint32)           { atomic.StoreUint32(p, x) }
func Cas32(p *uint32, old, new uint32) bool { return atomic.CompareAndSwapUint32(p, old, new) }
func Load64(p *uint64) uint64               { return atomic.LoadUint64(p) }
func Store64(p *uint64, x uint64)           { atomic.StoreUint64(p, x) }
func Cas64(p *uint64, old, new uint64) bool { return atomic.CompareAndSwapUint64(p, old, new) }
func Add64(p *uint64, n int64) uint64       { return atomic.AddUint64(p, uint64(n)) }
func LoadPtr(p *uintptr) uintptr            { return atomic.LoadUintptr(p) }
func StorePtr(p *uintptr, x uintptr)        { atomic.StoreUintptr(p, x) }

// Pause is called while pinned: it must not sleep as goroutines do.
func Pause() {
	for start := Nanotime(); Nanotime()-start < PauseTime; {
	}
}

func Callers(uintptr, int, []uintptr) int { return 0 }

func FormatFloat(x float64, bits int) string { return strconv.FormatFloat(x, 'g', -1, bits) }

func MethodPC(uintptr, string) uintptr { return 0 }

// FatalPCs returns nothing.
func FatalPCs() (pcs [2]uintptr) { return pcs }
