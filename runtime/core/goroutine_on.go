//go:build peptaps

package core

// This file says where the next tuple of a goroutine goes. The runtime of
// programs with taps has a field for that; see internal/goruntime.

import "runtime"

// nextTuple returns the place of the address of the goroutine's next tuple.
func nextTuple() *uintptr { return runtime.PepNext() }

// ownsChunk reports whether the goroutine with that place may have a chunk.
// Stacks of threads come and go.
func ownsChunk(*uintptr) bool { return !runtime.PepOnSystemStack() }
