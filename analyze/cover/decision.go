package cover

// This file finds decisions in source, and says which of their conditions were shown to matter.

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// A Truth is the value of a condition in an execution of its decision.
type Truth int8

// Values of conditions.
const (
	Skipped Truth = iota // a condition before it had decided
	False
	True
)

func truth(b bool) Truth {
	if b {
		return True
	}
	return False
}

func (t Truth) String() string { return [...]string{"-", "false", "true"}[t] }

// A Decision is a boolean expression that is no part of a larger one, with two or more conditions.
type Decision struct {
	Line, Col  int // of its first byte
	Text       string
	Conditions []Condition // in the order of evaluation
	Vectors    []Vector    // that were executed, each once

	root   *expr
	leaves []*expr        // of the conditions
	index  map[string]int // of Vectors, by their conditions

	// Of the decision in the source: whether it is counted, the reason if it is not, and the lines where the
	// functions begin that it is in.
	seen  bool
	why   string
	lines []int
}

// A Condition is an operand of && or || that has neither of them in it.
type Condition struct {
	Line, Col int
	Text      string
	Excluded  string // why no test can show that it decides; empty if one can

	constant Truth // its value if it is a constant; else Skipped
}

// A Vector is what the conditions of a decision were in an execution.
type Vector struct {
	Conditions []Truth
	Outcome    bool
	Count      int64
}

// An expr is a boolean expression: a condition, or an operator with operands.
type expr struct {
	op   token.Token // LAND, LOR, NOT, or ILLEGAL for a condition
	x, y *expr       // operands; NOT has x only
	leaf int         // the index of a condition
	of   *expr       // what it is an operand of, or nil
	was  Truth       // what value has returned last
}

// decides reports whether a decision is made when a condition that has been evaluated has a value.
func (e *expr) decides(t Truth) bool {
	for ; e.of != nil; e = e.of {
		switch {
		case e.of.op == token.NOT:
			t = not(t)
		case e == e.of.x && t != truth(e.of.op == token.LOR):
			return false
		}
	}
	return true
}

// value returns the value of e in a vector, and Skipped if it was not evaluated.
func (e *expr) value(v []Truth) Truth {
	switch e.op {
	case token.NOT:
		e.was = not(e.x.value(v))
	case token.LAND, token.LOR:
		e.was, e.y.was = e.x.value(v), Skipped
		if e.was != Skipped && e.was != truth(e.op == token.LOR) { // x does not decide
			e.was = e.y.value(v)
		}
	default:
		e.was = v[e.leaf]
	}
	return e.was
}

func not(t Truth) Truth {
	switch t {
	case True:
		return False
	case False:
		return True
	}
	return Skipped
}

// unmasked marks the conditions that decided the value of e in a vector: no operand beside them had
// that value without them. In a && b with a true and b false, b decided, and a did not: the
// value is that of b whatever a is. (This is masking, as in gcc's -fcondition-coverage.)
func (e *expr) unmasked(v []Truth, mark []bool) {
	e.value(v)
	e.mark(mark)
}

func (e *expr) mark(mark []bool) {
	switch e.op {
	case token.NOT:
		e.x.mark(mark)
	case token.LAND, token.LOR:
		if y := e.y.was; y == Skipped || y != truth(e.op == token.LOR) {
			e.x.mark(mark)
		}
		if e.y.was != Skipped {
			e.y.mark(mark)
		}
	default:
		mark[e.leaf] = e.was != Skipped
	}
}

// wanted sets conditions such that the value of e depends on the condition leaf alone, where e has it.
// It reports whether it has.
func (e *expr) wanted(leaf int, v []Truth) bool {
	switch e.op {
	case token.NOT:
		return e.x.wanted(leaf, v)
	case token.LAND, token.LOR:
		if e.x.wanted(leaf, v) {
			e.y.set(e.op == token.LAND, v)
			return true
		}
		if e.y.wanted(leaf, v) {
			e.x.set(e.op == token.LAND, v)
			return true
		}
		return false
	}
	return e.leaf == leaf
}

