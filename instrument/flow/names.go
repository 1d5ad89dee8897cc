package flow

// This file names functions as the linker does.

import (
	"fmt"
	"go/ast"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// literals adds the function literals and range-over-func bodies in fn. The
// compiler numbers the two kinds apart, and names what stands in such a body
// after the function that the loop is in: f.func1, f.func1.1, f-range1,
// f.func2 (cmd/compile/internal/ir, closureName).
func (c *collector) literals(fn *ssa.Function, name string) {
	lits, ranges := 0, 0
	var within func(body *ssa.Function)
	within = func(body *ssa.Function) {
		for _, a := range body.AnonFuncs {
			switch a.Syntax().(type) {
			case *ast.FuncLit:
				lits++
				if fn.Parent() != nil {
					c.function(a, fmt.Sprintf("%s.%d", name, lits))
				} else {
					c.function(a, fmt.Sprintf("%s.func%d", name, lits))
				}
			case *ast.RangeStmt:
				ranges++
				c.add(a, fmt.Sprintf("%s-range%d", name, ranges))
				within(a)
			}
		}
	}
	within(fn)
}

// declName returns the symbol name of a declared function.
func (c *collector) declName(d *ast.FuncDecl) string {
	pkg := escapePath(c.cfg.Path)
	if d.Recv == nil || len(d.Recv.List) == 0 {
		name := d.Name.Name
		if name == "init" {
			name = fmt.Sprintf("init.%d", c.inits)
			c.inits++
		}
		if d.Type.TypeParams != nil {
			name += "[...]"
		}
		return pkg + "." + name
	}
	typ := d.Recv.List[0].Type
	star := false
	for {
		if p, ok := typ.(*ast.ParenExpr); ok {
			typ = p.X
		} else if s, ok := typ.(*ast.StarExpr); ok {
			typ, star = s.X, true
		} else {
			break
		}
	}
	recv := ""
	switch t := typ.(type) {
	case *ast.Ident:
		recv = t.Name
	case *ast.IndexExpr:
		recv = t.X.(*ast.Ident).Name + "[...]"
	case *ast.IndexListExpr:
		recv = t.X.(*ast.Ident).Name + "[...]"
	}
	if star {
		recv = "(*" + recv + ")"
	}
	return pkg + "." + recv + "." + d.Name.Name
}

// escapePath escapes an import path as symbol names have it: dots in the last
// element, and bytes that are not plain, as %xx.
func escapePath(path string) string {
	slash := strings.LastIndexByte(path, '/')
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c <= ' ' || c == '.' && i > slash || c == '%' || c == '"' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
