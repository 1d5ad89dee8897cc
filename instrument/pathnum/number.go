package pathnum

// This file numbers the paths of the truncated graph.

import (
	"cmp"
	"slices"

	"github.com/pepgo/pep/format/pdag"
)

// number gives every live edge its Val, and cuts where paths become too many.
//
// The nodes come in postorder. So all successors of a node come before it, except for
// the targets of truncated edges. And the sources of the edges into a node come after
// it, as long as those edges may still be cut.
func (n *numbering) number() error {
	for _, v := range n.post {
		if err := n.divide(v); err != nil {
			return err
		}
		limit := n.opts.Limit
		if n.in.Nodes[v].Whole {
			limit *= wholeLimit
		}
		if n.paths[v] > limit && n.cuttable(v) {
			n.cut(v)
		}
	}
	return nil
}

// divide gives the out-edges of v their Vals. The first edge gets Val 0. Every other
// edge gets the number of paths on the edges before it.
func (n *numbering) divide(v int) error {
	sum := uint64(0)
	for rank, i := range n.ranked(v) {
		e := edge{v, i}
		if rank > 0 && n.fixed(e) {
			return &FixedError{Node: v, Out: i, To: n.edge(e).To}
		}
		n.edge(e).Val = sum
		if sum += n.pathsOn(e); sum > MaxPaths {
			return &SizeError{sum}
		}
	}
	n.paths[v] = sum
	return nil
}

// pathsOn returns the number of ways in which a path that takes e goes on.
func (n *numbering) pathsOn(e edge) uint64 {
	if out := n.edge(e); !out.Ends && out.To != pdag.Exit {
		return n.paths[out.To]
	}
	return 1
}

// ranked returns the live out-edges of v. The fixed edges come first, and the others
// follow in the order of the options.
func (n *numbering) ranked(v int) []int {
	var live []int
	for i, e := range n.out.Nodes[v].Out {
		if !e.Dead {
			live = append(live, i)
		}
	}
	out := n.in.Nodes[v].Out
	slices.SortStableFunc(live, func(i, j int) int {
		if out[i].Fixed != out[j].Fixed {
			if out[i].Fixed {
				return -1
			}
			return 1
		}
		return n.opts.Order.compare(out[i].Freq, out[j].Freq)
	})
	return live
}

// compare orders frequencies.
func (o Order) compare(a, b float64) int {
	switch o {
	case Hottest:
		return cmp.Compare(b, a)
	case Coldest:
		return cmp.Compare(a, b)
	}
	return 0
}

// cuttable reports whether v has in-edges that are not truncated yet, and paths can end
// on all of these.
func (n *numbering) cuttable(v int) bool {
	open := n.open(v)
	return len(open) > 0 && !slices.ContainsFunc(open, n.endless)
}

// open returns the edges into v that are not truncated.
func (n *numbering) open(v int) []edge {
	var open []edge
	for _, p := range n.preds[v] {
		if !n.edge(p).Ends {
			open = append(open, p)
		}
	}
	return open
}

// cut truncates the edges into v.
func (n *numbering) cut(v int) {
	for _, p := range n.open(v) {
		n.edge(p).Ends = true
	}
	if n.starts[v] == noStart { // with BackEdge it may be a loop header
		n.starts[v] = cut
	}
}

// start divides the path numbers among the entry and the targets of truncated
// edges.
func (n *numbering) start() error {
	n.addStart(n.in.Entry, noStart)
	for _, v := range n.rankedStarts() {
		n.addStart(v, n.starts[v])
		if n.out.N > MaxPaths {
			return &SizeError{n.out.N}
		}
	}
	return nil
}

func (n *numbering) addStart(v int, kind startKind) {
	n.out.Starts = append(n.out.Starts, pdag.Start{Node: v, Val: n.out.N, Cut: kind == cut})
	n.out.N += n.paths[v]
}

// rankedStarts returns the targets of truncated edges in the order of the
// options.
func (n *numbering) rankedStarts() []int {
	var nodes []int
	for v, kind := range n.starts {
		if kind != noStart {
			nodes = append(nodes, v)
		}
	}
	freq := make(map[int]float64)
	for _, v := range nodes {
		for _, p := range n.preds[v] {
			if n.edge(p).Ends {
				freq[v] += n.in.Nodes[p.node].Out[p.i].Freq
			}
		}
	}
	slices.SortStableFunc(nodes, func(v, w int) int {
		return n.opts.Order.compare(freq[v], freq[w])
	})
	return nodes
}