// set sets conditions such that e has a value.
func (e *expr) set(value bool, v []Truth) {
	switch e.op {
	case token.NOT:
		e.x.set(!value, v)
	case token.LAND, token.LOR:
		e.x.set(value, v)
		e.y.set(value, v)
	default:
		v[e.leaf] = truth(value)
	}
}

// evaluate evaluates the expression with the conditions in all, from left to right, and sets those in v that it
// evaluates.
func (e *expr) evaluate(all, v []Truth) Truth {
	switch e.op {
	case token.NOT:
		return not(e.x.evaluate(all, v))
	case token.LAND, token.LOR:
		x := e.x.evaluate(all, v)
		if x == truth(e.op == token.LOR) {
			return x
		}
		return e.y.evaluate(all, v)
	}
	v[e.leaf] = all[e.leaf]
	return v[e.leaf]
}

// A Shown says how a condition was shown to decide on its own.
type Shown struct {
	True, False int      // vectors in which it was true and false and decided; -1 if there is none
	Missing     []Vector // those that would show it, as an example, if some are missing: Count is 0
}

// Done reports whether it was shown.
func (s Shown) Done() bool { return s.True >= 0 && s.False >= 0 }

// Masking returns for each condition whether vectors show that it decides on its own: one in which it
// is true, one in which it is false, and no other condition masks it in either (masking MC/DC).
func (d *Decision) Masking() []Shown {
	list := make([]Shown, len(d.Conditions))
	for c := range list {
		list[c] = Shown{True: -1, False: -1}
	}
	for i, v := range d.Vectors {
		mark := make([]bool, len(list))
		d.root.unmasked(v.Conditions, mark)
		for c, decided := range mark {
			switch {
			case decided && v.Conditions[c] == True && list[c].True < 0:
				list[c].True = i
			case decided && v.Conditions[c] == False && list[c].False < 0:
				list[c].False = i
			}
		}
	}
	d.missing(list)
	return list
}

// Unique returns the same for unique-cause MC/DC: the two vectors differ in the condition, and in no
// other that both have evaluated.
func (d *Decision) Unique() []Shown {
	list := make([]Shown, len(d.Conditions))
	for c := range list {
		list[c] = Shown{True: -1, False: -1}
		var no []int
		for j, w := range d.Vectors {
			if w.Conditions[c] == False {
				no = append(no, j)
			}
		}
		for i, v := range d.Vectors {
			if v.Conditions[c] != True {
				continue
			}
			j := slices.IndexFunc(no, func(j int) bool { return v.Outcome != d.Vectors[j].Outcome && alike(v, d.Vectors[j], c) })
			if j >= 0 {
				list[c].True, list[c].False = i, no[j]
				break
			}
		}
	}
	d.missing(list)
	return list
}

func alike(v, w Vector, but int) bool {
	for i, t := range v.Conditions {
		if u := w.Conditions[i]; i != but && t != Skipped && u != Skipped && t != u {
			return false
		}
	}
	return true
}

// missing adds examples of the vectors that would show the conditions.
func (d *Decision) missing(list []Shown) {
	for c := range list {
		if d.Conditions[c].Excluded != "" {
			continue
		}
		for _, value := range []bool{true, false} {
			if value && list[c].True >= 0 || !value && list[c].False >= 0 {
				continue
			}
			all := make([]Truth, len(d.Conditions))
			d.root.wanted(c, all)
			for i := range all {
				if t := d.Conditions[i].constant; t != Skipped {
					all[i] = t
				}
			}
			all[c] = truth(value)
			v := make([]Truth, len(d.Conditions))
			outcome := d.root.evaluate(all, v)
			list[c].Missing = append(list[c].Missing, Vector{Conditions: v, Outcome: outcome == True})
		}
	}
}

// Add adds an execution in which the conditions had these values.
func (d *Decision) Add(conditions []Truth, count int64) {
	key := make([]byte, len(conditions))
	for i, t := range conditions {
		key[i] = byte(t)
	}
	i, ok := d.index[string(key)]
	if !ok {
		if i = len(d.Vectors); i == 0 {
			d.index = make(map[string]int)
		}
		d.index[string(key)] = i
		d.Vectors = append(d.Vectors, Vector{Conditions: slices.Clone(conditions), Outcome: d.root.value(conditions) == True})
	}
	d.Vectors[i].Count += count
}

