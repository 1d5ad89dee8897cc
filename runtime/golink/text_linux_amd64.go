package golink

// This file declares the functions of text_linux_amd64.s.

import "unsafe"

// CurrentG returns the address of the current goroutine's g.
func CurrentG() (p uintptr)

func TextStart() (p uintptr)

func TextEnd() (p uintptr)

func TypesStart() (p uintptr)

func TypesEnd() (p uintptr)

// ItabType returns the type of the itab at p, if what is there can be an itab that the linker made: these are among the
// types.
func ItabType(p uintptr) (t uintptr, ok bool) {
	const ofType, size = 8, 24
	if start, end := TypesStart(), TypesEnd(); p%8 != 0 || p < start || p >= end-size {
		return 0, false
	}
	return *(*uintptr)(At(p + ofType)), true
}

// IsType reports whether what is at p can be a type descriptor that the linker made, which [TypeName] may
// read: it is among these, and so is its name.
func IsType(p uintptr) bool {
	start, end := TypesStart(), TypesEnd()
	if p%8 != 0 || p < start || p >= end-unsafe.Sizeof(abiType{}) {
		return false
	}
	t := (*abiType)(At(p))
	if t.str <= 0 || uintptr(t.str) >= end-start {
		return false
	}
	const mostFlags = 1<<4 - 1
	at := start + uintptr(t.str)
	if ByteAt(At(at), 0) > mostFlags {
		return false
	}
	n := uintptr(0)
	for shift := 0; shift < 21; shift += 7 {
		if at++; at >= end {
			return false
		}
		x := ByteAt(At(at), 0)
		n |= uintptr(x&0x7f) << shift
		if x < 0x80 {
			return n > 1 && n < end-at
		}
	}
	return false
}
