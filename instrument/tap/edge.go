package tap

// This file taps branches: at the insertion point of every edge of a node with several
// edges.

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/placement"
)

// edges taps the branches of the function. The word of a tuple is the index of the
// edge among those of its node, as in the site table.
func (f *finder) edges() {
	if f.fn.Blocks == nil || !f.wanted || !f.Kinds.Has(tuple.Edge) {
		return
	}
	for i, n := range f.fn.Nodes {
		if len(n.Out) > 1 {
			f.branch(n, f.fn.Blocks[i])
		}
	}
}

func (f *finder) branch(n *flow.Node, b wire.Block) {
	at := f.Fset.Position(f.branchPos(n))
	at.Line = b.Branch.Line
	if !f.within(at) {
		return
	}
	pc, ok := f.branchSite(n, b)
	if !ok {
		return
	}
	for j, e := range n.Out {
		c := Call{PC: pc, Arg: fmt.Sprint(j)}
		switch p := e.Point; {
		case e.Leaf != nil:
			o := placement.Outcome{Leaf: e.Leaf, True: e.Outcome}
			f.plan.Outcomes[o] = append(f.plan.Outcomes[o], c)
		case !p.Known() || len(p.Undo) > 0:
			f.skip(tuple.Edge, f.exprAt(f.branchPos(n), b.Outs[j].Outcome), whyEdge)
		case p.Jump != nil:
			f.plan.Jumps[p.Jump] = append(f.plan.Jumps[p.Jump], c)
		default:
			f.plan.Markers[p.Marker] = append(f.plan.Markers[p.Marker], c)
		}
	}
}

// branchSite makes a site of a branch. Its Expr is the kind of the branch, its
// Type the outcomes, separated by semicolons.
func (f *finder) branchSite(n *flow.Node, b wire.Block) (pc uint64, ok bool) {
	var outcomes []string
	for _, o := range b.Outs {
		outcomes = append(outcomes, o.Outcome)
	}
	k := key{tuple.Edge, f.branchPos(n), fmt.Sprint(f.fn.Name, n.Index)}
	return f.add(k, wire.Tap{
		Tag: uint8(tuple.Edge), Func: f.fn.Name, File: b.Branch.File, Line: b.Branch.Line, Col: b.Branch.Col,
		Expr: b.Branch.Kind, Type: strings.Join(outcomes, "; "),
	})
}

// branchPos returns the position of what decides where n goes on, or that of the
// function if no edge says.
func (f *finder) branchPos(n *flow.Node) token.Pos {
	for _, e := range n.Out {
		switch {
		case e.Leaf != nil:
			return e.Leaf.Expr.Pos()
		case e.Case != nil && e.Case.Switch != nil:
			return e.Case.Switch.Pos()
		case e.Case != nil && e.Case.Of != nil:
			return e.Case.Of.Pos()
		}
	}
	return f.fn.Syntax.Pos()
}
