package tap

// This file taps what a switch or select decides by.

import (
	"go/ast"
	"go/token"
	"maps"

	"github.com/pepgo/pep/instrument/reeval"
)

// switchStmt walks a switch. Its cases are evaluated in order, until one matches.
// If there is no tag, what is tapped of a case is evaluated before it, in a case
// that does not match: see Plan.Cases. If there is one, only the first case is
// evaluated for sure, right behind the tag.
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

// header walks the statement in the header of a switch s, if any. Taps of what
// is behind that go to the point that it returns: package rewrite can move the
// statement in front of the switch, if that has no label.
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

// firstCase returns the expression of a case that is evaluated first, or nil.
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

// clauses walks the cases with the given function, and the bodies of the clauses.
// A body knows the loads of its first case and of those before it, the default
// clause those of all cases. After the switch, those of the very first are known.
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

// selectStmt walks a select. The channels and the values to send of all clauses
// are evaluated in order before one is chosen.
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

// operands returns what a communication needs to begin.
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

// received walks what the value that a clause receives is assigned to, for which
// there is no place.
func (f *finder) received(s *ast.AssignStmt) {
	a := f.assignment(point{}, s.Lhs, nil, nil)
	a.order.Walk(nil)
	for _, l := range s.Lhs {
		a.stored(l, nil)
	}
}
