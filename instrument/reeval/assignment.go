package reeval

// This file decides whether the target of an assignment can be read back after the
// assignment.

import (
	"go/ast"
	"go/types"
)

// An Assignment is a unit that ends by assigning to its targets.
type Assignment struct {
	*Unit
	Targets []ast.Expr
}

// Walk walks both sides in the order in which the compiler evaluates them: the
// value of a single assignment first, several values pair by pair with the operands
// of their targets, and the targets at last, from left to right.
func (a *Assignment) Walk(values []ast.Expr) {
	if len(values) == 1 {
		a.Value(values[0])
	}
	for i, t := range a.Targets {
		a.Operands(t)
		if len(values) > 1 {
			a.Value(values[i])
		}
	}
	for i, t := range a.Targets {
		if !isBlank(t) {
			a.Target(t, i == 0)
		}
	}
}

// Holder returns the local variable that r is assigned to by an assignment to l, if
// the variable has the value of r after the statement. In
//
//	x, x = p.n, p.m
//
// it has not, and in var i any = p.n it has another type.
func (a *Assignment) Holder(l, r ast.Expr) *ast.Ident {
	v := a.Local(l)
	if v == nil || a.assigned(v) != 1 || !types.Identical(v.Type(), a.TypeOf(r)) {
		return nil
	}
	return ast.Unparen(l).(*ast.Ident)
}

// assigned returns how often the statement assigns to v.
func (a *Assignment) assigned(v *types.Var) int {
	n := 0
	for _, t := range a.Targets {
		if a.Local(t) == v {
			n++
		}
	}
	return n
}

// Keeps reports whether v has the same value before and after the statement.
func (a *Assignment) Keeps(v *types.Var) bool {
	return a.assigned(v) == 0 && (a.effects == 0 || !a.shared[v])
}

// After says whether target t, evaluated after the statement, is the variable that
// the statement has assigned to, and has the value that was assigned.
func (a *Assignment) After(t ast.Expr) Rule {
	if v := a.Local(t); v != nil {
		if a.assigned(v) == 1 {
			return May
		}
		return Moved
	}
	if r := a.Repeatable(t); r != May {
		return r
	}
	if !a.keepsPath(t, a.TypeOf(t), true) {
		return Moved
	}
	return May
}

// keepsPath reports whether the statement changes nothing that is read to find e,
// where e is the target itself (top) or something on the way to it. The target has
// type t.
//
// What is on the way are local variables, see Keeps, and pointers, slices and
// maps in memory, see keepsMemory.
//
//	s.a[i].next.n = x     s is a variable; a, next, and i must be kept
func (a *Assignment) keepsPath(e ast.Expr, t types.Type, top bool) bool {
	if a.Constant(e) != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return a.keepsPath(e.X, t, top)
	case *ast.Ident:
		if v := a.Local(e); v != nil {
			return a.Keeps(v)
		}
	case *ast.StarExpr:
		return a.keepsMemory(e, t, top) && a.keepsPath(e.X, t, false)
	case *ast.SelectorExpr:
		s := a.info.Selections[e]
		if s == nil {
			return a.keepsMemory(e, t, top)
		}
		if len(s.Index()) > 1 && s.Indirect() && (a.effects > 0 || isPointer(t)) {
			return false // an embedded pointer on the way may be what is assigned to
		}
		return a.keepsPart(e, e.X, t, top)
	case *ast.IndexExpr:
		m, isMap := a.TypeOf(e.X).Underlying().(*types.Map)
		if isMap && !reflexive(m.Key()) {
			return false
		}
		if a.Constant(e.Index) == nil && a.Local(e.Index) == nil {
			return false
		}
		return a.keepsPath(e.Index, t, false) && a.keepsPart(e, e.X, t, top)
	}
	return a.Memory(e) && a.keepsMemory(e, t, top)
}

// keepsPart is keepsPath for a part e of x. A struct or an array is not read on the
// way to a part of it.
func (a *Assignment) keepsPart(e, x ast.Expr, t types.Type, top bool) bool {
	switch a.TypeOf(x).Underlying().(type) {
	case *types.Struct, *types.Array:
		return a.keepsPath(x, t, top)
	}
	return a.keepsMemory(e, t, top) && a.keepsPath(x, t, false)
}

// keepsMemory reports whether the statement leaves e alone, which it reads from
// memory to find its target; e may be the target itself, which is not read.
//
// An effect may write to any memory. Without one, the statement writes to its
// targets only. If there is one target, and its type is not that of e, it cannot
// be e:
//
//	p.next.n = 1      an int is written, and next is a pointer
//	p.next.next = q   a pointer is written, perhaps to p.next
func (a *Assignment) keepsMemory(e ast.Expr, t types.Type, top bool) bool {
	return top || a.effects == 0 && len(a.Targets) == 1 && !types.Identical(a.TypeOf(e), t)
}

// reflexive reports whether a map finds every key of type t again, as it does not
// find NaN.
func reflexive(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsFloat|types.IsComplex) == 0
	case *types.Pointer, *types.Chan:
		return true
	}
	return false
}
