package flow

// This file goes through the functions of a package in batches: it builds the SSA form of some
// functions, makes their graphs, and lets go of the SSA form. The SSA form of a whole package that a
// generator has written can take gigabytes.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// batchSize is the size of the source whose SSA form is built at a time, in bytes. It is a variable
// for tests.
var batchSize = token.Pos(1 << 20)

type collector struct {
	cfg   *Config
	prog  *program
	funcs []*Func
	inits int

	symbols map[*types.Func]string   // of the package's functions that have a body, and of callees
	literal map[*ssa.Function]string // symbols of the other functions of the batch
}

// newCollector type-checks the package and names its declared functions.
func newCollector(cfg *Config) (*collector, error) {
	prog, err := load(cfg)
	if err != nil {
		return nil, err
	}
	c := &collector{
		cfg: cfg, prog: prog, symbols: map[*types.Func]string{}, literal: map[*ssa.Function]string{},
	}
	c.forEachDecl(func(_ place, d *ast.FuncDecl, obj *types.Func) {
		c.symbols[obj] = c.declName(d)
	})
	return c, nil
}

// forEachDecl calls do for the declared functions that have a body.
func (c *collector) forEachDecl(do func(place, *ast.FuncDecl, *types.Func)) {
	for i, f := range c.cfg.Files {
		for j, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				if obj, ok := c.prog.info.Defs[d.Name].(*types.Func); ok {
					do(place{i, j}, d, obj)
				}
			}
		}
	}
}

// all adds the functions of the package.
func (c *collector) all() {
	var batch []place
	size := token.Pos(0)
	c.forEachDecl(func(at place, d *ast.FuncDecl, obj *types.Func) {
		if c.prog.rangesAreDeep(d.Body, 0) {
			why := fmt.Sprintf("loops over functions are nested more than %d deep", maxRanges)
			c.funcs = append(c.funcs, &Func{Syntax: d, Name: c.symbols[obj], Skipped: why})
			return
		}
		if size > batchSize {
			c.batch(batch, false)
			batch, size = nil, 0
		}
		batch = append(batch, at)
		size += d.End() - d.Pos()
	})
	c.batch(batch, true)
}

// maxRanges bounds the nesting of loops over functions. A return in the innermost one leaves as many functions, so
// that n loops take n² statements, of the compiler and of this package.
const maxRanges = 100

// rangesAreDeep reports whether a function in n has more than maxRanges such loops, one within the other. n itself
// is in as many as depth says.
func (p *program) rangesAreDeep(n ast.Node, depth int) (deep bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			deep = deep || p.rangesAreDeep(n.Body, 0)
			return false
		case *ast.RangeStmt:
			if t := p.info.TypeOf(n.X); t != nil {
				if _, ok := t.Underlying().(*types.Signature); ok {
					deep = deep || depth >= maxRanges || p.rangesAreDeep(n.X, depth) || p.rangesAreDeep(n.Body, depth+1)
					return false
				}
			}
		}
		return !deep
	})
	return deep
}

// batch adds the functions at the given places. With last it adds the literals in
// initialisers of variables.
func (c *collector) batch(places []place, last bool) {
	c.prog.build(c.cfg.Files, places, last)
	first := len(c.funcs)
	for _, at := range places {
		obj := c.prog.info.Defs[at.in(c.cfg.Files).Name].(*types.Func)
		c.function(c.prog.prog.FuncValue(obj), c.symbols[obj])
	}
	if last {
		c.literals(c.prog.pkg.Func("init"), c.cfg.Path+".init")
	}
	c.calls(c.funcs[first:])
	clear(c.literal)
	if last {
		c.initialisers()
	}
}

// initialisers adds the initialisers in which values have leaves. Each is built alone. The variable
// names it.
func (c *collector) initialisers() {
	blank := 0
	for _, init := range c.prog.info.InitOrder {
		spec := c.cfg.Markers.Inits[init.Rhs]
		if spec == nil {
			continue
		}
		f := &Func{Syntax: spec, Init: init.Rhs, Name: escapePath(c.cfg.Path) + "." + init.Lhs[0].Name()}
		if init.Lhs[0].Name() == "_" {
			blank++
			f.Name += fmt.Sprint(blank)
		}
		if c.cfg.Working != nil {
			c.cfg.Working(spec)
		}
		c.prog.buildInit(init)
		b := &builder{markers: c.cfg.Markers, pkg: c.prog.markers, info: c.prog.info, fn: f}
		b.build(c.prog.pkg.Func("init"))
		c.funcs = append(c.funcs, f)
	}
}

// function adds fn and the functions within it.
func (c *collector) function(fn *ssa.Function, name string) {
	c.add(fn, name)
	c.literals(fn, name)
}

func (c *collector) add(fn *ssa.Function, name string) {
	f := &Func{Syntax: fn.Syntax(), Name: name}
	if fn.Object() == nil {
		c.literal[fn] = name
	}
	if c.cfg.Working != nil {
		c.cfg.Working(fn.Syntax())
	}
	b := &builder{markers: c.cfg.Markers, pkg: c.prog.markers, info: c.prog.info, fn: f}
	b.build(fn)
	c.funcs = append(c.funcs, f)
}
