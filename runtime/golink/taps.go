//go:build peptaps

package golink

// This file holds what gobuild/internal/goruntime adds to package runtime for taps.

import "runtime"

const TapsLinked = true

// Pin keeps the caller on its P, whose number it returns, until unpin. The number
// is -1 where there is no P, and on stacks of threads, which are too small for an
// engine.
func Pin() int { return runtime.PepPin() }

// Goroutine returns the number of the goroutine, 0 on the stack of a thread.
func Goroutine() uint64 { return runtime.PepGoroutine() }

// TellGoroutines has package runtime write a tuple with the given PC and the number of
// a goroutine where that begins in the chunk of one that has ended.
func TellGoroutines(pc uint64) { runtime.PepTell = pc }
