// Package flow finds, for every function of a package that carries markers, its
// control-flow graph and the insertion points of the graph's edges: where the source
// can hold code that runs when control takes the edge, and only then.
//
// The graph is that of go/ssa. For
//
//	func f(x int) int {   // marker 1
//		if x > 0 {        // leaf 2
//			x = -x        // marker 3
//		}
//		return x          // markers 4, 5
//	}
//
// it has the nodes {1}, {3}, {4,5} and four edges: 1→3 has the point "leaf 2 is true",
// 1→4 "leaf 2 is false", 3→4 "at marker 3", 4→Exit "at marker 5".
//
// The numbering can give an edge without a point no value but 0, and only one edge of
// a node can have the value 0 for this reason. Some blocks have several such edges:
// the comparisons of a switch, && in an argument. flow joins blocks until each node
// has at most one. What happens within a joined node is not distinguished.
//
// Packages pathnum and placement decide what to add on which edge.
package flow

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/pepgo/pep/instrument/mark"
)

// A Config describes a package.
type Config struct {
	Path      string // import path
	Fset      *token.FileSet
	Files     []*ast.File // with the markers of package mark
	Markers   *mark.Markers
	Importer  types.Importer
	GoVersion string      // language version, as in go.mod: "go1.26"; empty for the newest
	Sizes     types.Sizes // may be nil

	// Working is called with the syntax of each function before flow makes its graph. It
	// may be nil.
	Working func(ast.Node)
}

// A Func is a function declaration, a function literal, the body of a range over a
// function or, with decisions, the initialiser of variables of the package, with its graph.
type Func struct {
	Syntax  ast.Node // *ast.FuncDecl, *ast.FuncLit, *ast.RangeStmt or *ast.ValueSpec
	Init    ast.Expr // the initialiser in the *ast.ValueSpec; else nil
	Name    string   // linker symbol; of the variable
	Nodes   []*Node  // Nodes[0] is the entry
	Skipped string   // why there is no graph; empty if there is one
}

// Body returns the body of f; nil if it is an initialiser.
func (f *Func) Body() *ast.BlockStmt {
	switch s := f.Syntax.(type) {
	case *ast.FuncDecl:
		return s.Body
	case *ast.FuncLit:
		return s.Body
	case *ast.RangeStmt:
		return s.Body
	case *ast.ValueSpec:
		return nil
	}
	panic("flow: function without syntax")
}

// A Node is one or more basic blocks.
type Node struct {
	Index   int
	Markers []*mark.Marker // statement markers in the node
	Out     []*Edge

	// Calls are the linker symbols of the functions that the node calls, or wire.ByInterface and
	// wire.ByValue, one for each call in the source. If the node is several basic blocks, calls of
	// all are among them, those of operands that are perhaps not evaluated, too.
	Calls   []string
	callees []callee // that become Calls

	// Whole says that paths are cut at the node only if there are a great many: it is in the
	// middle of a decision.
	Whole bool
}

// An Edge is a way from one node to the next.
type Edge struct {
	From, To *Node // To is nil if the edge leaves the function
	Point    Point // zero if there is no insertion point
	Ends     bool  // paths must end on the edge
	Never    bool  // control never takes the edge, by a constant; only with decisions
	Panics   bool  // the edge leads to nothing but a panic

	// The decision by which control goes this way, if it is known.
	Leaf    *mark.Leaf
	Outcome bool
	Case    *mark.Marker // the first marker behind the edge

	// Measured is how often a profile has the edge. If the sum over the edges of a node is 0,
	// nothing was measured.
	Measured float64
}

// A Point is an insertion point: where the code of an edge stands. It is at a
// statement marker, at an outcome of a leaf, or on the way of a jump.
type Point struct {
	Marker  *mark.Marker
	Out     bool // at Marker: the code belongs to an edge that leaves the marker's block
	Leaf    *mark.Leaf
	Outcome bool

	// Undo lists the fallthrough markers that lead to Marker, too. What is added at Marker
	// must be subtracted there. Such a point can hold an increment only.
	Undo []*mark.Marker

	Jump *mark.Jump
}

// Known reports whether p is a point. The zero Point stands for no point.
func (p Point) Known() bool { return p.Marker != nil || p.Leaf != nil || p.Jump != nil }

// Functions returns the functions of the package in source order of their outermost
// declarations. Literals follow the function that they stand in.
func Functions(cfg *Config) ([]*Func, *types.Info, error) {
	c, err := newCollector(cfg)
	if err != nil {
		return nil, nil, err
	}
	c.all()
	return c.funcs, c.prog.info, nil
}
