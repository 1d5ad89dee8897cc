package reeval

// This file decides whether an expression means the same at another position.

import (
	"go/ast"
	"go/token"
	"go/types"
)

// SameNames reports whether the names in n mean the same at pos, in a scope. At the
// end of the body of
//
//	for p := l; p != nil; p = p.next {
//		p := p.copy()
//		…
//	}
//
// the names of the post statement do not: p is another variable there.
func (f *Facts) SameNames(n ast.Node, scope *types.Scope, pos token.Pos) bool {
	if scope == nil {
		return false
	}
	same := true
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			same = same && f.SameNames(n.X, scope, pos)
			return false
		case *ast.Ident:
			_, obj := scope.LookupParent(n.Name, pos)
			same = same && (n.Name == "_" || obj == f.info.Uses[n])
		}
		return same
	})
	return same
}
