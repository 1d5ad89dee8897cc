// Package clone decides which functions are cloned, so that taps cost little while
// they are silent. They are silent all the time but for bursts.
//
// The instrumented text of a cloned function holds two bodies: the original without
// taps, and a clone with them. At its start the function tests once which of them to
// execute:
//
//	func f(p *point) (r int) {
//		if Taps == 0 {
//			r = p.x        // original
//			return
//		}
//		r = p.x; Tap(r)    // clone
//		return
//	}
//
// This is the "full duplication" of Arnold and Ryder, "A Framework for Reducing the
// Cost of Instrumented Code", PLDI 2001. The test stands at function entries, and in
// the original also at the iterations of loops that are worth one. Both bodies are in
// one function and so in one frame, so that tracebacks, recover and deferred functions
// see no difference.
//
// A function that cannot be cloned, or that is too big, is guarded: it has a test before each tap.
//
// That is so if the compiler is one that inlines the original alone (package gocompiler). Any
// other compiler would no longer inline small functions. For such a compiler, a small function has
// no taps, or a separate clone: another function, with taps, that the clones of its callers
// call instead.
//
// The package decides only. Package rewrite writes the bodies, and package tap chooses
// the taps.
package clone

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/pepgo/pep/instrument/inline"
	"github.com/pepgo/pep/instrument/mark"
)

// A Kind says what becomes of a function.
type Kind int

const (
	Original Kind = iota // one body, without taps; with taps inside the clone of another function
	Cloned               // two bodies
	Guarded              // one body, with a test before each tap
)

// whyInlined is the reason why a function has no taps if the compiler does not inline originals alone.
const whyInlined = "the compiler inlines the function"

// A Plan says what becomes of the functions of a package.
type Plan struct {
	Kinds   map[*ast.BlockStmt]Kind   // by body; of declarations and literals
	Skipped map[*ast.BlockStmt]string // functions without taps, with the reason
	Partial map[*ast.BlockStmt]bool   // functions whose taps bursts see in part: the compiler inlines their originals elsewhere
	Loops   map[*ast.BlockStmt]bool   // bodies of loops that are cloned

	// Mixed holds each := at the top of a body that also assigns to parameters or results.
	// In a block of its own it would declare new variables of these names. The value says
	// for each variable on the left whether the := declares it.
	Mixed map[*ast.AssignStmt][]bool

	Funcs map[*ast.FuncDecl]*Func // separate clones of functions that the compiler inlines
	Calls map[*ast.CallExpr]*Call // calls of functions that have separate clones
}

// New makes the plan of a package that carries markers and is type-checked. It calls
// working with each declaration before it decides on it. If the compiler inlines the originals of
// cloned functions, free is true.
func New(files []*ast.File, markers *mark.Markers, info *types.Info, free bool, working func(ast.Node)) *Plan {
	c := &chooser{
		free: free, inlined: map[*ast.FuncDecl]bool{},
		info: info, markers: markers, costs: inline.New(files, markers, info),
		plan: &Plan{
			Kinds: map[*ast.BlockStmt]Kind{}, Skipped: map[*ast.BlockStmt]string{}, Partial: map[*ast.BlockStmt]bool{},
			Loops: map[*ast.BlockStmt]bool{}, Mixed: map[*ast.AssignStmt][]bool{},
			Funcs: map[*ast.FuncDecl]*Func{}, Calls: map[*ast.CallExpr]*Call{},
		},
		funcOf: map[*types.Func]*Func{}, called: map[types.Object]bool{}, stored: map[ast.Node]bool{},
	}
	for _, f := range files {
		c.main = f.Name.Name == "main"
		c.findCalls(f)
	}
	for _, f := range files {
		c.directives = lineDirectives(f)
		for _, d := range f.Decls {
			working(d)
			if d, ok := d.(*ast.FuncDecl); ok {
				if d.Body != nil {
					c.function(d, d.Body, false)
				}
				continue
			}
			c.literals(d, false)
		}
	}
	c.separate(files)
	return c.plan
}

type chooser struct {
	info       *types.Info
	markers    *mark.Markers
	costs      *inline.Costs
	plan       *Plan
	directives []token.Pos // line directives of the file
	funcOf     map[*types.Func]*Func
	called     map[types.Object]bool
	stored     map[ast.Node]bool      // literals that are elements of composite literals: nobody calls them directly
	main       bool                   // it is package main
	exposed    exposed                // nil until it is needed
	free       bool                   // the compiler inlines originals
	inlined    map[*ast.FuncDecl]bool // small functions that are not cloned
}

func lineDirectives(f *ast.File) (list []token.Pos) {
	for _, g := range f.Comments {
		for _, x := range g.List {
			if strings.HasPrefix(x.Text, "//line ") || strings.HasPrefix(x.Text, "/*line ") {
				list = append(list, x.Pos())
			}
		}
	}
	return list
}

