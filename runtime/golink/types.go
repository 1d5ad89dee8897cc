package golink

// This file reads names from type descriptors.

import "unsafe"

// An abiType is the beginning of a type descriptor: internal/abi.Type.
type abiType struct {
	_    [2]uintptr
	_    uint32
	flag uint8
	_    [3]uint8
	_    [2]uintptr
	str  int32 // offset of the name
	_    int32
}

// extraStar is abi.TFlagExtraStar: the name has a star before it that is not
// part of it.
const extraStar = 1 << 1

// TypeName returns the name that the descriptor at p has.
func TypeName(p uintptr) string {
	t := (*abiType)(At(p))
	name := nameAt((*byte)(resolveNameOff(unsafe.Pointer(t), t.str)))
	if t.flag&extraStar != 0 {
		name = name[1:]
	}
	return name
}

// nameAt returns the name at p: behind a byte of flags, its length as a varint,
// and its bytes.
func nameAt(p *byte) string {
	n, size := 0, uintptr(1)
	for shift := 0; ; shift += 7 {
		x := ByteAt(unsafe.Pointer(p), size)
		size++
		n |= int(x&0x7f) << shift
		if x < 0x80 {
			return string(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(p), size)), n))
		}
	}
}
