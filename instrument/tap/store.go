package tap

// This file taps assignments: what is loaded into variables and stored in
// memory.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/pepgo/pep/runtime/tuple"
)

// An assignment is what is assigned to by a statement.
type assignment struct {
	*unit
	lhs   []ast.Expr
	after ast.Stmt // nil if nothing can stand behind the statement
}

func (f *finder) assign(s *ast.AssignStmt, at point, after ast.Stmt) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		f.update(s.Lhs[0], s.Rhs[0], at, after)
		return
	}
	f.assignAll(s.Lhs, s.Rhs, at, after)
}

// declare walks the declaration of variables with values.
func (f *finder) declare(s *ast.DeclStmt, at point, after ast.Stmt) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		return
	}
	if len(d.Specs) > 1 {
		after = nil
	}
	for i, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		if i > 0 {
			at = point{} // values may lean on those before them
		}
		var lhs []ast.Expr
		for _, name := range spec.Names {
			lhs = append(lhs, name)
		}
		if len(spec.Values) > 0 {
			f.assignAll(lhs, spec.Values, at, after)
		}
	}
}

func (f *finder) assignAll(lhs, rhs []ast.Expr, at point, after ast.Stmt) {
	a := &assignment{f.unit(at, slices.Concat(rhs, lhs)...), lhs, after}
	a.held = map[ast.Expr]*ast.Ident{}
	if after != nil {
		for i, r := range rhs {
			if id := a.holder(lhs[i], r); id != nil {
				a.held[ast.Unparen(r)] = id
			}
		}
	}
	a.walk(rhs)
	for i, l := range lhs {
		var r ast.Expr
		if len(lhs) == len(rhs) {
			r = rhs[i]
		}
		a.stored(l, r)
	}
}

// walk walks both sides in the order in which the compiler has them evaluated:
// those of a single assignment from the right, of several pair by pair, and the
// places that are assigned to at last.
func (a *assignment) walk(rhs []ast.Expr) {
	if len(rhs) == 1 {
		a.value(rhs[0])
	}
	for i, l := range a.lhs {
		a.parts(l)
		if len(rhs) > 1 {
			a.value(rhs[i])
		}
	}
	for i, l := range a.lhs {
		if !isBlank(l) {
			a.target(l, i == 0)
		}
	}
}

// holder returns the variable that r is put into by an assignment to l, if it
// then has the value of r for sure.
func (a *assignment) holder(l, r ast.Expr) *ast.Ident {
	v := a.local(l)
	if v == nil || a.assigned(v) != 1 || !types.Identical(v.Type(), a.typeOf(r)) {
		return nil
	}
	return ast.Unparen(l).(*ast.Ident)
}

// assigned returns how often v is assigned to.
func (a *assignment) assigned(v *types.Var) int {
	n := 0
	for _, l := range a.lhs {
		if a.local(l) == v {
			n++
		}
	}
	return n
}

// stored taps what is stored to l: r, or one of the results of a call if r is
// nil.
func (a *assignment) stored(l, r ast.Expr) {
	if isBlank(l) {
		return
	}
	if !a.memory(l) && !a.requested || !a.wants(tuple.Store, l.Pos()) {
		return
	}
	typ := a.typeOf(l)
	w, ok := a.wordOf(tuple.Store, a.exprOf(l), typ)
	if !ok {
		return
	}
	if r != nil && a.after != nil {
		if c, ok := a.constantWord(r, typ); ok {
			a.store(l, w, Call{Arg: fmt.Sprintf("%#x", c)})
			return
		}
		if v := a.local(r); v != nil && a.assigned(v) == 0 && (a.effects == 0 || !a.shared[v]) {
			a.store(l, w, Call{Func: w.fn, Conv: w.conv, Arg: types.ExprString(r)})
			return
		}
	}
	a.readBack(l, w)
}

