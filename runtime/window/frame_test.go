package window

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/machine/interp"
)

// context and area are not on a stack, because these are copied to other places.
var context, area [2688]byte

// Registers come from where the kernel's headers say, and the bits of a component that the processor says is in its
// initial state are 0, whatever is in the frame.
func TestRegistersOfASignalFrame(t *testing.T) {
	layout := NewLayout(func(leaf, sub uint32) (a, b, c, d uint32) {
		offsets := map[uint32][2]uint32{2: {256, 576}, 5: {64, 1088}, 6: {512, 1152}, 7: {1024, 1664}}
		x := offsets[sub]
		return x[0], x[1], 0, 0
	})
	for i := range area {
		area[i] = byte(i/8) ^ byte(i/1024)<<4
	}
	put := func(offset int, x uint64) { binary.LittleEndian.PutUint64(context[offset:], x) }
	// struct sigcontext, from offset 40 on: r8 to r15, di, si, bp, bx, dx, ax, cx, sp, ip, flags, …, fpstate at 184.
	for i, r := range []string{"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "di", "si", "bp", "bx", "dx", "ax",
		"cx", "sp", "ip", "flags"} {
		put(40+8*i, uint64(r[0])<<8|uint64(r[1]))
	}
	put(40+8*2, 'r'<<16|'1'<<8|'0')
	put(40+184, uint64(uintptr(unsafe.Pointer(&area[0]))))
	word := func(offset int) uint64 { return binary.LittleEndian.Uint64(area[offset:]) }
	binary.LittleEndian.PutUint32(area[24:], 0x1fa0)

	for _, present := range []uint64{0xe7, 0x7, 0x3, 0x1, 0xe5, 0x23} {
		binary.LittleEndian.PutUint64(area[512:], present)
		m := new(interp.Machine)
		layout.Load(m, uintptr(unsafe.Pointer(&context[0])), 0x1234)
		if m.R[0] != 'a'<<8|'x' || m.R[4] != 's'<<8|'p' || m.R[5] != 'b'<<8|'p' || m.R[8] != 'r'<<8|'8' ||
			m.R[10] != 'r'<<16|'1'<<8|'0' ||
			m.PC != 'i'<<8|'p' || m.Segment() != 0x1234 || m.MXCSR != 0x1fa0 {
			t.Errorf("registers %x, PC %x, FS %x, MXCSR %x", m.R[:16], m.PC, m.Segment(), m.MXCSR)
		}
		has := func(component int) bool { return present>>component&1 != 0 }
		var want [32][8]uint64
		for i := range 32 {
			v := &want[i]
			if i < 16 {
				if has(1) {
					v[0], v[1] = word(160+16*i), word(168+16*i)
				}
				if has(2) {
					v[2], v[3] = word(576+16*i), word(584+16*i)
				}
				if has(6) {
					for j := range 4 {
						v[4+j] = word(1152 + 32*i + 8*j)
					}
				}
			} else if has(7) {
				for j := range 8 {
					v[j] = word(1664 + 64*(i-16) + 8*j)
				}
			}
		}
		for i := range want {
			if m.Vectors[i] != want[i] {
				t.Errorf("components %x: vector %d is %x, want %x", present, i, m.Vectors[i], want[i])
			}
		}
		for i, k := range m.Masks() {
			if want := word(1088 + 8*i); k != want && has(5) || k != 0 && !has(5) {
				t.Errorf("components %x: mask %d is %x", present, i, k)
			}
		}
	}
}
