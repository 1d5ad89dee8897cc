package site

// This file finds cheap sites behind an instruction.

import "github.com/pepgo/pep/machine/insn"

// Body is the address of the first instruction after the stack check. The instructions
// before it are executed again when the stack has grown.
func (c *Code) Body() uint64 { return c.insts[c.start].PC }

// Straight returns the addresses of the instructions that are certainly executed after that
// at pc, until a call, a jump, or an instruction to which a jump leads: pc itself is the
// first. Each of these instructions may panic, though.
func (c *Code) Straight(pc uint64) (list []uint64) {
	i, ok := c.index(pc)
	for first := i; ok && i < len(c.insts); i++ {
		in := &c.insts[i]
		if i > first && (in.leader || c.mayJumpTo(i)) {
			break
		}
		list = append(list, in.PC)
		if in.Flow != insn.Next {
			break
		}
	}
	return list
}

// After returns the first cheap site behind the instruction at pc that is executed exactly
// as often as that, and at which the registers of keep have the same values. With memory,
// all of the memory that words may be in is the same, too. It returns false if there is
// none.
//
//	mov  rdi, rsi         // pc
//	lea  1(rsi), rax
//	cmp  rax, 24(rsp)
//	jle  L                // the site
//
// Between the two there are only instructions that cannot panic, so they read no memory
// but the stack and variables of packages.
func (c *Code) After(pc uint64, keep insn.RegSet, memory bool) (Probe, bool) {
	for _, at := range c.Straight(pc) {
		i, _ := c.index(at)
		in := &c.insts[i].Inst
		if c.site(i).Class <= Emulated {
			return c.probe(Other, i), true
		}
		written, ok := in.Writes()
		if !ok || !interpretable(in) || written&keep != 0 || mayPanic(in) || memory &&
			(mayStore(in) || written&insn.GPR(4) != 0) {
			return Probe{}, false
		}
	}
	return Probe{}, false
}

// mayPanic reports whether an instruction may fault: it divides, or has an operand in memory
// that is not on the stack and not a variable of a package.
func mayPanic(in *insn.Inst) bool {
	if in.Map == insn.OneByte && in.Opcode&^1 == 0xf6 && in.ModRM>>3&7 >= 6 { // div, idiv
		return true
	}
	if !in.Memory() || isLEA(in) {
		return false
	}
	stack := in.ModRM&7 == 4 && in.SIB&0x3f == 0x24 && in.REX&3 == 0
	relative := in.ModRM>>6 == 0 && in.ModRM&7 == 5
	return !stack && !relative
}

func isLEA(in *insn.Inst) bool { return in.Map == insn.OneByte && in.Opcode == 0x8d }

// mayStore reports whether an instruction may write to memory. It returns false for loads
// that the compiler uses most, and true for others.
func mayStore(in *insn.Inst) bool {
	if !in.Memory() || isLEA(in) {
		return false
	}
	switch in.Map {
	case insn.OneByte:
		switch in.Opcode {
		case 0x8b, 0x63, 0x38, 0x39, 0x3a, 0x3b, 0x84, 0x85: // mov, movsxd, cmp, test
			return false
		case 0x80, 0x81, 0x83:
			return in.ModRM>>3&7 != 7 // cmp
		}
	case insn.Map0F:
		switch in.Opcode {
		case 0x10, 0x28, 0x6f, 0xb6, 0xb7, 0xbe, 0xbf: // loads of vectors, movzx, movsx
			return false
		}
	}
	return true
}
