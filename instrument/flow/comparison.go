package flow

// This file makes one branch of two comparisons that the compiler makes one of:
//
//	c < ' ' || c > '~'      c-' ' > '~'-' ', unsigned
//	c == 'e' || c == 'E'    c|0x20 == 'e'
//
// A branch on each of them would cost the program a jump that it does not have otherwise,
// and often one that the processor cannot predict
// (docs/decisions/0001-polls.md).

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/pepgo/pep/instrument/mark"
)

// joinComparisons makes one leaf of both operands of the conditions' && and || that
// compare the same integer with constants.
func joinComparisons(markers *mark.Markers, info *types.Info) {
	for _, p := range markers.Pairs {
		if isOneComparison(p.Op(), info) {
			boolean := info.Types[p.X.Expr]
			for _, e := range p.Join() {
				info.Types[e] = boolean
			}
		}
	}
}

// isOneComparison reports whether both sides of e, which is a pair, compare the same
// integer with constants: both whether it is less or greater, or both whether it is equal,
// to constants that differ in one bit.
func isOneComparison(e *ast.BinaryExpr, info *types.Info) bool {
	x, y := ast.Unparen(e.X).(*ast.BinaryExpr), ast.Unparen(e.Y).(*ast.BinaryExpr)
	v, k := sides(x, info)
	w, l := sides(y, info)
	if v == nil || w == nil || types.ExprString(v) != types.ExprString(w) || !isPure(v, info) {
		return false
	}
	if t, ok := info.TypeOf(v).Underlying().(*types.Basic); !ok || t.Info()&types.IsInteger == 0 {
		return false
	}
	return x.Op != token.EQL && x.Op != token.NEQ || differInOneBit(k, l)
}

// sides returns the side of a comparison that varies, and the value of the constant one;
// nil if no side or both are constant.
func sides(e *ast.BinaryExpr, info *types.Info) (ast.Expr, constant.Value) {
	x, y := info.Types[e.X].Value, info.Types[e.Y].Value
	switch {
	case x == nil && y != nil:
		return e.X, y
	case x != nil && y == nil:
		return e.Y, x
	}
	return nil, nil
}

// differInOneBit reports whether two integers do. For negative ones it may say no
// where a type with a fixed size would have it otherwise.
func differInOneBit(k, l constant.Value) bool {
	x, ok := constant.Uint64Val(k)
	y, ok2 := constant.Uint64Val(l)
	d := x ^ y
	return ok && ok2 && d != 0 && d&(d-1) == 0
}

// isPure reports whether the program gets the same from a second evaluation of e right
// behind the first, and the compiler makes one of the two: e has variables, fields,
// elements, conversions and arithmetic, and no calls.
func isPure(e ast.Expr, info *types.Info) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return isPure(e.X, info)
	case *ast.SelectorExpr:
		return isPure(e.X, info)
	case *ast.StarExpr:
		return isPure(e.X, info)
	case *ast.UnaryExpr:
		return e.Op != token.ARROW && isPure(e.X, info)
	case *ast.BinaryExpr:
		return isPure(e.X, info) && isPure(e.Y, info)
	case *ast.IndexExpr:
		_, isMap := info.TypeOf(e.X).Underlying().(*types.Map)
		return !isMap && isPure(e.X, info) && isPure(e.Index, info)
	case *ast.CallExpr:
		f := info.Types[e.Fun]
		if f.IsBuiltin() {
			id, ok := ast.Unparen(e.Fun).(*ast.Ident)
			return ok && (id.Name == "len" || id.Name == "cap") && isPure(e.Args[0], info)
		}
		return f.IsType() && isPure(e.Args[0], info)
	}
	return false
}
