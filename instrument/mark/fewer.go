package mark

// This file takes markers away where the compiler makes less of the source than it says:
// package flow knows where.

import (
	"go/ast"
	"go/token"
	"slices"
)

// A Pair is two neighbouring operands of an && or || in a condition, which compare the same
// expression with something else:
//
//	c < ' ' || c > '~'
type Pair struct {
	expr, marked *ast.BinaryExpr // the operator, without markers and with them
	X, Y         *Leaf
	chain        bool // the left operand is the right one of the operator in expr.X
}

// Op returns the && or || between the operands, without markers.
func (p *Pair) Op() *ast.BinaryExpr {
	if p.chain {
		return &ast.BinaryExpr{X: p.X.Expr, OpPos: p.expr.OpPos, Op: p.expr.Op, Y: p.Y.Expr}
	}
	return p.expr
}

// Join makes one leaf of the two, if neither is part of another one already:
//
//	Leaf(1, c < ' ') == 0 || Leaf(2, c > '~') == 0    →    Leaf(1, c < ' ' || c > '~') == 0
//
// X is that leaf from now on, and Y is none. Join returns the expressions, from the inside
// out, that the type checker does not know.
func (p *Pair) Join() (made []ast.Expr) {
	c := p.X.Cond
	if !slices.Contains(c.Leaves, p.X) {
		return nil
	}
	if p.chain {
		p.expr, p.marked = regroup(p.expr), regroup(p.marked)
	}
	test := *ast.Unparen(p.marked.X).(*ast.BinaryExpr) // Leaf(1, c < ' ') == 0
	*p.marked = test
	p.X.Expr, p.X.Op, p.X.Both = p.expr, p.Y.Op, p.expr.Op.String()
	c.Leaves = slices.DeleteFunc(c.Leaves, func(l *Leaf) bool { return l == p.Y })
	if len(c.Leaves) == 1 {
		// Nothing else is in the condition, except for parentheses and !.
		p.X.Expr, c.Split = c.Expr, false
		switch s := c.Stmt.(type) {
		case *ast.IfStmt:
			s.Cond = p.marked
		case *ast.ForStmt:
			s.Cond = p.marked
		}
	}
	test.X.(*ast.CallExpr).Args[1] = p.X.Expr
	for e := p.X.Expr; e != p.expr; {
		made = append(made, e)
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.UnaryExpr:
			e = x.X
		}
	}
	return append(made, p.expr)
}

// regroup makes x && (y && z) of (x && y) && z, which is e, and returns the inner one.
// No text changes: the operands and operators stay where they are in the source.
func regroup(e *ast.BinaryExpr) *ast.BinaryExpr {
	inner := e.X.(*ast.BinaryExpr)
	e.X, inner.X, inner.Y, e.Y = inner.X, inner.Y, e.Y, inner
	e.OpPos, inner.OpPos = inner.OpPos, e.OpPos
	return inner
}

// A Clear is a loop over something that does nothing but clear it, by the looks:
//
//	for i := range buf {      for k := range m {
//		buf[i] = 0                delete(m, k)
//	}                         }
type Clear struct {
	Loop *ast.RangeStmt
	Body []ast.Stmt // without markers
}

// Strip takes the markers out of the body of the loop.
func (c *Clear) Strip() { c.Loop.Body.List = c.Body }

// mayClear reports whether s looks like a [Clear]: it has a key, no value and one
// statement, which assigns to the element or calls a function with it, as delete is called.
func mayClear(s *ast.RangeStmt) bool {
	if s.Key == nil || s.Value != nil || len(s.Body.List) != 1 {
		return false
	}
	switch st := s.Body.List[0].(type) {
	case *ast.AssignStmt:
		if st.Tok != token.ASSIGN || len(st.Lhs) != 1 {
			return false
		}
		x, ok := st.Lhs[0].(*ast.IndexExpr)
		return ok && same(x.X, s.X) && same(x.Index, s.Key)
	case *ast.ExprStmt:
		call, ok := st.X.(*ast.CallExpr)
		return ok && s.Tok == token.DEFINE && len(call.Args) == 2 && same(call.Args[0], s.X) && same(call.Args[1], s.Key)
	}
	return false
}
