package reeval

// This file decides whether the target of an assignment can be read back after the
// assignment.

import (
	"go/ast"
	"go/types"
	"slices"
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
// it has not, nor in x, *q = p.n, 1 if q may be &x. In var i any = p.n it has another
// type.
func (a *Assignment) Holder(l, r ast.Expr) *ast.Ident {
	v := a.Local(l)
	if v == nil || a.assigned(v) != 1 || a.shared[v] && len(a.Targets) > 1 || !types.Identical(v.Type(), a.TypeOf(r)) {
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

// Keeps reports whether v, which is assigned to the first target or read to find one,
// is the same after the statement. If v is shared, an effect may change it, or the
// assignment to a target *p may.
func (a *Assignment) Keeps(v *types.Var) bool {
	if a.assigned(v) > 0 || a.shared[v] && a.effects > 0 {
		return false
	}
	return !a.shared[v] || !slices.ContainsFunc(a.Targets, func(t ast.Expr) bool {
		_, star := ast.Unparen(t).(*ast.StarExpr)
		return star && mayOverlap(a.TypeOf(t), v.Type())
	})
}

// mayOverlap reports whether a variable of type t may be one of type u, or hold one.
func mayOverlap(t, u types.Type) bool {
	for _, t := range []types.Type{t, u} {
		if _, param := types.Unalias(t).(*types.TypeParam); param {
			return true
		}
	}
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return types.Identical(t, u)
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
// On the way to e are local variables, see Keeps, and pointers, slices and maps in memory,
// see keepsMemory.
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
		if len(s.Index()) > 1 && s.Indirect() && (a.effects > 0 || len(a.Targets) > 1 || isPointer(t)) {
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
// way to a part of it; the part is. If the struct is a shared variable w, its part
// w.next is like memory:
//
//	w.next.next = q    if w.next is &w, the path leads elsewhere now
func (a *Assignment) keepsPart(e, x ast.Expr, t types.Type, top bool) bool {
	switch a.TypeOf(x).Underlying().(type) {
	case *types.Struct, *types.Array:
		if v := a.variableOf(x); v != nil && a.shared[v] && !a.keepsMemory(e, t, top) {
			return false
		}
		return a.keepsPath(x, t, top)
	}
	return a.keepsMemory(e, t, top) && a.keepsPath(x, t, false)
}

// variableOf returns the local variable that x is or is a part of, or nil.
func (a *Assignment) variableOf(x ast.Expr) *types.Var {
	for !a.Memory(x) {
		switch e := ast.Unparen(x).(type) {
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		default:
			return a.Local(x)
		}
	}
	return nil
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
//	*p.next.next = x  a struct is written, with a next, perhaps that of p
func (a *Assignment) keepsMemory(e ast.Expr, t types.Type, top bool) bool {
	return top || a.effects == 0 && len(a.Targets) == 1 && !mayOverlap(t, a.TypeOf(e))
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
