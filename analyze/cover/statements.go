package cover

// This file counts statements.

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
)

// A span is a run of statements in a site table, which were executed equally often.
type span struct {
	function *Function
	branch   bool // it is where a branch is, and no statement
	body     int  // the innermost body of a function that it is in
	Statement
}

// contains reports whether a position is in a span. What enters a loop may have no code of its own: its span, or that
// of the statements before it, ends where the loop begins, and no statement begins where one before it ends.
func (s *span) contains(line, col int) bool {
	return (s.Line < line || s.Line == line && s.Col <= col) &&
		(line < s.EndLine || line == s.EndLine && (col < s.EndCol || col == s.EndCol && !s.branch))
}

// within reports whether s is in u.
func (s *span) within(u *span) bool {
	return u.contains(s.Line, s.Col) && (s.EndLine < u.EndLine || s.EndLine == u.EndLine && s.EndCol <= u.EndCol)
}

// A written is a statement of the source.
type written struct {
	Statement
	bodyLine, bodyCol int // where the body of a for statement begins; 0 if it is none
}

// statements lists what go test -cover counts as statements: those in blocks and in clauses.
func statements(name string, tree *ast.File, at func(token.Pos) (line, col int)) (list []written) {
	add := func(body []ast.Stmt) {
		for _, s := range body {
			s = behindLabel(s)
			x := written{Statement: Statement{File: name}}
			x.Line, x.Col = at(s.Pos())
			x.EndLine, x.EndCol = at(end(s))
			if loop, ok := s.(*ast.ForStmt); ok && len(loop.Body.List) > 0 {
				x.bodyLine, x.bodyCol = at(loop.Body.List[0].Pos())
			}
			list = append(list, x)
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			clauses := len(n.List) > 0
			for _, s := range n.List {
				switch s.(type) {
				case *ast.CaseClause, *ast.CommClause:
				default:
					clauses = false
				}
			}
			if !clauses {
				add(n.List)
			}
		case *ast.IfStmt:
			if next, ok := n.Else.(*ast.IfStmt); ok {
				add([]ast.Stmt{next})
			}
		case *ast.CaseClause:
			add(n.Body)
		case *ast.CommClause:
			add(n.Body)
		}
		return true
	})
	return list
}

// behindLabel is where the code of a statement with a label begins: that of a loop is entered at the label.
func behindLabel(s ast.Stmt) ast.Stmt {
	if l, ok := s.(*ast.LabeledStmt); ok {
		switch l.Stmt.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		default:
			return behindLabel(l.Stmt)
		}
	}
	return s
}

// bodies lists the bodies of functions, outer ones first.
func bodies(tree *ast.File, at func(token.Pos) (line, col int)) (list []span) {
	ast.Inspect(tree, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl:
			body = n.Body
		case *ast.FuncLit:
			body = n.Body
		}
		if body != nil {
			var s span
			s.Line, s.Col = at(body.Pos())
			s.EndLine, s.EndCol = at(body.End())
			list = append(list, s)
		}
		return true
	})
	return list
}

// innermost returns the number of the body that a position is in, -1 if it is in none.
func (f *file) innermost(line, col int) int {
	for i, b := range slices.Backward(f.bodies) {
		if b.contains(line, col) {
			return i
		}
	}
	return -1
}

// end is where a statement ends, or its block begins.
func end(s ast.Stmt) token.Pos {
	switch s := s.(type) {
	case *ast.IfStmt:
		return s.Body.Pos()
	case *ast.ForStmt:
		return s.Body.Pos()
	case *ast.RangeStmt:
		return s.Body.Pos()
	case *ast.SwitchStmt:
		return s.Body.Pos()
	case *ast.TypeSwitchStmt:
		return s.Body.Pos()
	case *ast.SelectStmt:
		return s.Body.Pos()
	case *ast.LabeledStmt:
		return end(s.Stmt)
	}
	return s.End()
}

// statements gives the statements of the source to the functions whose spans have them, with their counts:
// the smallest span, since that of a statement with a function literal has the literal's statements in it, too.
// Without source, spans are the statements.
func (f *file) statements() {
	if f.tree == nil {
		for _, s := range f.spans {
			if !s.branch {
				s.function.Statements = append(s.function.Statements, s.Statement)
			}
		}
		return
	}
	byLine := make(map[int][]*span)
	for i := range f.spans {
		s := &f.spans[i]
		if s.File != f.name { // by a //line directive
			if !s.branch {
				s.function.Statements = append(s.function.Statements, s.Statement)
			}
			continue
		}
		s.body = f.innermost(s.Line, s.Col)
		for l := s.Line; l <= s.EndLine; l++ {
			byLine[l] = append(byLine[l], s)
		}
	}
	// The header of a loop, and "if" behind "else", may have no span where they begin: those in them, or branches,
	// were executed if they were. What "for" alone heads was executed if its body was. Spans of functions around and
	// within say nothing.
	bodies := make(map[[2]int]*span)
	give := func(x written, from *span) {
		x.Count = from.Count
		from.function.Statements = append(from.function.Statements, x.Statement)
		bodies[[2]int{x.Line, x.Col}] = from
	}
	var loops []written
	for _, x := range f.list {
		var best, first *span
		body := f.innermost(x.Line, x.Col)
		for l := x.Line; l <= x.EndLine; l++ {
			for _, s := range byLine[l] {
				switch own := (&span{Statement: x.Statement}); {
				case s.body != body:
				case s.contains(x.Line, x.Col):
					if best == nil || s.within(best) {
						best = s
					}
				case own.contains(s.Line, s.Col) && (first == nil || s.Count > first.Count):
					first = s
				}
			}
		}
		switch {
		case best != nil:
			give(x, best)
		case first != nil:
			give(x, first)
		case x.bodyLine > 0:
			loops = append(loops, x)
		}
	}
	for _, x := range slices.Backward(loops) { // inner ones first
		if s := bodies[[2]int{x.bodyLine, x.bodyCol}]; s != nil {
			give(x, s)
		}
	}
	for i := range f.spans {
		list := f.spans[i].function.Statements
		slices.SortFunc(list, func(s, t Statement) int {
			return cmp.Or(cmp.Compare(s.File, t.File), cmp.Compare(s.Line, t.Line), cmp.Compare(s.Col, t.Col))
		})
	}
}
