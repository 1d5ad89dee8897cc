package reeval

// This file tells which loads give what an earlier one gave. The compiler makes one
// load of both, and a profile of loads counts one.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/pepgo/pep/instrument/mark"
)

// Loads are the loads that have been made on every way to the point that a walk over
// a function has reached, and that give the same value still. The key says what is
// loaded. The value holds the local variables in it.
//
//	a := p.n          p.n
//	b := p.q.n        p.n, p.q, p.q.n
//	p.q = r           forgets all: p.q may be anything in memory
//	c := p.n          p.n
//	p = r             forgets p.n, because of p
type Loads map[string][]*types.Var

// Has reports whether the walk over u, which has reached the load e, knows it.
func (l Loads) Has(u *Unit, e ast.Expr) bool {
	if !u.settled(e) {
		return false
	}
	key, _ := u.loadKey(e)
	_, ok := l[key]
	return ok
}

// Add notes the load e, which the walk over u has reached.
func (l Loads) Add(u *Unit, e ast.Expr) {
	if u.settled(e) {
		key, vars := u.loadKey(e)
		l[key] = vars
	}
}

// settled reports whether u is certain to evaluate e, and does so before any effect.
func (u *Unit) settled(e ast.Expr) bool {
	return u.maybe == 0 && u.within == u.effects && u.Repeatable(e) == May
}

// loadKey returns what identifies the load e within a function. The text is not
// enough, since a name can mean different variables.
func (f *Facts) loadKey(e ast.Expr) (key string, vars []*types.Var) {
	var b strings.Builder
	b.WriteString(types.ExprString(e))
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := f.info.Uses[id].(*types.Var); ok && !v.IsField() {
				vars = append(vars, v)
				fmt.Fprintf(&b, " %d", v.Pos())
			}
		}
		return true
	})
	return b.String(), vars
}

// Forget takes out of l the loads that n may change. A call, a label, and a channel
// operation count as changing all: the callee may write, control may come from
// elsewhere, or another goroutine may have written in between.
func (f *Facts) Forget(l Loads, n ast.Node) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SendStmt, *ast.SelectStmt, *ast.LabeledStmt:
			clear(l)
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				f.assignTo(l, e)
			}
		case *ast.IncDecStmt:
			f.assignTo(l, n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				f.assignTo(l, n.Key)
				f.assignTo(l, n.Value)
			}
			if f.overFunc(n) {
				clear(l) // a call
			}
		case ast.Expr:
			if f.Effect(n) && !mark.IsCall(n) {
				clear(l)
			}
		}
		return true
	})
}

// assignTo forgets the loads that an assignment to e may change: those that contain
// the local variable that e is or is a part of, or all loads if e lies in memory.
func (f *Facts) assignTo(l Loads, e ast.Expr) {
	if e == nil || isBlank(e) {
		return
	}
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			if !f.Memory(x) {
				e = x.X
				continue
			}
		case *ast.IndexExpr:
			if !f.Memory(x) {
				e = x.X
				continue
			}
		}
		break
	}
	v := f.Local(e)
	if v == nil || f.shared[v] {
		clear(l)
		return
	}
	for key, vars := range l {
		for _, w := range vars {
			if v == w {
				delete(l, key)
			}
		}
	}
}
