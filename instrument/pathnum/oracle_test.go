package pathnum_test

// This file holds slow and simple algorithms. Tests compare numberings with their
// results. They share no code with the package.

import (
	"fmt"
	"slices"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/instrument/pathnum"
)

// A path as enumeration finds it.
type path struct {
	start int
	steps []pdag.Step
	sum   uint64
}

// key names a path by what it is, not by its number.
func (p path) key(g *pdag.Graph) string {
	return fmt.Sprint(g.Starts[p.start].Node, p.start == 0, p.steps)
}

// enumerate returns all paths of g, or false if there are more than max.
func enumerate(g *pdag.Graph, max int) ([]path, bool) {
	var all []path
	var walk func(p path, node int)
	walk = func(p path, node int) {
		for i, e := range g.Nodes[node].Out {
			if e.Dead || len(all) > max {
				continue
			}
			q := path{p.start, append(slices.Clone(p.steps), pdag.Step{Node: node, Out: i}), p.sum + e.Val}
			if e.Ends || e.To == pdag.Exit {
				all = append(all, q)
				continue
			}
			walk(q, e.To)
		}
	}
	for i, s := range g.Starts {
		walk(path{start: i, sum: s.Val}, s.Node)
	}
	return all, len(all) <= max
}

// A relation is a matrix over nodes.
type relation [][]bool

// reach returns which of n nodes lead to which nodes by one or more of the edges. It
// uses no edge from or to the node avoid; n stands for no such node.
func reach(n, avoid int, edges func(yield func(from, to int))) relation {
	r := make(relation, n)
	for i := range r {
		r[i] = make([]bool, n)
	}
	edges(func(from, to int) {
		if to != pdag.Exit && from != avoid && to != avoid {
			r[from][to] = true
		}
	})
	for k := range n {
		for i := range n {
			for j := range n {
				r[i][j] = r[i][j] || r[i][k] && r[k][j]
			}
		}
	}
	return r
}

// alive returns the edges that can be on a completed path. An execution from the entry
// can take such an edge, and can get from there to Exit or into a cycle.
func alive(g *pathnum.Graph) [][]bool {
	n := len(g.Nodes)
	mayTake := func(yield func(from, to int)) {
		for v, node := range g.Nodes {
			for _, e := range node.Out {
				if !e.Dead {
					yield(v, e.To)
				}
			}
		}
	}
	r := reach(n, n, mayTake)
	lasting := make([]bool, n) // Exit or a cycle can be reached
	for v := range n {
		for w := range n {
			lasting[v] = lasting[v] || r[w][w] && (v == w || r[v][w])
		}
	}
	mayTake(func(from, to int) {
		if to == pdag.Exit {
			for v := range n {
				lasting[v] = lasting[v] || v == from || r[v][from]
			}
		}
	})
	live := make([][]bool, n)
	for v, node := range g.Nodes {
		live[v] = make([]bool, len(node.Out))
		for i, e := range node.Out {
			reached := v == g.Entry || r[g.Entry][v]
			live[v][i] = !e.Dead && reached && (e.To == pdag.Exit || lasting[e.To])
		}
	}
	return live
}

// liveEdges ranges over the edges that live holds.
func liveEdges(g *pdag.Graph, live [][]bool) func(yield func(from, to int)) {
	return func(yield func(from, to int)) {
		for v, node := range g.Nodes {
			for i, e := range node.Out {
				if live[v][i] {
					yield(v, e.To)
				}
			}
		}
	}
}

// naturalHeaders returns the nodes that dominate the source of an edge into them. It
// also reports whether the graph is reducible, which means that it has no cycle without
// those edges.
func naturalHeaders(g *pdag.Graph, entry int, live [][]bool) (headers []int, reducible bool) {
	n := len(g.Nodes)
	edges := liveEdges(g, live)
	dominates := make(relation, n)
	for d := range n {
		dominates[d] = make([]bool, n)
		r := reach(n, d, edges)
		for v := range n {
			dominates[d][v] = d == v || d == entry || v != entry && !r[entry][v]
		}
	}
	forward := reach(n, n, func(yield func(from, to int)) {
		edges(func(from, to int) {
			switch {
			case to == pdag.Exit:
			case !dominates[to][from]:
				yield(from, to)
			case !slices.Contains(headers, to):
				headers = append(headers, to)
			}
		})
	})
	for v := range n {
		if forward[v][v] {
			return nil, false
		}
	}
	slices.Sort(headers)
	return headers, true
}
