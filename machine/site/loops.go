package site

// This file finds loops.

// maxNesting is how deep loops are looked for within loops. Source code nests a few; code
// with jumps to everywhere, as generators of lexers make, would take long.
const maxNesting = 32

// A nesting says which loops of a function contain an instruction. Loops have numbers from
// 1 on.
type nesting struct {
	innermost []int // by instruction, 0 if it is in none
	around    []int // by loop, the loop around it, or 0
}

// leaves reports whether an instruction is in a loop that another one is not in: then it
// may be executed many times before the other one is executed once.
func (n *nesting) leaves(i, to int) bool {
	for l := n.innermost[to]; l != 0; l = n.around[l] {
		if l == n.innermost[i] {
			return false
		}
	}
	return n.innermost[i] != 0
}

// loops finds the loops of the function, once.
//
// A loop is a set of instructions, each of which may lead to all others. Without the
// instruction at which it is entered, what is left has the loops within it. Jumps through
// tables that could not be read are not seen, and the function is not entered again after
// the growth of its stack, which happens once.
func (c *Code) loops() *nesting {
	if c.nesting != nil {
		return c.nesting
	}
	f := loopFinder{code: c, next: make([][]int, len(c.insts)), set: make([]int, len(c.insts)),
		nesting: &nesting{innermost: make([]int, len(c.insts)), around: []int{0}}}
	all := make([]int, len(c.insts))
	for i := range c.insts {
		all[i] = i
		for _, p := range c.insts[i].preds {
			if i != 0 || !c.afterGrowth(p.index) {
				f.next[p.index] = append(f.next[p.index], i)
			}
		}
	}
	f.within(all, 0)
	c.nesting = f.nesting
	return c.nesting
}

type loopFinder struct {
	*nesting
	code *Code
	next [][]int
	set  []int // by instruction, the innermost loop whose inside it is in so far; -1 for entrances
}

// within finds the loops among instructions, which are all those of a loop but its entrance.
func (f *loopFinder) within(list []int, loop int) {
	for _, members := range f.cycles(list, loop) {
		f.around = append(f.around, loop)
		inner := len(f.around) - 1
		for _, i := range members {
			f.innermost[i], f.set[i] = inner, inner
		}
		entrance := f.entrance(members, inner)
		f.set[entrance] = -1
		depth := 0
		for l := inner; l != 0; l = f.around[l] {
			depth++
		}
		if depth < maxNesting {
			f.within(members, inner)
		}
	}
}

// entrance returns the first instruction of a loop to which others lead.
func (f *loopFinder) entrance(members []int, loop int) int {
	first := -1
	for _, i := range members {
		if first >= 0 && i > first {
			continue
		}
		for _, p := range f.code.insts[i].preds {
			if f.innermost[p.index] != loop {
				first = i
				break
			}
		}
	}
	if first < 0 { // no way leads to the loop
		return members[0]
	}
	return first
}

// cycles returns the sets of those instructions of a list, with the number of their set,
// that lead to each other. This is Tarjan's algorithm for strongly connected components.
func (f *loopFinder) cycles(list []int, set int) (found [][]int) {
	order, low, done := map[int]int{}, map[int]int{}, map[int]bool{}
	var stack []int
	var visit func(i int)
	visit = func(i int) {
		order[i] = len(order) + 1
		low[i] = order[i]
		stack = append(stack, i)
		itself := false
		for _, n := range f.next[i] {
			if f.set[n] != set {
				continue
			}
			itself = itself || n == i
			if order[n] == 0 {
				visit(n)
				low[i] = min(low[i], low[n])
			} else if !done[n] {
				low[i] = min(low[i], order[n])
			}
		}
		if low[i] != order[i] {
			return
		}
		at := len(stack) - 1
		for stack[at] != i {
			at--
		}
		members := append([]int(nil), stack[at:]...)
		stack = stack[:at]
		for _, m := range members {
			done[m] = true
		}
		if len(members) > 1 || itself {
			found = append(found, members)
		}
	}
	for _, i := range list {
		if f.set[i] == set && order[i] == 0 {
			visit(i)
		}
	}
	return found
}
