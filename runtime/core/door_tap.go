//go:build peptaps

package core

// This file is the tap that instrumented code calls. It needs the field that
// internal/goruntime adds to goroutines, so only programs with taps have it.

import "runtime"

// Tap reports word w at pc, the tag and site of a tuple.
func Tap(pc, w uint64) { uncharged[0] = tap(runtime.PepNext(), pc, w) }

// TapCase is [Tap] where a case of a switch is evaluated, which it does not match.
func TapCase(pc, w uint64) bool {
	Tap(pc, w)
	return false
}
