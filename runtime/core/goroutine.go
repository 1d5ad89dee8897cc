//go:build peptaps

package core

import "runtime"

// Tap reports word w at pc, the tag and site of a tuple. Where the next tuple of
// the goroutine goes is in a field that the runtime of programs with taps has for
// that; see internal/goruntime.
func Tap(pc, w uint64) { free[0] = tap(runtime.PepNext(), pc, w) }

// TapCase is [Tap] where a case of a switch is evaluated, which it does not match.
func TapCase(pc, w uint64) bool {
	Tap(pc, w)
	return false
}
