package tap

// This file says which expressions can be evaluated once more, which may panic,
// and which read memory.

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// facts are what is known of a package.
type facts struct {
	*Config
	lines  map[line]bool           // lines with a directive
	code   map[line]bool           // those of them that hold code too
	shared map[*types.Var]bool     // local variables that other functions or pointers may change
	bodies map[*ast.BlockStmt]bool // bodies of functions
	gotos  map[types.Object]bool   // labels that a goto goes to
	labels map[ast.Stmt]types.Object
	locals map[string]bool // see localNames
}

func newFacts(c *Config) *facts {
	f := &facts{
		Config: c,
		lines:  map[line]bool{},
		code:   map[line]bool{},
		shared: map[*types.Var]bool{},
		bodies: map[*ast.BlockStmt]bool{},
		gotos:  map[types.Object]bool{},
		labels: map[ast.Stmt]types.Object{},
	}
	for _, file := range c.Files {
		f.directives(file)
		f.findShared(file)
	}
	return f
}

// findShared notes the variables that are captured by a function literal or
// whose address is taken, and the labels that are jumped to.
func (f *facts) findShared(file *ast.File) {
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
		case *ast.LabeledStmt:
			f.labels[n.Stmt] = f.Info.Defs[n.Label]
		case *ast.BranchStmt:
			if n.Tok == token.GOTO {
				f.gotos[f.Info.Uses[n.Label]] = true
			}
		case *ast.Ident:
			v, ok := f.Info.Uses[n].(*types.Var)
			if ok && len(lits) > 0 && v.Pos() < lits[len(lits)-1].Pos() {
				f.shared[v] = true
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				f.share(n.X)
			}
		case *ast.SliceExpr:
			if _, array := f.typeOf(n.X).Underlying().(*types.Array); array {
				f.share(n.X)
			}
		case *ast.SelectorExpr:
			// A method may have a pointer receiver.
			s := f.Info.Selections[n]
			if s != nil && s.Kind() == types.MethodVal && !isPointer(f.typeOf(n.X)) && !types.IsInterface(f.typeOf(n.X)) {
				f.share(n.X)
			}
		}
		return true
	})
}

// share notes the variable that e is, or is a part of, unless e is reached
// through a pointer.
func (f *facts) share(e ast.Expr) {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			if s := f.Info.Selections[x]; s == nil || s.Indirect() {
				return
			}
			e = x.X
		case *ast.IndexExpr:
			if _, array := f.typeOf(x.X).Underlying().(*types.Array); !array {
				return
			}
			e = x.X
		case *ast.Ident:
			if v, ok := f.Info.Uses[x].(*types.Var); ok {
				f.shared[v] = true
			}
			return
		default:
			return
		}
	}
}

// local returns the local variable that e is, or nil.
func (f *facts) local(e ast.Expr) *types.Var {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok || id.Name == "_" {
		return nil
	}
	v, ok := f.Info.ObjectOf(id).(*types.Var)
	if !ok || global(v) {
		return nil
	}
	return v
}

func global(v *types.Var) bool {
	return !v.IsField() && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

func (f *facts) typeOf(e ast.Expr) types.Type {
	t := f.Info.TypeOf(e)
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() > 0 {
		return tuple.At(0).Type() // of a form with a second value, the first
	}
	return t
}

func (f *facts) constant(e ast.Expr) constant.Value { return f.Info.Types[e].Value }

// private reports whether e is made of constants and of local variables that
// nothing but the function itself can change, so that it is the same before and
// after a call.
func (f *facts) private(e ast.Expr) bool {
	same := true
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && same {
			v := f.local(x)
			same = !f.memory(x) && (v == nil || !f.shared[v])
		}
		return same
	})
	return same
}

// pure reports whether e can be evaluated once more: it has no side effects, is
// cheap, allocates nothing, and means the same in another context.
func (f *facts) pure(e ast.Expr) bool {
	if f.constant(e) != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		_, isType := f.Info.Uses[e].(*types.TypeName)
		return e.Name != "_" && !isType
	case *ast.ParenExpr:
		return f.pure(e.X)
	case *ast.StarExpr:
		return f.pure(e.X)
	case *ast.SelectorExpr:
		s := f.Info.Selections[e]
		return s == nil || s.Kind() == types.FieldVal && f.pure(e.X)
	case *ast.IndexExpr:
		return f.indexes(e) && f.pure(e.X) && f.pure(e.Index)
	case *ast.UnaryExpr:
		return e.Op != token.AND && e.Op != token.ARROW && f.pure(e.X)
	case *ast.BinaryExpr:
		return f.pureBinary(e)
	case *ast.CallExpr:
		return f.pureCall(e)
	}
	return false
}

func (f *facts) pureBinary(e *ast.BinaryExpr) bool {
	switch e.Op {
	case token.SHL, token.SHR:
		if f.constant(e.X) != nil {
			return false // the type of an untyped constant comes from the context
		}
	case token.ADD:
		if b, ok := f.typeOf(e).Underlying().(*types.Basic); !ok || b.Info()&types.IsString != 0 {
			return false // allocates
		}
	}
	return f.pure(e.X) && f.pure(e.Y)
}

