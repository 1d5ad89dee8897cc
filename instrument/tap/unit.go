package tap

// This file defines the walk over the expressions that are evaluated at one
// place.

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/pepgo/pep/instrument/mark"
	"github.com/pepgo/pep/runtime/tuple"
	"github.com/pepgo/pep/runtime/wire"
)

// A point is where taps that stand before what they tap go. The zero point is
// nowhere.
type point struct {
	stmt   ast.Stmt     // before a statement
	leaf   *mark.Leaf   // before an operand of a condition
	header ast.Stmt     // in the header of a switch, behind the statement there
	expr   ast.Expr     // before an expression of a case, in its list
	behind *ast.ForStmt // at the end of the body of a loop, and before every continue
}

// A unit is some expressions that are evaluated one after the other.
type unit struct {
	*finder
	at point

	effects int  // operations with side effects in the unit
	within  int  // those that what is looked at is an operand of
	maybe   int  // operands of && and || that it is in
	before  risk // how what is evaluated before, and not tapped, may panic
	done    int  // operations with side effects that are evaluated before

	later *ast.CallExpr // the call of a go or defer statement, which is made later

	// held has the local variable that a top-level expression is put into.
	held map[ast.Expr]*ast.Ident
}

// unit starts a unit of the given expressions, to be evaluated in this order.
func (f *finder) unit(at point, exprs ...ast.Expr) *unit {
	u := &unit{finder: f, at: at}
	for _, e := range exprs {
		ast.Inspect(e, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && f.effect(e) {
				u.effects++
			}
			_, lit := n.(*ast.FuncLit)
			return !lit
		})
	}
	return u
}

// effect reports whether e itself, its operands apart, has side effects.
func (f *facts) effect(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return e.Op == token.ARROW
	case *ast.CallExpr:
		if f.constant(e) != nil || f.Info.Types[e.Fun].IsType() {
			return false
		}
		switch name := f.builtin(e); name {
		case "len", "cap", "new", "make", "min", "max", "complex", "real", "imag":
			return false
		default:
			return !unsafeName(name)
		}
	}
	return false
}

// unsafeName reports whether a predeclared function is one of package unsafe,
// whose names begin with a capital letter.
func unsafeName(name string) bool { return name != "" && name[0] < 'a' }

// value walks e, whose value is used.
func (u *unit) value(e ast.Expr) {
	tv := u.Info.Types[e]
	if e == nil || tv.Value != nil || tv.IsType() {
		return
	}
	if u.effect(e) {
		u.within++
		defer func() { u.within--; u.done++ }()
	}
	outside := u.before
	switch e := e.(type) {
	case *ast.ParenExpr:
		u.value(e.X)
		return
	case *ast.SelectorExpr:
		u.selector(e)
	case *ast.StarExpr:
		u.value(e.X)
	case *ast.IndexExpr:
		if u.indexes(e) {
			u.element(e)
		}
	case *ast.SliceExpr:
		u.base(e.X)
		for _, i := range []ast.Expr{e.Low, e.High, e.Max} {
			if i != nil {
				u.value(i)
			}
		}
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			u.place(e.X)
		} else {
			u.value(e.X)
		}
	case *ast.BinaryExpr:
		u.binary(e)
	case *ast.CallExpr:
		u.call(e)
	case *ast.TypeAssertExpr:
		u.value(e.X)
		if e.Type != nil {
			u.dynamicType(e.X)
		}
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			u.literalElement(x, e)
		}
	}
	if !u.memory(e) || !u.loadWhole(e, outside) {
		u.before = max(u.before, u.risk(e))
	}
}

// loadWhole is load for an e whose operands have been walked. A tap evaluates
// them again in their order, so that how they may panic matters only if there is
// none. What is evaluated before e may panic as outside says.
func (u *unit) loadWhole(e ast.Expr, outside risk) bool {
	inside := u.before
	u.before = outside
	if u.load(e) {
		return true
	}
	u.before = inside
	return false
}

func (u *unit) literalElement(x ast.Expr, lit *ast.CompositeLit) {
	if kv, ok := x.(*ast.KeyValueExpr); ok {
		if _, isMap := u.typeOf(lit).Underlying().(*types.Map); isMap {
			u.value(kv.Key)
		}
		x = kv.Value
	}
	u.value(x)
}

