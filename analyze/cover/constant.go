package cover

// This file finds what no test can meet because of constants: a condition that is one, what it keeps from being
// evaluated or from deciding, and all in code that never runs.

import (
	"go/token"
	"slices"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
)

// Why a condition, a branch or a decision is no goal.
const (
	whyConstant = "constant"
	whyBefore   = "never evaluated: a constant decides before it"
	whyBeside   = "never decides: a constant decides beside it"
	whyDead     = "in code that never runs: a constant decides that"
)

// constant returns the value of the condition that decides where control goes from a node, if that is a constant, and
// whether something constant decides there.
func constant(b *wire.Block) (value Truth, is bool) {
	for _, o := range b.Outs {
		switch o.Outcome {
		case wire.OutNever:
			is = true
		case wire.OutTrue, wire.OutBody:
			value = True
		case wire.OutFalse, wire.OutDone:
			value = False
		}
	}
	return value, is
}

// runs reports for each node of f whether control can come there. If it never comes to what f stands in, as a function
// literal may, none of them runs. Code that never runs is noted in the file.
func (f *function) runs(text *file) []bool {
	runs := make([]bool, len(f.site.Blocks))
	if f.within(text) {
		return runs
	}
	todo := []int{0}
	runs[0] = true
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i, e := range f.site.Graph.Nodes[n].Out {
			if e.To != pdag.Exit && !runs[e.To] && f.site.Blocks[n].Outs[i].Outcome != wire.OutNever {
				runs[e.To] = true
				todo = append(todo, e.To)
			}
		}
	}
	for n, b := range f.code {
		for _, s := range b.Spans {
			if !runs[n] && f.pkg.Files[s.File] == text.name {
				text.dead = append(text.dead, span{Statement: Statement{Line: s.Line, Col: s.Col, EndLine: s.EndLine,
					EndCol: s.EndCol}})
			}
		}
	}
	return runs
}

// within reports whether f is in code of the file that never runs.
func (f *function) within(text *file) bool {
	for n, b := range f.code {
		at := f.branchAt(n)
		if len(b.Spans) > 0 {
			at = Place{f.pkg.Files[b.Spans[0].File], b.Spans[0].Line, b.Spans[0].Col}
		}
		if at.Line > 0 && at.File == text.name {
			return slices.ContainsFunc(text.dead, func(s span) bool { return s.contains(at.Line, at.Col) })
		}
	}
	return false
}

// exclude notes which conditions no test can show to decide on their own because some are constants. It reports whether
// one of them is none, so that there is a decision.
func (d *Decision) exclude() (varies bool) {
	can := make(map[*expr][2]bool) // whether an expression can be false and true
	var values func(e *expr) [2]bool
	values = func(e *expr) (v [2]bool) {
		switch e.op {
		case token.NOT:
			x := values(e.x)
			v = [2]bool{x[1], x[0]}
		case token.LAND, token.LOR:
			x, y := values(e.x), values(e.y)
			v = [2]bool{x[0] || y[0], x[1] && y[1]}
			if e.op == token.LOR {
				v = [2]bool{x[0] && y[0], x[1] || y[1]}
			}
		default:
			t := d.Conditions[e.leaf].constant
			v = [2]bool{t != True, t != False}
		}
		can[e] = v
		return v
	}
	values(d.root)
	var visit func(e *expr, evaluated, decides bool)
	visit = func(e *expr, evaluated, decides bool) {
		switch e.op {
		case token.NOT:
			visit(e.x, evaluated, decides)
		case token.LAND, token.LOR:
			on := 0 // the value with which an operand leaves the decision to the other one
			if e.op == token.LAND {
				on = 1
			}
			visit(e.x, evaluated, decides && can[e.y][on])
			visit(e.y, evaluated && can[e.x][on], decides)
		default:
			c := &d.Conditions[e.leaf]
			varies = varies || c.constant == Skipped
			switch {
			case c.constant != Skipped:
				c.Excluded = whyConstant
			case !evaluated:
				c.Excluded = whyBefore
			case !decides:
				c.Excluded = whyBeside
			}
		}
	}
	visit(d.root, true, true)
	return varies
}
