package core

// This file holds what instrumented code calls to make words of values:
//
//	core.Tap(pc, core.U64(x))
//	core.Tap(pc, core.PtrWord(core.Ptr(p)))
//	core.Tap(pc, core.SliceWord(s))
//
// The inserted text leans on no predeclared name, which the program may have
// given another meaning, so that it names types by the aliases below: a
// conversion to them takes any type of their kind, foreign unexported ones too.

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

// BoolWord returns 1 for true and 0 for false.
func BoolWord(b bool) (w uint64) {
	if b {
		w = 1
	}
	return w
}

// F64Word returns the bits of a float64.
func F64Word(f float64) uint64 { return *(*uint64)(unsafe.Pointer(&f)) }

// F32Word returns the bits of a float32.
func F32Word(f float32) uint64 { return uint64(*(*uint32)(unsafe.Pointer(&f))) }

// StringWord returns the length of a string.
func StringWord(s string) uint64 { return uint64(len(s)) }

// SliceWord returns the length of a slice.
func SliceWord[E any](s []E) uint64 { return uint64(len(s)) }

// PtrWord returns an address.
func PtrWord(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }

// An eface is how an empty interface lies in memory. What is a pointer by itself
// is put into one without an allocation.
type eface struct {
	typ  uintptr
	data unsafe.Pointer
}

// RefWord returns the address that a map or channel is.
func RefWord(x any) uint64 { return uint64(uintptr((*eface)(unsafe.Pointer(&x)).data)) }

// TypeWord returns the type descriptor of the value in an interface, 0 for nil.
func TypeWord(x any) uint64 { return uint64((*eface)(unsafe.Pointer(&x)).typ) }

// FuncWord returns the program counter of the code of a function value, 0 for
// nil. The value is the address of a closure, which the code's begins.
func FuncWord(f any) uint64 {
	closure := (*eface)(unsafe.Pointer(&f)).data
	if closure == nil {
		return 0
	}
	return uint64(*(*uintptr)(closure))
}
