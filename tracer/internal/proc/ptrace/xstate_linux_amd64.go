package ptrace

// This file reads and writes vector registers.

import (
	"encoding/binary"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An XState is the vector registers of a thread. A processor without AVX-512 has 16 of 32 bytes, and no masks.
type XState struct {
	Vectors [32][8]uint64
	Masks   [8]uint64
	MXCSR   uint32

	area []byte // as XSAVE stores it, not compacted
}

// Components of the area, by their bits.
const (
	xSSE    = 1
	xAVX    = 2 // bytes 16 to 31 of registers 0 to 15
	xMasks  = 5
	xUpper  = 6 // bytes 32 to 63 of them
	xHigher = 7 // registers 16 to 31

	xHeader = 512 // the bits of the components that the area holds
	ntState = 0x202
)

// cpuid executes CPUID.
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// XState returns the vector registers of a stopped thread.
func (th *Thread) XState() (*XState, error) {
	// The kernel refuses to set an area that is cut off, and that of a processor with AMX has 11 KB.
	_, _, size, _ := cpuid(0xd, 0)
	s := &XState{area: make([]byte, size)}
	v := unix.Iovec{Base: &s.area[0], Len: uint64(len(s.area))}
	if err := th.regset(unix.PTRACE_GETREGSET, &v); err != nil {
		return nil, fmt.Errorf("vector registers of thread %d: %w", th.TID, err)
	}
	s.area = s.area[:v.Len]
	s.MXCSR = binary.LittleEndian.Uint32(s.area[24:])
	s.each(false, func(at []byte, word *uint64) { *word = binary.LittleEndian.Uint64(at) })
	return s, nil
}

// SetXState changes the vector registers of a stopped thread; s comes from its XState.
func (th *Thread) SetXState(s *XState) error {
	binary.LittleEndian.PutUint32(s.area[24:], s.MXCSR)
	s.each(true, func(at []byte, word *uint64) { binary.LittleEndian.PutUint64(at, *word) })
	v := unix.Iovec{Base: &s.area[0], Len: uint64(len(s.area))}
	if err := th.regset(unix.PTRACE_SETREGSET, &v); err != nil {
		return fmt.Errorf("vector registers of thread %d: %w", th.TID, err)
	}
	return nil
}

func (th *Thread) regset(request uintptr, v *unix.Iovec) error {
	if _, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, request, uintptr(th.TID), ntState, uintptr(unsafe.Pointer(v)),
		0, 0); errno != 0 {
		return errno
	}
	return nil
}

// each calls f for each word of the registers that the area has, with its place there. A component that the header
// does not name is 0, whatever the area has; to be written, it is named first.
func (s *XState) each(write bool, f func(at []byte, word *uint64)) {
	header := binary.LittleEndian.Uint64(s.area[xHeader:])
	component := func(n, offset, registers, first, from, words int) {
		if n != xSSE {
			_, b, _, _ := cpuid(0xd, uint32(n))
			offset = int(b)
		}
		if offset == 0 || offset+8*registers*words > len(s.area) {
			return
		}
		if write {
			header |= 1 << n
		} else if header>>n&1 == 0 {
			return
		}
		for r := range registers {
			for i := range words {
				word := &s.Masks[r%8]
				if n != xMasks {
					word = &s.Vectors[first+r][from+i]
				}
				f(s.area[offset+8*(r*words+i):], word)
			}
		}
	}
	component(xSSE, 160, 16, 0, 0, 2)
	component(xAVX, 0, 16, 0, 2, 2)
	component(xMasks, 0, 8, 0, 0, 1)
	component(xUpper, 0, 16, 0, 4, 4)
	component(xHigher, 0, 16, 16, 0, 8)
	if write {
		binary.LittleEndian.PutUint64(s.area[xHeader:], header)
	}
}
