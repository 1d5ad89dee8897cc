package mark

// This file defines the markers around the operands of conditions.

import (
	"go/ast"
	"go/token"
)

// cond puts markers around the operands of condition e of statement s, and returns the
// new condition.
func (m *inserter) cond(s ast.Stmt, e ast.Expr) ast.Expr {
	c := &Cond{Stmt: s, Expr: e, Split: isShortCircuit(e)}
	m.markers.Conds[s] = c
	op := "if"
	if _, ok := s.(*ast.ForStmt); ok {
		op = "for"
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
				x := m.operand(c, e.X, e.Op.String())
				return &ast.BinaryExpr{X: x, OpPos: e.OpPos, Op: e.Op, Y: m.operand(c, e.Y, op)}
			}
		}
	}
	l := &Leaf{ID: len(m.markers.ByID), Cond: c, Expr: e, Op: op}
	m.markers.ByID = append(m.markers.ByID, l)
	c.Leaves = append(c.Leaves, l)
	// The comparison is an untyped bool, which goes with operands of any
	// boolean type.
	return &ast.BinaryExpr{
		X:  call("Leaf", l.ID, e),
		Op: token.EQL,
		Y:  &ast.BasicLit{Kind: token.INT, Value: "0"},
	}
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
