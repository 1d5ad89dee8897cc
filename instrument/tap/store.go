package tap

// This file taps assignments: loads that go to variables, and stores to memory.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/instrument/reeval"
)

// An assignment is a unit that assigns to targets.
type assignment struct {
	*unit
	order *reeval.Assignment
	after ast.Stmt // the statement; nil if nothing can stand behind it
}

// assignment starts a unit that assigns to the targets; exprs are evaluated before.
func (f *finder) assignment(at point, targets, exprs []ast.Expr, after ast.Stmt) *assignment {
	u := f.unit(at, slices.Concat(exprs, targets)...)
	return &assignment{u, &reeval.Assignment{Unit: u.Unit, Targets: targets}, after}
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
			at = point{} // values may depend on those before them
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
	a := f.assignment(at, lhs, rhs, after)
	a.held = map[ast.Expr]*ast.Ident{}
	if after != nil {
		for i, r := range rhs {
			if id := a.order.Holder(lhs[i], r); id != nil {
				a.held[ast.Unparen(r)] = id
			}
		}
	}
	a.order.Walk(rhs)
	for i, l := range lhs {
		var r ast.Expr
		if len(lhs) == len(rhs) {
			r = rhs[i]
		}
		a.stored(l, r)
	}
}

// stored taps the value that the statement stores to l: r, or if r is nil a result of
// a call.
func (a *assignment) stored(l, r ast.Expr) {
	if isBlank(l) {
		return
	}
	if !a.Memory(l) && !a.requested || !a.wants(tuple.Store, l.Pos()) {
		return
	}
	typ := a.TypeOf(l)
	w, ok := a.wordOf(tuple.Store, a.exprOf(l), typ)
	if !ok {
		return
	}
	if r != nil && a.after != nil {
		if c, ok := a.constantWord(r, typ); ok {
			a.store(l, w, Call{Arg: fmt.Sprintf("%#x", c)})
			return
		}
		if v := a.Local(r); v != nil && a.order.Keeps(v) {
			a.store(l, w, Call{Func: w.fn, Conv: w.conv, Arg: types.ExprString(r)})
			return
		}
	}
	a.readBack(l, w)
}

// readBack taps the value that the statement has stored to l, by reading l after it.
func (a *assignment) readBack(l ast.Expr, w word) {
	if a.after == nil || a.order.After(l) != reeval.May {
		a.skip(tuple.Store, a.exprOf(l), whyReread)
		return
	}
	a.store(l, w, Call{Func: w.fn, Conv: w.conv, Arg: types.ExprString(l)})
}

// store adds a tap of l behind the statement. With pairs it reports the address, too, if
// &l is the same behind the statement. The address of a local variable would move the
// variable to the heap.
func (a *assignment) store(l ast.Expr, w word, c Call) {
	pc, ok := a.site(tuple.Store, l.Pos(), w.expr(types.ExprString(l)), a.TypeOf(l), w)
	if !ok {
		return
	}
	c.PC = pc
	if a.wants(tuple.More, l.Pos()) && a.Memory(l) && a.Addressable(l) && a.order.After(l) == reeval.May {
		a.withAddress(&c, l)
	}
	a.plan.After[a.after] = append(a.plan.After[a.after], c)
}

// update walks the statement l op= r, or l++ if r is nil.
func (f *finder) update(l, r ast.Expr, at point, after ast.Stmt) {
	var rhs []ast.Expr
	if r != nil {
		rhs = []ast.Expr{r}
	}
	a := f.assignment(at, []ast.Expr{l}, rhs, after)
	a.Value(l)
	for _, e := range rhs {
		a.Value(e)
	}
	if (a.Memory(l) || a.requested) && a.wants(tuple.Store, l.Pos()) {
		if w, ok := a.wordOf(tuple.Store, a.exprOf(l), a.TypeOf(l)); ok {
			a.readBack(l, w)
		}
	}
}
