package exactness

// This file adds up the paths of a function.

import (
	"fmt"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/wire"
)

// A funcKey identifies a function in a profile.
type funcKey struct {
	name, file string
	line       int
}

// A flow has the numbers that follow from the counts of one function's paths.
type flow struct {
	*wire.Func
	edges [][]uint64 // executions of the edges
	nodes []uint64   // executions of the nodes on paths that ended
	began []uint64   // paths that ended, by start
	ended []uint64   // ends of paths on truncated edges, by the start that follows

	// What the profile says of paths that have not ended: how many began at the entry, and how many elsewhere.
	unendedEntry, unendedElsewhere int64
}

func newFlow(f *wire.Func) *flow {
	return &flow{
		Func:  f,
		edges: f.Graph.EdgeCounts(),
		nodes: make([]uint64, len(f.Graph.Nodes)),
		began: make([]uint64, len(f.Graph.Starts)),
		ended: make([]uint64, len(f.Graph.Starts)),
	}
}

// add counts n executions of path p.
func (f *flow) add(p, n uint64) error {
	start, steps, ok := f.Graph.Decode(p)
	if !ok {
		return fmt.Errorf("%s has no path %d", f.Name, p)
	}
	f.began[start] += n
	for _, s := range steps {
		f.edges[s.Node][s.Out] += n
		f.nodes[s.Node] += n
	}
	last := steps[len(steps)-1]
	if e := f.Graph.Nodes[last.Node].Out[last.Out]; e.Ends {
		next, _ := f.Graph.StartAfter(e.To)
		f.ended[next] += n
	}
	return nil
}

// balance checks Kirchhoff's law: control leaves a node as often as it enters it, over edges
// or by paths that start there.
func (f *flow) balance() error {
	in := make([]uint64, len(f.nodes))
	for i, s := range f.Graph.Starts {
		in[s.Node] += f.began[i]
	}
	for v, n := range f.Graph.Nodes {
		for i, e := range n.Out {
			if e.To >= 0 && !e.Ends {
				in[e.To] += f.edges[v][i]
			}
		}
	}
	for v := range f.nodes {
		out := uint64(0)
		for _, n := range f.edges[v] {
			out += n
		}
		if in[v] != out || out != f.nodes[v] {
			return fmt.Errorf("%s: node %d is entered %d times, left %d times, executed %d times", f.Name, v, in[v], out,
				f.nodes[v])
		}
	}
	return nil
}

// unended returns, by start, the number of paths that began and never ended. The
// counter c stands in node, which every execution of the function comes through. It
// tells how many paths began with the function and never ended. If c is nil, there must
// not be any such path. The numbers are negative if the counts are wrong.
func (f *flow) unended(node int, c *counter) []int64 {
	unended := make([]int64, len(f.began))
	if c != nil {
		unended[0] = excess(c, f.nodes[node])
	}
	for i := 1; i < len(unended); i++ {
		unended[i] = int64(f.ended[i] - f.began[i])
		if f.Graph.Starts[i].Node == node {
			unended[0] -= unended[i]
		}
	}
	return unended
}

// readPaths adds the paths of a profile to the flows of their functions.
func readPaths(name string, flows map[funcKey]*flow) error {
	file, err := profile.Open(name)
	if err != nil {
		return err
	}
	if !file.Exact() {
		return fmt.Errorf("%s: not exact", name)
	}
	if n := file.Fact(facts.UnknownPaths); n > 0 {
		return fmt.Errorf("%s: %d paths of functions unknown to the site tables", name, n)
	}
	paths, err := file.Paths()
	if err != nil {
		return err
	}
	for _, p := range paths {
		f := flows[funcKey{p.ID.Func.Name, p.ID.Func.File, int(p.ID.Func.StartLine)}]
		if f == nil {
			return fmt.Errorf("%s: function %s is in no site table", name, p.ID.Func.Name)
		}
		if err := f.add(p.ID.Number, uint64(p.Count)); err != nil {
			return err
		}
	}
	unended, err := file.Unended()
	if err != nil {
		return err
	}
	for _, u := range unended {
		f := flows[funcKey{u.Func.Name, u.Func.File, int(u.Func.StartLine)}]
		switch {
		case f == nil:
			return fmt.Errorf("%s: function %s is in no site table", name, u.Func.Name)
		case u.From.How == schema.Entry:
			f.unendedEntry += u.Count
		default:
			f.unendedElsewhere += u.Count
		}
	}
	return nil
}
