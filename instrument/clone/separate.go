package clone

// This file finds the functions that the compiler inlines, and that it would not inline with two bodies. They get a separate
// clone: a second function, with taps, that the clones of their callers call.
//
//	func (p *point) x() int { return p.n }    func _pep_t1_x(p *point) int { Tap(p.n); return p.n }
//
// Nobody is to notice that another function is executed. So a separate clone calls
// nothing that could look at the stack: builtins, other separate clones, and functions of
// std that call nothing of the program. It is called directly only. It is not a
// method, since programs can count the methods of a type.

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/pepgo/pep/instrument/mark"
)

// A Func is a separate clone.
type Func struct {
	Decl   *ast.FuncDecl
	Number int // in the package
}

// A Call is a call of a function that has a separate clone.
type Call struct {
	*Func
	Recv ast.Expr // its receiver becomes the first argument; nil if there is none
	Op   string   // what stands before the receiver then: "", "&" or "*"
}

// separate finds the functions that get a separate clone, among those that the
// compiler inlines.
func (c *chooser) separate(files []*ast.File) {
	for _, f := range files {
		c.directives = lineDirectives(f)
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && c.inlined[d] && c.leaf(d) {
				fn := c.info.Defs[d.Name].(*types.Func)
				c.funcOf[fn] = &Func{Decl: d, Number: len(c.funcOf) + 1}
			}
		}
	}
	// A function that calls one without a separate clone has none either.
	for again := true; again; {
		again = false
		for fn, s := range c.funcOf {
			if !c.callsLeaves(s.Decl.Body) {
				delete(c.funcOf, fn)
				again = true
			}
		}
	}
	for _, f := range files {
		c.calls(f)
	}
	for _, call := range c.plan.Calls {
		c.plan.Funcs[call.Decl] = call.Func
		delete(c.plan.Skipped, call.Decl.Body)
	}
}

// calls notes the calls in n that go to separate clones. Deferred calls and those of
// go statements stay what they are, since tracebacks show them.
func (c *chooser) calls(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		var later *ast.CallExpr
		switch n := n.(type) {
		case *ast.GoStmt:
			later = n.Call
		case *ast.DeferStmt:
			later = n.Call
		case *ast.CallExpr:
			c.call(n)
		}
		if later == nil {
			return true
		}
		c.calls(later.Fun)
		for _, e := range later.Args {
			c.calls(e)
		}
		return false
	})
}

// leaf reports whether a function can have a separate clone, whatever it calls.
func (c *chooser) leaf(d *ast.FuncDecl) bool {
	fn, ok := c.info.Defs[d.Name].(*types.Func)
	if !ok || d.Name.Name == "init" || d.Name.Name == "main" || c.hasDirective(d) || declaresType(d) {
		return false
	}
	sig := fn.Signature()
	if sig.TypeParams() != nil || sig.RecvTypeParams() != nil || !named(d) {
		return false
	}
	leaf := true
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit, *ast.SelectStmt, *ast.LabeledStmt:
			leaf = false
		}
		return leaf
	})
	return leaf
}

// named reports whether all parameters of d have names, and its receiver.
func named(d *ast.FuncDecl) bool {
	for _, list := range []*ast.FieldList{d.Recv, d.Type.Params} {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			if len(f.Names) == 0 {
				return false
			}
		}
	}
	return true
}

// callsLeaves reports whether a function calls nothing but builtins, functions that
// have separate clones, and quiet functions of std. It must not panic or recover: a
// traceback would name the clone.
func (c *chooser) callsLeaves(body *ast.BlockStmt) bool {
	leaves := true
	ast.Inspect(body, func(n ast.Node) bool {
		if s, ok := n.(*ast.ExprStmt); ok && c.markers.StmtMarker(s) != nil {
			return false
		}
		x, ok := n.(*ast.CallExpr)
		if !ok || c.info.Types[ast.Unparen(x.Fun)].IsType() || mark.IsCall(x) {
			return leaves
		}
		if id, ok := ast.Unparen(x.Fun).(*ast.Ident); ok {
			if b, ok := c.info.Uses[id].(*types.Builtin); ok && b.Name() != "panic" && b.Name() != "recover" {
				return leaves
			}
		}
		if c.static(x) == nil && !c.quiet(x) {
			leaves = false
		}
		return leaves
	})
	return leaves
}

// quietPackages are the packages of std whose functions do not look at the stack, and
// call nothing of the program, unless they get a function or an interface from it.
var quietPackages = map[string]bool{
	"bytes": true, "cmp": true, "encoding/binary": true, "errors": true, "hash/maphash": true, "maps": true, "math": true, "math/big": true,
	"math/bits": true, "math/cmplx": true, "slices": true, "strconv": true, "strings": true, "sync/atomic": true,
	"unicode": true, "unicode/utf16": true, "unicode/utf8": true,
}