// place walks e, whose address is used.
func (u *unit) place(e ast.Expr) {
	u.parts(e)
	u.before = max(u.before, u.risk(e))
}

// target taps the address of e, which is assigned to, and whose parts have been
// walked. If it is not the first that is, others have been assigned to when it
// panics.
func (u *unit) target(e ast.Expr, first bool) {
	tapped := false
	switch {
	case !u.memory(e):
	case first || u.totalRisk(e) == safe:
		tapped = u.address(e)
	case u.addressable(e) && u.wants(tuple.Addr, e.Pos()):
		u.skip(tuple.Addr, u.exprOf(e), whyPanic)
	}
	if !tapped {
		u.before = max(u.before, u.risk(e))
	}
}

// parts walks the operands of e, whose address is used.
func (u *unit) parts(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Ident:
	case *ast.ParenExpr:
		u.place(e.X)
	case *ast.SelectorExpr:
		u.selector(e)
	case *ast.IndexExpr:
		u.element(e)
	case *ast.StarExpr:
		u.value(e.X)
	default:
		u.value(e)
	}
}

func (u *unit) selector(e *ast.SelectorExpr) {
	switch s := u.Info.Selections[e]; {
	case s == nil || s.Kind() == types.MethodExpr:
	case s.Kind() == types.MethodVal:
		u.receiver(e, s)
	default:
		u.base(e.X)
	}
}

// base walks what a part is taken of: a pointer, slice and the like has to be
// read for that, a struct or an array has not.
func (u *unit) base(e ast.Expr) {
	switch u.typeOf(e).Underlying().(type) {
	case *types.Struct, *types.Array:
		u.place(e)
	default:
		u.value(e)
	}
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func (u *unit) element(e *ast.IndexExpr) {
	if !u.indexes(e) {
		return
	}
	u.base(e.X)
	u.value(e.Index)
}

func (u *unit) binary(e *ast.BinaryExpr) {
	u.value(e.X)
	if e.Op == token.LAND || e.Op == token.LOR {
		u.maybe++
		u.value(e.Y)
		u.maybe--
		return
	}
	u.value(e.Y)
	u.operation(e)
	switch e.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		if u.constant(e.Y) != nil {
			u.compared(e.X)
		} else if u.constant(e.X) != nil {
			u.compared(e.Y)
		}
	}
}

// compared taps e, which is compared with a constant.
func (u *unit) compared(e ast.Expr) {
	if b, ok := u.typeOf(e).Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && u.constant(e) == nil {
		u.tap(tuple.Const, e)
	}
}

// load taps a value that is read from memory. It reports whether e is evaluated
// before the unit.
func (u *unit) load(e ast.Expr) bool {
	if u.again(e) {
		for _, tag := range []tuple.Tag{tuple.Load, tuple.Addr} {
			if u.wants(tag, e.Pos()) {
				u.skip(tag, u.exprOf(e), whyAgain)
			}
		}
		return true
	}
	if id := u.held[e]; id != nil && u.wants(tuple.Load, e.Pos()) && !u.paired(e) {
		if u.holds(e, id) {
			u.remember(e)
		}
		return u.address(e)
	}
	a := u.address(e)
	if u.tap(tuple.Load, e) {
		u.remember(e)
		return true
	}
	return a
}

// holds taps the value of e after the statement, in the variable that it is in.
// It reports whether it does.
func (u *unit) holds(e ast.Expr, id *ast.Ident) bool {
	w, ok := u.wordOf(tuple.Load, u.exprOf(e), u.typeOf(id))
	if !ok {
		return false
	}
	pc, ok := u.site(tuple.Load, e.Pos(), w.expr(types.ExprString(e)), u.typeOf(e), w)
	if ok {
		u.plan.After[u.stmt] = append(u.plan.After[u.stmt], Call{PC: pc, Func: w.fn, Conv: w.conv, Arg: id.Name})
	}
	return ok
}

