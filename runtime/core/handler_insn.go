package core

// This file finds the length of the instruction that a page poll is compiled to.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
)

// pollLen returns the length in bytes of the poll at pc, a TESTB of a register
// with a byte in memory, or 0 if another instruction is there. The compiler
// addresses the byte by a register (with REX.B from R8 on, with a SIB byte for
// SP and R12, with a displacement for R13 and BP), by register and displacement
// when it has folded an addition into the poll, or by a constant.
func pollLen(pc unsafe.Pointer) uintptr {
	n := uintptr(0)
	if golink.ByteAt(pc, 0)&0xf0 == 0x40 { // REX
		n++
	}
	if golink.ByteAt(pc, n) != 0x84 { // TEST r/m8, r8
		return 0
	}
	n++
	modrm := golink.ByteAt(pc, n)
	n++
	mod, rm := modrm>>6, modrm&7
	if mod == 3 { // both operands are registers
		return 0
	}
	if rm == 4 {
		rm = golink.ByteAt(pc, n) & 7 // SIB: its base has the same special case as rm
		n++
	}
	switch {
	case mod == 1:
		n++
	case mod == 2, rm == 5: // disp32; without a base, absolute or relative to RIP
		n += 4
	}
	return n
}
