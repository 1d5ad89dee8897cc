//go:build peptaps

package core

// This file holds what programs with taps have of the runtime: see
// internal/goruntime.

import "runtime"

const tapsLinked = true

// Tap reports word w at pc, the tag and site of a tuple.
func Tap(pc, w uint64) { free[0] = tap(runtime.PepNext(), pc, w) }

// TapCase is [Tap] where a case of a switch is evaluated, which it does not match.
func TapCase(pc, w uint64) bool {
	Tap(pc, w)
	return false
}

// pin keeps the caller on its P, whose number it returns, until unpin. The number
// is -1 where there is no P, and on stacks of threads, which are too small for an
// engine.
func pin() int { return runtime.PepPin() }

// mayWait reports whether the caller, who has pinned once, may sleep after it
// unpins: not where it has locks of the runtime's, or others wait for it to stop.
func mayWait() bool { return runtime.PepMayWait() }
