package mark

// This file defines the walk over statements that inserts the markers.

import (
	"go/ast"
	"go/token"
	"strconv"
)

// call returns a call of a marker function. Its nodes have no position: nothing
// in the source corresponds to them.
func call(fun *ast.SelectorExpr, id int, args ...ast.Expr) *ast.CallExpr {
	lit := &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(id)}
	return &ast.CallExpr{Fun: fun, Args: append([]ast.Expr{lit}, args...)}
}

// function returns the name of a marker function. All calls in a package have one tree of it, since
// a big package has hundreds of thousands.
func function(name string) *ast.SelectorExpr {
	return &ast.SelectorExpr{X: ast.NewIdent(PkgName), Sel: ast.NewIdent(name)}
}

// mark makes a new statement marker.
func (m *inserter) mark(kind Kind, pos token.Pos, of ast.Node) (*Marker, ast.Stmt) {
	mk := &Marker{ID: len(m.markers.ByID), Kind: kind, Pos: pos, Of: of}
	m.markers.ByID = append(m.markers.ByID, mk)
	s := &ast.ExprStmt{X: call(m.markFunc, mk.ID)}
	m.markers.stmts[s] = mk
	return mk, s
}

func (m *inserter) funcBody(typ *ast.FuncType, body *ast.BlockStmt) {
	canEnd := typ.Results == nil || len(typ.Results.List) == 0
	inner, values := m.inner, m.values
	m.inner, m.values = false, 0
	m.block(body, nil, canEnd)
	m.inner, m.values = inner, values
}

// block inserts markers into a braced statement list. With end, control may reach the
// closing brace, and code may stand before it.
func (m *inserter) block(b *ast.BlockStmt, of ast.Node, end bool) {
	b.List = m.list(b.List, b.Lbrace+1, of)
	if end {
		_, s := m.mark(End, b.Rbrace, of)
		b.List = append(b.List, s)
	}
}

// list inserts markers into a statement list that starts at pos, and returns the new
// list. The first marker stands at the start, even of an empty list.
func (m *inserter) list(stmts []ast.Stmt, pos token.Pos, of ast.Node) []ast.Stmt {
	var out []ast.Stmt
	run, s := m.mark(Start, pos, of) // the run that statements are added to; nil: start one
	out = append(out, s)
	extend := func(s ast.Node, to token.Pos) {
		if run.From == token.NoPos {
			run.From = s.Pos()
		}
		run.To = to
	}
	begin := func(kind Kind, pos token.Pos) {
		var s ast.Stmt
		run, s = m.mark(kind, pos, nil)
		out = append(out, s)
	}
	for len(stmts) > 0 {
		s := stmts[0]
		stmts = stmts[1:]

		var label *ast.LabeledStmt // outermost label of a loop, switch or select
		if l, ok := s.(*ast.LabeledStmt); ok {
			// Falling into a label is an edge of its own.
			begin(Before, l.Pos())
			run.Of = l.Stmt
			if !keepsLabel(l.Stmt) {
				// A label may stand before any other statement: let it
				// stand before a marker.
				inner := l.Stmt
				mk, ms := m.mark(Before, inner.Pos(), nil)
				l.Stmt = ms
				out = append(out, l)
				run = mk
				if e, ok := inner.(*ast.EmptyStmt); ok && e.Implicit {
					// "L: }": code goes between the colon and the brace.
					mk.Kind, mk.Pos = Start, l.Colon+1
					continue
				}
				stmts = append([]ast.Stmt{inner}, stmts...)
				continue
			}
			label = l
			s = l.Stmt
			m.labelled[s] = true
		}
		if run == nil {
			begin(Before, s.Pos())
		}
		keep := s
		if label != nil {
			keep = label
		}

		switch s := s.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			extend(keep, keep.Pos())
			if label == nil {
				begin(Before, s.Pos()) // the edge into the loop
				run.Of = s
			}
			m.stmt(s)
			out = append(out, keep)
			run = nil
			if canLeave(s) {
				var after ast.Stmt
				run, after = m.mark(After, s.End(), s)
				out = append(out, after)
			}
		case *ast.IfStmt:
			extend(keep, s.Body.Lbrace)
			m.stmt(s)
			out = append(out, keep)
			run = nil
		case *ast.SwitchStmt:
			extend(keep, s.Body.Lbrace)
			m.stmt(s)
			out = append(out, keep)
			run = nil
		case *ast.TypeSwitchStmt:
			extend(keep, s.Body.Lbrace)
			m.stmt(s)
			out = append(out, keep)
			run = nil
		case *ast.SelectStmt:
			extend(keep, s.Body.Lbrace)
			m.stmt(s)
			out = append(out, keep)
			run = nil
		case *ast.BlockStmt:
			m.stmt(s)
			out = append(out, keep)
			run = nil
		case *ast.ReturnStmt, *ast.BranchStmt:
			end := s.End()
			extend(s, end)
			kind := Before
			if b, ok := s.(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
				kind = Fallthru
			}
			m.stmt(s)
			_, jump := m.mark(kind, s.Pos(), nil)
			out = append(out, jump, s)
			run = nil
		default:
			end := s.End()
			extend(s, end)
			values := m.values
			m.stmt(s)
			if isPanic(s) {
				_, jump := m.mark(Panic, s.Pos(), nil)
				out = append(out, jump)
				run = nil
			}
			out = append(out, keep)
			if run != nil && m.values > values {
				// What follows is in another block than the start of s.
				var after ast.Stmt
				run, after = m.mark(After, end, nil)
				out = append(out, after)
			}
		}
	}
	return out
}