// function decides on a function, and on the literals in it. cloned says that a cloned
// function holds it.
func (c *chooser) function(fn ast.Node, body *ast.BlockStmt, cloned bool) {
	kind := Cloned
	switch {
	case !c.free && c.costs.Inlinable(fn) && c.callable(fn):
		if d, ok := fn.(*ast.FuncDecl); ok {
			c.inlined[d] = true
		}
		kind = Original
		c.inlines(body, cloned)
	case c.big(body) || !c.canClone(body):
		kind = Guarded
	default:
		c.loops(body)
	}
	c.plan.Kinds[body] = kind
	c.literals(body, cloned || kind == Cloned)
}

// callable reports whether a function can be called directly, from its package or from
// another one. The compiler inlines direct calls only.
func (c *chooser) callable(fn ast.Node) bool {
	d, ok := fn.(*ast.FuncDecl)
	if !ok {
		return !c.stored[fn]
	}
	obj := c.info.Defs[d.Name]
	return c.called[obj] || !c.main && ast.IsExported(d.Name.Name) && c.reachable(obj)
}

// reachable reports whether another package can name a function or method that is exported. It cannot
// if that is a method of a type that is not exported and that no other package can have
// a value of. For example, the stack of an interpreter has exported methods, which an interface asks for, and is
// itself in a field that is not exported: all calls go through the interface.
func (c *chooser) reachable(fn types.Object) bool {
	f, ok := fn.(*types.Func)
	if !ok || f.Signature().Recv() == nil {
		return true
	}
	t := f.Signature().Recv().Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Exported() || n.Obj().Parent() != f.Pkg().Scope() {
		return true
	}
	if c.exposed == nil {
		c.exposed = exposed{}
		scope := f.Pkg().Scope()
		for _, name := range scope.Names() {
			if ast.IsExported(name) {
				c.exposed.add(scope.Lookup(name).Type())
			}
		}
	}
	return c.exposed[n.Origin()]
}

// An exposed set has the types of which other packages can have a value that is not in an
// interface. It holds all types for which that has been decided.
type exposed map[types.Type]bool

// add adds a type, and those that a value of it leads to.
func (e exposed) add(t types.Type) {
	if t == nil || e[t] {
		return
	}
	e[t] = true
	switch t := t.(type) {
	case *types.Alias:
		e.add(types.Unalias(t))
	case *types.Named:
		e.add(t.Origin())
		e.add(t.Underlying())
		for i := range t.TypeArgs().Len() {
			e.add(t.TypeArgs().At(i))
		}
		for i := range t.NumMethods() {
			if m := t.Method(i); m.Exported() {
				e.add(m.Type())
			}
		}
	case *types.Struct: // the methods of an embedded field can be called whatever its name
		for i := range t.NumFields() {
			if f := t.Field(i); f.Exported() || f.Embedded() {
				e.add(f.Type())
			}
		}
	case *types.Signature:
		e.add(t.Params())
		e.add(t.Results())
	case *types.Tuple:
		for i := range t.Len() {
			e.add(t.At(i).Type())
		}
	case *types.Interface:
		for i := range t.NumMethods() {
			e.add(t.Method(i).Type())
		}
	case *types.Map:
		e.add(t.Key())
		e.add(t.Elem())
	case *types.TypeParam:
		e.add(t.Constraint())
	case *types.Union:
		for i := range t.Len() {
			e.add(t.Term(i).Type())
		}
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		e.add(t.Elem())
	}
}

// findCalls notes the functions that the package calls directly, or ranges over, and the function
// literals that it stores in tables, such as the handlers of an interpreter's instructions.
func (c *chooser) findCalls(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		var fun ast.Expr
		switch n := n.(type) {
		case *ast.CallExpr:
			fun = ast.Unparen(n.Fun)
		case *ast.RangeStmt:
			fun = ast.Unparen(n.X)
		case *ast.CompositeLit:
			for _, x := range n.Elts {
				if kv, ok := x.(*ast.KeyValueExpr); ok {
					x = kv.Value
				}
				if lit, ok := ast.Unparen(x).(*ast.FuncLit); ok {
					c.stored[lit] = true
				}
			}
		}
		switch i := fun.(type) { // of an instance
		case *ast.IndexExpr:
			fun = i.X
		case *ast.IndexListExpr:
			fun = i.X
		}
		switch fun := fun.(type) {
		case *ast.Ident:
			c.note(c.info.Uses[fun])
		case *ast.SelectorExpr:
			c.note(c.info.Uses[fun.Sel])
		}
		return true
	})
}

func (c *chooser) note(called types.Object) {
	if fn, ok := called.(*types.Func); ok {
		c.called[fn.Origin()] = true
	}
}

