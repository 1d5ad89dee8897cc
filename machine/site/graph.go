package site

// This file finds which instructions lead to which.

import (
	"github.com/pepgo/pep/machine/insn"
)

// link fills in leaders and predecessors. After a recovered panic the runtime continues
// at a call of runtime.deferreturn. This needs no care: no fused probe goes back over a
// call.
func (c *Code) link() {
	c.insts[0].leader = true
	to := func(i int, from pred) {
		c.insts[i].leader = true
		c.insts[i].preds = append(c.insts[i].preds, from)
	}
	for i := range c.insts {
		in := &c.insts[i]
		switch in.Flow {
		case insn.Jump, insn.Cond:
			if t, ok := c.index(in.Target); ok {
				to(t, pred{i, jumps})
			}
		case insn.IndirectJump:
			targets := c.jumpTable(i)
			if targets == nil {
				c.unknownJumps = append(c.unknownJumps, i)
			}
			for _, t := range targets {
				to(t, pred{i, table})
			}
		}
		if i+1 == len(c.insts) {
			continue
		}
		switch in.Flow {
		case insn.Next, insn.Call, insn.IndirectCall:
			c.insts[i+1].preds = append(c.insts[i+1].preds, pred{i, falls})
		case insn.Cond:
			to(i+1, pred{i, falls})
		default:
			c.insts[i+1].leader = true
		}
	}
}

// maxTable is the number of entries of the largest jump table that is read. The compiler
// makes tables for switches; the largest that it makes have some hundred entries.
const maxTable = 1 << 12

// jumpTable returns the instructions to which a jump through a table may lead, without
// duplicates, or nil if the table is not found. The compiler makes
//
//	lea table(rip), AX
//	jmp (AX)(CX*8)
//
// and addresses of instructions of the function in the table.
func (c *Code) jumpTable(at int) []int {
	jump := &c.insts[at].Inst
	if !jump.Memory() || jump.ModRM&7 != 4 || jump.SIB>>6 != 3 {
		return nil
	}
	base := int(jump.SIB&7 | jump.REX<<3&8)
	for i := at - 1; i >= 0 && i >= at-16; i-- {
		in := &c.insts[i].Inst
		written, ok := in.Writes()
		if !ok || in.Flow != insn.Next && in.Flow != insn.Cond {
			return nil
		}
		if written&insn.GPR(base) == 0 {
			continue
		}
		addr, ok := in.Address()
		if !ok || in.Opcode != 0x8d || in.Map != insn.OneByte {
			return nil
		}
		return c.readTable(addr + uint64(int64(jump.Disp)))
	}
	return nil
}

// readTable reads the table at addr, whose length is nowhere: the first word that is not
// an address of the function ends it.
func (c *Code) readTable(addr uint64) (targets []int) {
	seen := map[int]bool{}
	const n = 32
	for k := uint64(0); k < maxTable; k += n {
		words, err := c.im.Words(addr+8*k, n)
		if err != nil { // near the end of the segment
			for j := uint64(0); j < n; j++ {
				word, err := c.im.Words(addr+8*(k+j), 1)
				if err != nil {
					return targets
				}
				i, ok := c.index(word[0])
				if !ok {
					return targets
				}
				if !seen[i] {
					seen[i] = true
					targets = append(targets, i)
				}
			}
			continue
		}
		for _, w := range words {
			i, ok := c.index(w)
			if !ok {
				return targets
			}
			if !seen[i] {
				seen[i] = true
				targets = append(targets, i)
			}
		}
	}
	return nil
}

// mayJumpTo reports whether a jump through an unknown table may lead to an instruction. A
// jump does not change SP.
func (c *Code) mayJumpTo(i int) bool {
	d := c.spDelta(c.insts[i].PC)
	for _, j := range c.unknownJumps {
		if e := c.spDelta(c.insts[j].PC); e == d || e < 0 || d < 0 {
			return true
		}
	}
	return false
}