// keepsLabel reports whether a label before s must stay there, because break
// and continue refer to it.
func keepsLabel(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	}
	return false
}

// canLeave reports whether the loop may be left at its head, so that what
// follows it is not required to be unreachable.
func canLeave(loop ast.Stmt) bool {
	f, ok := loop.(*ast.ForStmt)
	return !ok || f.Cond != nil
}

func isPanic(s ast.Stmt) bool {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	c, ok := x.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := c.Fun.(*ast.Ident)
	return ok && id.Name == "panic"
}

// stmt inserts markers into the parts of s.
func (m *inserter) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case nil:
	case *ast.BlockStmt:
		m.block(s, nil, false)
	case *ast.IfStmt:
		m.stmt(s.Init)
		m.condLiterals(s.Cond)
		s.Cond = m.cond(s, s.Cond)
		m.block(s.Body, nil, false)
		m.stmt(s.Else)
	case *ast.ForStmt:
		m.stmt(s.Init)
		m.stmt(s.Post)
		if s.Cond != nil {
			m.condLiterals(s.Cond)
			s.Cond = m.cond(s, s.Cond)
		}
		m.block(s.Body, s, true)
	case *ast.RangeStmt:
		s.X = m.expr(s.X)
		if s.Key != nil {
			m.literals(s.Key)
		}
		if s.Value != nil {
			m.literals(s.Value)
		}
		if mayClear(s) {
			m.markers.Clears = append(m.markers.Clears, &Clear{s, s.Body.List})
		}
		m.block(s.Body, s, true)
	case *ast.SwitchStmt:
		m.stmt(s.Init)
		tag := token.NoPos
		if s.Tag != nil {
			tag = s.Tag.Pos()
			s.Tag = m.expr(s.Tag)
		}
		m.clauses(s, s.Body, tag)
	case *ast.TypeSwitchStmt:
		m.stmt(s.Init)
		m.stmt(s.Assign)
		m.clauses(s, s.Body, s.Assign.Pos())
	case *ast.SelectStmt:
		for _, c := range s.Body.List {
			c := c.(*ast.CommClause)
			var was []ast.Node
			if c.Comm != nil {
				was = append(was, m.copied(c.Comm))
			}
			m.comm(c.Comm)
			c.Body = m.clause(s, c.Body, c.Colon+1, c, was, nil)
		}
	case *ast.LabeledStmt:
		m.stmt(s.Stmt)
	default:
		m.within(s)
	}
}

// comm inserts markers into the communication of a clause of a select. What a value that is
// received is assigned to is evaluated in the clause, where no marker could stand before it.
func (m *inserter) comm(s ast.Stmt) {
	switch s := s.(type) {
	case nil:
	case *ast.AssignStmt:
		for _, e := range s.Lhs {
			m.literals(e)
		}
		s.Rhs[0] = m.expr(s.Rhs[0])
	default:
		m.within(s)
	}
}

// clauses inserts markers into the clauses of a switch. It adds a default clause if
// there is none, because the edge that control takes when no case matches needs an
// insertion point, too. The tag stands at the given position, if there is one.
func (m *inserter) clauses(s ast.Stmt, body *ast.BlockStmt, tag token.Pos) {
	hasDefault := false
	sw, ok := s.(*ast.SwitchStmt)
	conditions := ok && sw.Tag == nil && m.markers.Decisions
	fallen := false
	for _, c := range body.List {
		c := c.(*ast.CaseClause)
		falls := fallsThrough(c)
		var was []ast.Node
		for i, e := range c.List {
			was = append(was, m.copied(e))
			switch {
			case conditions:
				c.List[i] = m.caseCond(e)
			case len(c.List) == 1:
				c.List[i] = m.expr(e)
			default:
				// With operands in between, no point would tell by which value control
				// comes to the clause.
				m.literals(e)
			}
		}
		hasDefault = hasDefault || c.List == nil
		var values *ast.SwitchStmt
		if m.tellsApart(s, tag, c) {
			values = m.apart(s, tag, c, fallen)
		}
		c.Body = m.clause(s, c.Body, c.Colon+1, c, was, values)
		fallen = falls
	}
	if !hasDefault {
		mk, ms := m.mark(NoCase, body.Rbrace, nil)
		mk.Alone = len(body.List) == 0
		mk.Switch = s
		body.List = append(body.List, &ast.CaseClause{Body: []ast.Stmt{ms}})
	}
}

// clause inserts markers into the body of a clause of s, in which was stood before it had markers. If
// values is not nil, it is the switch over the clause's values.
func (m *inserter) clause(s ast.Stmt, body []ast.Stmt, pos token.Pos, clause ast.Node, was []ast.Node,
	values *ast.SwitchStmt) []ast.Stmt {
	id := len(m.markers.ByID)
	var out []ast.Stmt
	if values == nil {
		out = m.list(body, pos, clause)
	} else {
		_, ms := m.mark(Start, pos, clause)
		out = append([]ast.Stmt{ms, values}, m.list(body, pos, nil)...)
	}
	mk := m.markers.Marker(id)
	mk.Switch, mk.Case = s, was
	return out
}

// literals inserts markers into the bodies of the outermost function literals in n.
func (m *inserter) literals(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok {
			m.funcBody(lit.Type, lit.Body)
		}
		return !ok
	})
}
