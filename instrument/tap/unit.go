package tap

// This file taps the values that a unit reads from memory, stores there, or compares.

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/instrument/mark"
	"github.com/pepgo/pep/instrument/reeval"
	"github.com/pepgo/pep/runtime/doors"
)

// A point is an insertion point for taps that stand before what they tap. The zero
// point is none.
type point struct {
	stmt   ast.Stmt     // before a statement
	leaf   *mark.Leaf   // before an operand of a condition
	header ast.Stmt     // in the header of a switch, behind the statement there
	expr   ast.Expr     // before an expression of a case, in its list
	behind *ast.ForStmt // at the end of the body of a loop, and before every continue
}

// A unit is a [reeval.Unit] whose taps go to a point. It hears of what the unit
// evaluates, and chooses what is tapped.
type unit struct {
	*finder
	*reeval.Unit
	at point

	later *ast.CallExpr // the call of a go or defer statement, which is made later

	// held has the local variable that a top-level expression is assigned to.
	held map[ast.Expr]*ast.Ident
}

// unit starts a unit of the given expressions, to be evaluated in this order.
func (f *finder) unit(at point, exprs ...ast.Expr) *unit {
	u := &unit{finder: f, at: at}
	u.Unit = f.NewUnit(u, exprs...)
	return u
}

// Compared taps e, which is compared with a constant.
func (u *unit) Compared(e ast.Expr) {
	if b, ok := u.TypeOf(e).Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && u.Constant(e) == nil {
		u.tap(tuple.Const, e)
	}
}

// Load taps the value of e, which is read from memory, and its address. It reports
// whether e is evaluated in front of the unit. So it is if it was read before: then
// it cannot panic any more.
func (u *unit) Load(e ast.Expr) bool {
	if !u.requested && u.known.Has(u.Unit, e) {
		for _, tag := range []tuple.Tag{tuple.Load, tuple.Addr} {
			if u.wants(tag, e.Pos()) {
				u.skip(tag, u.exprOf(e), whyAgain)
			}
		}
		return true
	}
	if id := u.held[e]; id != nil && u.wants(tuple.Load, e.Pos()) && !u.paired(e) {
		if u.holds(e, id) {
			u.known.Add(u.Unit, e)
		}
		return u.address(e)
	}
	a := u.address(e)
	if u.tap(tuple.Load, e) {
		u.known.Add(u.Unit, e)
		return true
	}
	return a
}

// holds taps the value of e after the statement, in the variable that the statement
// assigns it to. It reports whether it does.
func (u *unit) holds(e ast.Expr, id *ast.Ident) bool {
	w, ok := u.wordOf(tuple.Load, u.exprOf(e), u.TypeOf(id))
	if !ok {
		return false
	}
	pc, ok := u.site(tuple.Load, e.Pos(), w.expr(types.ExprString(e)), u.TypeOf(e), w)
	if ok {
		u.plan.After[u.stmt] = append(u.plan.After[u.stmt], Call{PC: pc, Func: w.fn, Conv: w.conv, Arg: id.Name})
	}
	return ok
}

// address taps the address of e. It reports whether it does.
func (u *unit) address(e ast.Expr) bool {
	if !u.wants(tuple.Addr, e.Pos()) || !u.Addressable(e) {
		return false
	}
	if !u.early(tuple.Addr, e) {
		return false
	}
	expr, w := types.ExprString(e), word{doors.PtrWord, doors.Ptr, 0, wire.Address}
	return u.insertText(tuple.Addr, e.Pos(), expr, u.TypeOf(e), w, Call{Arg: "&" + expr, Pos: u.panicPos(e)})
}

// Store taps the address of e, which the unit assigns to.
func (u *unit) Store(e ast.Expr) bool { return u.address(e) }

// Overtaken counts e, whose address cannot be tapped: the unit assigns to something
// else before it computes the address.
func (u *unit) Overtaken(e ast.Expr) {
	if u.Addressable(e) && u.wants(tuple.Addr, e.Pos()) {
		u.skip(tuple.Addr, u.exprOf(e), whyPanic)
	}
}

// tap taps the value of e before it is evaluated. It reports whether it does.
func (u *unit) tap(tag tuple.Tag, e ast.Expr) bool {
	if !u.wants(tag, e.Pos()) {
		return false
	}
	w, ok := u.wordOf(tag, u.exprOf(e), u.TypeOf(e))
	if !ok || !u.early(tag, e) {
		return false
	}
	if tag == tuple.Load && u.paired(e) {
		return u.pair(e, w)
	}
	return u.insert(tag, e.Pos(), w.expr(types.ExprString(e)), u.TypeOf(e), w, e)
}

// early reports whether e can be evaluated before the unit, and counts it with the
// reason if not.
func (u *unit) early(tag tuple.Tag, e ast.Expr) bool {
	return u.earlyOperand(tag, e.Pos(), types.ExprString(e), u.Operand(e))
}

func (u *unit) earlyOperand(tag tuple.Tag, pos token.Pos, text string, o reeval.Operand) bool {
	why := u.whyNotEarly(text, o)
	if why != "" {
		u.skip(tag, u.exprAt(pos, text), why)
	}
	return why == ""
}

// whyNotEarly returns why o, whose text is given, cannot be evaluated before the unit,
// "" if it can.
func (u *unit) whyNotEarly(text string, o reeval.Operand) string {
	if o.Rule == reeval.May && strings.Contains(text, "\n") {
		o.Rule = reeval.Form // a tap stays on its line
	}
	if u.at == (point{}) {
		return whyPoint
	}
	return reasons[u.Before(o)]
}

// insert taps e, which is at pos, at the point of u. The site shows expr.
func (u *unit) insert(tag tuple.Tag, pos token.Pos, expr string, typ types.Type, w word, e ast.Expr) bool {
	return u.insertText(tag, pos, expr, typ, w, Call{Arg: types.ExprString(e), Pos: u.panicPos(e)})
}

// insertText is insert for the argument that c has.
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
	if u.TotalRisk(e) == reeval.Safe {
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
