package window

// This file copies the registers of a thread that a signal has interrupted.

import (
	"unsafe"

	"github.com/pepgo/pep/machine/interp"
)

// A Layout says where the vector registers are in the frames of signals: the offsets of the components of the
// processor's XSAVE area, by their number; 0 for components that it does not have. Fill it with NewLayout.
type Layout [8]uintptr

// Components of the XSAVE area (Intel's manual, volume 1, section 13.5).
const (
	legacySSE  = 1 // XMM0 to XMM15
	upperAVX   = 2 // bits 128 to 255 of YMM0 to YMM15
	masks      = 5 // K0 to K7
	upperZMM   = 6 // bits 256 to 511 of ZMM0 to ZMM15
	higherZMM  = 7 // ZMM16 to ZMM31
	components = 8
)

// NewLayout asks the processor. The function cpuid returns what the instruction CPUID does.
func NewLayout(cpuid func(leaf, sub uint32) (a, b, c, d uint32)) (l Layout) {
	const stateLeaf = 0xd
	for i := uint32(upperAVX); i < components; i++ {
		if size, offset, _, _ := cpuid(stateLeaf, i); size != 0 {
			l[i] = uintptr(offset)
		}
	}
	return l
}

// Offsets in the kernel's struct ucontext of amd64, and in the area that its pointer to the vector registers leads to.
const (
	contextRegisters = 40
	contextVectors   = 224
	areaMXCSR        = 24
	areaSSE          = 160
	areaPresent      = 512 // which components the area has: of the others all bits are 0
)

// registers are the places of the 16 registers in struct ucontext, by the number that machine code has for them; behind
// them are those of the program counter and of the flags.
var registers = [18]uintptr{13, 14, 12, 11, 15, 10, 9, 8, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17}

// Load resets m to where the signal has interrupted its thread. The address of the signal's struct ucontext is context,
// and fs is the base of the segment FS.
func (l *Layout) Load(m *interp.Machine, context uintptr, fs uint64) {
	at := func(p uintptr) uint64 { return *(*uint64)(unsafe.Add(nil, p)) }
	for i, place := range registers[:16] {
		m.R[i&15] = at(context + contextRegisters + 8*place)
	}
	area := uintptr(at(context + contextVectors))
	present := at(area + areaPresent)
	has := func(component int) bool { return present>>component&1 != 0 && l[component&7] != 0 }
	for i := range 32 {
		v := &m.Vectors[i]
		*v = [8]uint64{}
		n := uintptr(i)
		if i >= 16 {
			if has(higherZMM) {
				for j := range v {
					v[j] = at(area + l[higherZMM] + 64*(n-16) + 8*uintptr(j))
				}
			}
			continue
		}
		if present>>legacySSE&1 != 0 {
			v[0], v[1] = at(area+areaSSE+16*n), at(area+areaSSE+8+16*n)
		}
		if has(upperAVX) {
			v[2], v[3] = at(area+l[upperAVX]+16*n), at(area+l[upperAVX]+8+16*n)
		}
		if has(upperZMM) {
			for j := range 4 {
				v[4+j] = at(area + l[upperZMM] + 32*n + 8*uintptr(j))
			}
		}
	}
	k := m.Masks()
	for i := range k {
		k[i] = 0
		if has(masks) {
			k[i] = at(area + l[masks] + 8*uintptr(i))
		}
	}
	m.MXCSR = *(*uint32)(unsafe.Add(nil, area+areaMXCSR))
	m.SetSegments(fs, 0)
	m.Reset(at(context+contextRegisters+8*registers[16]), at(context+contextRegisters+8*registers[17]))
}
