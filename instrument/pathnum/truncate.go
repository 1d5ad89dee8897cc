package pathnum

// This file makes the graph acyclic. It finds the dead edges, which are on no completed
// path, and the loop headers, and truncates edges.

import "github.com/pepgo/pep/format/pdag"

// numbering is the state of one call of Number.
type numbering struct {
	in   *Graph
	opts Options
	out  *pdag.Graph

	preds    [][]edge // live edges into each node
	post     []int    // the nodes that can be reached, in postorder
	state    []visit  // by node, of the depth-first search
	roots    []int    // where paths begin, to search from
	retreats []edge   // edges that close cycles
	starts   []startKind
	paths    []uint64 // NumPaths by node
}

// An edge is in.Nodes[node].Out[i].
type edge struct{ node, i int }

type visit uint8

const (
	unseen visit = iota
	active
	done
)

// startKind says why paths start at a node, other than at the entry.
type startKind uint8

const (
	noStart startKind = iota
	header
	asked // the graph asks paths to end on an edge to the node
	cut
)

func newNumbering(g *Graph, opts Options) *numbering {
	n := &numbering{
		in:     g,
		opts:   opts,
		out:    &pdag.Graph{Nodes: make([]pdag.Node, len(g.Nodes))},
		preds:  make([][]edge, len(g.Nodes)),
		state:  make([]visit, len(g.Nodes)),
		starts: make([]startKind, len(g.Nodes)),
		paths:  make([]uint64, len(g.Nodes)),
	}
	for v, node := range g.Nodes {
		n.out.Nodes[v].Out = make([]pdag.Edge, len(node.Out))
		for i, e := range node.Out {
			n.out.Nodes[v].Out[i] = pdag.Edge{To: e.To, Dead: e.Dead}
			if !e.Dead && e.To != pdag.Exit {
				n.preds[e.To] = append(n.preds[e.To], edge{v, i})
			}
		}
	}
	return n
}

func (n *numbering) edge(e edge) *pdag.Edge { return &n.out.Nodes[e.node].Out[e.i] }

func (n *numbering) fixed(e edge) bool { return n.in.Nodes[e.node].Out[e.i].Fixed }

// endless reports whether e cannot hold the end of a path.
func (n *numbering) endless(e edge) bool { return n.fixed(e) || n.in.Nodes[e.node].Out[e.i].AddOnly }

// bury marks the edges as dead that lead to nodes without live out-edges.
func (n *numbering) bury() {
	live := make([]int, len(n.out.Nodes)) // number of live out-edges
	var ends []int
	for v, node := range n.out.Nodes {
		for _, e := range node.Out {
			if !e.Dead {
				live[v]++
			}
		}
		if live[v] == 0 {
			ends = append(ends, v)
		}
	}
	for len(ends) > 0 {
		v := ends[len(ends)-1]
		ends = ends[:len(ends)-1]
		for _, p := range n.preds[v] {
			n.edge(p).Dead = true
			if live[p.node]--; live[p.node] == 0 {
				ends = append(ends, p.node)
			}
		}
		n.preds[v] = nil
	}
}

// search goes through the live part of the graph depth first, and then marks the edges
// of all nodes that it has not reached as dead.
func (n *numbering) search() {
	n.roots = []int{n.in.Entry}
	for i := 0; i < len(n.roots); i++ {
		if v := n.roots[i]; n.state[v] == unseen {
			n.visit(v)
		}
	}
	for v, node := range n.out.Nodes {
		if n.state[v] == unseen {
			for i := range node.Out {
				node.Out[i].Dead = true
			}
			n.preds[v] = nil
			continue
		}
		reached := n.preds[v][:0]
		for _, p := range n.preds[v] {
			if n.state[p.node] == done {
				reached = append(reached, p)
			}
		}
		n.preds[v] = reached
	}
}

func (n *numbering) visit(v int) {
	n.state[v] = active
	for i, e := range n.out.Nodes[v].Out {
		if e.Dead || e.To == pdag.Exit {
			continue
		}
		if n.opts.Truncate == Rest && n.in.Nodes[v].Out[i].Ends {
			n.roots = append(n.roots, e.To)
			continue
		}
		switch n.state[e.To] {
		case unseen:
			n.visit(e.To)
		case active:
			n.retreats = append(n.retreats, edge{v, i})
		}
	}
	n.state[v] = done
	n.post = append(n.post, v)
}

// truncate ends paths on the edges that the kind of truncation asks for.
func (n *numbering) truncate() error {
	for _, r := range n.retreats {
		n.starts[n.edge(r).To] = header
	}
	if err := n.end(n.endsAsked()); err != nil {
		return err
	}
	if n.opts.Truncate == BackEdge {
		return n.end(n.retreats)
	}
	for v, kind := range n.starts {
		if kind != header {
			continue
		}
		if err := n.end(n.preds[v]); err != nil {
			return err
		}
	}
	if n.opts.Truncate == Join {
		n.cutJoins()
	}
	return nil
}

// cutJoins cuts paths at the nodes that several edges lead to.
func (n *numbering) cutJoins() {
	for v, preds := range n.preds {
		if len(preds) > 1 && n.cuttable(v) {
			n.cut(v)
		}
	}
}

// end truncates edges.
func (n *numbering) end(edges []edge) error {
	for _, e := range edges {
		if n.endless(e) {
			return &FixedError{Node: e.node, Out: e.i, To: n.edge(e).To, Truncated: true}
		}
		n.edge(e).Ends = true
	}
	return nil
}

// endsAsked returns the edges that the graph asks paths to end on, and makes their
// targets starts.
func (n *numbering) endsAsked() []edge {
	var edges []edge
	for v, preds := range n.preds {
		for _, p := range preds {
			if n.in.Nodes[p.node].Out[p.i].Ends {
				edges = append(edges, p)
				if n.starts[v] == noStart {
					n.starts[v] = asked
				}
			}
		}
	}
	return edges
}
