package tap

// This file walks calls, and taps where dynamic ones go and the types in
// interfaces.

import (
	"go/ast"
	"go/types"

	"github.com/pepgo/pep/runtime/tuple"
)

// receiver walks the receiver of a method value or call.
func (u *unit) receiver(e *ast.SelectorExpr, s *types.Selection) {
	recv := s.Obj().Type().(*types.Signature).Recv()
	switch {
	case recv == nil || !isPointer(recv.Type()):
		u.value(e.X)
	case isPointer(u.typeOf(e.X)):
		u.value(e.X)
	default:
		u.place(e.X)
	}
	u.before = max(u.before, nilRisk)
}

func (u *unit) call(e *ast.CallExpr) {
	switch fun := ast.Unparen(e.Fun).(type) {
	case *ast.SelectorExpr:
		if s := u.Info.Selections[fun]; s != nil && s.Kind() == types.MethodVal {
			u.receiver(fun, s)
			if types.IsInterface(u.typeOf(fun.X)) && !isTypeParam(u.typeOf(fun.X)) {
				u.dynamicType(fun.X)
				u.callee(fun.X, fun)
			} else if recv := s.Obj().Type().(*types.Signature).Recv(); recv != nil && types.IsInterface(recv.Type()) && !isTypeParam(u.typeOf(fun.X)) {
				u.embeddedInterface(fun, s)
			}
			break
		}
		u.calledValue(fun)
	case *ast.FuncLit:
	default:
		u.calledValue(fun)
	}
	for _, arg := range e.Args {
		u.value(arg)
	}
	u.direct(e)
}

// embeddedInterface taps a call of a method of an interface that is embedded in
// fun.X. The source has no expression for the interface, but one can be written,
// unless a field on the way is of another package's own.
func (u *unit) embeddedInterface(fun *ast.SelectorExpr, s *types.Selection) {
	path, iface, ok := u.embeddedPath(fun.X, s)
	o := operand{types.ExprString(fun.X) + path, ok && u.pure(fun.X), false, u.totalRisk(fun.X)}
	if s.Indirect() {
		o.risk = max(o.risk, nilRisk)
	}
	for _, tag := range []tuple.Tag{tuple.Type, tuple.Call} {
		switch {
		case !u.wants(tag, fun.Pos()):
		case !ok:
			u.skip(tag, u.exprOf(fun), whyEmbedded)
		case u.earlyOperand(tag, fun.Pos(), o):
			expr := o.text
			if tag == tuple.Call {
				expr = types.ExprString(fun)
			}
			c := Call{Arg: o.text}
			if o.risk != safe {
				c.Pos = fun.Pos()
			}
			u.insertText(tag, fun.Pos(), expr, iface, word{fn: "TypeWord"}, c)
		}
	}
}

// embeddedPath returns the fields from e to the embedded one that s selects a
// method of, with a dot before each, and the type of that. Not ok are fields that
// cannot be named.
func (u *unit) embeddedPath(e ast.Expr, s *types.Selection) (path string, typ types.Type, ok bool) {
	t := u.typeOf(e)
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

// calledValue walks what is called and no method: a function value, perhaps.
func (u *unit) calledValue(fun ast.Expr) {
	tv := u.Info.Types[fun]
	if !tv.IsValue() || u.declared(fun) {
		return
	}
	u.value(fun)
	u.callee(fun, fun)
}

// declared reports whether fun is a declared function, known to the compiler.
func (u *unit) declared(fun ast.Expr) bool {
	switch x := fun.(type) {
	case *ast.Ident:
		_, ok := u.Info.Uses[x].(*types.Func)
		return ok
	case *ast.SelectorExpr:
		_, ok := u.Info.Uses[x.Sel].(*types.Func)
		return ok
	case *ast.IndexExpr:
		return u.declared(x.X)
	case *ast.IndexListExpr:
		return true
	}
	return false
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// callee taps where a dynamic call goes: the code of function value e, or the
// type in interface e, whose method is said by the expression that is called.
func (u *unit) callee(e ast.Expr, called ast.Expr) {
	if !u.wants(tuple.Call, called.Pos()) {
		return
	}
	w := word{fn: "FuncWord", bits: uint8(8 * u.sizes().Sizeof(types.Typ[types.Uintptr]))}
	if types.IsInterface(u.typeOf(e)) {
		w = word{fn: "TypeWord"}
	}
	if u.early(tuple.Call, e) {
		u.insert(tuple.Call, called.Pos(), types.ExprString(called), u.typeOf(e), w, e)
	}
}

// dynamicType taps the type in interface e.
func (u *unit) dynamicType(e ast.Expr) {
	if isTypeParam(u.typeOf(e)) || !u.wants(tuple.Type, e.Pos()) {
		return
	}
	if u.early(tuple.Type, e) {
		u.insert(tuple.Type, e.Pos(), types.ExprString(e), u.typeOf(e), word{fn: "TypeWord"}, e)
	}
}
