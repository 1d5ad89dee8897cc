package placement

// This file writes a plan as text, for people who look for a wrong count.

import (
	"cmp"
	"fmt"
	"go/token"
	"io"
	"slices"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/instrument/flow"
)

// Write writes the graph of a function, with the values of its edges, the starts of
// its paths, and the code:
//
//	4 paths
//	start of path 0 at node 0: entry
//	start of path 1 at node 1: loop
//	node 0, 3:2-3:8
//		to node 1, ends the path; before 4:2, leaving
//	node 1
//		to node 2, adds 1; for at 4:6 is true
//		to node 3; nowhere
//	…
//	code
//		start: r = 0
//		before 4:2: end of path r; r = 1
//
// A node is followed by the ranges of its statements, an edge by its insertion
// point, behind a semicolon. Paths have the numbers of the function.
func (p *Plan) Write(w io.Writer, fset *token.FileSet) {
	fmt.Fprintf(w, "%d paths\n", p.Graph.N)
	for i, s := range p.Graph.Starts {
		kind := "loop"
		switch {
		case i == 0:
			kind = "entry"
		case s.Cut:
			kind = "cut"
		}
		fmt.Fprintf(w, "start of path %d at node %d: %s\n", s.Val, s.Node, kind)
	}
	for i, n := range p.Func.Nodes {
		fmt.Fprintf(w, "node %d", i)
		for _, mk := range n.Markers {
			if mk.From.IsValid() {
				fmt.Fprintf(w, ", %s-%s", flow.At(fset, mk.From), flow.At(fset, mk.To))
			}
		}
		fmt.Fprintln(w)
		for j, e := range n.Out {
			fmt.Fprintf(w, "\t%s; %s\n", edgeText(p.Graph.Nodes[i].Out[j]), e.Point.Text(fset))
		}
	}
	fmt.Fprintln(w, "code")
	if p.Register {
		fmt.Fprintln(w, "\tstart: r = 0")
	}
	for _, c := range p.code() {
		fmt.Fprintf(w, "\t%s:", c.point.Text(fset))
		for i, op := range c.ops {
			if i > 0 {
				fmt.Fprint(w, ";")
			}
			fmt.Fprintf(w, " %s", op)
		}
		fmt.Fprintln(w)
	}
}

func edgeText(e pdag.Edge) string {
	s := "leaves"
	if e.To != pdag.Exit {
		s = fmt.Sprintf("to node %d", e.To)
	}
	if e.Val != 0 {
		s += fmt.Sprintf(", adds %d", e.Val)
	}
	if e.Ends {
		s += ", ends the path"
	}
	if e.Dead {
		s += ", on no path"
	}
	return s
}

// String returns op in terms of the path register r.
func (op Op) String() string {
	switch {
	case !op.Ends && int64(op.Add) < 0:
		return fmt.Sprintf("r -= %d", -op.Add)
	case !op.Ends:
		return fmt.Sprintf("r += %d", op.Add)
	}
	s := "end of path r"
	switch {
	case op.Known:
		s = fmt.Sprintf("end of path %d", op.Add)
	case op.Add != 0:
		s += fmt.Sprintf("+%d", op.Add)
	}
	if op.Restarts {
		s += fmt.Sprintf("; r = %d", op.Restart)
	}
	return s
}

// codeAt is the code at an insertion point.
type codeAt struct {
	point flow.Point
	pos   token.Pos
	ops   []Op
}

// code returns the code of p in source order.
func (p *Plan) code() []codeAt {
	var all []codeAt
	for mk, ops := range p.Markers {
		all = append(all, codeAt{flow.Point{Marker: mk}, mk.Pos, ops})
	}
	for o, ops := range p.Outcomes {
		all = append(all, codeAt{flow.Point{Leaf: o.Leaf, Outcome: o.True}, o.Leaf.Expr.Pos(), ops})
	}
	for j, ops := range p.Jumps {
		all = append(all, codeAt{flow.Point{Jump: j}, j.Stmts[0].Pos(), ops})
	}
	slices.SortFunc(all, func(a, b codeAt) int {
		return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(order(a.point), order(b.point)))
	})
	return all
}

// order tells apart the points at one position.
func order(p flow.Point) int {
	switch {
	case p.Marker != nil:
		return 2 + p.Marker.ID
	case p.Outcome:
		return 0
	}
	return 1
}
