package placement

// This file estimates how often the edges of a function are taken. Where a profile was given, the edges have measured
// counts. Elsewhere it guesses. The rules are the usual ones (Ball and Larus, "Branch Prediction for Free", PLDI 1993:
// loop branches, returns, pointer comparisons), with the error check that Go programs are full of.

import (
	"go/ast"
	"go/token"

	"github.com/pepgo/pep/instrument/flow"
)

// Probabilities of the outcome that a rule names.
const (
	probPanic  = 0.01 // a panic follows
	probLeave  = 0.12 // control leaves a loop
	probError  = 0.08 // an error is not nil
	probReturn = 0.28 // a return follows at once
	probEqual  = 0.35 // two things are equal
)

// frequencies returns relative frequencies of the edges of f; only those of the
// edges of one node compare.
func frequencies(f *flow.Func) map[*flow.Edge]float64 {
	loop := loops(f)
	freq := map[*flow.Edge]float64{}
	for _, n := range f.Nodes {
		guess(n, loop, freq)
		measured(n, freq)
	}
	return freq
}

// measured puts the measured shares of the edges of n in the place of the guesses, if there are any. The
// guesses count as much as one execution, so that they decide between edges that were never taken.
func measured(n *flow.Node, freq map[*flow.Edge]float64) {
	guesses, counts := 0.0, 0.0
	for _, e := range n.Out {
		guesses += freq[e]
		counts += e.Measured
	}
	if counts == 0 {
		return
	}
	for _, e := range n.Out {
		freq[e] = (e.Measured + freq[e]/guesses) / (counts + 1)
	}
}

// guess estimates the frequencies of the edges of n.
func guess(n *flow.Node, loop []int, freq map[*flow.Edge]float64) {
	for _, e := range n.Out {
		freq[e] = weight(e, loop)
	}
}

// Costs of a value on an edge, in relation to each other, if all edges are taken equally
// often. They say what the compiler makes of the increment.
const (
	costEnd      = 0.1 // the path ends there: the value is part of the address of the poll
	costAdd      = 1   // an addition on the way
	costCritical = 3   // and a block for it, with a jump, as ways part before the edge and meet behind it
)

// costs returns what a value on each edge of f would cost.
func costs(f *flow.Func) map[*flow.Edge]float64 {
	in := make([]int, len(f.Nodes))
	for _, n := range f.Nodes {
		for _, e := range n.Out {
			if e.To != nil {
				in[e.To.Index]++
			}
		}
	}
	header := headers(f)
	cost := frequencies(f)
	for _, n := range f.Nodes {
		for _, e := range n.Out {
			switch {
			case e.To == nil || e.Ends || header[e.To.Index]:
				cost[e] *= costEnd
			case len(n.Out) > 1 && in[e.To.Index] > 1:
				cost[e] *= costCritical
			default:
				cost[e] *= costAdd
			}
		}
	}
	return cost
}

// headers returns the nodes that the edges lead to which close loops.
func headers(f *flow.Func) []bool {
	header := make([]bool, len(f.Nodes))
	state := make([]int, len(f.Nodes)) // 0 before the visit of a node, 1 during it, 2 after it
	var visit func(n *flow.Node)
	visit = func(n *flow.Node) {
		state[n.Index] = 1
		for _, e := range n.Out {
			switch {
			case e.To == nil:
			case state[e.To.Index] == 0:
				visit(e.To)
			case state[e.To.Index] == 1:
				header[e.To.Index] = true
			}
		}
		state[n.Index] = 2
	}
	visit(f.Nodes[0])
	return header
}

// weight estimates how likely e is, compared with the other edges of its node.
func weight(e *flow.Edge, loop []int) float64 {
	switch {
	case e.Panics:
		return probPanic
	case e.Leaf != nil && isErrorCheck(e.Leaf.Expr):
		return outcome(e, isComparison(e.Leaf.Expr, token.NEQ), probError)
	case loop[e.From.Index] != 0 && (e.To == nil || loop[e.To.Index] != loop[e.From.Index]):
		return probLeave
	case e.To == nil || returns(e.To):
		return probReturn
	case e.Leaf != nil && isComparison(e.Leaf.Expr, token.EQL):
		return outcome(e, true, probEqual)
	case e.Leaf != nil && isComparison(e.Leaf.Expr, token.NEQ):
		return outcome(e, false, probEqual)
	}
	return 0.5
}

// outcome returns p if the leaf of e has the given outcome, else 1-p.
func outcome(e *flow.Edge, of bool, p float64) float64 {
	if e.Outcome == of {
		return p
	}
	return 1 - p
}

func returns(n *flow.Node) bool { return len(n.Out) == 1 && n.Out[0].To == nil }

// isErrorCheck reports whether e compares something called err with nil. The name
// decides, not the type: it is a guess anyway.
func isErrorCheck(e ast.Expr) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ {
		return false
	}
	x, ok := b.X.(*ast.Ident)
	y, ok2 := b.Y.(*ast.Ident)
	return ok && ok2 && y.Name == "nil" && (x.Name == "err" || x.Name == "e")
}

func isComparison(e ast.Expr, op token.Token) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	return ok && b.Op == op
}

// loops numbers the strongly connected components of f that are loops, by node; 0
// stands for no loop. Nested loops are one: an edge out of the inner one does not
// count as leaving a loop.
func loops(f *flow.Func) []int {
	t := &tarjan{
		f:     f,
		index: make([]int, len(f.Nodes)),
		low:   make([]int, len(f.Nodes)),
		loop:  make([]int, len(f.Nodes)),
		on:    make([]bool, len(f.Nodes)),
	}
	for _, n := range f.Nodes {
		if t.index[n.Index] == 0 {
			t.visit(n)
		}
	}
	return t.loop
}

// tarjan finds strongly connected components (Tarjan, 1972).
type tarjan struct {
	f          *flow.Func
	next       int
	index, low []int
	on         []bool
	stack      []*flow.Node
	loop       []int
	loops      int
}

func (t *tarjan) visit(n *flow.Node) {
	t.next++
	v := n.Index
	t.index[v], t.low[v] = t.next, t.next
	t.stack = append(t.stack, n)
	t.on[v] = true
	self := false
	for _, e := range n.Out {
		if e.To == nil {
			continue
		}
		w := e.To.Index
		self = self || w == v
		if t.index[w] == 0 {
			t.visit(e.To)
			t.low[v] = min(t.low[v], t.low[w])
		} else if t.on[w] {
			t.low[v] = min(t.low[v], t.index[w])
		}
	}
	if t.low[v] != t.index[v] {
		return
	}
	size := 0
	for i := len(t.stack) - 1; ; i-- {
		size++
		if t.stack[i] == n {
			break
		}
	}
	members := t.stack[len(t.stack)-size:]
	t.stack = t.stack[:len(t.stack)-size]
	if size > 1 || self {
		t.loops++
	}
	for _, m := range members {
		t.on[m.Index] = false
		if size > 1 || self {
			t.loop[m.Index] = t.loops
		}
	}
}
