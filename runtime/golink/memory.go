package golink

// This file reads memory that Go's types do not describe.

import "unsafe"

// At makes an address that is not on the heap a pointer.
func At(p uintptr) unsafe.Pointer { return unsafe.Add(nil, p) }

// ByteAt returns the byte at p+i.
func ByteAt(p unsafe.Pointer, i uintptr) byte { return *(*byte)(unsafe.Add(p, i)) }

// CodeOf returns the address of f's code.
func CodeOf[F any](f F) uintptr { return **(**uintptr)(unsafe.Pointer(&f)) }
