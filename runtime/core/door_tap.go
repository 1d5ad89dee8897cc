//go:build peptaps

package core

// This file is the tap that instrumented code calls. It needs the field that
// gobuild/internal/goruntime adds to goroutines, so only programs with taps have it.

import (
	"runtime"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/taps"
)

// Tap reports word w at pc, the tag and site of a tuple.
func Tap(pc, w uint64) { uncharged[0] = tap(pc, w) }

// tap asks for the address of the g's field three times. The compiler has the g in a
// register and makes no code for that. It does not know that the register is the same
// after a call: if tap asked once, then the compiler would store the address on the
// stack and load it again in each tap, because some taps call makeRoom1.
//
// Most taps are of one word, so this one does by itself what LacksRoom and a store function of
// package taps do for others: each function that the compiler inlines into a tap has variables of its own, and the
// time in which it compiles a function grows with the square of their number. The compiler that package
// gocompiler builds does without tap: it has the same code in peptaps.go.txt.
func tap(pc, w uint64) none {
	p := *runtime.PepNext()
	if p%pepfile.ChunkSize == 0 { // taps.LacksRoom(p, 1)
		uncharged[0] = makeRoom1()
		p = *runtime.PepNext()
	}
	t := (*tuple.Tuple)(golink.At(p))
	t.W = w
	t.PC = pc // the PC last
	*runtime.PepNext() = p + pepfile.TupleSize
	return none{}
}

// Tap2 reports a sample of two words at pc.
func Tap2(pc, w, more uint64) { uncharged[0] = tap2(pc, w, more) }

func tap2(pc, w, more uint64) none {
	p := *runtime.PepNext()
	if taps.LacksRoom(p, 2) {
		uncharged[0] = makeRoom2()
		p = *runtime.PepNext()
	}
	uncharged[0] = taps.Store2(runtime.PepNext(), p, pc, w, more)
	return none{}
}

// Tap3 reports a sample of three words at pc.
func Tap3(pc, w, more, third uint64) { uncharged[0] = tap3(pc, w, more, third) }

func tap3(pc, w, more, third uint64) none {
	p := *runtime.PepNext()
	if taps.LacksRoom(p, 3) {
		uncharged[0] = makeRoom3()
		p = *runtime.PepNext()
	}
	uncharged[0] = taps.Store3(runtime.PepNext(), p, pc, w, more, third)
	return none{}
}

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

// The calls of taps.MakeRoom have no arguments, because they are in the code of each tap.

//go:noinline
func makeRoom1() none { return taps.MakeRoom(runtime.PepNext(), 1) }

//go:noinline
func makeRoom2() none { return taps.MakeRoom(runtime.PepNext(), 2) }

//go:noinline
func makeRoom3() none { return taps.MakeRoom(runtime.PepNext(), 3) }