// decisions returns the decisions in a piece of syntax that are not constant, in the order of their positions. text
// returns the source of an expression, and outer has the nodes around n.
func decisions(n ast.Node, outer []ast.Node, place func(token.Pos) (line, col int),
	text func(ast.Node) string) (list []*Decision) {
	ast.PreorderStack(n, outer, func(n ast.Node, outer []ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok == token.VAR
		case *ast.FuncDecl:
			return n.Name.Name != "_"
		}
		e, ok := n.(ast.Expr)
		if !ok || !logical(e) {
			return true
		}
		d := &Decision{Text: text(e), why: reason(e, outer)}
		for _, o := range outer {
			switch o.(type) {
			case *ast.FuncDecl, *ast.FuncLit, *ast.RangeStmt:
				line, _ := place(o.Pos())
				d.lines = append(d.lines, line)
			}
		}
		d.Line, d.Col = place(e.Pos())
		var operands []ast.Expr
		d.root = d.expr(e, place, text, &operands)
		list = append(list, d)
		for _, x := range operands { // which may have decisions of their own, in arguments of calls
			list = append(list, decisions(x, append(slices.Clone(outer), e), place, text)...)
		}
		return false
	})
	slices.SortStableFunc(list, func(x, y *Decision) int {
		return cmp.Or(cmp.Compare(x.Line, y.Line),
			cmp.Compare(x.Col, y.Col))
	})
	return list
}

// Why decisions are not counted.
const (
	whyCut      = "too many combinations of conditions"
	whyCase     = "in a case of a switch with a tag and several values"
	whyReceived = "in the variable of a case of a select"
	whyRange    = "in a variable of a range loop"
	whyUnknown  = "the program has no branch here, as for a constant"
)

// reason returns why a decision is not counted if it is not, by what it is in.
func reason(n ast.Node, outer []ast.Node) string {
	for _, o := range slices.Backward(outer) {
		switch o := o.(type) {
		case *ast.FuncDecl, *ast.FuncLit, ast.Stmt:
			switch o := o.(type) {
			case *ast.RangeStmt:
				if n == o.Key || n == o.Value {
					return whyRange
				}
			case *ast.CommClause:
				if n == o.Comm {
					return whyReceived
				}
			case *ast.CaseClause:
				if _, ok := n.(ast.Expr); ok {
					return whyCase
				}
			case *ast.AssignStmt:
				n = o
				continue // in a select, perhaps
			}
			return whyUnknown
		}
		n = o
	}
	return whyUnknown
}

// logical reports whether an expression is one of && or ||, perhaps negated and in parentheses.
func logical(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return e.Op == token.LAND || e.Op == token.LOR
	case *ast.UnaryExpr:
		return e.Op == token.NOT && logical(ast.Unparen(e.X))
	case *ast.ParenExpr:
		return logical(e.X)
	}
	return false
}

// expr returns an expression and adds its conditions. Of a negated condition, the condition is what is
// negated.
func (d *Decision) expr(e ast.Expr, place func(token.Pos) (line, col int), text func(ast.Node) string,
	operands *[]ast.Expr) *expr {
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			z := &expr{op: x.Op, x: d.expr(x.X, place, text, operands), y: d.expr(x.Y, place, text, operands)}
			z.x.of, z.y.of = z, z
			return z
		}
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			z := &expr{op: token.NOT, x: d.expr(x.X, place, text, operands)}
			z.x.of = z
			return z
		}
	}
	line, col := place(e.Pos())
	*operands = append(*operands, e)
	d.Conditions = append(d.Conditions, Condition{Line: line, Col: col, Text: strings.Join(strings.Fields(text(e)), " ")})
	d.leaves = append(d.leaves, &expr{leaf: len(d.Conditions) - 1})
	return d.leaves[len(d.leaves)-1]
}
