// Package flow finds, for every function of a marked package, its control-flow
// graph and the places in the source where code for the graph's edges can
// stand.
//
// The graph is go/ssa's. For
//
//	func f(x int) int {   // mark 1
//		if x > 0 {        // leaf 2
//			x = -x        // mark 3
//		}
//		return x          // marks 4, 5
//	}
//
// it has the nodes {1}, {3}, {4,5} and four edges: 1→3 has the place "leaf 2 is
// true", 1→4 "leaf 2 is false", 3→4 "at mark 3", 4→Exit "at mark 5".
//
// An edge without a place can only be given the value 0 by the numbering. Where
// a block is left by several such edges (the comparisons of a switch, && in an
// argument), blocks are joined until at most one is left; the joined blocks are
// one node, and what happens within is not distinguished.
//
// What to add on which edge is decided by packages pathnum and place.
package flow

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/pepgo/pep/instrument/mark"
)

// Config says which package is looked at.
type Config struct {
	Path      string // import path
	Fset      *token.FileSet
	Files     []*ast.File // marked by package mark
	Markers   *mark.Markers
	Importer  types.Importer
	GoVersion string      // language version, as in go.mod: "go1.26"; empty for the newest
	Sizes     types.Sizes // may be nil

	// Working is called with the syntax of each function before its graph is
	// made; it may be nil.
	Working func(ast.Node)
}

// A Func is a function declaration, function literal or range-over-func body
// with its graph.
type Func struct {
	Syntax  ast.Node // *ast.FuncDecl, *ast.FuncLit or *ast.RangeStmt
	Name    string   // linker symbol
	Nodes   []*Node  // Nodes[0] is the entry
	Skipped string   // why no graph could be made; empty if there is one
}

// Body returns the body of f.
func (f *Func) Body() *ast.BlockStmt {
	switch s := f.Syntax.(type) {
	case *ast.FuncDecl:
		return s.Body
	case *ast.FuncLit:
		return s.Body
	case *ast.RangeStmt:
		return s.Body
	}
	panic("flow: function without syntax")
}

// A Node is one or more basic blocks.
type Node struct {
	Index   int
	Markers []*mark.Marker // statement markers in the node
	Out     []*Edge
}

// An Edge is a way from one node to the next.
type Edge struct {
	From, To *Node // To is nil if the function is left
	Point    Point // where code can stand; zero if nowhere
	Ends     bool  // paths must end on the edge
	Panics   bool  // the edge leads to nothing but a panic

	// What decides that control goes this way, as far as it is known.
	Leaf    *mark.Leaf
	Outcome bool
	Case    *mark.Marker // the first marker behind the edge
}

// A Place is where the code of an edge stands: at a statement marker, at an
// outcome of a leaf, or on the way of a jump.
type Point struct {
	Marker  *mark.Marker
	Out     bool // at Marker: the code belongs to an edge that leaves the marker's block
	Leaf    *mark.Leaf
	Outcome bool

	// Undo lists the fallthrough markers that lead to Marker as well: what is
	// added at Marker must be taken back there. Such a place can carry an
	// increment only.
	Undo []*mark.Marker

	Jump *mark.Jump
}

// Known reports whether there is a place.
func (p Point) Known() bool { return p.Marker != nil || p.Leaf != nil || p.Jump != nil }

// Functions returns the functions of the package in source order of their
// outermost declarations, literals after the function they stand in.
func Functions(cfg *Config) ([]*Func, *types.Info, error) {
	prog, err := load(cfg)
	if err != nil {
		return nil, nil, err
	}
	c := &collector{cfg: cfg, prog: prog}
	for _, f := range cfg.Files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				if fn := prog.function(d); fn != nil {
					c.function(fn, c.declName(d))
				}
			}
		}
	}
	if init := prog.pkg.Func("init"); init != nil {
		c.literals(init, c.cfg.Path+".init")
	}
	return c.funcs, prog.info, nil
}
