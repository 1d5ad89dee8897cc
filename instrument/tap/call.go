package tap

// This file taps where dynamic calls go, and the types in interfaces.

import (
	"go/ast"
	"go/types"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/instrument/reeval"
	"github.com/pepgo/pep/runtime/doors"
)

// Call taps where a call goes.
func (u *unit) Call(e *ast.CallExpr) {
	fun := ast.Unparen(e.Fun)
	if sel, s := u.Method(fun); s != nil {
		u.method(sel, s)
	} else if u.FuncValue(fun) {
		u.callee(fun, fun)
	}
}

// method taps the call of method fun, if an interface decides which method it is.
func (u *unit) method(fun *ast.SelectorExpr, s *types.Selection) {
	if isTypeParam(u.TypeOf(fun.X)) {
		return
	}
	recv := s.Obj().Type().(*types.Signature).Recv()
	switch {
	case types.IsInterface(u.TypeOf(fun.X)):
		u.Asserted(fun.X)
		u.callee(fun.X, fun)
	case recv != nil && types.IsInterface(recv.Type()):
		u.embeddedInterface(fun, s)
	}
}

// embeddedInterface taps a call of a method of an interface that is embedded in fun.X.
// The source has no expression for the interface. tap writes one, unless another
// package alone can name a field on the way.
func (u *unit) embeddedInterface(fun *ast.SelectorExpr, s *types.Selection) {
	path, iface, ok := u.embeddedPath(fun.X, s)
	text, o := types.ExprString(fun.X)+path, u.Operand(fun.X)
	o.Private = false
	if s.Indirect() {
		o.Risk = max(o.Risk, reeval.NilRisk)
	}
	for _, tag := range []tuple.Tag{tuple.Type, tuple.Call} {
		switch {
		case !u.wants(tag, fun.Pos()):
		case !ok:
			u.skip(tag, u.exprOf(fun), whyEmbedded)
		case u.earlyOperand(tag, fun.Pos(), text, o):
			expr := text
			if tag == tuple.Call {
				expr = types.ExprString(fun)
			}
			c := Call{Arg: text}
			if o.Risk != reeval.Safe {
				c.Pos = fun.Pos()
			}
			u.insertText(tag, fun.Pos(), expr, iface, word{fn: doors.TypeWord}, c)
		}
	}
}

// embeddedPath returns the fields from e to the embedded one whose method s selects,
// with a dot before each, and the type of that field. It is not ok if the package
// cannot name one of the fields.
func (u *unit) embeddedPath(e ast.Expr, s *types.Selection) (path string, typ types.Type, ok bool) {
	t := u.TypeOf(e)
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		f := t.Underlying().(*types.Struct).Field(i)
		if !f.Exported() && f.Pkg().Path() != u.Path {
			return "", nil, false
		}
		path += "." + f.Name()
		t = f.Type()
	}
	return path, t, true
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// callee taps where a dynamic call goes: the code of function value e, or the type in
// interface e. The site shows called, which names the method.
func (u *unit) callee(e ast.Expr, called ast.Expr) {
	if !u.wants(tuple.Call, called.Pos()) {
		return
	}
	w := word{fn: doors.FuncWord, bits: uint8(8 * u.sizes().Sizeof(types.Typ[types.Uintptr]))}
	if types.IsInterface(u.TypeOf(e)) {
		w = word{fn: doors.TypeWord}
	}
	if u.early(tuple.Call, e) {
		u.insert(tuple.Call, called.Pos(), types.ExprString(called), u.TypeOf(e), w, e)
	}
}

// Asserted taps the type in interface e.
func (u *unit) Asserted(e ast.Expr) {
	if isTypeParam(u.TypeOf(e)) || !u.wants(tuple.Type, e.Pos()) {
		return
	}
	if u.early(tuple.Type, e) {
		u.insert(tuple.Type, e.Pos(), types.ExprString(e), u.TypeOf(e), word{fn: doors.TypeWord}, e)
	}
}
