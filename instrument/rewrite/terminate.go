package rewrite

// This file decides which statements are terminating, as the language defines it
// (The Go Programming Language Specification, "Terminating statements").

import (
	"go/ast"
	"go/token"

	"github.com/pepgo/pep/instrument/mark"
)

// terminates reports whether s is a terminating statement of the source.
func (w *file) terminates(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.GOTO
	case *ast.ExprStmt:
		call, ok := ast.Unparen(s.X).(*ast.CallExpr)
		return ok && w.IsPanic(call)
	case *ast.BlockStmt:
		return w.listTerminates(s.List)
	case *ast.IfStmt:
		return s.Else != nil && w.terminates(s.Body) && w.terminates(s.Else)
	case *ast.ForStmt:
		return s.Cond == nil && !breaks(s.Body, "", true)
	case *ast.LabeledStmt:
		return w.terminates(s.Stmt) && !breaks(s.Stmt, s.Label.Name, false)
	case *ast.SwitchStmt:
		return w.clausesTerminate(s.Body)
	case *ast.TypeSwitchStmt:
		return w.clausesTerminate(s.Body)
	case *ast.SelectStmt:
		for _, c := range s.Body.List {
			body := c.(*ast.CommClause).Body
			if !w.listTerminates(body) || breaksList(body, "", true) {
				return false
			}
		}
		return true
	}
	return false
}

func (w *file) listTerminates(list []ast.Stmt) bool {
	for i := len(list) - 1; i >= 0; i-- {
		if _, empty := list[i].(*ast.EmptyStmt); !empty {
			return w.terminates(list[i])
		}
	}
	return false
}

// clausesTerminate reports whether a switch has a default clause and every
// clause ends in a terminating statement or a fallthrough, with no break.
func (w *file) clausesTerminate(body *ast.BlockStmt) bool {
	hasDefault := false
	for _, c := range body.List {
		c := c.(*ast.CaseClause)
		if len(c.Body) == 1 {
			if mk := w.Markers.StmtMarker(c.Body[0]); mk != nil && mk.Kind == mark.NoCase {
				continue // not in the source
			}
		}
		hasDefault = hasDefault || c.List == nil
		if breaksList(c.Body, "", true) {
			return false
		}
		if n := len(c.Body); n > 0 {
			if b, ok := c.Body[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
				continue
			}
		}
		if !w.listTerminates(c.Body) {
			return false
		}
	}
	return hasDefault
}

// breaks reports whether a break in s leaves the statement whose body s is. Such a
// break has the label, or, if bare, has no label and is not within a statement that it
// leaves itself.
func breaks(s ast.Node, label string, bare bool) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if bare && n != s {
				// Bare breaks within refer to n.
				found = found || label != "" && breaks(n, label, false)
				return false
			}
		case *ast.BranchStmt:
			if n.Tok == token.BREAK && (n.Label == nil && bare || n.Label != nil && n.Label.Name == label) {
				found = true
			}
		}
		return !found
	})
	return found
}

func breaksList(list []ast.Stmt, label string, bare bool) bool {
	for _, s := range list {
		if breaks(&ast.BlockStmt{List: []ast.Stmt{s}}, label, bare) {
			return true
		}
	}
	return false
}
