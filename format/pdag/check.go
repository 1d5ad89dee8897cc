package pdag

// This file holds the invariants of a P-DAG as a program.

import "github.com/pepgo/pep/format/digits"

// Check returns what is wrong with g, or "" if g is well-formed:
//
//   - targets of edges and starts are nodes of the graph;
//   - live edges that are not truncated form no cycle;
//   - the live out-edges of every node, sorted by Val, divide [0, NumPaths)
//     among them without gap or overlap, where NumPaths of a truncated edge and
//     of an edge to Exit is 1, and a live edge has at least one path;
//   - the starts divide [0, N) likewise, the entry first;
//   - every truncated edge leads to a start other than the entry, one per node.
//
// The paths from the starts to the ends are then numbered 0 … N-1, and
// [Graph.Decode] finds each.
func (g *Graph) Check() string {
	if msg := g.checkEdges(); msg != "" {
		return msg
	}
	if msg := g.checkTruncation(); msg != "" {
		return msg
	}
	paths, msg := g.numPaths()
	if msg != "" {
		return msg
	}
	return g.checkStarts(paths)
}

func (g *Graph) checkEdges() string {
	for v, n := range g.Nodes {
		for i, e := range n.Out {
			switch {
			case e.To != Exit && !g.has(e.To):
				return edgeName(v, i) + " leads to node " + digits.Int(int64(e.To)) + " of " + digits.Int(int64(len(g.Nodes)))
			case e.Ends && e.To == Exit:
				return edgeName(v, i) + " leads to Exit and is truncated"
			case e.Dead && (e.Ends || e.Val != 0):
				return edgeName(v, i) + " is dead and numbered"
			}
		}
	}
	return ""
}

func (g *Graph) checkTruncation() string {
	if len(g.Starts) == 0 {
		return "no starts"
	}
	starts := make([]bool, len(g.Nodes))
	for i, s := range g.Starts {
		switch {
		case !g.has(s.Node):
			return "start " + digits.Int(int64(i)) + " at node " + digits.Int(int64(s.Node)) + " of " +
				digits.Int(int64(len(g.Nodes)))
		case i > 0 && starts[s.Node]:
			return "two starts at node " + digits.Int(int64(s.Node))
		case i > 0:
			starts[s.Node] = true
		}
	}
	for v, n := range g.Nodes {
		for i, e := range n.Out {
			if e.Ends && !starts[e.To] {
				return edgeName(v, i) + " is truncated, but node " + digits.Int(int64(e.To)) + " is no start"
			}
		}
	}
	return ""
}

// numPaths returns the number of paths from every node, or a message about wrong Vals.
func (g *Graph) numPaths() (paths []uint64, msg string) {
	order, msg := g.topological()
	if msg != "" {
		return nil, msg
	}
	paths = make([]uint64, len(g.Nodes))
	for i := len(order) - 1; i >= 0; i-- {
		v := order[i]
		if paths[v], msg = g.divided(v, paths); msg != "" {
			return nil, msg
		}
	}
	return paths, ""
}

// topological returns the nodes so that every live edge that is not truncated
// leads forward.
func (g *Graph) topological() (order []int, msg string) {
	preds := make([]int, len(g.Nodes))
	for _, n := range g.Nodes {
		for _, e := range n.Out {
			if e.goesOn() {
				preds[e.To]++
			}
		}
	}
	for v := range g.Nodes {
		if preds[v] == 0 {
			order = append(order, v)
		}
	}
	for i := 0; i < len(order); i++ {
		for _, e := range g.Nodes[order[i]].Out {
			if !e.goesOn() {
				continue
			}
			if preds[e.To]--; preds[e.To] == 0 {
				order = append(order, e.To)
			}
		}
	}
	if len(order) < len(g.Nodes) {
		return nil, "a cycle has no truncated edge"
	}
	return order, ""
}

// goesOn reports whether a path that takes e continues at e.To.
func (e Edge) goesOn() bool { return !e.Dead && !e.Ends && e.To != Exit }

// divided returns the number of paths from v, given the numbers of its successors. If the
// Vals of the live out-edges do not divide these paths, it returns a message.
func (g *Graph) divided(v int, paths []uint64) (total uint64, msg string) {
	share := make(map[uint64]uint64) // number of paths by Val
	live := 0
	for i, e := range g.Nodes[v].Out {
		if e.Dead {
			continue
		}
		n := uint64(1)
		if e.goesOn() {
			n = paths[e.To]
		}
		if n == 0 {
			return 0, edgeName(v, i) + " leads to no path and is not dead"
		}
		if total+n < total {
			return 0, "node " + digits.Int(int64(v)) + " has more than 2^64 paths"
		}
		total += n
		share[e.Val] = n
		live++
	}
	if len(share) < live {
		return 0, "out-edges of node " + digits.Int(int64(v)) + " have equal Vals"
	}
	for sum := uint64(0); sum < total; sum += share[sum] {
		if share[sum] == 0 {
			return 0, "out-edges of node " + digits.Int(int64(v)) + " leave a gap at " + digits.Uint(sum) + " or overlap"
		}
	}
	return total, ""
}

func (g *Graph) checkStarts(paths []uint64) string {
	sum := uint64(0)
	for i, s := range g.Starts {
		if s.Val != sum {
			return "start " + digits.Int(int64(i)) + " has Val " + digits.Uint(s.Val) + ", want " + digits.Uint(sum)
		}
		n := paths[s.Node]
		if n == 0 && i > 0 {
			return "start " + digits.Int(int64(i)) + " has no paths"
		}
		if sum+n < sum {
			return "more than 2^64 paths"
		}
		sum += n
	}
	if g.N != sum {
		return "N is " + digits.Uint(g.N) + ", want " + digits.Uint(sum)
	}
	return ""
}

func (g *Graph) has(node int) bool { return node >= 0 && node < len(g.Nodes) }

func edgeName(node, out int) string {
	return "out-edge " + digits.Int(int64(out)) + " of node " + digits.Int(int64(node))
}
