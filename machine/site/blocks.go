package site

// This file finds basic blocks.

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/insn"
)

// A Block is a basic block: instructions that are executed one after the other. Calls do not end it.
type Block struct {
	Start, End uint64
	// Part says whose the block is: only those of the program say what ran.
	Part Part
	// Probe is the cheapest place for a probe that every execution of the block passes, and
	// which can be taken away by a write of its first byte, Byte. If there is none, its class
	// is Refused, and its reason that of the first instruction.
	Probe Site
	Byte  byte
	// Ways is how many jumps and instructions ahead of the block lead to it, one more if it is a root.
	Ways int
	// Branch is the address of the conditional jump that ends the block, and Taken that to which it jumps. They are 0 if
	// there is none.
	Branch, Taken uint64
}

// A Part says what a block is there for.
type Part uint8

// The parts of a function.
const (
	Program Part = iota
	Padding      // nothing leads there
	Growth       // calls runtime.morestack
	Barrier      // tells the collector of a store, while it marks; and what runs in place of that while it does not mark
)

// String returns the part in a word or two.
func (p Part) String() string {
	return [...]string{"program", "padding", "growth of stacks", "write barriers"}[p]
}

// Helpers are the entries of functions of the runtime, with the part of a function that calls them.
type Helpers map[uint64]Part

// FindHelpers returns the helpers of an executable.
func FindHelpers(im *image.Image) Helpers {
	h := Helpers{}
	for f := range im.Functions() {
		switch {
		case strings.HasPrefix(f.Name, "runtime.morestack"):
			h[f.Entry] = Growth
		case strings.HasPrefix(f.Name, "runtime.gcWriteBarrier"), f.Name == "runtime.wbZero", f.Name == "runtime.wbMove",
			f.Name == "runtime.atomicwb":
			h[f.Entry] = Barrier
		}
	}
	return h
}

// Blocks returns the basic blocks, in the order of their addresses.
//
// A block also begins where the runtime goes on after a recovered panic, and where a call in the
// function leads, as some functions in assembly have them: at its roots.
func (c *Code) Blocks(helpers Helpers) (list []Block) {
	roots := c.roots()
	live := c.live(roots)
	for i := 0; i < len(c.insts); {
		end := i + 1
		for end < len(c.insts) && !c.insts[end].leader && !roots[end] {
			end++
		}
		b := c.block(i, end, live[i], helpers)
		b.Ways = c.ways(i)
		if roots[i] {
			b.Ways++
		}
		if last := &c.insts[end-1]; last.Flow == insn.Cond {
			b.Branch, b.Taken = last.PC, last.Target
		}
		list = append(list, b)
		i = end
	}
	leaveOutStores(list)
	return list
}

// ways returns how many jumps and instructions ahead lead to a leader. A jump through a table that could not be read
// may lead to all of them.
func (c *Code) ways(i int) int { return len(c.insts[i].preds) + 2*len(c.unknownJumps) }

// leaveOutStores makes blocks those of barriers that only run while the collector does not mark.
func leaveOutStores(list []Block) {
	at := func(pc uint64) *Block {
		i, ok := slices.BinarySearchFunc(list, pc, func(b Block, pc uint64) int { return cmp.Compare(b.Start, pc) })
		if !ok {
			return &Block{}
		}
		return &list[i]
	}
	for i := range list {
		if list[i].Branch == 0 {
			continue
		}
		taken, next := at(list[i].Taken), at(list[i].End)
		for _, pair := range [][2]*Block{{taken, next}, {next, taken}} {
			if store := pair[1]; pair[0].Part == Barrier && store.Part == Program && store.Ways == 1 {
				store.Part = Barrier
			}
		}
	}
}

// roots returns the instructions that are reached without a jump in the function: its entry, where deferred functions
// return to, and targets of calls.
func (c *Code) roots() map[int]bool {
	roots := map[int]bool{0: true}
	if c.Fn.Deferreturn != 0 {
		if i, ok := c.index(c.Fn.Entry + uint64(c.Fn.Deferreturn)); ok {
			roots[i] = true
		}
	}
	for i := range c.insts {
		if c.insts[i].Flow == insn.Call {
			if j, ok := c.index(c.insts[i].Target); ok {
				roots[j] = true
			}
		}
	}
	return roots
}

// live returns which instructions something leads to. Jumps through tables that could not be read
// may lead to all, but for nops.
func (c *Code) live(roots map[int]bool) []bool {
	next := make([][]int, len(c.insts))
	for i := range c.insts {
		for _, p := range c.insts[i].preds {
			next[p.index] = append(next[p.index], i)
		}
	}
	live := make([]bool, len(c.insts))
	var todo []int
	visit := func(i int) {
		if !live[i] {
			live[i] = true
			todo = append(todo, i)
		}
	}
	for i := range roots {
		visit(i)
	}
	for i := range c.insts {
		if len(c.unknownJumps) > 0 && c.insts[i].leader && !c.nop(i) {
			visit(i)
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, j := range next[i] {
			visit(j)
		}
	}
	return live
}

// nop reports whether an instruction does nothing, or stops the program.
func (c *Code) nop(i int) bool {
	in := &c.insts[i].Inst
	return in.Map == insn.OneByte && in.Opcode == 0x90 || in.Map == insn.Map0F && in.Opcode == 0x1f || in.Flow == insn.Stop
}

// block makes the block of the instructions from i to end.
func (c *Code) block(i, end int, live bool, helpers Helpers) Block {
	last := &c.insts[end-1]
	b := Block{Start: c.insts[i].PC, End: last.PC + uint64(last.Len), Probe: c.site(i)}
	if b.Probe.Class != Refused {
		b.Byte = c.bytes[b.Start-c.Fn.Entry]
	}
	if !live {
		b.Part = Padding
		return b
	}
	before := true // the first call
	for ; i < end; i++ {
		in := &c.insts[i]
		if before {
			// A write of one byte cannot restore a Nop5, of which the kernel makes a call.
			if s := c.site(i); s.Class != Nop5 && (s.Class < b.Probe.Class || b.Probe.Class == Nop5) {
				b.Probe, b.Byte = s, c.bytes[s.PC-c.Fn.Entry]
			}
		}
		if in.Flow == insn.Call || in.Flow == insn.IndirectCall {
			before = false
		}
		if part := helpers[in.Target]; in.Flow == insn.Call && part != Program {
			b.Part = part
		}
	}
	if b.Probe.Class == Nop5 {
		b.Probe.Class, b.Probe.Reason = Refused, "a nop of five bytes"
	}
	return b
}

// Masked returns the function's code with zeros for the addresses of other code and of data: it is the
// same in all builds in which the function is the same.
func (c *Code) Masked() []byte {
	code := slices.Clone(c.bytes)
	for i := range c.insts {
		in := &c.insts[i].Inst
		b := code[in.PC-c.Fn.Entry:][:in.Len]
		_, inside := c.index(in.Target)
		switch _, relative := in.Address(); {
		case relative:
			disp := binary.LittleEndian.AppendUint32(nil, uint32(in.Disp))
			for _, immediate := range []int{0, 1, 2, 4} { // what stands behind the displacement
				if at := len(b) - 4 - immediate; at >= 0 && bytes.Equal(b[at:][:4], disp) {
					clear(b[at:][:4])
					break
				}
			}
		case (in.Flow == insn.Call || in.Flow == insn.Jump || in.Flow == insn.Cond) && !inside && len(b) > 4:
			clear(b[len(b)-4:])
		}
	}
	return code
}
