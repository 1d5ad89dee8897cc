//go:build peptaps

package core

// This file is the tap that instrumented code calls. It needs the field that
// internal/goruntime adds to goroutines, so only programs with taps have it.

import "runtime"

// Tap reports word w at pc, the tag and site of a tuple.
func Tap(pc, w uint64) { uncharged[0] = tap(runtime.PepNext(), pc, w) }

// Tap2 reports a sample of two words at pc.
func Tap2(pc, w, more uint64) { uncharged[0] = tap2(runtime.PepNext(), pc, w, more) }

// Tap3 reports a sample of three words at pc.
func Tap3(pc, w, more, third uint64) { uncharged[0] = tap3(runtime.PepNext(), pc, w, more, third) }

// TapCase is [Tap] where a case of a switch is evaluated, which it does not match.
func TapCase(pc, w uint64) bool {
	Tap(pc, w)
	return false
}

// Tap2Case is [Tap2] likewise.
func Tap2Case(pc, w, more uint64) bool {
	Tap2(pc, w, more)
	return false
}

// Tap3Case is [Tap3] likewise.
func Tap3Case(pc, w, more, third uint64) bool {
	Tap3(pc, w, more, third)
	return false
}
