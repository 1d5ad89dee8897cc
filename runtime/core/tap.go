package core

// This file holds what instrumented code calls to report values:
//
//	core.Tap(pc, core.U64(x))
//	core.TapPtr(pc, core.Ptr(p))
//
// All go through Tap (stream.go). The inserted text leans on no predeclared
// name, which the program may have given another meaning, so that it names types
// by the aliases below: a conversion to them takes any type of their kind,
// foreign unexported ones too.

import "unsafe"

// Types to convert to.
type (
	U64    = uint64
	F64    = float64
	F32    = float32
	Bool   = bool
	String = string
	Ptr    = unsafe.Pointer
)

// TapBool reports 1 for true and 0 for false.
func TapBool(pc uint64, b bool) {
	w := uint64(0)
	if b {
		w = 1
	}
	Tap(pc, w)
}

// TapF64 reports the bits of a float64.
func TapF64(pc uint64, f float64) { Tap(pc, *(*uint64)(unsafe.Pointer(&f))) }

// TapF32 reports the bits of a float32.
func TapF32(pc uint64, f float32) { Tap(pc, uint64(*(*uint32)(unsafe.Pointer(&f)))) }

// TapString reports the length of a string.
func TapString(pc uint64, s string) { Tap(pc, uint64(len(s))) }

// TapSlice reports the length of a slice.
func TapSlice[E any](pc uint64, s []E) { Tap(pc, uint64(len(s))) }

// TapPtr reports an address.
func TapPtr(pc uint64, p unsafe.Pointer) { Tap(pc, uint64(uintptr(p))) }

// An eface is how an empty interface lies in memory. What is a pointer by itself
// is put into one without an allocation.
type eface struct{ typ, data uintptr }

// TapRef reports the address that a map, channel or function value is.
func TapRef(pc uint64, x any) { Tap(pc, uint64((*eface)(unsafe.Pointer(&x)).data)) }

// TapType reports the type descriptor of the value in an interface, 0 for nil.
func TapType(pc uint64, x any) { Tap(pc, uint64((*eface)(unsafe.Pointer(&x)).typ)) }

// TapFunc reports the program counter of the code of a function value, 0 for
// nil. The value is the address of a closure, which the code's begins.
func TapFunc(pc uint64, f any) {
	w := (*eface)(unsafe.Pointer(&f)).data
	if w != 0 {
		w = *(*uintptr)(at(w))
	}
	Tap(pc, uint64(w))
}