// readBack taps what has been stored to l by reading it.
func (a *assignment) readBack(l ast.Expr, w word) {
	if a.after == nil || !a.steady(l) {
		a.skip(tuple.Store, a.exprOf(l), whyReread)
		return
	}
	a.store(l, w, Call{Func: w.fn, Conv: w.conv, Arg: types.ExprString(l)})
}

// store adds a tap of l behind the statement.
func (a *assignment) store(l ast.Expr, w word, c Call) {
	if pc, ok := a.site(tuple.Store, l.Pos(), w.expr(types.ExprString(l)), a.typeOf(l), w); ok {
		c.PC = pc
		a.plan.After[a.after] = append(a.plan.After[a.after], c)
	}
}

// update walks the statement l op= r, or l++ if r is nil.
func (f *finder) update(l, r ast.Expr, at point, after ast.Stmt) {
	exprs := []ast.Expr{l}
	if r != nil {
		exprs = append(exprs, r)
	}
	a := &assignment{f.unit(at, exprs...), []ast.Expr{l}, after}
	for _, e := range exprs {
		a.value(e)
	}
	if (a.memory(l) || a.requested) && a.wants(tuple.Store, l.Pos()) {
		if w, ok := a.wordOf(tuple.Store, a.exprOf(l), a.typeOf(l)); ok {
			a.readBack(l, w)
		}
	}
}

// steady reports whether l, after it has been assigned to, can be evaluated and
// is the same place still.
func (a *assignment) steady(l ast.Expr) bool {
	if v := a.local(l); v != nil {
		return a.assigned(v) == 1
	}
	return a.pure(l) && a.steadyPath(l, a.typeOf(l), true)
}

// steadyPath reports whether the statement leaves all alone that is read to find
// e: local variables, and pointers and the like in memory. These are of another
// type than what is stored, which is t, so that they cannot be overwritten by
// that; but if there are calls, they may do it.
func (a *assignment) steadyPath(e ast.Expr, t types.Type, top bool) bool {
	if a.constant(e) != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return a.steadyPath(e.X, t, top)
	case *ast.Ident:
		if v := a.local(e); v != nil {
			return a.assigned(v) == 0 && (a.effects == 0 || !a.shared[v])
		}
	case *ast.StarExpr:
		return a.steadyMemory(e, t, top) && a.steadyPath(e.X, t, false)
	case *ast.SelectorExpr:
		s := a.Info.Selections[e]
		if s == nil {
			return a.steadyMemory(e, t, top)
		}
		if len(s.Index()) > 1 && s.Indirect() && (a.effects > 0 || isPointer(t)) {
			return false // through an embedded pointer
		}
		return a.steadyPart(e, e.X, t, top)
	case *ast.IndexExpr:
		m, isMap := a.typeOf(e.X).Underlying().(*types.Map)
		if isMap && !reflexive(m.Key()) {
			return false
		}
		if a.constant(e.Index) == nil && a.local(e.Index) == nil {
			return false
		}
		return a.steadyPath(e.Index, t, false) && a.steadyPart(e, e.X, t, top)
	}
	return a.memory(e) && a.steadyMemory(e, t, top)
}

// steadyPart is steadyPath for a part e of x, which is not read as a whole if it
// is a struct or an array.
func (a *assignment) steadyPart(e, x ast.Expr, t types.Type, top bool) bool {
	switch a.typeOf(x).Underlying().(type) {
	case *types.Struct, *types.Array:
		return a.steadyPath(x, t, top)
	}
	return a.steadyMemory(e, t, top) && a.steadyPath(x, t, false)
}

// steadyMemory reports whether e, which is read to find the place that is
// assigned to unless it is the place itself, stays what it is.
func (a *assignment) steadyMemory(e ast.Expr, t types.Type, top bool) bool {
	return top || a.effects == 0 && len(a.lhs) == 1 && !types.Identical(a.typeOf(e), t)
}

// reflexive reports whether all values of a type of map keys are found again, as
// NaN is not.
func reflexive(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsFloat|types.IsComplex) == 0
	case *types.Pointer, *types.Chan:
		return true
	}
	return false
}
