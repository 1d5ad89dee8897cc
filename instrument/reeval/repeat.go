package reeval

// This file decides which expressions are repeatable, whatever stands around them.

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Repeatable says whether e can be evaluated a second time at all: it has no
// effect, is cheap, allocates nothing, and means the same in another context.
// Whether something else changes its value in between is for [Unit.Before] and
// [Assignment.After] to say.
func (f *Facts) Repeatable(e ast.Expr) Rule {
	if f.Constant(e) != nil {
		return May
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		return May
	case *ast.Ident:
		if _, isType := f.info.Uses[e].(*types.TypeName); isType || e.Name == "_" {
			return Context
		}
		return May
	case *ast.ParenExpr:
		return f.Repeatable(e.X)
	case *ast.StarExpr:
		return f.Repeatable(e.X)
	case *ast.SelectorExpr:
		switch s := f.info.Selections[e]; {
		case s == nil: // of another package
			return May
		case s.Kind() != types.FieldVal:
			return Allocates // a method value holds its receiver
		}
		return f.Repeatable(e.X)
	case *ast.IndexExpr:
		if !f.isElement(e) {
			return Form
		}
		return first(f.Repeatable(e.X), f.Repeatable(e.Index))
	case *ast.UnaryExpr:
		switch e.Op {
		case token.AND:
			return Allocates // of a literal; of a local variable, it escapes
		case token.ARROW:
			return Receives
		}
		return f.Repeatable(e.X)
	case *ast.BinaryExpr:
		return first(f.operator(e), f.Repeatable(e.X), f.Repeatable(e.Y))
	case *ast.CallExpr:
		return f.repeatableCall(e)
	case *ast.CompositeLit, *ast.FuncLit:
		return Allocates
	}
	return Form
}

// first returns the first rule that is broken.
func first(rules ...Rule) Rule {
	for _, r := range rules {
		if r != May {
			return r
		}
	}
	return May
}

// operator says whether an operator can be applied again.
//
//	1 << n    an untyped constant takes its type from the context: n + 1<<n is of
//	          n's type, f(1<<n) of the parameter's, any(1<<n) an int
//	s + t     makes a new string, and so may the + of a type parameter
func (f *Facts) operator(e *ast.BinaryExpr) Rule {
	switch e.Op {
	case token.SHL, token.SHR:
		if f.Constant(e.X) != nil {
			return Context
		}
	case token.ADD:
		if b, ok := f.TypeOf(e).Underlying().(*types.Basic); !ok || b.Info()&types.IsString != 0 {
			return Allocates
		}
	}
	return May
}

// repeatableCall is Repeatable for what has the form of a call: a conversion
// between numbers or pointers, len and cap may be evaluated again. Another
// conversion may allocate: string(b), any(x), []byte(s).
func (f *Facts) repeatableCall(e *ast.CallExpr) Rule {
	if f.info.Types[e.Fun].IsType() {
		if !numeric(f.TypeOf(e)) || !numeric(f.TypeOf(e.Args[0])) {
			return Allocates
		}
		return f.Repeatable(e.Args[0])
	}
	switch name := f.Builtin(e); name {
	case "len", "cap":
		return f.Repeatable(e.Args[0])
	case "new", "make":
		return Allocates
	case "min", "max", "complex", "real", "imag":
		return Form
	default:
		if isUnsafe(name) {
			return Form
		}
		return Calls
	}
}

// isUnsafe reports whether a predeclared function is one of package unsafe, whose
// names begin with a capital letter.
func isUnsafe(name string) bool { return name != "" && name[0] < 'a' }

// numeric reports whether values of type t are numbers or pointers.
func numeric(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsNumeric != 0 || u.Kind() == types.UnsafePointer
	case *types.Pointer:
		return true
	}
	return false
}

// Effect reports whether e itself, apart from its operands, has an effect: it calls
// a function or receives. An effect may change everything that is not [Facts.Private],
// and end the evaluation by a panic of its own.
//
// Conversions have none, nor builtins that only compute or allocate. append, copy,
// delete and clear write to memory.
func (f *Facts) Effect(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return e.Op == token.ARROW
	case *ast.CallExpr:
		if f.Constant(e) != nil || f.info.Types[e.Fun].IsType() {
			return false
		}
		switch name := f.Builtin(e); name {
		case "len", "cap", "new", "make", "min", "max", "complex", "real", "imag":
			return false
		default:
			return !isUnsafe(name)
		}
	}
	return false
}

// HasEffect reports whether e or an operand of it has an effect. The bodies of
// function literals are not evaluated with e.
func (f *Facts) HasEffect(e ast.Expr) bool { return f.effects(e) > 0 }

// effects counts the effects in e.
func (f *Facts) effects(e ast.Expr) int {
	n := 0
	ast.Inspect(e, func(x ast.Node) bool {
		if x, ok := x.(ast.Expr); ok && f.Effect(x) {
			n++
		}
		_, lit := x.(*ast.FuncLit)
		return !lit
	})
	return n
}

// Private reports whether e is made of constants and of local variables that no
// other function and no pointer can change, so that its value is the same before
// and after a call.
func (f *Facts) Private(e ast.Expr) bool {
	same := true
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && same {
			v := f.Local(x)
			same = !f.Memory(x) && (v == nil || !f.shared[v])
		}
		return same
	})
	return same
}
