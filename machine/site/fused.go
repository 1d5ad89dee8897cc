package site

// This file finds the fused form of a probe.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/pepgo/pep/machine/insn"
)

const (
	// maxSteps is how far ahead of an instruction a site may be: beyond that the
	// interpreter would take a third of the time of a stepped probe.
	maxSteps = 100
	// maxApproaches is how many sites a fused probe may have.
	maxApproaches = 32
)

// Reasons against a fused form.
var (
	errAfterCall  = errors.New("a call is between it and every cheap instruction")
	errFromEntry  = errors.New("no cheap instruction is between the entry of the function and it")
	errTable      = errors.New("a jump through a table leads to it")
	errFar        = fmt.Errorf("no cheap instruction is among the %d before it", maxSteps)
	errMany       = fmt.Errorf("more than %d ways lead to it", maxApproaches)
	errRounds     = errors.New("the branch before it is that of a loop, which is executed in each round")
	errNotReached = errors.New("no instruction of the function leads to it")
)

// approaches returns sites ahead of instruction i such that each execution of i passes
// exactly one of them, with nothing but unconditional jumps in between.
//
// It goes back from i. While exactly one instruction leads to the current one, it looks
// at that. At a joint, it goes back in all directions. Conditional jumps are cheap
// themselves, so each way back ends at the last one at the latest, and the interpreter
// has no choice between a site and i. Two ways cannot meet: each instruction is looked
// at once, since it has one successor on the ways to i.
//
// A way cannot be followed back beyond a call, for example. The first instruction after
// the call is then the site of this way, although it is stepped. That is still cheaper
// than a stepped probe at i, because the other ways have cheap sites:
//
//	        jne  L        // site of the way over the jump: emulated
//	        call g
//	        mov  8(rsp), ax  // site of the way over the call: stepped
//	L:      add  16, rsp
//	        ret           // the instruction i
//
// Nor is a way followed back into a loop that i is not in: the branch there is executed in
// each round, and a stepped probe once. With hot it is, for an instruction that has no
// probe of its own.
//
// If no way has a cheap site, there is nothing to gain, and the error says why.
func (c *Code) approaches(i int, hot bool) ([]Approach, error) {
	var list []Approach
	var why error // of the first way without a cheap site
	cheap := 0
	add := func(a Approach) error {
		if len(list) == maxApproaches {
			return errMany
		}
		if a.Site.Class <= Emulated {
			cheap++
		}
		list = append(list, a)
		return nil
	}
	var back func(at, steps int) error
	back = func(at, steps int) error {
		err := c.blocked(at, steps)
		if err == nil && !hot && c.behindLoop(at) {
			err = errRounds
		}
		if err != nil {
			s := c.site(at)
			if s.Class == Refused || !interpretable(&c.insts[at].Inst) {
				return err
			}
			why = cmp.Or(why, err)
			return add(Approach{Site: s, Steps: steps})
		}
		for _, p := range c.insts[at].preds {
			from := &c.insts[p.index]
			s := c.site(p.index)
			if s.Class > Emulated {
				if err := back(p.index, steps+1); err != nil {
					return err
				}
				continue
			}
			if err := add(Approach{Site: s, Conditional: from.Flow == insn.Cond, Taken: p.kind == jumps,
				Steps: steps + 1}); err != nil {
				return err
			}
		}
		return nil
	}
	if err := back(i, 0); err != nil {
		return nil, err
	}
	if cheap == 0 {
		return nil, why
	}
	return list, nil
}

// blocked says why one cannot go back from an instruction to all those that lead to it.
func (c *Code) blocked(i, steps int) error {
	in := &c.insts[i]
	switch {
	case i == 0:
		return errFromEntry
	case c.mayJumpTo(i):
		return errTable
	case len(in.preds) == 0:
		return errNotReached
	case steps >= maxSteps:
		return errFar
	}
	for _, p := range in.preds {
		from := &c.insts[p.index]
		switch {
		case p.kind == table:
			return errTable
		case from.Flow == insn.Call || from.Flow == insn.IndirectCall:
			return errAfterCall
		case c.site(p.index).Class <= Emulated:
		case from.Flow == insn.Cond, !interpretable(&from.Inst): // jumps that test CX
			return fmt.Errorf("the instruction at %#x between cannot be interpreted", from.PC)
		}
	}
	return nil
}

// behindLoop reports whether a branch of a loop leads to an instruction outside of it.
func (c *Code) behindLoop(i int) bool {
	return slices.ContainsFunc(c.insts[i].preds, func(p pred) bool {
		return c.insts[p.index].Flow == insn.Cond && c.loops().leaves(p.index, i)
	})
}

// interpretable reports whether an interpreter of registers and memory can go on after
// an instruction.
func interpretable(in *insn.Inst) bool {
	switch {
	case in.Lock, in.Segment >= 0x64, in.VEX:
		return false
	case in.Rep || in.Repne:
		return in.Map != insn.OneByte
	case in.Map == insn.Map0F:
		switch in.Opcode {
		case 0x05, 0x34, 0x31, 0xa2, 0x01: // syscall, sysenter, rdtsc, cpuid, system instructions
			return false
		}
	}
	return in.Flow != insn.Stop
}
