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

// trace adds the vectors on a path that was taken so many times. It returns how many executions of
// decisions did not end on it.
func (t *tracer) trace(steps []pdag.Step, count int64) (incomplete int64) {
	var d *Decision
	var v []Truth
	last := -1
	for _, s := range steps {
		b := &t.f.site.Blocks[s.Node]
		if len(b.Outs) < 2 {
			continue
		}
		o, ok := t.at[place{t.f.pkg.Files[b.Branch.File], b.Branch.Line, b.Branch.Col}]
		if !ok {
			continue
		}
		if d != o.d || o.i <= last {
			if d != nil {
				incomplete += count
			}
			d, v = o.d, make([]Truth, len(o.d.Conditions))
		}
		last = o.i
		switch b.Outs[s.Out].Outcome {
		case wire.OutTrue, wire.OutBody:
			v[o.i] = True
		default:
			v[o.i] = False
		}
		if d.root.value(v) != Skipped {
			d.Add(v, count)
			d, last = nil, -1
		}
	}
	if d != nil {
		incomplete += count
	}
	return incomplete
}
