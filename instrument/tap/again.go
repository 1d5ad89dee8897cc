package tap

// This file tells which loads are the same as one before: the compiler makes one
// of them, and so does a profile of loads.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"strings"

	"github.com/pepgo/pep/instrument/mark"
)

// loads are those that have been tapped on every way to the place that is looked
// at, and that nothing can have changed since: by what is read, the variables
// that say what that is.
type loads map[string][]*types.Var

// again reports whether e, which reads memory, has been read and tapped before.
func (u *unit) again(e ast.Expr) bool {
	if u.requested || !u.settled(e) {
		return false
	}
	key, _ := u.reads(e)
	_, ok := u.known[key]
	return ok
}

// remember notes that e has been read and tapped.
func (u *unit) remember(e ast.Expr) {
	if u.settled(e) {
		key, vars := u.reads(e)
		u.known[key] = vars
	}
}

// settled reports whether e is evaluated in any case, and before anything in the
// unit has side effects.
func (u *unit) settled(e ast.Expr) bool {
	return u.maybe == 0 && u.within == u.effects && u.pure(e)
}

// reads returns what identifies the load e within a function: names can mean
// different variables.
func (f *facts) reads(e ast.Expr) (key string, vars []*types.Var) {
	var b strings.Builder
	b.WriteString(types.ExprString(e))
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := f.Info.Uses[id].(*types.Var); ok && !v.IsField() {
				vars = append(vars, v)
				fmt.Fprintf(&b, " %d", v.Pos())
			}
		}
		return true
	})
	return b.String(), vars
}

// nested walks something that may be executed or not. What is read there counts
// there only.
func (f *finder) nested(walk func()) {
	known := maps.Clone(f.known)
	walk()
	f.known = known
}

// forget forgets the loads that n may change.
func (f *finder) forget(n ast.Node) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt, *ast.SelectStmt, *ast.LabeledStmt:
			clear(f.known)
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				f.assigned(e)
			}
		case *ast.IncDecStmt:
			f.assigned(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				f.assigned(n.Key)
				f.assigned(n.Value)
			}
			if f.bodies[n.Body] {
				clear(f.known) // a call
			}
		case ast.Expr:
			if f.effect(n) && !isMarker(n) {
				clear(f.known)
			}
		}
		return true
	})
}

// forgetIn forgets those of the given loads that n may change.
func (f *finder) forgetIn(l loads, n ast.Node) {
	known := f.known
	f.known = l
	f.forget(n)
	f.known = known
}

// assigned forgets the loads that an assignment to e changes: those that depend
// on the variable, or all, if it may be something in memory.
func (f *finder) assigned(e ast.Expr) {
	if e == nil || isBlank(e) {
		return
	}
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			if !f.memory(x) {
				e = x.X
				continue
			}
		case *ast.IndexExpr:
			if !f.memory(x) {
				e = x.X
				continue
			}
		}
		break
	}
	v := f.local(e)
	if v == nil || f.shared[v] {
		clear(f.known)
		return
	}
	for key, vars := range f.known {
		for _, w := range vars {
			if v == w {
				delete(f.known, key)
			}
		}
	}
}

// marker reports whether e is a call that package mark has put in.
func isMarker(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && id.Name == mark.PkgName
}
