package tap

// This file taps what a switch or select decides by.

import (
	"go/ast"
	"go/token"
	"maps"

	"github.com/pepgo/pep/instrument/reeval"
)

// switchStmt walks a switch. A switch evaluates its cases in order, until one matches.
// Without a tag, the taps of a case stand before it, in a case that does not match:
// see Plan.Cases. With a tag, the switch is certain to evaluate the first case only,
// right behind the tag.
func (f *finder) switchStmt(s *ast.SwitchStmt, at point) {
	at = f.header(s, s.Init, at)
	if s.Tag == nil {
		f.clauses(s.Body, func(e ast.Expr) { f.unit(point{expr: e}, e).Value(e) })
		return
	}
	u := f.unit(at, s.Tag)
	u.Value(s.Tag)
	f.forget(s.Tag)
	if f.hasConstantCase(s) {
		u.Compared(s.Tag)
	}
	first := firstCase(s.Body)
	f.clauses(s.Body, func(e ast.Expr) {
		if e != first {
			f.unit(point{}, e).Value(e)
			return
		}
		both := f.unit(at, s.Tag, e)
		both.Follow(u.Unit)
		both.Value(e)
	})
}

// header walks the statement in the header of a switch s, if there is one. It returns
// the insertion point for what stands behind that statement: package rewrite can move
// the statement in front of the switch, if the switch has no label.
func (f *finder) header(s, init ast.Stmt, at point) point {
	if init == nil {
		return at
	}
	f.simple(init, at, nil)
	f.forget(init)
	if at.stmt != s {
		return point{}
	}
	return point{header: s}
}

// firstCase returns the case expression that a switch evaluates first, or nil.
func firstCase(body *ast.BlockStmt) ast.Expr {
	for _, c := range body.List {
		if c := c.(*ast.CaseClause); len(c.List) > 0 {
			return c.List[0]
		}
	}
	return nil
}

// hasConstantCase reports whether a case of s is a constant.
func (f *finder) hasConstantCase(s *ast.SwitchStmt) bool {
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if f.Constant(e) != nil {
				return true
			}
		}
	}
	return false
}

func (f *finder) typeSwitch(s *ast.TypeSwitchStmt, at point) {
	at = f.header(s, s.Init, at)
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X
	case *ast.AssignStmt:
		x = a.Rhs[0]
	}
	x = ast.Unparen(x).(*ast.TypeAssertExpr).X
	u := f.unit(at, x)
	u.Value(x)
	u.Asserted(x)
	f.forget(x)
	f.clauses(s.Body, func(ast.Expr) {})
}

// clauses walks the cases with the given function, and the bodies of the clauses. A
// body knows the loads of its first case and of those before it, the default clause
// those of all cases. After the switch only those of the very first case are known.
func (f *finder) clauses(body *ast.BlockStmt, walk func(ast.Expr)) {
	always := f.known
	first := firstCase(body)
	known := map[ast.Stmt]reeval.Loads{}
	for _, s := range body.List {
		for i, e := range s.(*ast.CaseClause).List {
			walk(e)
			f.forget(e)
			if i == 0 {
				known[s] = maps.Clone(f.known)
			} else {
				f.Forget(known[s], e)
			}
			if e == first {
				always = maps.Clone(f.known)
			}
		}
	}
	all := f.known
	falls := false
	for _, s := range body.List {
		c := s.(*ast.CaseClause)
		switch {
		case falls:
			f.known = reeval.Loads{} // there is another way to here
		case c.List == nil:
			f.known = maps.Clone(all)
		default:
			f.known = known[s]
		}
		f.requested = false
		f.stmts(c.Body)
		falls = fallsThrough(c.Body)
	}
	f.known = always
}

// fallsThrough reports whether a body of a clause ends in a fallthrough.
func fallsThrough(body []ast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	b, ok := body[len(body)-1].(*ast.BranchStmt)
	return ok && b.Tok == token.FALLTHROUGH
}

// selectStmt walks a select. It evaluates the channels and the values to send of all
// clauses, in order, before it chooses one.
func (f *finder) selectStmt(s *ast.SelectStmt, at point) {
	var exprs []ast.Expr
	for _, c := range s.Body.List {
		exprs = append(exprs, operands(c.(*ast.CommClause).Comm)...)
	}
	u := f.unit(at, exprs...)
	for _, e := range exprs {
		u.Value(e)
	}
	clear(f.known)
	for _, c := range s.Body.List {
		c := c.(*ast.CommClause)
		if a, ok := c.Comm.(*ast.AssignStmt); ok {
			f.received(a)
		}
		f.requested = false
		f.nested(func() { f.stmts(c.Body) })
	}
}

// operands returns the operands of a communication.
func operands(comm ast.Stmt) []ast.Expr {
	var recv ast.Expr
	switch s := comm.(type) {
	case *ast.SendStmt:
		return []ast.Expr{s.Chan, s.Value}
	case *ast.ExprStmt:
		recv = s.X
	case *ast.AssignStmt:
		recv = s.Rhs[0]
	default:
		return nil
	}
	return []ast.Expr{ast.Unparen(recv).(*ast.UnaryExpr).X}
}

// received walks the targets that a clause assigns the received value to. There is no
// insertion point for them.
func (f *finder) received(s *ast.AssignStmt) {
	a := f.assignment(point{}, s.Lhs, nil, nil)
	a.order.Walk(nil)
	for _, l := range s.Lhs {
		a.stored(l, nil)
	}
}
