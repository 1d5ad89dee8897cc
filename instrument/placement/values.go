package placement

// This file finds where the path register is needed: where a path ends whose
// number depends on how control got there. Elsewhere the number is a constant,
// and small functions, whose paths are a tree, need no register at all. That
// matters for inlining: a register costs as much of the compiler's inlining
// budget as a poll.

import (
	"math"

	"github.com/pepgo/pep/format/pdag"
)

// unknown stands for a path number so far that depends on the way taken.
const unknown = math.MaxUint64

// values are facts about the path number so far, by node.
type values struct {
	known []uint64 // on entry to the node, if it is the same on all ways; else unknown
	live  []bool   // the program reads the register before it sets it again
}

// valuesOf computes the facts over the graph without its truncated edges. That graph
// has no cycles.
func valuesOf(g *pdag.Graph) values {
	v := values{known: make([]uint64, len(g.Nodes)), live: make([]bool, len(g.Nodes))}
	seen := make([]bool, len(g.Nodes))
	meet := func(node int, value uint64) {
		if seen[node] && v.known[node] != value {
			value = unknown
		}
		seen[node], v.known[node] = true, value
	}
	for _, s := range g.Starts {
		meet(s.Node, s.Val)
	}
	order := topological(g)
	for _, n := range order {
		for _, e := range g.Nodes[n].Out {
			if e.Dead || e.Ends || e.To == pdag.Exit {
				continue
			}
			if v.known[n] == unknown {
				meet(e.To, unknown)
			} else {
				meet(e.To, v.known[n]+e.Val)
			}
		}
	}
	for i := len(order) - 1; i >= 0; i-- {
		n := order[i]
		for _, e := range g.Nodes[n].Out {
			switch {
			case e.Dead:
			case e.Ends || e.To == pdag.Exit:
				v.live[n] = v.live[n] || v.known[n] == unknown
			default:
				v.live[n] = v.live[n] || v.live[e.To]
			}
		}
	}
	return v
}

// Adds reports by node and out-edge of a numbered graph where the program increments the path
// register while it runs. Where all ways to a node have the same value, the compiler knows it, and makes
// a constant of the sum. If that meets another one behind the edge, a constant is loaded on both
// ways, whichever of the edges has Val 0.
func Adds(g *pdag.Graph) [][]bool {
	v := valuesOf(g)
	adds := make([][]bool, len(g.Nodes))
	for i, n := range g.Nodes {
		adds[i] = make([]bool, len(n.Out))
		for j, e := range n.Out {
			adds[i][j] = !e.Dead && !e.Ends && e.To != pdag.Exit && e.Val != 0 && v.live[e.To] && v.known[i] == unknown
		}
	}
	return adds
}

// topological returns the nodes that paths go through, each before those that
// its edges lead to.
func topological(g *pdag.Graph) []int {
	var post []int
	seen := make([]bool, len(g.Nodes))
	var visit func(n int)
	visit = func(n int) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, e := range g.Nodes[n].Out {
			if !e.Dead && !e.Ends && e.To != pdag.Exit {
				visit(e.To)
			}
		}
		post = append(post, n)
	}
	for _, s := range g.Starts {
		visit(s.Node)
	}
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	return post
}
