package clone

// This file decides which loops are cloned: in the original body of a function they
// test in each iteration whether to go on with taps. Without that test, a burst would
// not see what a long loop does until the function is called anew.

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/pepgo/pep/instrument/mark"
)

// largeLoop is the number of nodes from which on an innermost loop is worth a test even if it
// calls nothing, not even the Go runtime.
const largeLoop = 100

// loops decides on the loops of a function. It reports whether there is a test in n. A
// loop is not cloned if a loop within it is.
func (c *chooser) loops(n ast.Node) (tested bool) {
	ast.Inspect(n, func(x ast.Node) bool {
		var body *ast.BlockStmt
		asks := false
		switch x := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt:
			body = x.Body
			asks = x.Cond != nil && c.callsRuntime(x.Cond)
		case *ast.RangeStmt:
			body = x.Body
			asks = c.isA(x.X, isChan) || c.isA(x.X, isMap)
		default:
			return true
		}
		switch {
		case c.loops(body):
			tested = true
		case c.worthTest(body, asks):
			c.plan.Loops[body] = true
			tested = true
		}
		return false
	})
	return tested
}

// worthTest reports whether a loop with the given body is worth a test, and can be
// cloned: nothing in the body may have a name beyond it, as a label or a type has. A test
// is cheap beside a call, also one of the Go runtime: the header of the loop may have such
// a call. It is also cheap beside a loop in the body. Without it, a burst would not see a
// multiplication of matrices: three loops that call nothing.
func (c *chooser) worthTest(body *ast.BlockStmt, asks bool) bool {
	can := true
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.LabeledStmt:
			can = false
		case *ast.GenDecl:
			can = can && n.Tok != token.TYPE
		case *ast.DeferStmt:
			can = false
		case *ast.ForStmt:
			asks = true
		case *ast.RangeStmt:
			asks = true
			if t := c.info.TypeOf(n.X); t != nil {
				if _, ok := t.Underlying().(*types.Signature); ok {
					can = false
				}
			}
		case *ast.ExprStmt:
			if c.markers.StmtMarker(n) != nil {
				return false
			}
		case *ast.CallExpr:
			asks = asks || c.calls(n)
		}
		asks = asks || c.communicates(n)
		return can
	})
	return can && (asks || c.nodes(body) > largeLoop)
}

// calls reports whether a call expression calls a function: it is no conversion, marker or call of a builtin.
func (c *chooser) calls(e *ast.CallExpr) bool {
	fun := c.info.Types[ast.Unparen(e.Fun)]
	return !mark.IsCall(e) && !fun.IsType() && !fun.IsBuiltin()
}

// callsRuntime reports whether an expression has a receive or an operation on a map.
func (c *chooser) callsRuntime(e ast.Expr) (calls bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		calls = calls || c.communicates(n)
		return !calls
	})
	return calls
}

// communicates reports whether n itself is a send, a receive, a select, or an operation on
// a map. The Go runtime does these, so a loop may run for long with them alone.
func (c *chooser) communicates(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SendStmt, *ast.SelectStmt:
		return true
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	case *ast.RangeStmt:
		return c.isA(n.X, isChan) || c.isA(n.X, isMap)
	case *ast.IndexExpr:
		return c.isA(n.X, isMap)
	case *ast.CallExpr: // delete(m, k), clear(m)
		id, ok := ast.Unparen(n.Fun).(*ast.Ident)
		if !ok || len(n.Args) == 0 {
			return false
		}
		b, ok := c.info.Uses[id].(*types.Builtin)
		return ok && (b.Name() == "delete" || b.Name() == "clear") && c.isA(n.Args[0], isMap)
	}
	return false
}

// isA reports whether the type of e, or what it is defined as, is as the function says.
func (c *chooser) isA(e ast.Expr, is func(types.Type) bool) bool {
	t := c.info.TypeOf(e)
	return t != nil && is(t.Underlying())
}

func isChan(t types.Type) bool { _, ok := t.(*types.Chan); return ok }

func isMap(t types.Type) bool { _, ok := t.(*types.Map); return ok }
