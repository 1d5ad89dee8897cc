package reeval

// This file says how the evaluation of an expression may panic.

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A Risk says how an evaluation may panic.
//
// There are but three, because one comparison is asked of them: whether an
// evaluation may overtake another one. All dereferences of nil pointers panic with
// the same runtime error, so that they may overtake each other. All other panics
// say something of their own: an index and a length, the types of an assertion.
type Risk uint8

const (
	Safe    Risk = iota // it cannot
	NilRisk             // by a nil pointer
	AnyRisk             // in another way, too
)

// mayOvertake reports whether an evaluation that may panic as r says may come
// before one that may panic as other says.
func (r Risk) mayOvertake(other Risk) bool {
	return r == Safe || other == Safe || r == NilRisk && other == NilRisk
}

func riskIf(may bool, r Risk) Risk {
	if may {
		return r
	}
	return Safe
}

// Risk returns how e itself, apart from its operands, may panic.
//
//	*p, p.f, p.m()      nil pointer
//	s[i]                index out of range; an array with a constant index is safe
//	m[k]                only if k may hold something that cannot be compared, in an interface
//	x / y, x % y        division by zero, unless y is a constant
//	x << n              negative shift, unless n is a constant
//	a == b              as m[k]
//	s[i:j], x.(T)       in their own ways
//	[4]int(s)           s is too short
//	f()                 in any way
func (f *Facts) Risk(e ast.Expr) Risk {
	if f.Constant(e) != nil {
		return Safe
	}
	switch e := e.(type) {
	case *ast.StarExpr:
		return riskIf(f.info.Types[e].IsValue(), NilRisk)
	case *ast.SelectorExpr:
		s := f.info.Selections[e]
		return riskIf(s != nil && (s.Indirect() || s.Kind() == types.MethodVal), NilRisk)
	case *ast.IndexExpr:
		return f.indexRisk(e)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.QUO, token.REM, token.SHL, token.SHR:
			return riskIf(f.Constant(e.Y) == nil, AnyRisk)
		case token.EQL, token.NEQ:
			return riskIf(!comparesSafely(f.TypeOf(e.X)) || !comparesSafely(f.TypeOf(e.Y)), AnyRisk)
		}
		return Safe
	case *ast.SliceExpr, *ast.TypeAssertExpr:
		return AnyRisk
	case *ast.CompositeLit:
		_, isMap := f.TypeOf(e).Underlying().(*types.Map)
		return riskIf(isMap, AnyRisk)
	case *ast.CallExpr:
		if f.info.Types[e.Fun].IsType() {
			return riskIf(!numeric(f.TypeOf(e)), AnyRisk)
		}
		return riskIf(f.Builtin(e) != "len" && f.Builtin(e) != "cap", AnyRisk)
	}
	return Safe
}

func (f *Facts) indexRisk(e *ast.IndexExpr) Risk {
	if !f.isElement(e) {
		return Safe
	}
	switch x := f.TypeOf(e.X).Underlying().(type) {
	case *types.Map:
		return riskIf(!comparesSafely(x.Key()), AnyRisk)
	case *types.Array:
		return riskIf(f.Constant(e.Index) == nil, AnyRisk)
	}
	return AnyRisk
}

// TotalRisk returns how the evaluation of e, with its operands, may panic.
func (f *Facts) TotalRisk(e ast.Expr) (r Risk) {
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok {
			r = max(r, f.Risk(x))
		}
		return true
	})
	return r
}

// comparesSafely reports whether two values of type t can always be compared. In an
// interface there may be something that cannot, a slice for example, and structs
// and arrays may hold an interface.
func comparesSafely(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Interface, *types.Struct, *types.Array:
		return false
	}
	return true
}