// pureCall reports whether a call is a conversion between numbers or pointers, or
// one of the predeclared functions that only look.
func (f *facts) pureCall(e *ast.CallExpr) bool {
	if len(e.Args) != 1 {
		return false
	}
	if f.Info.Types[e.Fun].IsType() {
		return numeric(f.typeOf(e)) && numeric(f.typeOf(e.Args[0])) && f.pure(e.Args[0])
	}
	switch f.builtin(e) {
	case "len", "cap":
		return f.pure(e.Args[0])
	}
	return false
}

func numeric(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsNumeric != 0 || u.Kind() == types.UnsafePointer
	case *types.Pointer:
		return true
	}
	return false
}

// builtin returns the name of the predeclared function, or the one of package
// unsafe, that is called, or "".
func (f *facts) builtin(e *ast.CallExpr) string {
	fun := ast.Unparen(e.Fun)
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		fun = sel.Sel
	}
	if id, ok := fun.(*ast.Ident); ok {
		if b, ok := f.Info.Uses[id].(*types.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}

// indexes reports whether e is an element, and no instance of something generic.
func (f *facts) indexes(e *ast.IndexExpr) bool {
	tv := f.Info.Types[e.X]
	if !tv.IsValue() {
		return false
	}
	_, generic := tv.Type.Underlying().(*types.Signature)
	return !generic
}

// A risk says how an evaluation may panic.
type risk uint8

const (
	safe    risk = iota
	nilRisk      // by a nil pointer: all such panics are the same
	anyRisk      // otherwise
)

func riskIf(may bool, r risk) risk {
	if may {
		return r
	}
	return safe
}

// risk returns how e itself, its operands apart, may panic.
func (f *facts) risk(e ast.Expr) risk {
	if f.constant(e) != nil {
		return safe
	}
	switch e := e.(type) {
	case *ast.StarExpr:
		return riskIf(f.Info.Types[e].IsValue(), nilRisk)
	case *ast.SelectorExpr:
		s := f.Info.Selections[e]
		return riskIf(s != nil && (s.Indirect() || s.Kind() == types.MethodVal), nilRisk)
	case *ast.IndexExpr:
		return f.indexRisk(e)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.QUO, token.REM, token.SHL, token.SHR:
			return riskIf(f.constant(e.Y) == nil, anyRisk)
		case token.EQL, token.NEQ:
			return riskIf(!comparesSafely(f.typeOf(e.X)) || !comparesSafely(f.typeOf(e.Y)), anyRisk)
		}
		return safe
	case *ast.SliceExpr, *ast.TypeAssertExpr:
		return anyRisk
	case *ast.CompositeLit:
		_, isMap := f.typeOf(e).Underlying().(*types.Map)
		return riskIf(isMap, anyRisk)
	case *ast.CallExpr:
		if f.Info.Types[e.Fun].IsType() {
			return riskIf(!numeric(f.typeOf(e)), anyRisk) // a slice to an array
		}
		return riskIf(f.builtin(e) != "len" && f.builtin(e) != "cap", anyRisk)
	}
	return safe
}

func (f *facts) indexRisk(e *ast.IndexExpr) risk {
	if !f.indexes(e) {
		return safe
	}
	switch x := f.typeOf(e.X).Underlying().(type) {
	case *types.Map:
		return riskIf(!comparesSafely(x.Key()), anyRisk)
	case *types.Array:
		return riskIf(f.constant(e.Index) == nil, anyRisk)
	}
	return anyRisk
}

// totalRisk returns how the evaluation of e may panic.
func (f *facts) totalRisk(e ast.Expr) (r risk) {
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok {
			r = max(r, f.risk(x))
		}
		return true
	})
	return r
}

// comparesSafely reports whether values of type t can be compared without a
// panic because of what is in an interface.
func comparesSafely(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Interface, *types.Struct, *types.Array:
		return false
	}
	return true
}

// memory reports whether to evaluate e is to read memory: something that is
// reached through a pointer, an element, or a variable of a package, and not a
// local variable or a part of one.
func (f *facts) memory(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.memory(e.X)
	case *ast.Ident:
		v, ok := f.Info.Uses[e].(*types.Var)
		return ok && global(v)
	case *ast.StarExpr:
		call, ok := ast.Unparen(e.X).(*ast.CallExpr)
		zero := ok && f.builtin(call) == "new" // *new(T) is how to write the zero value of T
		return f.Info.Types[e].IsValue() && !zero
	case *ast.SelectorExpr:
		s := f.Info.Selections[e]
		if s == nil {
			v, ok := f.Info.Uses[e.Sel].(*types.Var)
			return ok && global(v)
		}
		return s.Kind() == types.FieldVal && (s.Indirect() || f.memory(e.X))
	case *ast.IndexExpr:
		if !f.indexes(e) {
			return false
		}
		if _, array := f.typeOf(e.X).Underlying().(*types.Array); array {
			return f.constant(e.Index) == nil || f.memory(e.X)
		}
		return true
	}
	return false
}

// addressable reports whether the address of e can be had without making a
// local variable one that lies in memory.
func (f *facts) addressable(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.addressable(e.X)
	case *ast.Ident:
		return f.memory(e)
	case *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		s := f.Info.Selections[e]
		return s == nil && f.memory(e) || s != nil && (s.Indirect() || f.addressable(e.X))
	case *ast.IndexExpr:
		switch f.typeOf(e.X).Underlying().(type) {
		case *types.Slice, *types.Pointer:
			return true
		case *types.Array:
			return f.addressable(e.X)
		}
	}
	return false
}
