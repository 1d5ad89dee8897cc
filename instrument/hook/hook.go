// Package hook finds the functions of a package that the Go runtime calls by itself.
// The runtime may do so while the world is stopped, on the stack of a thread or with
// its locks held, where ordinary code never runs. pep does not instrument them.
//
//	//go:linkname newTimer            the runtime has the body of newTimer
//	func newTimer(when, period int64, f func(any, uintptr, int64), …) *Timer
//
//	newTimer(when(d), 0, sendTime, c, …)    so it gets sendTime, to call when it likes
//
// The runtime can get a function of a package in two ways:
//
//   - the package passes it to a function that has no body there;
//   - a //go:linkname directive gives it a name in the runtime.
//
// A function that a hook calls in its own package is a hook, too. Find does not follow
// calls to other packages, or calls of function values. A test checks that the runtime
// of this release has no hooks of another kind.
package hook

import (
	"go/ast"
	"go/types"
	"strings"
)

// Find returns the bodies of the functions that the runtime calls, and of the function
// literals in them. The value in the map is the reason. Files and info are those of one
// package.
func Find(files []*ast.File, info *types.Info) map[*ast.BlockStmt]string {
	f := &finder{info: info, decls: map[*types.Func]*ast.FuncDecl{}, found: map[*ast.BlockStmt]string{}}
	for _, file := range files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if fn, ok := info.Defs[d.Name].(*types.Func); ok {
					f.decls[fn] = d
					f.withoutBody = f.withoutBody || d.Body == nil
				}
			}
		}
	}
	for _, file := range files {
		f.linknames(file)
	}
	if !f.withoutBody {
		return f.found // no function is handed over; to look at all calls of a big package takes time
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				f.handedOver(call)
			}
			return true
		})
	}
	return f.found
}

type finder struct {
	info        *types.Info
	decls       map[*types.Func]*ast.FuncDecl
	withoutBody bool // some function of the package has no body
	found       map[*ast.BlockStmt]string
}

// linknames finds the functions of a file that have a name in the runtime.
func (f *finder) linknames(file *ast.File) {
	inRuntime := map[string]string{}
	for _, group := range file.Comments {
		for _, c := range group.List {
			d := strings.Fields(c.Text)
			if len(d) == 3 && d[0] == "//go:linkname" &&
				(strings.HasPrefix(d[2], "runtime.") || strings.HasPrefix(d[2], "internal/runtime/")) {
				inRuntime[d[1]] = d[2]
			}
		}
	}
	for _, d := range file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && inRuntime[d.Name.Name] != "" {
			f.add(d.Body, "the runtime calls it as "+inRuntime[d.Name.Name])
		}
	}
}

// handedOver finds the functions among the arguments of a call of a function
// without a body.
func (f *finder) handedOver(call *ast.CallExpr) {
	callee := f.declared(call.Fun)
	if callee == nil || callee.Body != nil {
		return
	}
	reason := "the runtime calls it, having got it by " + callee.Name.Name
	for _, arg := range call.Args {
		if lit, ok := ast.Unparen(arg).(*ast.FuncLit); ok {
			f.add(lit.Body, reason)
		} else if d := f.declared(arg); d != nil {
			f.add(d.Body, reason)
		}
	}
}

// declared returns the declaration in this package of the function or method that an
// expression names; nil if it names none.
func (f *finder) declared(e ast.Expr) *ast.FuncDecl {
	switch x := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		return f.declared(x.X)
	case *ast.IndexListExpr:
		return f.declared(x.X)
	case *ast.SelectorExpr:
		return f.declared(x.Sel)
	case *ast.Ident:
		if fn, ok := f.info.Uses[x].(*types.Func); ok {
			return f.decls[fn.Origin()]
		}
	}
	return nil
}

// add adds a body, the function literals in it, and the functions of this package that
// it calls.
func (f *finder) add(body *ast.BlockStmt, reason string) {
	if body == nil || f.found[body] != "" {
		return
	}
	f.found[body] = reason
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			f.add(n.Body, reason)
		case *ast.RangeStmt: // if it ranges over a function, its body is a function, too
			f.found[n.Body] = reason
		case *ast.CallExpr:
			if d := f.declared(n.Fun); d != nil {
				f.add(d.Body, reason)
			}
		}
		return true
	})
}
