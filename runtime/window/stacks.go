package window

// This file keeps path registers of several goroutines: a window may go through the scheduler from one to another, and
// package runtime works on a stack of the thread.

import (
	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/runtime/follow"
)

// MaxStacks is how many goroutines a window keeps the registers of. It forgets those that it has met least recently.
const MaxStacks = 4

// A Stack is the stack of a goroutine in a window.
type Stack struct {
	follow.Machine
	G      uint64 // address of the goroutine's g
	Lo, Hi uint64 // where the stack begins and ends
	met    uint32

	// For the caller: a number for labels, and what it was found by. A stack that is new has none.
	Labels   uint32
	LabelsAt uint64
}

// Stacks are those that a window has met.
type Stacks struct {
	list [MaxStacks]Stack
	last int // index of the last one
	met  uint32
	late bool
}

// Init makes stack i, of MaxStacks, keep its registers in the memory of a machine.
func (s *Stacks) Init(i int, m *follow.Machine) { s.list[i].Machine = *m }

// Reset begins a window.
func (s *Stacks) Reset() {
	s.last, s.met, s.late = 0, 0, false
	for i := range s.list {
		s.list[i].G = 0
	}
}

// Late says that paths that begin from now on do not count.
func (s *Stacks) Late() {
	s.late = true
	for i := range s.list {
		s.list[i].Machine.Late = true
	}
}

// Of returns the stack of the goroutine that m executes, in code of the compiler's, whose register R14 is the address
// of the goroutine's g. It reports whether the stack is new in this window, and returns nil if there is no such
// goroutine.
func (s *Stacks) Of(m *interp.Machine) (stack *Stack, new bool) {
	g, sp := m.R[14], m.R[4]
	stack = &s.list[s.last&(MaxStacks-1)]
	if stack.G != g {
		if g == 0 {
			return nil, false
		}
		if stack, new = s.find(g); new {
			stack.Reset()
			stack.Machine.Late = s.late
			stack.Labels, stack.LabelsAt = 0, 0
		}
		s.met++
		stack.G, stack.met = g, s.met
	}
	if new || sp-stack.Lo >= stack.Hi-stack.Lo { // it may have been copied to another place
		const stackLo, stackHi = 0, 8 // in a g
		lo, ok := m.Load(g+stackLo, 8)
		hi, ok2 := m.Load(g+stackHi, 8)
		if !ok || !ok2 || sp-lo >= hi-lo {
			stack.G = 0
			return nil, false
		}
		stack.Lo, stack.Hi = lo, hi
	}
	return stack, new
}

// find returns the stack of a goroutine, or the one that was met least recently, for it.
func (s *Stacks) find(g uint64) (stack *Stack, new bool) {
	oldest := 0
	for i := range s.list {
		x := &s.list[i]
		if x.G == g {
			s.last = i
			return x, false
		}
		if o := &s.list[oldest&(MaxStacks-1)]; x.G == 0 && o.G != 0 || o.G != 0 && x.met < o.met {
			oldest = i
		}
	}
	s.last = oldest
	return &s.list[oldest&(MaxStacks-1)], true
}
