package clone

// This file decides which loops ask in each iteration which half to be. Without
// that, what is in a loop when a burst begins would not be seen until the function
// is called anew.

import (
	"go/ast"
	"go/token"
	"go/types"
)

// largeLoop is from how many nodes on a loop is worth a test although nothing is
// called in it.
const largeLoop = 100

// loops decides on the loops of a function. It reports whether there is a test in
// n. A loop has none if one within it has.
func (c *chooser) loops(n ast.Node) (tested bool) {
	ast.Inspect(n, func(x ast.Node) bool {
		var body *ast.BlockStmt
		switch x := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt:
			body = x.Body
		case *ast.RangeStmt:
			body = x.Body
		default:
			return true
		}
		switch {
		case c.loops(body):
			tested = true
		case c.worthTest(body):
			c.plan.Loops[body] = true
			tested = true
		}
		return false
	})
	return tested
}

// worthTest reports whether a loop with the given body is to have a test. Its
// body can be written down twice if nothing in it has a name beyond it.
func (c *chooser) worthTest(body *ast.BlockStmt) bool {
	calls, can := false, true
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.LabeledStmt:
			can = false
		case *ast.GenDecl:
			can = can && n.Tok != token.TYPE
		case *ast.DeferStmt:
			can = false
		case *ast.RangeStmt:
			if t := c.info.TypeOf(n.X); t != nil {
				if _, ok := t.Underlying().(*types.Signature); ok {
					can = false
				}
			}
		case *ast.ExprStmt:
			return c.markers.StmtMarker(n) == nil
		case *ast.CallExpr:
			calls = calls || c.costs.Calls(n)
		}
		return can
	})
	return can && (calls || c.costs.Nodes(body) > largeLoop)
}