// address taps the address of e. It reports whether it does.
func (u *unit) address(e ast.Expr) bool {
	if !u.wants(tuple.Addr, e.Pos()) || !u.addressable(e) {
		return false
	}
	if !u.early(tuple.Addr, e) {
		return false
	}
	expr, w := types.ExprString(e), word{"PtrWord", "Ptr", 0, wire.Address}
	return u.insertText(tuple.Addr, e.Pos(), expr, u.typeOf(e), w, Call{Arg: "&" + expr, Pos: u.panicPos(e)})
}

// tap taps the value of e before it is evaluated. It reports whether it does.
func (u *unit) tap(tag tuple.Tag, e ast.Expr) bool {
	if !u.wants(tag, e.Pos()) {
		return false
	}
	w, ok := u.wordOf(tag, u.exprOf(e), u.typeOf(e))
	if !ok || !u.early(tag, e) {
		return false
	}
	if tag == tuple.Load && u.paired(e) {
		return u.pair(e, w)
	}
	return u.insert(tag, e.Pos(), w.expr(types.ExprString(e)), u.typeOf(e), w, e)
}

// An operand is what a tap evaluates.
type operand struct {
	text    string
	pure    bool // it can be evaluated once more
	private bool // nothing but the function itself can change it
	risk    risk
}

// early reports whether e can be evaluated before the unit, and counts it with
// the reason if not.
func (u *unit) early(tag tuple.Tag, e ast.Expr) bool {
	return u.earlyOperand(tag, e.Pos(), u.operand(e))
}

func (u *unit) operand(e ast.Expr) operand {
	return operand{types.ExprString(e), u.pure(e), u.private(e), u.totalRisk(e)}
}

func (u *unit) earlyOperand(tag tuple.Tag, pos token.Pos, o operand) bool {
	why := u.whyNotEarly(o)
	if why != "" {
		u.skip(tag, u.exprAt(pos, o.text), why)
	}
	return why == ""
}

// whyNotEarly returns why o cannot be evaluated before the unit, "" if it can.
func (u *unit) whyNotEarly(o operand) (why string) {
	switch {
	case u.at == point{}:
		why = whyPoint
	case u.maybe > 0:
		why = whyConditional
	case !o.pure || strings.Contains(o.text, "\n"):
		why = whyImpure
	case u.within != u.effects && !o.private:
		why = whyBeside
	case !u.before.allows(o.risk):
		why = whyPanic
	}
	return why
}

// allows reports whether something that may panic as r says can be evaluated
// before what may panic as done says.
func (done risk) allows(r risk) bool {
	return r == safe || done == safe || done == nilRisk && r == nilRisk
}

// insert taps e, which is at pos and is shown as expr, at the point of u.
func (u *unit) insert(tag tuple.Tag, pos token.Pos, expr string, typ types.Type, w word, e ast.Expr) bool {
	return u.insertText(tag, pos, expr, typ, w, Call{Arg: types.ExprString(e), Pos: u.panicPos(e)})
}

// insertText is insert with what c says is evaluated.
func (u *unit) insertText(tag tuple.Tag, pos token.Pos, expr string, typ types.Type, w word, c Call) bool {
	pc, ok := u.site(tag, pos, expr, typ, w)
	if ok {
		c.PC, c.Func, c.Conv = pc, w.fn, w.conv
		u.put(c)
	}
	return ok
}

// panicPos returns the position of e if its evaluation may panic.
func (u *unit) panicPos(e ast.Expr) token.Pos {
	if u.totalRisk(e) == safe {
		return token.NoPos
	}
	return e.Pos()
}

// put puts a call at the point of u.
func (u *unit) put(c Call) {
	add := func(list []Call) []Call { return append(list, c) }
	p := u.plan
	switch at := u.at; {
	case at.leaf != nil:
		p.Leaves[at.leaf] = add(p.Leaves[at.leaf])
	case at.header != nil:
		p.Headers[at.header] = add(p.Headers[at.header])
	case at.expr != nil:
		p.Cases[at.expr] = add(p.Cases[at.expr])
	case at.behind != nil:
		end := u.bodyEnd(at.behind)
		p.Markers[end] = add(p.Markers[end])
		for _, s := range u.continues(at.behind) {
			p.Before[s.stmt] = add(p.Before[s.stmt])
		}
	default:
		p.Before[at.stmt] = add(p.Before[at.stmt])
	}
}
