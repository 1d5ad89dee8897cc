package site

// This file finds the site of a function's entry.

import (
	"errors"
	"fmt"

	"github.com/pepgo/pep/machine/insn"
)

// findCheck finds the stack check at the beginning of the function, which is one of
//
//	cmp rsp, 16(r14);                            jbe grow
//	lea r12, -n(rsp); cmp r12, 16(r14);          jbe grow
//	mov r12, rsp; sub r12, n; jb grow; cmp …;    jbe grow
//
// grow saves registers, calls runtime.morestack, and jumps to the entry.
func (c *Code) findCheck() {
	const longest = 8 // instructions of a check
	for i := 0; i < min(longest, len(c.insts)-1); i++ {
		in := &c.insts[i]
		switch in.Flow {
		case insn.Next:
		case insn.Cond:
			if !c.grows(in.Target) {
				return
			}
			c.start, c.check = i+1, true
		default:
			return
		}
	}
}

// grows reports whether the block at pc calls runtime.morestack.
func (c *Code) grows(pc uint64) bool {
	i, ok := c.index(pc)
	for n := 0; ok && i < len(c.insts) && n < 64; i, n = i+1, n+1 { // saving all argument registers takes 24 instructions
		in := &c.insts[i]
		if c.morestack(in) {
			return true
		}
		if in.Flow != insn.Next {
			return false
		}
	}
	return false
}

// ErrLoop means that a function begins with a loop, so that no instruction is executed
// once per call.
var ErrLoop = errors.New("no instruction is certainly executed once per call: the function begins with a loop")

// Entry returns the cheapest site that is executed exactly once per call, after the
// stack check, while the registers of need still have the values of the entry: ArgRegs
// for arguments, 0 to count calls only. Of equally cheap sites it is the first.
//
// The error says why there is none: [ErrLoop], or the instructions after the stack check
// are refused.
func (c *Code) Entry(need insn.RegSet) (Probe, error) {
	best, found := Probe{}, false
	var reason string
	err := c.walkEntry(func(i int, written insn.RegSet) bool {
		if written&need != 0 {
			return false
		}
		s := c.site(i)
		if s.Class == Refused {
			reason = s.Reason
			return true
		}
		if !found || s.Class < best.Class {
			best = Probe{Kind: Entry, Site: s, Inst: c.insts[i].Inst, Target: c.insts[i].Target, Written: written,
				SPDelta: c.spDelta(s.PC)}
			found = true
		}
		return best.Class > Emulated
	})
	if err != nil {
		return Probe{}, fmt.Errorf("%s: %w", c.Fn.Name, err)
	}
	if !found {
		return Probe{}, fmt.Errorf("%s: no probe after the entry: %s", c.Fn.Name, reason)
	}
	return best, nil
}

// walkEntry calls do with the instructions that are executed exactly once per call, from
// the first after the stack check on, and with the registers that were written before.
func (c *Code) walkEntry(do func(i int, written insn.RegSet) bool) error {
	var written insn.RegSet
	for i := 0; i < c.start; i++ {
		w, ok := c.insts[i].Writes()
		if !ok {
			w = ^insn.RegSet(0)
		}
		written |= w
	}
	for i := c.start; i < len(c.insts); i++ {
		in := &c.insts[i]
		if i == c.start {
			if c.again(i) {
				return ErrLoop
			}
		} else if in.leader || c.mayJumpTo(i) {
			return nil
		}
		if !do(i, written) {
			return nil
		}
		w, ok := in.Writes()
		if !ok { // a call ends the walk, as it may panic or never return: what follows it is not sure
			return nil
		}
		written |= w
		if in.Flow != insn.Next {
			return nil
		}
	}
	return nil
}

// again reports whether other instructions of the function than the one before, and than
// those that call runtime.morestack, lead to the first instruction after the check.
func (c *Code) again(i int) bool {
	if c.mayJumpTo(i) {
		return true
	}
	for _, p := range c.insts[i].preds {
		if p.kind != falls && !(i == 0 && p.kind == jumps && c.afterGrowth(p.index)) {
			return true
		}
	}
	return false
}

// afterGrowth reports whether the jump at an index follows a call of runtime.morestack.
func (c *Code) afterGrowth(i int) bool {
	for ; i > 0 && !c.insts[i].leader; i-- {
		if c.morestack(&c.insts[i]) {
			return true
		}
	}
	return false
}
