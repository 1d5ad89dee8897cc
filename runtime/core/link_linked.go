//go:build peplinked

package core

// This file holds what differs between the package as it is linked into
// programs and as it is built in its own module: here, the former.

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/runtime/exithook"
	"internal/strconv"
	"unsafe"
)

// linked says that this build runs inside an instrumented program.
const linked = true

func atExit(f func()) { exithook.Add(exithook.Hook{F: f, RunOnFailure: true}) }

// The compiler makes single instructions of all of these.

func load32(p *uint32) uint32               { return atomic.Load(p) }
func store32(p *uint32, x uint32)           { atomic.Store(p, x) }
func cas32(p *uint32, old, new uint32) bool { return atomic.Cas(p, old, new) }
func load64(p *uint64) uint64               { return atomic.Load64(p) }
func store64(p *uint64, x uint64)           { atomic.Store64(p, x) }
func cas64(p *uint64, old, new uint64) bool { return atomic.Cas64(p, old, new) }
func add64(p *uint64, n int64) uint64       { return atomic.Xadd64(p, n) }
func loadPtr(p *uintptr) uintptr            { return atomic.Loaduintptr(p) }
func storePtr(p *uintptr, x uintptr)        { atomic.Storeuintptr(p, x) }

// pause sleeps for pauseTime, without letting go of the P.
func pause() { usleep(pauseTime / 1000) }

// usleep sleeps for as many µs.
//
//go:linkname usleep runtime.usleep
func usleep(us uint32)

func formatFloat(x float64, bits int) string { return strconv.FormatFloat(x, 'g', -1, bits) }

// methodPC returns the code of a method of the type whose descriptor is at t, 0
// if it has none of that name.
func methodPC(t uintptr, name string) uintptr {
	u := (*abi.Type)(at(t)).Uncommon()
	if u == nil {
		return 0
	}
	for _, m := range u.Methods() {
		if nameAt((*byte)(resolveNameOff(at(t), int32(m.Name)))) == name {
			return uintptr(resolveTextOff(at(t), int32(m.Tfn)))
		}
	}
	return 0
}

// resolveTextOff returns the code that is off from that of the module that p
// points into; the runtime provides it for package reflect.
//
//go:linkname resolveTextOff reflect.resolveTextOff
func resolveTextOff(p unsafe.Pointer, off int32) unsafe.Pointer
