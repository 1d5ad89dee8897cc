package tap

// This file taps direct calls: those whose callee the compiler knows.
//
//	x := g(h(y))       Tap(FuncWord(h)); x := g(h(y))
//	l.push(x)      →   Tap(FuncWord((*list).push)); l.push(x)
//
// A stack can be built of calls only if they come in the order in which they are made,
// and there is no place within an expression. So a call is tapped if no other is made
// between the tap and it: h is, and g is not, for h is called behind the tap. What has
// been called tells with the tag Enter.
//
// The callee is named in the text, to have its address. A method is named by its type,
// (*list).push, as far as that can be written there.

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/doors"
)

// unitOf starts a unit of the call of a go or defer statement.
func (f *finder) unitOf(at point, call *ast.CallExpr) *unit {
	u := f.unit(at, call)
	u.later = call
	return u
}

// Called taps e if it is a direct call.
func (u *unit) Called(e *ast.CallExpr) {
	fn := u.static(e.Fun)
	if fn == nil || e == u.later || !u.wants(tuple.Direct, e.Pos()) {
		return
	}
	text, why := u.nameOf(fn, e), ""
	switch {
	case u.at == point{}:
		why = whyPoint
	case !u.Certain():
		why = whyConditional
	case u.Passed() > 0:
		why = whyBehind
	case text == "":
		why = whyName
	}
	if why != "" {
		u.skip(tuple.Direct, u.exprOf(e.Fun), why)
		return
	}
	w := word{fn: doors.FuncWord, bits: uint8(8 * u.sizes().Sizeof(types.Typ[types.Uintptr]))}
	u.insertText(tuple.Direct, e.Pos(), types.ExprString(e.Fun), fn.Type(), w, Call{Arg: text})
}

// static returns the function that a call of fun goes to, nil if it is dynamic or no
// call of a function with a name.
func (u *unit) static(fun ast.Expr) *types.Func {
	var id *ast.Ident
	switch x := ast.Unparen(fun).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	case *ast.IndexExpr:
		return u.static(x.X)
	case *ast.IndexListExpr:
		return u.static(x.X)
	default:
		return nil
	}
	fn, ok := u.Info.Uses[id].(*types.Func)
	if !ok {
		return nil
	}
	if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		return nil
	}
	return fn
}

// nameOf returns text that has fn as its value where the call e stands, "" if there is
// none: fn is generic, or its type is, or the name of its package or type means
// something else there, or fn may be an instruction.
func (u *unit) nameOf(fn *types.Func, e *ast.CallExpr) string {
	sig := fn.Signature()
	if fn.Origin() != fn || sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0 || fn.Pkg() == nil ||
		instructions(fn.Pkg().Path()) {
		return ""
	}
	if sig.Recv() == nil {
		return types.ExprString(ast.Unparen(e.Fun))
	}
	t := types.Unalias(sig.Recv().Type())
	form := func(name string) string { return name + "." + fn.Name() }
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
		form = func(name string) string { return "(*" + name + ")." + fn.Name() }
	}
	named, ok := t.(*types.Named)
	if !ok || named.TypeParams().Len() > 0 || named.Obj().Pkg() == nil {
		return ""
	}
	name := u.typeName(named.Obj(), e)
	if name == "" {
		return ""
	}
	return form(name)
}

// instructions reports whether the compiler knows functions of a package that it makes
// instructions of wherever they are called, so that they have no code. Only std calls
// them.
func instructions(path string) bool {
	return path == "internal/abi" || strings.HasPrefix(path, "internal/runtime/")
}

// typeName returns the name that a type of a package has where e stands.
func (u *unit) typeName(t *types.TypeName, e ast.Expr) string {
	if t.Parent() != t.Pkg().Scope() {
		return "" // declared in a function
	}
	if t.Pkg().Path() == u.Path {
		if u.localNames()[t.Name()] {
			return ""
		}
		return t.Name()
	}
	pkg := u.importName(t.Pkg(), e)
	if !t.Exported() || pkg == "" || u.localNames()[pkg] {
		return ""
	}
	return pkg + "." + t.Name()
}

// importName returns the name by which the file that e stands in knows a package.
func (u *unit) importName(pkg *types.Package, e ast.Expr) string {
	for _, file := range u.Files {
		if e.Pos() < file.FileStart || file.FileEnd <= e.Pos() {
			continue
		}
		for _, spec := range file.Imports {
			obj := u.Info.Implicits[spec]
			if spec.Name != nil {
				obj = u.Info.Defs[spec.Name]
			}
			if name, ok := obj.(*types.PkgName); ok && name.Imported() == pkg && name.Name() != "_" && name.Name() != "." {
				return name.Name()
			}
		}
	}
	return ""
}

// localNames returns the names that are declared in functions of the package. Where one
// of them may hide another is not looked into.
func (f *source) localNames() map[string]bool {
	if f.locals == nil {
		f.locals = map[string]bool{}
		for _, obj := range f.Info.Defs {
			if obj == nil || obj.Pkg() == nil || obj.Parent() == nil || obj.Parent() == obj.Pkg().Scope() {
				continue // nowhere, a field or a method, or of the package
			}
			if _, imported := obj.(*types.PkgName); !imported {
				f.locals[obj.Name()] = true
			}
		}
	}
	return f.locals
}
