// Package pdag holds the P-DAG of a function, the acyclic control-flow graph whose edges
// have the values of the path numbering. It turns path numbers back into edges.
//
// A loop
//
//	func f(n int) {          // node 0
//		for n > 0 {          // node 1, the loop header
//			n--              // node 2
//		}
//	}                        // node 3
//
// truncated at its header has two starts, the entry of the function and the
// header, and three paths:
//
//	0   start at node 0, end on 0→1 (the loop is reached)
//	1   start at node 1, 1→2, end on 2→1 (one round is done)
//	2   start at node 1, 1→3, 3→Exit
//
// The only edge with a Val is 1→3, whose Val is 1; the header's start has Val 1
// too. So [Graph.Decode] of 2 returns start 1 and the steps {1,1} {3,0}.
//
// The package only decodes and checks; package instrument/pathnum makes the
// numbering. It imports digits alone, because it is linked into instrumented
// programs.
//
// Source: Bond and McKinley, "Continuous Path and Edge Profiling", MICRO 2005,
// sections 3.1 to 3.3.
package pdag

// Exit is the target of an edge that leaves the function.
const Exit = -1

// A Graph is the P-DAG of one function. Path numbers are 0 … N-1.
type Graph struct {
	Nodes  []Node
	Starts []Start // Starts[0] is the function's entry and has Val 0; the Vals increase
	N      uint64  // number of paths; 0 if no path is ever completed
}

// A Node is a basic block, or several that are always executed together.
type Node struct {
	Out []Edge // in the order of the control-flow graph, not of their Vals
}

// An Edge is an edge of the control-flow graph with its share of the path
// number. A path ends on an edge to Exit and on a truncated edge.
type Edge struct {
	To   int    // target node, or Exit
	Val  uint64 // what the edge adds to the path number
	Ends bool   // the edge is truncated: a path ends here and the next one starts at To
	Dead bool   // on no path that is ever completed (it leads to a panic); no path number includes it, Val is 0
}

// A Start is a node where paths begin: the function's entry, or the target of truncated
// edges. It stands for the (dummy) edge ENTRY~>Node of the paper.
//
// If the entry node is also a loop header, it has two Starts: Starts[0] for the paths that
// begin with the function, and another for the paths that begin with a further round.
type Start struct {
	Node int
	Val  uint64 // initial path number of paths that start here
	Cut  bool   // paths are cut here to keep their number down, and not because of a loop
}

// StartAfter returns the index of the start of the path that follows a
// truncated edge to node.
func (g *Graph) StartAfter(node int) (start int, ok bool) {
	for i := 1; i < len(g.Starts); i++ {
		if g.Starts[i].Node == node {
			return i, true
		}
	}
	return 0, false
}
