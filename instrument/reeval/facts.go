package reeval

// This file gathers what the rules need to know of a package: types, and which
// local variables are changed by no one but their own function.

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// Facts are what is known of a package.
type Facts struct {
	info *types.Info

	// shared holds the local variables that other functions, or pointers, may
	// change: the captured ones and those whose address is taken.
	shared map[*types.Var]bool
}

// New gathers the facts of a type-checked package. The files may carry markers.
func New(files []*ast.File, info *types.Info) *Facts {
	f := &Facts{info, map[*types.Var]bool{}}
	for _, file := range files {
		f.findShared(file)
	}
	return f
}

// findShared finds the shared variables of a file:
//
//	func f() {
//		a, b, c, d := 1, 2, point{}, [4]int{}
//		func() { a++ }()    // a is captured
//		g(&b)               // the address of b is taken
//		c.move()            // … that of c too, if move has a pointer receiver
//		_ = d[:]            // a slice of an array points into it
//	}
//
// The answer does not depend on the order: a variable that is captured in the last
// line of a function is shared from the first line on, because of loops.
func (f *Facts) findShared(file *ast.File) {
	var lits []*ast.FuncLit
	var stack []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			if _, ok := stack[len(stack)-1].(*ast.FuncLit); ok {
				lits = lits[:len(lits)-1]
			}
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.FuncLit:
			lits = append(lits, n)
		case *ast.Ident:
			v, ok := f.info.Uses[n].(*types.Var)
			if ok && len(lits) > 0 && v.Pos() < lits[len(lits)-1].Pos() {
				f.shared[v] = true
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				f.share(n.X)
			}
		case *ast.SliceExpr:
			if _, array := f.TypeOf(n.X).Underlying().(*types.Array); array {
				f.share(n.X)
			}
		case *ast.SelectorExpr:
			// A method may have a pointer receiver.
			s := f.info.Selections[n]
			if s != nil && s.Kind() == types.MethodVal && !isPointer(f.TypeOf(n.X)) && !types.IsInterface(f.TypeOf(n.X)) {
				f.share(n.X)
			}
		}
		return true
	})
}

// share notes the variable that e is, or is a part of. What e reaches through a
// pointer is not a part of a variable, and is memory anyway.
func (f *Facts) share(e ast.Expr) {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			if s := f.info.Selections[x]; s == nil || s.Indirect() {
				return
			}
			e = x.X
		case *ast.IndexExpr:
			if _, array := f.TypeOf(x.X).Underlying().(*types.Array); !array {
				return
			}
			e = x.X
		case *ast.Ident:
			if v, ok := f.info.Uses[x].(*types.Var); ok {
				f.shared[v] = true
			}
			return
		default:
			return
		}
	}
}

// Local returns the local variable that e names, or nil.
func (f *Facts) Local(e ast.Expr) *types.Var {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok || id.Name == "_" {
		return nil
	}
	v, ok := f.info.ObjectOf(id).(*types.Var)
	if !ok || global(v) {
		return nil
	}
	return v
}

func global(v *types.Var) bool {
	return !v.IsField() && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// TypeOf returns the type of e. For an expression in a form with a second value,
// such as v, ok = m[k], that is the type of the first.
func (f *Facts) TypeOf(e ast.Expr) types.Type {
	t := f.info.TypeOf(e)
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() > 0 {
		return tuple.At(0).Type()
	}
	return t
}

// Constant returns the value of e if e is a constant, else nil.
func (f *Facts) Constant(e ast.Expr) constant.Value { return f.info.Types[e].Value }

// Builtin returns the name of the predeclared function, or of the one of package
// unsafe, that e calls; "" if it calls none.
func (f *Facts) Builtin(e *ast.CallExpr) string {
	fun := ast.Unparen(e.Fun)
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		fun = sel.Sel
	}
	if id, ok := fun.(*ast.Ident); ok {
		if b, ok := f.info.Uses[id].(*types.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}

// isElement reports whether x[i] is an element. It may also be an instance of a
// generic function.
func (f *Facts) isElement(e *ast.IndexExpr) bool {
	tv := f.info.Types[e.X]
	if !tv.IsValue() {
		return false
	}
	_, generic := tv.Type.Underlying().(*types.Signature)
	return !generic
}

// overFunc reports whether a range loop is over a function, which the loop calls.
func (f *Facts) overFunc(s *ast.RangeStmt) bool {
	t := f.info.TypeOf(s.X)
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		t = p.Constraint()
	}
	return isFunc(t)
}

// isFunc reports whether t is a function type or a constraint that holds one.
func isFunc(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Union:
		return isFunc(u.Term(0).Type())
	case *types.Interface:
		for i := range u.NumEmbeddeds() {
			if isFunc(u.EmbeddedType(i)) {
				return true
			}
		}
	}
	return false
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}
