package mark

// This file defines the markers around the operands of conditions.

import (
	"go/ast"
	"go/token"
	"go/types"
)

// cond puts markers around the operands of condition e of statement s, and returns the
// new condition.
func (m *inserter) cond(s ast.Stmt, e ast.Expr) ast.Expr {
	c := &Cond{Stmt: s, Expr: e, Split: m.splits(e)}
	m.markers.Conds[s] = c
	op := "if"
	if _, ok := s.(*ast.ForStmt); ok {
		op = "for"
		// The end of the loop, which a break reaches as well, is no point for its condition.
		c.Split = c.Split || m.markers.Decisions
	}
	return m.operand(c, e, op)
}

// operand returns a copy of operand e with markers. It does not change the original,
// which rewriting needs.
func (m *inserter) operand(c *Cond, e ast.Expr, op string) ast.Expr {
	if c.Split {
		switch e := e.(type) {
		case *ast.ParenExpr:
			return &ast.ParenExpr{Lparen: e.Lparen, X: m.operand(c, e.X, op), Rparen: e.Rparen}
		case *ast.UnaryExpr:
			if e.Op == token.NOT {
				return &ast.UnaryExpr{OpPos: e.OpPos, Op: e.Op, X: m.operand(c, e.X, op)}
			}
		case *ast.BinaryExpr:
			if e.Op == token.LAND || e.Op == token.LOR {
				marked := &ast.BinaryExpr{OpPos: e.OpPos, Op: e.Op}
				marked.X = m.operand(c, e.X, e.Op.String())
				marked.Y = m.operand(c, e.Y, op)
				m.pair(c, e, marked)
				return marked
			}
		}
	}
	typed := e == c.typed
	if m.markers.Decisions {
		outer := m.inner
		m.inner = outer || len(c.Leaves) > 0
		e = m.expr(e)
		m.inner = outer
	}
	l := &Leaf{ID: len(m.markers.ByID), Cond: c, Expr: e, Op: op}
	m.markers.ByID = append(m.markers.ByID, l)
	c.Leaves = append(c.Leaves, l)
	arg := e
	if _, ok := e.(*ast.IndexExpr); ok {
		// The type checker looks twice at an argument that might be an instance of a function.
		arg = &ast.ParenExpr{X: e}
	}
	var marked ast.Expr
	if typed {
		marked = call(m.typedFunc, l.ID, arg)
	} else {
		// The comparison is an untyped bool, which goes with operands of any
		// boolean type.
		marked = &ast.BinaryExpr{
			X:  call(m.leafFunc, l.ID, arg),
			Op: token.EQL,
			Y:  &ast.BasicLit{Kind: token.INT, Value: "0"},
		}
	}
	if c.Stmt == nil {
		m.markers.exprs[marked] = l
	}
	return marked
}

// splits reports whether condition e has operands that are leaves of their own: those of && and || are, and with
// Decisions x of !x is one.
func (m *inserter) splits(e ast.Expr) bool {
	if not, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && not.Op == token.NOT && m.markers.Decisions {
		return true
	}
	return isShortCircuit(e)
}

func isShortCircuit(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return isShortCircuit(e.X)
	case *ast.UnaryExpr:
		return e.Op == token.NOT && isShortCircuit(e.X)
	case *ast.BinaryExpr:
		return e.Op == token.LAND || e.Op == token.LOR
	}
	return false
}

// pair records the two operands of e, which is an && or || of c, if they may be one. The
// left one can be the last of a chain: in ok && c >= '0' && c <= '9' the left operand of the
// second && is all that stands before it.
func (m *inserter) pair(c *Cond, e, marked *ast.BinaryExpr) {
	if m.markers.Decisions {
		return
	}
	left := e.X
	chain, isChain := left.(*ast.BinaryExpr)
	isChain = isChain && chain.Op == e.Op
	if isChain {
		left = chain.Y
	}
	if !compareTheSame(left, e.Y, e.Op) {
		return
	}
	n := len(c.Leaves)
	m.markers.Pairs = append(m.markers.Pairs, &Pair{e, marked, c.Leaves[n-2], c.Leaves[n-1], isChain})
}

// compareTheSame reports whether two operands of op compare the same expression with
// something else. Whether that is a constant is for package flow to find out, which knows
// types.
func compareTheSame(left, right ast.Expr, op token.Token) bool {
	x, ok := ast.Unparen(left).(*ast.BinaryExpr)
	y, ok2 := ast.Unparen(right).(*ast.BinaryExpr)
	if !ok || !ok2 {
		return false
	}
	switch {
	case isOrdering(x.Op) && isOrdering(y.Op):
	case x.Op == token.EQL && y.Op == token.EQL && op == token.LOR:
	case x.Op == token.NEQ && y.Op == token.NEQ && op == token.LAND:
	default:
		return false
	}
	return same(x.X, y.X) || same(x.X, y.Y) || same(x.Y, y.X) || same(x.Y, y.Y)
}

func isOrdering(op token.Token) bool {
	switch op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}

// same reports whether two expressions have the same text.
func same(x, y ast.Expr) bool { return types.ExprString(x) == types.ExprString(y) }
