// Package placement decides which code stands at which insertion point of a function,
// given the graph and the path numbering of the function.
//
// For the loop
//
//	for i < n {     // leaf 2
//		i++     // marker 3, marker 4 at the end
//	}               // marker 5
//
// with paths that end at the loop header, it decides: before the loop and at marker 4
// a path ends, and the next one starts with the number of the header; where leaf 2 is
// false, the code adds the value of that edge.
//
// Package rewrite turns the plan into text.
package placement

import (
	"fmt"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/mark"
	"github.com/pepgo/pep/instrument/pathnum"
)

// An Op is code at an insertion point. It adds Add to the path register r, or it ends
// the path whose number is r + Add.
type Op struct {
	Add  uint64 // modulo 2^64, so that it can subtract what was added elsewhere
	Ends bool

	// Known says that all ways to the end of the path have added the same. Add is then the
	// number of the path itself.
	Known bool

	// Restart is the path number that the register is set to for the next path, if Ends
	// and Restarts.
	Restarts bool
	Restart  uint64
}

// An Outcome is one way out of a leaf.
type Outcome struct {
	Leaf *mark.Leaf
	True bool
}

// A Plan holds the code for one function.
type Plan struct {
	Func     *flow.Func
	Graph    *pdag.Graph
	Markers  map[*mark.Marker][]Op
	Outcomes map[Outcome][]Op
	Jumps    map[*mark.Jump][]Op

	// Register says that there is a path register, which starts with Starts[0].Val.
	// Otherwise every path is known where it ends.
	Register bool

	values values
}

// Adds returns the number of increments of the path register in p.
func (p *Plan) Adds() int { return p.count(func(op Op) bool { return !op.Ends }) }

// Ends returns the number of ends of paths in p.
func (p *Plan) Ends() int { return p.count(func(op Op) bool { return op.Ends }) }

// EndsAtOnce reports whether the code that stands first in the function ends a path, as that of a function
// which only returns. Then the function is called as often as it ends a path that begins at its entry.
func (p *Plan) EndsAtOnce() bool {
	n := p.Func.Nodes[0]
	if len(n.Out) != 1 {
		return false
	}
	end, num := n.Out[0].Point.Marker, p.Graph.Nodes[0].Out[0]
	if end == nil || !num.Ends && num.To != pdag.Exit {
		return false
	}
	for _, mk := range n.Markers {
		if mk.From.IsValid() && mk.From < end.Pos {
			return false // statements stand before it
		}
	}
	return true
}

func (p *Plan) count(is func(Op) bool) int {
	n := 0
	count := func(ops []Op) {
		for _, op := range ops {
			if is(op) {
				n++
			}
		}
	}
	for _, ops := range p.Markers {
		count(ops)
	}
	for _, ops := range p.Outcomes {
		count(ops)
	}
	for _, ops := range p.Jumps {
		count(ops)
	}
	return n
}

// New has the paths of f numbered, by estimated frequencies of its edges, and decides
// where the code stands. The error says why the function cannot be profiled.
func New(f *flow.Func, opts pathnum.Options) (*Plan, error) {
	graph, err := Number(f, opts)
	if err != nil {
		return nil, err
	}
	p := &Plan{
		Func:     f,
		Graph:    graph,
		Markers:  map[*mark.Marker][]Op{},
		Outcomes: map[Outcome][]Op{},
		Jumps:    map[*mark.Jump][]Op{},
	}
	p.values = valuesOf(graph)
	p.Register = p.values.live[0]
	// If an edge into a block and an edge out of it stand at the same marker, the
	// code of the edge into the block comes first.
	for _, out := range []bool{false, true} {
		for i, n := range f.Nodes {
			for j, e := range n.Out {
				if e.Point.Out == out {
					p.edge(e, graph.Nodes[i].Out[j])
				}
			}
		}
	}
	return p, nil
}

// Number has the paths of f numbered, by estimated frequencies of its edges. The error says why it has no numbers.
func Number(f *flow.Func, opts pathnum.Options) (*pdag.Graph, error) {
	graph, err := pathnum.Number(input(f), opts)
	if err == nil && graph.N == 0 {
		err = fmt.Errorf("no path through it ever ends")
	}
	return graph, err
}

// input returns the graph of f with estimated frequencies.
func input(f *flow.Func) *pathnum.Graph {
	g := &pathnum.Graph{Nodes: make([]pathnum.Node, len(f.Nodes))}
	freq := costs(f)
	for i, n := range f.Nodes {
		g.Nodes[i].Whole = n.Whole
		for _, e := range n.Out {
			in := pathnum.Edge{
				To:      pdag.Exit,
				Freq:    freq[e],
				Fixed:   !e.Point.Known(),
				AddOnly: len(e.Point.Undo) > 0,
				Ends:    e.Ends,
				Dead:    e.Never,
			}
			if e.To != nil {
				in.To = e.To.Index
			}
			g.Nodes[i].Out = append(g.Nodes[i].Out, in)
		}
	}
	return g
}

// edge decides on the code of one edge.
func (p *Plan) edge(e *flow.Edge, num pdag.Edge) {
	if num.Dead {
		return
	}
	op := Op{Add: num.Val}
	known := p.values.known[e.From.Index]
	switch {
	case num.Ends || num.To == pdag.Exit:
		op.Ends = true
		if known != unknown {
			op.Known, op.Add = true, known+num.Val
		}
		if num.Ends && p.values.live[num.To] {
			start, _ := p.Graph.StartAfter(num.To)
			op.Restarts, op.Restart = true, p.Graph.Starts[start].Val
			p.Register = true
		}
	case num.Val == 0 || !p.values.live[num.To]:
		return
	}
	if l := e.Point.Leaf; l != nil {
		o := Outcome{l, e.Point.Outcome}
		p.Outcomes[o] = append(p.Outcomes[o], op)
		return
	}
	if j := e.Point.Jump; j != nil {
		if j.Leaves && !op.Known {
			// The body of the loop cannot use the register. But only the loop itself leads to e, and a path starts behind it.
			panic("placement: a jump out of a function ends a path of unknown number")
		}
		p.Jumps[j] = append(p.Jumps[j], op)
		return
	}
	p.Markers[e.Point.Marker] = append(p.Markers[e.Point.Marker], op)
	for _, u := range e.Point.Undo {
		p.Markers[u] = append([]Op{{Add: -num.Val}}, p.Markers[u]...)
	}
}
