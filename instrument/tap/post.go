package tap

// This file finds the insertion points for taps of the post statement of a loop:
//
//	for p := l; p != nil; p = p.next {      for p := l; p != nil; p = p.next {
//		if p.n == 0 {                           if p.n == 0 {
//			continue                    →               Tap(p.next); continue
//		}                                       }
//		f(p)                                    f(p)
//	}                                       Tap(p.next) }

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/pepgo/pep/instrument/mark"
)

// A jump is a continue, with the scope that it is in.
type jump struct {
	stmt  ast.Stmt
	scope *types.Scope
}

// behindBody returns the point behind the body of s, in front of its post statement.
// It returns the zero point if a name of the post statement means something else
// there.
func (f *finder) behindBody(s *ast.ForStmt) point {
	for _, c := range f.continues(s) {
		if !f.SameNames(s.Post, c.scope, c.stmt.Pos()) {
			return point{}
		}
	}
	if !f.SameNames(s.Post, f.Info.Scopes[s.Body], s.Body.Rbrace) {
		return point{}
	}
	return point{behind: s}
}

// bodyEnd returns the marker at the end of the body of s.
func (f *finder) bodyEnd(s *ast.ForStmt) *mark.Marker {
	return f.Markers.StmtMarker(s.Body.List[len(s.Body.List)-1])
}

// continues returns the statements that continue the loop s. One in the body of a
// range over a function has no scope, since that body is another function.
func (f *finder) continues(s *ast.ForStmt) (list []jump) {
	label := f.labels[s]
	var walk func(n ast.Node, scope *types.Scope, inner bool)
	walk = func(n ast.Node, scope *types.Scope, inner bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			if m == n || m == nil {
				return true
			}
			in, ok := f.Info.Scopes[m]
			if scope == nil {
				in = nil
			}
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.BranchStmt:
				if m.Tok == token.CONTINUE && (m.Label == nil && !inner || m.Label != nil && label != nil &&
					f.Info.Uses[m.Label] == label) {
					list = append(list, jump{m, scope})
				}
			case *ast.ForStmt:
				walk(m, in, true)
				return false
			case *ast.RangeStmt:
				if f.bodies[m.Body] {
					in = nil
				}
				walk(m, in, true)
				return false
			}
			if ok {
				walk(m, in, inner)
				return false
			}
			return true
		})
	}
	walk(s.Body, f.Info.Scopes[s.Body], false)
	return list
}