// quiet reports whether x calls a function that does not look at the stack, nor calls
// one that may. For example, big.NewInt(n) does neither, but slices.SortFunc(s, f) calls
// f, and fmt.Fprint(w, s) the methods of w and s.
func (c *chooser) quiet(x *ast.CallExpr) bool {
	sel, ok := x.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := c.info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil || !quietPackages[fn.Pkg().Path()] {
		return false
	}
	if r := fn.Signature().Recv(); r != nil && types.IsInterface(r.Type()) {
		return false
	}
	for _, e := range x.Args {
		if callable(c.info.TypeOf(e)) {
			return false
		}
	}
	for v := range fn.Signature().Params().Variables() {
		if callable(v.Type()) {
			return false
		}
	}
	return true
}

// callable reports whether who has a value of the type can call functions of the program
// by it: whether it is a function, or an interface, or a slice of such.
func callable(t types.Type) bool {
	if _, ok := t.(*types.TypeParam); ok {
		return false // the argument shows what it is
	}
	switch u := t.Underlying().(type) {
	case *types.Signature, *types.Interface:
		return true
	case *types.Slice:
		return callable(u.Elem())
	}
	return false
}

// static returns the separate clone of the function that x calls directly, or nil.
func (c *chooser) static(x *ast.CallExpr) *Func {
	switch fun := x.Fun.(type) {
	case *ast.Ident:
		if fn, ok := c.info.Uses[fun].(*types.Func); ok {
			return c.funcOf[fn]
		}
	case *ast.SelectorExpr:
		s := c.info.Selections[fun]
		if s != nil && s.Kind() == types.MethodVal && len(s.Index()) == 1 {
			return c.funcOf[s.Obj().(*types.Func)]
		}
	}
	return nil
}

// call notes x if the function that it calls has a separate clone and the text of x
// can be changed. It cannot if the receiver is itself a call, or if the arguments are
// the results of one call: then there is no room for the receiver among them.
func (c *chooser) call(x *ast.CallExpr) {
	s := c.static(x)
	if s == nil {
		return
	}
	call := &Call{Func: s}
	if fun, ok := x.Fun.(*ast.SelectorExpr); ok {
		if !plain(fun.X) || c.spreads(x) {
			return
		}
		call.Recv = fun.X
		_, have := c.info.TypeOf(fun.X).Underlying().(*types.Pointer)
		_, want := c.info.Selections[fun].Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
		switch {
		case want && !have:
			call.Op = "&"
		case have && !want:
			call.Op = "*"
		}
	}
	c.plan.Calls[x] = call
}

// spreads reports whether the arguments of x are the results of a call.
func (c *chooser) spreads(x *ast.CallExpr) bool {
	if len(x.Args) != 1 {
		return false
	}
	_, tuple := c.info.TypeOf(x.Args[0]).(*types.Tuple)
	return tuple
}

// plain reports whether e is a variable, a field or an element, with nothing in it whose text may
// change: no call.
func plain(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		return plain(e.X)
	case *ast.IndexExpr:
		return plain(e.X) && plain(e.Index)
	case *ast.BinaryExpr: // of an index
		return e.Op != token.LAND && e.Op != token.LOR && plain(e.X) && plain(e.Y)
	case *ast.StarExpr:
		return plain(e.X)
	case *ast.ParenExpr:
		return plain(e.X)
	}
	return false
}

// Keep drops the separate clones that have no taps, and call none that have.
func (p *Plan) Keep(tapped func(*ast.BlockStmt) bool) {
	keep := map[*ast.FuncDecl]bool{}
	for again := true; again; {
		again = false
		for d := range p.Funcs {
			if !keep[d] && (tapped(d.Body) || p.callsOneOf(keep, d.Body)) {
				keep[d] = true
				again = true
			}
		}
	}
	for d := range p.Funcs {
		if !keep[d] {
			delete(p.Funcs, d)
		}
	}
	for x, c := range p.Calls {
		if p.Funcs[c.Decl] == nil {
			delete(p.Calls, x)
		}
	}
}

func (p *Plan) callsOneOf(set map[*ast.FuncDecl]bool, body *ast.BlockStmt) (calls bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if x, ok := n.(*ast.CallExpr); ok && p.Calls[x] != nil && set[p.Calls[x].Decl] {
			calls = true
		}
		return !calls
	})
	return calls
}
