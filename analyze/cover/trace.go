package cover

// This file finds the vectors of decisions in paths.

import (
	"fmt"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
)

// A tracer follows paths through the decisions of a function.
type tracer struct {
	f  *function
	at map[place]operand // conditions by where their branches are
}

// An operand is a condition of a decision.
type operand struct {
	d *Decision
	i int
}

// newTracer adds the decisions of f to x: those of which the graph has a condition.
func (f *function) newTracer(text *file, x *Function) (*tracer, error) {
	t := &tracer{f, make(map[place]operand)}
	if text.tree == nil {
		return t, nil
	}
	all := make(map[place]operand)
	for _, d := range text.decisions {
		for i, c := range d.Conditions {
			all[place{f.id.file, c.Line, c.Col}] = operand{d, i}
		}
	}
	own := make(map[*Decision]*Decision) // copies: generic functions have one for each instance
	for n := range f.site.Blocks {
		b := &f.site.Blocks[n]
		if len(b.Outs) < 2 {
			continue
		}
		at := place{f.pkg.Files[b.Branch.File], b.Branch.Line, b.Branch.Col}
		o, ok := all[at]
		if !ok {
			if at.file == f.id.file && (b.Branch.Kind == "&&" || b.Branch.Kind == "||") {
				return nil, fmt.Errorf("%s:%d:%d: the source has no condition here, and the program has: it is not the source of the program; -source_path says where that is", at.file, at.line, at.col)
			}
			continue
		}
		d := own[o.d]
		if d == nil {
			d = &Decision{Line: o.d.Line, Col: o.d.Col, Text: o.d.Text, Conditions: o.d.Conditions, root: o.d.root}
			own[o.d] = d
		}
		t.at[at] = operand{d, o.i}
	}
	for _, d := range text.decisions { // in their order
		if own[d] != nil {
			x.Decisions = append(x.Decisions, own[d])
		}
	}
	return t, nil
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
		b := &t.f.site.Blocks[s.Node]
		if len(b.Outs) < 2 {
			continue
		}
		o, ok := t.at[place{t.f.pkg.Files[b.Branch.File], b.Branch.Line, b.Branch.Col}]
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
		switch b.Outs[s.Out].Outcome {
		case wire.OutTrue, wire.OutBody:
			x.v[o.i] = True
		default:
			x.v[o.i] = False
		}
		if x.d.root.value(x.v) != Skipped {
			x.d.Add(x.v, count)
			stack = stack[:len(stack)-1]
		}
	}
	return incomplete + int64(len(stack))*count
}
