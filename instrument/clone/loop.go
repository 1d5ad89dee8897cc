package clone

// This file decides which loops are cloned: in the original body of a function they
// test in each iteration whether to go on with taps. Without that test, a burst would
// not see what a long loop does until the function is called anew.

import (
	"go/ast"
	"go/token"
	"go/types"
)

// largeLoop is the number of nodes from which on a loop is worth a test even if it
// calls nothing.
const largeLoop = 100

// loops decides on the loops of a function. It reports whether there is a test in n. A
// loop is not cloned if a loop within it is.
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

// worthTest reports whether a loop with the given body is worth a test, and can be
// cloned: nothing in the body may have a name beyond it, as a label or a type has.
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
