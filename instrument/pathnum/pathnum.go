// Package pathnum numbers the paths of a function: it truncates the control-flow
// graph to an acyclic one and gives its edges the values whose sum along a path
// is the path's number.
//
// The graph
//
//	A ──▶ H ──▶ X ──▶ Exit
//	      ▲ ╲
//	      │  B ──▶ C
//	      │  ╲     │
//	      │   D    │
//	      │    ╲   ▼
//	      └─────── E
//
// truncated at its loop header H has four paths:
//
//	0   A→H, then the loop is reached          A→H ends paths, Val 0
//	1   H→B→C→E→H, a round through C           paths that start at H begin with 1
//	2   H→B→D→E→H, a round through D           B→D has Val 1
//	3   H→X→Exit                               H→X has Val 2
//
// Six edges could carry an addition, and two of them do. With measured frequencies the
// hottest out-edge of every node gets Val 0 ("smart numbering"). If D were hotter than
// C, the addition would stand on B→C. Frequencies and the order decide only which
// number a path has, never which paths there are.
//
// The package knows nothing of source code. Its caller says whether an edge has an
// insertion point (Fixed, if it has none), and how often it is taken. Package
// format/pdag turns numbers into paths again.
//
// Sources: Ball and Larus, "Efficient Path Profiling", MICRO 1996; Bond and
// McKinley, "Continuous Path and Edge Profiling", MICRO 2005, sections 3.1, 3.2
// and 3.4. Deviation: the paper lets the dummy edge to a hot loop header come
// before the function's entry; here the entry's Val is always 0. The Val of a
// start is part of a constant that is loaded anyhow, so nothing is lost.
package pathnum

import (
	"fmt"

	"github.com/pepgo/pep/format/pdag"
)

// A Graph is the control-flow graph of a function. Edges lead to nodes of the
// graph or to [pdag.Exit].
type Graph struct {
	Entry int
	Nodes []Node
}

// A Node is a basic block. Two edges to the same node are two edges.
type Node struct {
	Out []Edge

	// Whole says that paths are cut at the node only if there are a great many.
	Whole bool
}

// An Edge is a way on from a node.
type Edge struct {
	To   int
	Freq float64 // executions, measured or estimated, in any unit that is the same for the whole graph

	// Fixed says that the edge has no insertion point. Its Val must be 0, and no
	// path can end on it other than by leaving the function.
	Fixed bool

	// AddOnly says that the edge's insertion point can hold an increment but not the
	// end of a path. No path ends on the edge other than by leaving the function.
	AddOnly bool

	// Ends says that paths must end on the edge, whatever the truncation. Its
	// target is a start whose Cut is false.
	Ends bool

	// Dead says that an execution that takes the edge never completes a path,
	// as with a panic. The edge is not numbered.
	Dead bool
}

// A Truncation says where loops are cut.
type Truncation int

const (
	// Header ends paths on every edge into a loop header, as PEP does: a loop
	// that is reached from elsewhere ends a path.
	Header Truncation = iota

	// BackEdge ends paths on the edges that close loops only, as Ball and Larus
	// do: what leads to a loop and its first round are one path.
	BackEdge

	// Rest ends paths as Header does, but at the headers of such loops only that have a round
	// without an edge on which paths end anyhow: see Edge.Ends.
	Rest

	// Join ends paths as Header does, and on every edge into a node that several edges lead to, unless one
	// of them cannot hold the end of a path. The starts at such nodes are Cut. So each edge on which paths
	// end has one path, and the counts of paths are counters of edges, which determine all others.
	Join
)

// An Order says which out-edges of a node come first, and so have the low Vals.
// A fixed edge comes first in any order; edges with equal frequencies keep the
// order of the graph.
type Order int

const (
	Hottest  Order = iota // smart numbering: cold edges carry the additions
	Original              // the order of the graph, as Ball and Larus do
	Coldest               // the contrary of smart, to measure what smart numbering gains
)

const (
	// DefaultLimit bounds the paths through one node so that path numbers of
	// all functions of a package fit a small address range.
	DefaultLimit = 1 << 12

	// wholeLimit is how many times the limit the paths from a node that is Whole may be.
	wholeLimit = 16

	// MaxPaths is the largest number of paths of a function (spec PEP §5).
	MaxPaths = 1 << 31
)

// Options say how Number truncates and numbers. The zero value stands for PEP as in the
// paper.
type Options struct {
	Truncate Truncation
	Order    Order

	// Limit bounds the number of paths from a node; 0 stands for DefaultLimit. If a
	// node has more paths, Number cuts paths there: it truncates all edges into the
	// node and makes the node a start whose Cut is true. It cuts neither at the entry,
	// nor at loop headers that are starts already, nor at nodes that a fixed edge leads
	// to. For nodes that are Whole the limit is 16 times as high.
	Limit uint64
}

// A FixedError reports a fixed edge that would need code.
type FixedError struct {
	Node, Out int  // the edge: Nodes[Node].Out[Out]
	To        int  // its target
	Truncated bool // paths must end on it; otherwise it needs a Val, as Node has another fixed out-edge
}

func (e *FixedError) Error() string {
	if e.Truncated {
		return fmt.Sprintf("out-edge %d of node %d leads to loop header %d and has no insertion point", e.Out, e.Node, e.To)
	}
	return fmt.Sprintf("out-edge %d of node %d is the second one without an insertion point", e.Out, e.Node)
}

// A SizeError reports a function with more than MaxPaths paths.
type SizeError struct {
	Paths uint64 // number of paths that made it too many
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%d paths, at most %d can be numbered", e.Paths, uint64(MaxPaths))
}

// Number truncates and numbers g. The nodes of the result are those of g, with
// the same out-edges in the same order. Its Starts are the entry, then the
// targets of truncated edges in the order of opts, by how often they are entered.
//
// The edges that are Dead in g are Dead in the result. So are all other edges on which
// no execution ever completes a path: edges of nodes that cannot be reached from the
// entry, and edges to nodes from which all ways lead to dead edges. The edges of an
// endless loop are not dead, because each of its rounds is a path. A function that
// never completes a path has N = 0.
//
// The loop headers are the targets of the retreating edges of a depth-first
// search that takes out-edges in order; every cycle has one, and in a reducible
// graph they do not depend on the order. With Rest these are the cycles of the graph
// without the edges that end paths, and the search begins again at the targets of these.
//
// Errors are a [*FixedError] or a [*SizeError]. Number panics if an edge of g
// leads nowhere.
func Number(g *Graph, opts Options) (*pdag.Graph, error) {
	if opts.Limit == 0 {
		opts.Limit = DefaultLimit
	}
	n := newNumbering(g, opts)
	n.bury()
	n.search()
	if err := n.truncate(); err != nil {
		return nil, err
	}
	if err := n.number(); err != nil {
		return nil, err
	}
	if err := n.start(); err != nil {
		return nil, err
	}
	return n.out, nil
}
