package cover

// This file finds the vectors of decisions in paths.

import (
	"fmt"
	"slices"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
)

// A tracer follows paths through the decisions of a function.
type tracer struct {
	f    *function
	at   map[Place]operand // conditions by where their branches are
	runs []bool            // by node
}

// An operand is a condition of a decision.
type operand struct {
	d *Decision
	i int
}

// newTracer adds the decisions of f to x: those of which the graph has a condition, and whose paths are not cut.
func (f *function) newTracer(text *file, x *Function, c *Coverage) (*tracer, error) {
	t := &tracer{f, make(map[Place]operand), f.runs(text)}
	if text.tree == nil {
		text.decides = text.decides || slices.ContainsFunc(f.code, func(b wire.Block) bool {
			return b.Branch.Kind == "&&" || b.Branch.Kind == "||"
		})
		return t, nil
	}
	all := make(map[Place]operand)
	for _, d := range text.decisions {
		for i, c := range d.Conditions {
			all[Place{text.name, c.Line, c.Col}] = operand{d, i}
		}
	}
	own := make(map[*Decision]*Decision) // copies: generic functions have one for each instance
	runs, folded := make(map[*Decision]bool), make(map[*Decision]bool)
	for n := range f.code {
		if len(f.site.Blocks[n].Outs) < 2 {
			continue
		}
		b := &f.code[n].Branch
		at := f.branchAt(n)
		o, ok := all[at]
		if !ok {
			if at.File == text.name && (b.Kind == "&&" || b.Kind == "||") {
				return nil, fmt.Errorf("%s:%d:%d: the source has no condition here, and the program has: it is not the source of the program; -source_path says where that is", at.File, at.Line, at.Col)
			}
			continue
		}
		d := own[o.d]
		if d == nil {
			d = &Decision{Line: o.d.Line, Col: o.d.Col, Text: o.d.Text, Conditions: o.d.Conditions, root: o.d.root,
				leaves: o.d.leaves}
			own[o.d] = d
		}
		t.at[at] = operand{d, o.i}
		runs[d] = runs[d] || t.runs[n]
		if v, is := constant(&f.site.Blocks[n]); is {
			if !folded[d] {
				folded[d], d.Conditions = true, slices.Clone(d.Conditions)
			}
			d.Conditions[o.i].constant = v
		}
	}
	cut := t.cut()
	for _, d := range text.decisions { // in their order
		if own[d] == nil {
			continue
		}
		if !runs[own[d]] {
			d.why = whyDead
			continue
		}
		d.seen = true
		if folded[own[d]] {
			varies := own[d].exclude()
			for _, x := range own[d].Conditions {
				if x.Excluded != "" {
					c.Uncounted = append(c.Uncounted, Uncounted{Place{text.name, x.Line, x.Col}, x.Text, x.Excluded})
				}
			}
			if !varies {
				continue
			}
		}
		if cut[own[d]] {
			d.seen, d.why = false, whyCut
			continue
		}
		x.Decisions = append(x.Decisions, own[d])
	}
	for at, o := range t.at {
		if cut[o.d] {
			delete(t.at, at)
		}
	}
	return t, nil
}

// branchAt is where the branch of a node is.
func (f *function) branchAt(n int) Place {
	b := &f.code[n].Branch
	return Place{f.pkg.Files[b.File], b.Line, b.Col}
}

// cut returns the decisions that are not on one path each, since they have too many combinations: paths begin in
// the middle of them. A path that begins there has a condition other than the first, without the first.
func (t *tracer) cut() map[*Decision]bool {
	cut := make(map[*Decision]bool)
	for _, s := range t.f.site.Graph.Starts {
		if !s.Cut {
			continue
		}
		begun, within := make(map[*Decision]bool), make(map[*Decision]bool)
		t.ahead(s.Node, make(map[int]bool), func(o operand) {
			if o.i == 0 {
				begun[o.d] = true
			} else {
				within[o.d] = true
			}
		})
		for d := range within {
			cut[d] = cut[d] || !begun[d]
		}
	}
	return cut
}

// ahead calls do for the conditions on the paths from a node.
func (t *tracer) ahead(node int, seen map[int]bool, do func(operand)) {
	if seen[node] {
		return
	}
	seen[node] = true
	if o, ok := t.operand(node); ok {
		do(o)
	}
	for _, e := range t.f.site.Graph.Nodes[node].Out {
		if !e.Dead && !e.Ends && e.To != pdag.Exit {
			t.ahead(e.To, seen, do)
		}
	}
}

// operand returns the condition that decides where control goes from a node.
func (t *tracer) operand(node int) (operand, bool) {
	if len(t.f.site.Blocks[node].Outs) < 2 {
		return operand{}, false
	}
	o, ok := t.at[t.f.branchAt(node)]
	return o, ok
}

// An open is a decision that has begun.
type open struct {
	d    *Decision
	v    []Truth
	last int // condition that was evaluated
}

// trace adds the vectors on a path that was taken so many times. It returns how many executions of
// decisions did not end on it. A decision in an argument of a call, as in a && f(b || c), is made
// while the one around it is open.
func (t *tracer) trace(steps []pdag.Step, count int64) (incomplete int64) {
	var stack []open
	for _, s := range steps {
		o, ok := t.operand(s.Node)
		if !ok {
			continue
		}
		i := len(stack) - 1
		for i >= 0 && (stack[i].d != o.d || o.i <= stack[i].last) {
			i--
		}
		if i >= 0 { // those within it were left
			incomplete += int64(len(stack)-1-i) * count
			stack = stack[:i+1]
		} else {
			stack = append(stack, open{d: o.d, v: make([]Truth, len(o.d.Conditions))})
		}
		x := &stack[len(stack)-1]
		x.last = o.i
		switch t.f.site.Blocks[s.Node].Outs[s.Out].Outcome {
		case wire.OutTrue, wire.OutBody:
			x.v[o.i] = True
		case wire.OutFalse, wire.OutDone:
			x.v[o.i] = False
		}
		if t := x.v[o.i]; t != Skipped && x.d.leaves[o.i].decides(t) {
			x.d.Add(x.v, count)
			stack = stack[:len(stack)-1]
		}
	}
	return incomplete + int64(len(stack))*count
}
