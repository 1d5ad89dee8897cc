package pdag

// This file turns path numbers into paths: the greedy reconstruction of Bond
// and McKinley, section 3.3.

// A Step is one edge of a path: Nodes[Node].Out[Out].
type Step struct {
	Node int
	Out  int
}

// Decode returns the path with number p: the index into Starts of its start, and its edges
// in order. ok is false if p is N or more. If the graph is not well-formed (see
// [Graph.Check]), ok may be false for other numbers, too. If ok is true, the path has the
// number p in any case.
func (g *Graph) Decode(p uint64) (start int, path []Step, ok bool) {
	return g.DecodePartial(p, Exit)
}

// DecodePartial returns the part of a path that control has taken when it is in node at
// and the path register holds p, and the index of the path's start. ok is false if the
// register cannot hold p there.
//
// Every node with paths has an out-edge with Val 0. So p is also the number of the complete
// path that continues along these edges, and the result is the beginning of that path.
func (g *Graph) DecodePartial(p uint64, at int) (start int, path []Step, ok bool) {
	start, rest, ok := g.startOf(p)
	if !ok {
		return 0, nil, false
	}
	node := g.Starts[start].Node
	for range g.Nodes { // no path comes through a node twice
		if node == at {
			if rest != 0 {
				break
			}
			return start, path, true
		}
		out := g.choose(node, rest)
		if out < 0 {
			break
		}
		path = append(path, Step{node, out})
		e := g.Nodes[node].Out[out]
		rest -= e.Val
		if e.Ends || e.To == Exit {
			if rest != 0 || at != Exit {
				break
			}
			return start, path, true
		}
		node = e.To
	}
	return 0, nil, false
}

// startOf returns the start of path p, and p less the Val of this start.
func (g *Graph) startOf(p uint64) (start int, rest uint64, ok bool) {
	if p >= g.N {
		return 0, 0, false
	}
	for i := len(g.Starts) - 1; i >= 0; i-- {
		if val := g.Starts[i].Val; val <= p {
			return i, p - val, true
		}
	}
	return 0, 0, false
}

// choose returns the live out-edge of node with the largest Val that is not
// above rest, or -1.
func (g *Graph) choose(node int, rest uint64) int {
	if node < 0 || node >= len(g.Nodes) {
		return -1
	}
	best := -1
	out := g.Nodes[node].Out
	for i, e := range out {
		if !e.Dead && e.Val <= rest && (best < 0 || e.Val > out[best].Val) {
			best = i
		}
	}
	return best
}

// EdgeCounts returns zeroed counters for the edges of g, indexed by node and
// out-edge.
func (g *Graph) EdgeCounts() [][]uint64 {
	counts := make([][]uint64, len(g.Nodes))
	for i, n := range g.Nodes {
		counts[i] = make([]uint64, len(n.Out))
	}
	return counts
}

// Accumulate adds n to the counter of every edge of path p. The counters have the shape of
// [Graph.EdgeCounts]. If p cannot be decoded, Accumulate changes no counter and returns
// false.
func (g *Graph) Accumulate(p, n uint64, counts [][]uint64) bool {
	_, path, ok := g.Decode(p)
	for _, s := range path {
		counts[s.Node][s.Out] += n
	}
	return ok
}

// Branches returns the number of branches on a path, b_p of the branch-flow metric. It
// counts the steps that leave a node with more than one out-edge. Dead out-edges count as
// out-edges: an if with an arm that panics is a branch.
func (g *Graph) Branches(path []Step) int {
	b := 0
	for _, s := range path {
		if len(g.Nodes[s.Node].Out) > 1 {
			b++
		}
	}
	return b
}
