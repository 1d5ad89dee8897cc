//go:build peplinked

package golink

// This file is for programs that are profiled; module.go has the same functions for
// tests. The compiler makes single instructions of all the atomic operations.

import (
	"internal/abi"
	"internal/race"
	"internal/runtime/atomic"
	"internal/runtime/exithook"
	"internal/strconv"
	"unsafe"
)

// Linked says that this build runs inside an instrumented program.
const Linked = true

// Race says that the program is built with -race. Our packages are not, but package runtime tells the
// race detector about the maps that they use.
const Race = race.Enabled

// AtExit has f called when main returns or os.Exit is called.
func AtExit(f func()) { exithook.Add(exithook.Hook{F: f, RunOnFailure: true}) }

func Load32(p *uint32) uint32               { return atomic.Load(p) }
func Store32(p *uint32, x uint32)           { atomic.Store(p, x) }
func Cas32(p *uint32, old, new uint32) bool { return atomic.Cas(p, old, new) }
func Load64(p *uint64) uint64               { return atomic.Load64(p) }
func Store64(p *uint64, x uint64)           { atomic.Store64(p, x) }
func Cas64(p *uint64, old, new uint64) bool { return atomic.Cas64(p, old, new) }
func Add64(p *uint64, n int64) uint64       { return atomic.Xadd64(p, n) }
func LoadPtr(p *uintptr) uintptr            { return atomic.Loaduintptr(p) }
func StorePtr(p *uintptr, x uintptr)        { atomic.Storeuintptr(p, x) }

// Pause sleeps for PauseTime, without letting go of the P.
func Pause() { usleep(PauseTime / 1000) }

// usleep sleeps for as many µs.
//
//go:linkname usleep runtime.usleep
func usleep(us uint32)

// Callers stores the return addresses of frames of the goroutine whose g is given, which waits in a
// function that package runtime has called on another stack.
//
//go:linkname Callers runtime.gcallers
//go:noescape
func Callers(g uintptr, skip int, pcs []uintptr) int

func FormatFloat(x float64, bits int) string { return strconv.FormatFloat(x, 'g', -1, bits) }

// MethodPC returns the code of a method of the type whose descriptor is at t, 0
// if it has none of that name.
func MethodPC(t uintptr, name string) uintptr {
	u := (*abi.Type)(At(t)).Uncommon()
	if u == nil {
		return 0
	}
	for _, m := range u.Methods() {
		if nameAt((*byte)(resolveNameOff(At(t), int32(m.Name)))) == name {
			return uintptr(resolveTextOff(At(t), int32(m.Tfn)))
		}
	}
	return 0
}

// resolveTextOff returns the code that is off from that of the module that p
// points into; the runtime provides it for package reflect.
//
//go:linkname resolveTextOff reflect.resolveTextOff
func resolveTextOff(p unsafe.Pointer, off int32) unsafe.Pointer

//go:linkname throw runtime.throw
func throw(s string)

//go:linkname fatal runtime.fatal
func fatal(s string)

// FatalPCs returns where the functions of the runtime begin that end the program with a fatal error.
func FatalPCs() [2]uintptr { return [2]uintptr{CodeOf(throw), CodeOf(fatal)} }
