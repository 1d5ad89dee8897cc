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
// The compiler of package gocompiler inlines the original alone, so small functions are inlined as
// in a plain build.
//
// The package decides only. Package rewrite writes the bodies, and package tap chooses
// the taps.
package clone

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/pepgo/pep/instrument/mark"
)

// A Kind says what becomes of a function.
type Kind int

const (
	Cloned  Kind = iota // two bodies
	Guarded             // one body, with a test before each tap
)

// A Plan says what becomes of the functions of a package.
type Plan struct {
	Kinds map[*ast.BlockStmt]Kind // by body; of declarations and literals
	Loops map[*ast.BlockStmt]bool // bodies of loops that are cloned

	// Mixed holds each := at the top of a body that also assigns to parameters or results.
	// In a block of its own it would declare new variables of these names. The value says
	// for each variable on the left whether the := declares it.
	Mixed map[*ast.AssignStmt][]bool
}

// New makes the plan of a package that carries markers and is type-checked. It calls
// working with each declaration before it decides on it.
func New(files []*ast.File, markers *mark.Markers, info *types.Info, working func(ast.Node)) *Plan {
	c := &chooser{
		info: info, markers: markers,
		plan: &Plan{
			Kinds: map[*ast.BlockStmt]Kind{}, Loops: map[*ast.BlockStmt]bool{}, Mixed: map[*ast.AssignStmt][]bool{},
		},
	}
	for _, f := range files {
		c.directives = lineDirectives(f)
		for _, d := range f.Decls {
			working(d)
			if d, ok := d.(*ast.FuncDecl); ok {
				if d.Body != nil {
					c.function(d.Body)
				}
				continue
			}
			c.literals(d)
		}
	}
	return c.plan
}

type chooser struct {
	info       *types.Info
	markers    *mark.Markers
	plan       *Plan
	directives []token.Pos // line directives of the file
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

// function decides on a function, and on the literals in it.
func (c *chooser) function(body *ast.BlockStmt) {
	kind := Cloned
	if c.big(body) || !c.canClone(body) {
		kind = Guarded
	} else {
		c.loops(body)
	}
	c.plan.Kinds[body] = kind
	c.literals(body)
}

// literals decides on the function literals in n.
func (c *chooser) literals(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok {
			c.function(lit.Body)
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
	n := c.nodes(body)
	return n <= large && n*growth > large
}

// large is a size of functions in nodes: inlineBigFunctionNodes of the compiler, which inlines next to nothing
// into a function of this size or more.
const large = 5000

// nodes returns the number of nodes of a statement, without those of function literals in it.
func (c *chooser) nodes(s ast.Stmt) int {
	n := 0
	ast.Inspect(s, func(x ast.Node) bool {
		switch x := x.(type) {
		case ast.Stmt:
			if c.markers.StmtMarker(x) != nil || c.markers.Apart(x) != nil {
				return false
			}
			n++
		case *ast.FuncLit:
			return false
		case ast.Expr:
			n++
		}
		return true
	})
	return n
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
