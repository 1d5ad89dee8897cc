//go:build peptaps

package core

// This file holds what taps call. Where the next tuple of a goroutine goes is in
// a field that the runtime of programs with taps has for that; see
// internal/goruntime. All but MakeRoom is inlined: a tap is eight instructions.
//
//	if core.Full() { core.MakeRoom() }; core.Push(pc, w)

import "runtime"

// Full reports whether the chunk of the goroutine has no room for a tuple.
func Full() bool { return full(runtime.PepNext()) }

// MakeRoom makes room for a tuple at least.
//
//go:noinline
func MakeRoom() { makeRoom(runtime.PepNext()) }

// Push reports word w at pc, the tag and site of a tuple.
func Push(pc, w uint64) { push(runtime.PepNext(), pc, w) }
