package tap

// This file taps where functions begin and where they return.
//
//	func f(x int) int {            func f(x int) int { Tap(enter);
//		if x > 0 {             →       if x > 0 {
//			return x                       Tap(return); return x
//		}                              }
//		return g(x)                    { v1 := g(x); Tap(return); return v1 }
//	}                              }
//
// A return statement computes its results, with calls and panics, before the function
// returns. So the text computes them before the tap. Constants and nil stay where they are,
// because a variable would give them another type.
//
// A function with deferred calls returns after these calls. A function that returns out of
// the body of a loop over a function returns after the loop. Both defer the tap before
// everything else:
//
//	func f() {              func f() { defer Tap(return);
//		defer g()       →       defer g()
//
// So they also report an end by a panic or runtime.Goexit. Other functions do not report
// such an end: a reader of the stream knows that they have ended when a function that called
// them has an event. A function that recovers from a panic always reports its end, because
// it has a deferred call.
//
// Bodies of loops over functions are functions, too, but report neither entry nor return.

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/instrument/reeval"
)

// A Return is a tap at a return statement.
type Return struct {
	Call Call

	// Results says what becomes of the operands of the statement: nil if they stay. A
	// single operand may stand for Vars results.
	Results []Result
	Vars    int
}

// A Result says whether an operand of a return statement is computed before the tap.
type Result bool

// event makes a site of something that is no expression.
func (f *finder) event(tag tuple.Tag, pos token.Pos, what string) (c Call, ok bool) {
	if !f.wants(tag, pos) {
		return Call{}, false
	}
	p := f.Fset.Position(pos)
	pc, ok := f.add(key{tag, pos, what}, wire.Tap{
		Tag: uint8(tag), Func: f.fn.Name, File: f.FileNumber(p.Filename), Line: p.Line, Col: p.Column, Expr: what,
	})
	return Call{PC: pc, Arg: "0"}, ok
}

// told reports whether the beginning and the end of the function are told of.
func (f *finder) told() bool {
	_, loop := f.fn.Syntax.(*ast.RangeStmt)
	return !loop
}

// enter taps the beginning of the function.
func (f *finder) enter() {
	if !f.told() {
		return
	}
	if c, ok := f.event(tuple.Enter, f.fn.Syntax.Pos(), "enter"); ok {
		body := f.fn.Body()
		f.plan.Start[body] = append(f.plan.Start[body], c)
	}
}

// leave taps the ends of the function. Its results are known.
func (f *finder) leave() {
	if !f.told() || !f.Kinds.Has(tuple.Return) {
		return
	}
	body := f.fn.Body()
	returns, late := f.ends(body)
	plans := map[*ast.ReturnStmt]*Return{}
	for _, s := range returns {
		r, ok := f.computed(s)
		late = late || !ok
		plans[s] = r
	}
	if late {
		if c, ok := f.event(tuple.Return, f.fn.Syntax.Pos(), "return"); ok {
			c.Defer = true
			f.plan.Start[body] = append(f.plan.Start[body], c)
		}
		return
	}
	for _, s := range returns {
		if c, ok := f.event(tuple.Return, s.Pos(), "return"); ok {
			plans[s].Call = c
			f.plan.Returns[s] = plans[s]
		}
	}
	if len(f.results) == 0 && !endsInReturn(body) {
		if c, ok := f.event(tuple.Return, body.Rbrace, "return"); ok {
			f.plan.Ends[body] = append(f.plan.Ends[body], c)
		}
	}
}

func endsInReturn(body *ast.BlockStmt) bool {
	if len(body.List) == 0 {
		return false
	}
	_, ok := body.List[len(body.List)-1].(*ast.ReturnStmt)
	return ok
}

// ends returns the return statements of a function, and whether it ends behind them.
func (f *finder) ends(body *ast.BlockStmt) (returns []*ast.ReturnStmt, late bool) {
	var loops []*ast.RangeStmt // over functions, around what is looked at
	var stack []ast.Node
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			if l := len(loops); l > 0 && stack[len(stack)-1] == ast.Node(loops[l-1]) {
				loops = loops[:l-1]
			}
			stack = stack[:len(stack)-1]
			return true
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			late = true
		case *ast.RangeStmt:
			if f.bodies[n.Body] {
				loops = append(loops, n)
			}
		case *ast.ReturnStmt:
			late = late || len(loops) > 0
			returns = append(returns, n)
		}
		stack = append(stack, n)
		return true
	})
	return returns, late
}

// computed returns what becomes of the operands of a return statement. It reports false
// if they should be computed before the tap and cannot be.
func (f *finder) computed(s *ast.ReturnStmt) (r *Return, ok bool) {
	r = &Return{}
	busy := false
	for _, e := range s.Results {
		busy = busy || f.computes(e) && (f.HasEffect(e) || f.TotalRisk(e) != reeval.Safe)
	}
	if !busy {
		return r, true
	}
	r.Vars = len(f.results)
	for _, e := range s.Results {
		computes := f.computes(e)
		r.Results = append(r.Results, Result(computes))
		if computes && !f.typed(e) {
			return nil, false
		}
	}
	return r, true
}

// computes reports whether e is no constant and not nil.
func (f *finder) computes(e ast.Expr) bool {
	tv := f.Info.Types[e]
	return tv.Value == nil && !tv.IsNil()
}

// typed reports whether e has its type by itself, whatever it is assigned to. A
// comparison has not if that is another type than bool, a shift of a constant has not,
// nor has a generic function.
func (f *finder) typed(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			return false // its operands have types of their own
		case *ast.Ident:
			if _, generic := f.Info.Instances[n]; generic {
				ok = false
			}
		case *ast.BinaryExpr:
			tv := f.Info.Types[n]
			switch n.Op {
			case token.SHL, token.SHR:
				ok = ok && (tv.Value != nil || f.Info.Types[n.X].Value == nil)
			case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.LAND, token.LOR:
				ok = ok && types.Identical(tv.Type, types.Typ[types.Bool])
			}
		}
		return ok
	})
	return ok
}
