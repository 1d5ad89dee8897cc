package site

// This file reads which arguments a function saves while its stack grows.

import (
	"cmp"
	"slices"

	"github.com/pepgo/pep/machine/insn"
)

// A Spill is a register that is saved.
type Spill struct {
	Reg    int   // 0 to 15: general register, 16 to 31: X0 to X15
	Offset int64 // bytes above SP at the entry of the function
	Size   int64 // in bytes
}

// Spills returns the registers that a function saves before it calls runtime.morestack,
// in the order of their slots. These are the registers of those arguments that the
// function uses. It returns false if the function does not check the stack size, or if it saves the
// registers in a way that is not known.
func (c *Code) Spills() (list []Spill, ok bool) {
	if !c.check {
		return nil, false
	}
	i, ok := c.index(c.insts[c.start-1].Target)
	if !ok {
		return nil, false
	}
	for ; i < len(c.insts); i++ {
		in := &c.insts[i].Inst
		if c.morestack(&c.insts[i]) {
			slices.SortFunc(list, func(a, b Spill) int { return cmp.Compare(a.Offset, b.Offset) })
			return list, true
		}
		s, ok := spill(in)
		switch {
		case ok:
			list = append(list, s)
		// nop
		case in.Flow == insn.Next && in.Map == insn.OneByte && in.Opcode == 0x90, in.Map == insn.Map0F && in.Opcode == 0x1f:
		default:
			return nil, false
		}
	}
	return nil, false
}

// spill recognises a store of a register at SP: mov, movss and movsd.
func spill(in *insn.Inst) (s Spill, ok bool) {
	atSP := in.Memory() && in.ModRM&7 == 4 && in.SIB == 0x24 && in.REX&3 == 0
	reg := int(in.ModRM>>3&7 | in.REX<<1&8)
	s = Spill{Reg: reg, Offset: int64(in.Disp)}
	switch {
	case !atSP:
		return s, false
	case in.Map == insn.OneByte && in.Opcode == 0x88:
		s.Size = 1
		return s, in.REX != 0 || reg < 4 // otherwise AH and the like
	case in.Map == insn.OneByte && in.Opcode == 0x89:
		switch {
		case in.Wide():
			s.Size = 8
		case in.OpSize:
			s.Size = 2
		default:
			s.Size = 4
		}
		return s, true
	case in.Map == insn.Map0F && in.Opcode == 0x11 && (in.Rep || in.Repne):
		s.Reg, s.Size = 16+reg, 4
		if in.Repne {
			s.Size = 8
		}
		return s, true
	}
	return s, false
}