// inlines says that the compiler inlines a function, which therefore has no taps, or if a cloned function holds it,
// those in that clone. So have the bodies of its ranges over functions, which are functions themselves.
func (c *chooser) inlines(body *ast.BlockStmt, cloned bool) {
	one := func(body *ast.BlockStmt) {
		c.plan.Partial[body] = true
		if !cloned {
			c.plan.Skipped[body] = whyInlined
		}
	}
	one(body)
	own(body, func(n ast.Node) {
		if r, ok := n.(*ast.RangeStmt); ok {
			one(r.Body)
		}
	})
}

// literals decides on the function literals in n.
func (c *chooser) literals(n ast.Node, cloned bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok {
			c.function(lit, lit.Body, cloned)
		}
		return !ok
	})
}

// growth is the estimated size of a cloned function, with taps and tests, as a
// multiple of the original.
const growth = 3

// big reports whether a function is large, but twice the function would be so large
// that the compiler inlines next to nothing into it. The main loops of
// interpreters are such functions.
func (c *chooser) big(body *ast.BlockStmt) bool {
	n := c.costs.Nodes(body)
	return n <= inline.Big && n*growth > inline.Big
}

// canClone reports whether the text of a function may stand there twice. A type that
// the function declares would become two types. A line directive in it would have to
// be undone.
func (c *chooser) canClone(body *ast.BlockStmt) bool {
	if declaresType(body) || c.hasDirective(body) || !c.canDefer(body) {
		return false
	}
	for _, s := range body.List {
		if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && !c.mixed(a) {
			return false
		}
	}
	return true
}

func declaresType(n ast.Node) (declares bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.TYPE {
			declares = true
		}
		return !declares
	})
	return declares
}

func (c *chooser) hasDirective(n ast.Node) bool {
	for _, p := range c.directives {
		if n.Pos() <= p && p < n.End() {
			return true
		}
	}
	return false
}

// The compiler's limits for deferred calls that cost next to nothing:
// cmd/compile/internal/walk/stmt.go and ssagen/ssa.go.
const (
	maxOpenDefers      = 8
	maxReturnsByDefers = 15
)

// canDefer reports whether the deferred calls of a function remain cheap if there are
// twice as many.
func (c *chooser) canDefer(body *ast.BlockStmt) bool {
	defers, returns := 0, 1
	own(body, func(n ast.Node) {
		switch n.(type) {
		case *ast.DeferStmt:
			defers++
		case *ast.ReturnStmt:
			returns++
		}
	})
	return defers == 0 || defers > maxOpenDefers || defers*returns > maxReturnsByDefers ||
		2*defers <= maxOpenDefers && 2*defers*2*returns <= maxReturnsByDefers
}

// own calls f for the nodes of a function, without those of the literals in it.
func own(n ast.Node, f func(ast.Node)) {
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		f(n)
		_, lit := n.(*ast.FuncLit)
		return !lit
	})
}

// mixed notes a := in the body of a function that assigns to a parameter or result. It
// reports false if a cannot be taken apart into declarations and assignments.
func (c *chooser) mixed(a *ast.AssignStmt) (ok bool) {
	declares := make([]bool, len(a.Lhs))
	outside := false
	for i, e := range a.Lhs {
		id := e.(*ast.Ident)
		v, isVar := c.info.Uses[id].(*types.Var)
		if declares[i] = !isVar; !isVar {
			continue
		}
		outside = outside || v.Kind() != types.LocalVar
	}
	if !outside {
		return true
	}
	for i, e := range a.Lhs {
		if declares[i] {
			continue
		}
		if len(a.Rhs) == len(a.Lhs) && !typed(c.info, a.Rhs[i]) {
			return false
		}
		if _, call := ast.Unparen(a.Rhs[0]).(*ast.CallExpr); len(a.Rhs) < len(a.Lhs) && !call &&
			i == 1 && !types.Identical(c.info.TypeOf(e), types.Typ[types.Bool]) {
			return false // the ok of v, ok := <-c
		}
	}
	c.plan.Mixed[a] = declares
	return true
}

// typed reports whether a variable that e initialises gets the type that it has now.
// An untyped constant, for example, would give it another type.
func typed(info *types.Info, e ast.Expr) bool {
	if t := info.Types[e]; t.Value != nil || t.IsNil() {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr,
		*ast.CompositeLit, *ast.FuncLit:
		return true
	case *ast.CallExpr:
		id, ok := ast.Unparen(e.Fun).(*ast.Ident)
		if !ok {
			return true
		}
		_, builtin := info.Uses[id].(*types.Builtin)
		return !builtin
	case *ast.UnaryExpr:
		return e.Op == token.AND || e.Op == token.ARROW
	}
	return false
}
