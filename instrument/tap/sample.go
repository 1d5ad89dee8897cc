package tap

// This file taps samples of several words: the value and the address of a load or store,
// and the result and the operands of an operation.
//
//	n := p.next.n       Tap2(p.next.n, &p.next.n); n := p.next.n
//	p.n = n         →   p.n = n; Tap2(n, &p.n)
//	z := x*y + 1    →   Tap3(x*y, x, y); Tap3(x*y+1, x*y, 1); z := x*y + 1
//
// The words of loads and operations are read before the statement: behind it, the address
// could be that of something else. Those of stores are read behind it: see store.go.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/doors"
)

// paired reports whether the load of e is reported with its address.
func (u *unit) paired(e ast.Expr) bool {
	return u.wants(tuple.More, e.Pos()) && u.Addressable(e) && u.whyNotEarly(types.ExprString(e), u.Operand(e)) == ""
}

// pair taps the load of e, whose value is reported as w says, with its address.
func (u *unit) pair(e ast.Expr, w word) bool {
	text := types.ExprString(e)
	word, described := u.addressWord(e)
	c := Call{Arg: text, Pos: u.panicPos(e), More: []Word{word}}
	return u.insertSample(tuple.Load, e.Pos(), w.expr(text), u.TypeOf(e), w, []wire.Word{described}, c)
}

// addressWord returns how the address of e is reported.
func (u *unit) addressWord(e ast.Expr) (arg Word, described wire.Word) {
	text := "&" + types.ExprString(e)
	return Word{doors.PtrWord, doors.Ptr, text},
		wire.Word{Expr: text, Type: u.typeText(types.NewPointer(u.TypeOf(e))), Bits: 64, Kind: wire.Address}
}

// withAddress makes the address of e the second word of the sample whose site was made last.
func (u *unit) withAddress(c *Call, e ast.Expr) {
	word, described := u.addressWord(e)
	c.More = []Word{word}
	u.plan.Sites[len(u.plan.Sites)-1].More = []wire.Word{described}
}

// Computed taps an operation on integers: its result, and what it is computed from.
// The count of a shift is an operand like others.
func (u *unit) Computed(e *ast.BinaryExpr) {
	switch e.Op {
	case token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR, token.AND_NOT, token.SHL,
		token.SHR:
	default:
		return
	}
	w, ok := u.integerWord(u.TypeOf(e))
	if !ok || u.Constant(e) != nil || !u.wants(tuple.Op, e.OpPos) {
		return
	}
	text := types.ExprString(e)
	if !u.earlyOperand(tuple.Op, e.OpPos, text, u.Operand(e)) {
		return
	}
	var words []Word
	var more []wire.Word
	for _, x := range []ast.Expr{e.X, e.Y} {
		arg, described, ok := u.operandWord(x)
		if !ok {
			u.skip(tuple.Op, u.exprAt(e.OpPos, text), whyType)
			return
		}
		words, more = append(words, arg), append(more, described)
	}
	c := Call{Arg: text, Pos: u.panicPos(e), More: words}
	u.insertSample(tuple.Op, e.OpPos, text, u.TypeOf(e), w, more, c)
}

// operandWord returns how an operand of an operation is reported: a constant as its
// word, since a negative one cannot be converted.
func (u *unit) operandWord(x ast.Expr) (arg Word, described wire.Word, ok bool) {
	t := types.Default(u.TypeOf(x)) // the count of a shift may be an untyped constant
	w, ok := u.integerWord(t)
	if !ok {
		return Word{}, wire.Word{}, false
	}
	text := types.ExprString(x)
	arg = Word{w.fn, w.conv, text}
	if v := u.Constant(x); v != nil {
		c, fits := constWord(v, t)
		if !fits {
			return Word{}, wire.Word{}, false
		}
		arg = Word{Arg: fmt.Sprintf("%#x", c)}
	}
	return arg, wire.Word{Expr: text, Type: u.typeText(t), Bits: w.bits, Kind: w.kind}, true
}

// integerWord returns how integers of a type are reported. It reports false for other
// types.
func (u *unit) integerWord(t types.Type) (w word, ok bool) {
	w, ok = u.word(t)
	return w, ok && w.conv == doors.U64
}

// typeText returns a type as site tables have it.
func (f *finder) typeText(t types.Type) string { return types.TypeString(t, (*types.Package).Path) }

// insertSample is insertText for a sample of several words.
func (u *unit) insertSample(tag tuple.Tag, pos token.Pos, expr string, typ types.Type, w word, more []wire.Word,
	c Call) bool {
	pc, ok := u.site(tag, pos, expr, typ, w)
	if ok {
		u.plan.Sites[len(u.plan.Sites)-1].More = more
		c.PC, c.Func, c.Conv = pc, w.fn, w.conv
		u.put(c)
	}
	return ok
}
