//go:build peptaps

package core

// This file holds what programs with taps have of the runtime: see
// internal/goruntime.

import "runtime"

const tapsLinked = true

// Tap reports word w at pc, the tag and site of a tuple.
func Tap(pc, w uint64) { free[0] = tap(runtime.PepNext(), pc, w) }

// Tap2 reports a sample of two words at pc.
func Tap2(pc, w, more uint64) { free[0] = tap2(runtime.PepNext(), pc, w, more) }

// Tap3 reports a sample of three words at pc.
func Tap3(pc, w, more, third uint64) { free[0] = tap3(runtime.PepNext(), pc, w, more, third) }

// TapCase is [Tap] where a case of a switch is evaluated, which it does not match.
func TapCase(pc, w uint64) bool {
	Tap(pc, w)
	return false
}

// Tap2Case is [Tap2] likewise, and Tap3Case [Tap3].
func Tap2Case(pc, w, more uint64) bool {
	Tap2(pc, w, more)
	return false
}

func Tap3Case(pc, w, more, third uint64) bool {
	Tap3(pc, w, more, third)
	return false
}

// goroutineID returns the number of the goroutine, 0 on the stack of a thread.
func goroutineID() uint64 { return runtime.PepGoroutine() }

// numberGoroutines has the runtime tell where a goroutine begins in the chunk of one
// that has ended.
func numberGoroutines() { runtime.PepTell = goroutinePC }

// pin keeps the caller on its P, whose number it returns, until unpin. The number
// is -1 where there is no P, and on stacks of threads, which are too small for an
// engine.
func pin() int { return runtime.PepPin() }

// mayWait reports whether the caller, who has pinned once, may sleep after it
// unpins: not where it has locks of the runtime's, or others wait for it to stop.
func mayWait() bool { return runtime.PepMayWait() }
