package flow

// This file is for markers with decisions: it ends paths where a decision has been made, so
// that each decision is on one path with all its operands that were evaluated, and few other
// ones are.

import (
	"go/types"
	"slices"

	"github.com/pepgo/pep/instrument/mark"
)

// settle finds operands that are interfaces, and constants.
func settle(markers *mark.Markers, info *types.Info) {
	if !markers.Decisions {
		return
	}
	for _, m := range markers.ByID {
		l, ok := m.(*mark.Leaf)
		if !ok {
			continue
		}
		t := info.TypeOf(l.Expr)
		_, isParam := types.Unalias(t).(*types.TypeParam)
		l.Interface = types.IsInterface(t) && !isParam
		l.Value = info.Types[l.Expr].Value
		l.Cond.Varies = l.Cond.Varies || l.Value == nil
	}
}

// endAtDecisions ends paths on the edges where a decision has been made.
func endAtDecisions(nodes []*Node) {
	for _, n := range nodes {
		for _, e := range n.Out {
			if l := e.Leaf; l != nil && !begins(l) || isValue(e.Case) {
				n.Whole = true // which value of a case it was belongs to the decision of the switch
			}
		}
	}
	for _, n := range nodes {
		for _, e := range n.Out {
			if e.Leaf != nil && e.To != nil && len(e.To.Out) == 0 {
				e.To = nil // to select {}, which no path goes through
			}
			e.Ends = e.Ends || decided(n, e)
		}
	}
}

// begins reports whether a path may begin with l: no decision that it belongs to has been
// begun.
func begins(l *mark.Leaf) bool { return l == l.Cond.Leaves[0] && !l.Cond.Inner }

// decided reports whether a decision has been made at n when control takes e.
func decided(n *Node, e *Edge) bool {
	if e.To == nil || e.Never || !e.Point.Known() || len(e.Point.Undo) > 0 {
		return false
	}
	if len(n.Markers) > 0 && isValue(n.Markers[0]) {
		return !leavesAtOnce(e.To) // as the clause does behind all of its values
	}
	if ways(n, e) < 2 || isValue(e.Case) {
		return false
	}
	if e.Leaf != nil && e.Leaf.Cond.Value {
		return !e.To.Whole
	}
	return !e.To.Whole && !leavesAtOnce(e.To)
}

// ways returns in how many ways the decision goes that is made at n when control takes e: in one if it is a constant.
func ways(n *Node, e *Edge) (ways int) {
	if e.Leaf != nil && e.Leaf.Cond.Varies {
		return len(n.Out)
	}
	for _, e := range n.Out {
		if !e.Never {
			ways++
		}
	}
	return ways
}

func isValue(mk *mark.Marker) bool { return mk != nil && mk.Kind == mark.OneValue }

// leavesAtOnce reports whether the code on the only way from n, out of the function, is executed
// before anything else in n: n is a return. The path that ends there has the decision before it.
func leavesAtOnce(n *Node) bool {
	if len(n.Out) != 1 || n.Out[0].To != nil || n.Out[0].Point.Marker == nil {
		return false
	}
	at := n.Out[0].Point.Marker.Pos
	return !slices.ContainsFunc(n.Markers, func(mk *mark.Marker) bool { return mk.From.IsValid() && mk.From != at })
}
