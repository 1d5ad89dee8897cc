package reeval

// This file tells what lies in memory from what is a local variable.

import (
	"go/ast"
	"go/types"
)

// Memory reports whether to evaluate e is to read memory: something that is
// reached through a pointer, an element, or a variable of a package. A local
// variable, or a field of one, is not memory, even if the compiler puts it there.
func (f *Facts) Memory(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.Memory(e.X)
	case *ast.Ident:
		v, ok := f.info.Uses[e].(*types.Var)
		return ok && global(v)
	case *ast.StarExpr:
		call, ok := ast.Unparen(e.X).(*ast.CallExpr)
		zero := ok && f.Builtin(call) == "new" // *new(T) is how to write the zero value of T
		return f.info.Types[e].IsValue() && !zero
	case *ast.SelectorExpr:
		s := f.info.Selections[e]
		if s == nil {
			v, ok := f.info.Uses[e.Sel].(*types.Var)
			return ok && global(v)
		}
		return s.Kind() == types.FieldVal && (s.Indirect() || f.Memory(e.X))
	case *ast.IndexExpr:
		if !f.isElement(e) {
			return false
		}
		if _, array := f.TypeOf(e.X).Underlying().(*types.Array); array {
			return f.Constant(e.Index) == nil || f.Memory(e.X)
		}
		return true
	}
	return false
}

// Addressable reports whether &e is possible and does not move a local variable to
// the heap.
func (f *Facts) Addressable(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.Addressable(e.X)
	case *ast.Ident:
		return f.Memory(e)
	case *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		s := f.info.Selections[e]
		return s == nil && f.Memory(e) || s != nil && (s.Indirect() || f.Addressable(e.X))
	case *ast.IndexExpr:
		switch f.TypeOf(e.X).Underlying().(type) {
		case *types.Slice, *types.Pointer:
			return true
		case *types.Array:
			return f.Addressable(e.X)
		}
	}
	return false
}
