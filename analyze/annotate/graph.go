package annotate

// This file says what must have run, from the graph of a function.

import (
	"slices"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
)

// A shape is the graph of a function with its dominators.
type shape struct {
	site  *wire.Func
	preds [][]int // of each node, with those that no path goes through
	order []int   // of each node in reverse postorder; -1 if the entry does not lead there
	idom  []int   // of each node; the entry's is itself
}

func newShape(site *wire.Func) *shape {
	g := &site.Graph
	s := &shape{site: site, preds: make([][]int, len(g.Nodes)), order: make([]int, len(g.Nodes)),
		idom: make([]int, len(g.Nodes))}
	for i := range g.Nodes {
		s.order[i], s.idom[i] = -1, -1
	}
	if len(g.Starts) == 0 {
		return s
	}
	entry := g.Starts[0].Node
	post := postorder(g, entry)
	slices.Reverse(post)
	for i, n := range post {
		s.order[n] = i
		for _, e := range g.Nodes[n].Out {
			if e.To != pdag.Exit {
				s.preds[e.To] = append(s.preds[e.To], n)
			}
		}
	}
	// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
	s.idom[entry] = entry
	for changed := true; changed; {
		changed = false
		for _, n := range post[1:] {
			best := -1
			for _, p := range s.preds[n] {
				switch {
				case s.idom[p] < 0:
				case best < 0:
					best = p
				default:
					best = s.common(p, best)
				}
			}
			if s.idom[n] != best {
				s.idom[n], changed = best, true
			}
		}
	}
	return s
}

func postorder(g *pdag.Graph, entry int) (post []int) {
	type frame struct{ node, next int }
	seen := make([]bool, len(g.Nodes))
	seen[entry] = true
	for stack := []frame{{entry, 0}}; len(stack) > 0; {
		f := &stack[len(stack)-1]
		if f.next == len(g.Nodes[f.node].Out) {
			post = append(post, f.node)
			stack = stack[:len(stack)-1]
			continue
		}
		to := g.Nodes[f.node].Out[f.next].To
		f.next++
		if to != pdag.Exit && !seen[to] {
			seen[to] = true
			stack = append(stack, frame{to, 0})
		}
	}
	return post
}

// common returns the nearest node that dominates both.
func (s *shape) common(a, b int) int {
	for a != b {
		for s.order[a] > s.order[b] {
			a = s.idom[a]
		}
		for s.order[b] > s.order[a] {
			b = s.idom[b]
		}
	}
	return a
}

// above returns all nodes that dominate one of nodes, with these.
func (s *shape) above(nodes []int) []bool {
	ran := make([]bool, len(s.idom))
	for _, n := range nodes {
		for s.order[n] >= 0 && !ran[n] {
			ran[n] = true
			n = s.idom[n]
		}
	}
	return ran
}

// only reports whether control comes to a node from outside of what it dominates by one edge only, and
// so has gone that way if it came there: the edge from a node.
func (s *shape) only(from, to int) bool {
	if s.order[to] == 0 { // the entry: control also comes from the caller
		return false
	}
	edges := 0
	for _, p := range s.preds[to] {
		if p == from {
			edges++
		} else if s.order[p] >= 0 && s.common(p, to) != to {
			return false
		}
	}
	return edges == 1
}

// behind returns the nodes that are on one way of the branches of some nodes.
func (s *shape) behind(branches []int) []bool {
	behind := make([]bool, len(s.idom))
	for _, from := range branches {
		for _, e := range s.site.Graph.Nodes[from].Out {
			if e.To != pdag.Exit && s.order[from] >= 0 && s.only(from, e.To) {
				behind[e.To] = true
			}
		}
	}
	for n := range behind {
		for m := n; s.order[m] > 0 && !behind[n]; m = s.idom[m] {
			behind[n] = behind[m]
		}
	}
	return behind
}

// loop reports whether a node is the head of a loop: control comes back to it from what it dominates.
func (s *shape) loop(node int) bool {
	for _, p := range s.preds[node] {
		if s.order[p] >= 0 && s.common(p, node) == node {
			return true
		}
	}
	return false
}
