package flow

// This file makes no loop of what the compiler makes no loop of, but a call that clears
// memory or a map:
//
//	for i := range buf { buf[i] = 0 }
//	for k := range m { delete(m, k) }
//
// The compiler does so only if nothing else stands in the body. With a poll there, a loop
// that clears pages of memory took 200 times the instructions.

import (
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/pepgo/pep/instrument/mark"
)

// stripClears takes the markers out of the loops that clear something.
func stripClears(markers *mark.Markers, info *types.Info) {
	for _, c := range markers.Clears {
		if clears(c, info) {
			c.Strip()
		}
	}
}

// clears reports whether the compiler makes a call of a loop, under about the conditions
// that cmd/compile/internal/walk has (isMapClear, arrayRangeClear).
func clears(c *mark.Clear, info *types.Info) bool {
	s := c.Loop
	if !isPure(s.X, info) || isBlank(s.Key) {
		return false
	}
	t := info.TypeOf(s.X).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	switch st := c.Body[0].(type) {
	case *ast.AssignStmt:
		switch t.(type) {
		case *types.Slice, *types.Array:
			return isZero(st.Rhs[0], info)
		}
	case *ast.ExprStmt:
		fun := st.X.(*ast.CallExpr).Fun
		id, ok := ast.Unparen(fun).(*ast.Ident)
		_, isMap := t.(*types.Map)
		return ok && isMap && id.Name == "delete" && info.Types[fun].IsBuiltin()
	}
	return false
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// isZero reports whether e is the zero value of its type, written as a constant, nil, or a
// literal without elements.
func isZero(e ast.Expr, info *types.Info) bool {
	tv := info.Types[e]
	if tv.IsNil() {
		return true
	}
	if lit, ok := ast.Unparen(e).(*ast.CompositeLit); ok {
		switch tv.Type.Underlying().(type) {
		case *types.Struct, *types.Array:
			return len(lit.Elts) == 0
		}
	}
	switch v := tv.Value; {
	case v == nil:
		return false
	case v.Kind() == constant.Bool:
		return !constant.BoolVal(v)
	case v.Kind() == constant.String:
		return constant.StringVal(v) == ""
	}
	return constant.Sign(tv.Value) == 0
}
