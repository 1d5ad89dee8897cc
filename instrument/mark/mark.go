// Package mark inserts numbered marker calls into a syntax tree, at every insertion
// point: where code for an edge of the control flow could stand.
//
// A marker calls a function that go/ssa knows nothing about, so that go/ssa neither
// removes nor moves the block that it stands in. When the SSA form is built, the
// marker in a block tells where in the source the block is:
//
//	if x > 0 {            mark.Mark(1)
//		f()               if mark.Leaf(2, x > 0) == 0 {
//	}                         mark.Mark(3)
//	return                    f()
//	                      }
//	                      mark.Mark(4)
//	                      return
//
// Statement markers (Mark) stand before runs of statements, before jumps and at the
// ends of loop bodies. Condition markers (Leaf) stand around the operands of the &&
// and || of a condition, so that both ways out of an operand have an insertion point.
// With decisions, the cases of a switch without a tag are conditions, too, and so are
// values with && or ||. The values of a case are told apart.
//
// Without decisions the package looks at syntax only. Package flow finds which edges
// have which markers. Package rewrite writes the code there.
package mark

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
)

// PkgPath and PkgName name the package that the markers are functions of. It
// exists for the type checker only. The name has a letter that nobody types.
const (
	PkgPath = "pep/mark"
	PkgName = "pepʹmark"
)

// A Kind says where a statement marker stands, and so how code is inserted there.
type Kind uint8

const (
	Before   Kind = iota // before the statement at Pos
	Start                // at the start of a block or clause, after the { or : before Pos
	After                // after the statement that ends at Pos
	End                  // before the } at Pos
	NoCase               // in a default clause that does not exist yet, before the } at Pos
	Fallthru             // before the fallthrough at Pos
	Panic                // before the call of panic at Pos
	OneValue             // in the switch over the values of a clause, where the value is that at Pos
)

// A Marker is a statement marker.
type Marker struct {
	ID    int
	Kind  Kind
	Pos   token.Pos // where code is inserted
	Alone bool      // of a NoCase: the switch has no other clause
	Of    ast.Node  // the clause that the marker starts, or the loop it belongs to; else nil

	// The switch or select whose clause the marker starts, or of whose clause a OneValue is; nil otherwise.
	Switch ast.Stmt

	// What follows the word case in that clause, without markers; nil for default. Of a OneValue, that value.
	Case []ast.Node

	// The run of statements behind the marker that are executed together
	// with it; empty (From == To) for a marker that only holds code.
	From, To token.Pos
}

// A Cond is the condition of an if or for statement; with decisions, that of a case of a
// switch without a tag, or a value with && or ||, too.
type Cond struct {
	Stmt   ast.Stmt // *ast.IfStmt or *ast.ForStmt; nil for a case or a value
	Expr   ast.Expr // the condition as it was
	Leaves []*Leaf  // in source order
	Split  bool     // the operands of && and || are leaves of their own

	// Inner says that the condition is evaluated in the middle of another one, in an
	// operand behind the first.
	Inner bool

	// Value says that the outcome is a value, with which the statement goes on.
	Value bool

	// Varies says that an operand is no constant. It is set with decisions only.
	Varies bool

	typed ast.Expr // the operand of a value that gives it its type, if that is not bool
}

// A Leaf is an operand of a condition that decides on its own where control goes.
type Leaf struct {
	ID   int
	Cond *Cond
	Expr ast.Expr
	Op   string // "&&" or "||" if the leaf is a left operand, else "if", "for", "case" or "value"
	Both string // "&&" or "||" between its two comparisons, if the leaf was a Pair; else empty

	// Value is what the operand is if it is a constant; nil without decisions.
	Value constant.Value

	// Interface says that the operand is a case whose value is an interface, which is compared with true.
	Interface bool
}

// A Jump is a labelled break or continue, a goto, or a return, out of the body of a loop
// over a function:
//
//	outer:
//		for i := range n {
//			for x := range seq {
//				if x == i {
//					continue outer
//				}
//			}
//		}
//
// The body of the inner loop is another function. No statement of this function runs
// between the call of seq and the next round of the outer loop, so that the jump is
// the only insertion point for the code of this edge. But the code must run in the
// function that Loop stands in. Package rewrite writes it right behind Loop, and makes
// the statements go there first.
//
// A return, or a jump further out, leaves the function that Loop stands in, too. Then no
// statement there can run on the way. The only code of such an edge is the end of a path
// whose number is known, and package rewrite writes it in front of the statements.
type Jump struct {
	Tok    token.Token // token.BREAK, CONTINUE, GOTO or RETURN
	Label  string
	Loop   *ast.RangeStmt // the loop over a function, of this function, that is left
	Stmts  []ast.Stmt     // the statements that make the jump, in source order
	Leaves bool           // the function that Loop stands in is left, too
}

// String returns the text of the statements, without the operands of a return.
func (j *Jump) String() string {
	if j.Label == "" {
		return j.Tok.String()
	}
	return j.Tok.String() + " " + j.Label
}

// Markers are the markers of a package.
type Markers struct {
	ByID   []any              // *Marker or *Leaf
	Conds  map[ast.Stmt]*Cond // by *ast.IfStmt or *ast.ForStmt
	Pairs  []*Pair            // operands of conditions of which the compiler may make one branch
	Clears []*Clear           // loops of which the compiler may make calls that clear memory

	Decisions bool // every operand of every decision is a leaf

	// Inits are the initialisers of the package's variables in which values have leaves.
	Inits map[ast.Expr]*ast.ValueSpec

	stmts map[*ast.ExprStmt]*Marker
	exprs map[ast.Expr]*Leaf // the leaves of cases and values
	apart map[*ast.SwitchStmt]*Apart
}

// Marker returns the statement marker with the given ID, or nil if the ID is that of a
// leaf.
func (m *Markers) Marker(id int) *Marker { mk, _ := m.ByID[id].(*Marker); return mk }

// Leaf returns the leaf with the given ID, or nil if the ID is that of a statement
// marker.
func (m *Markers) Leaf(id int) *Leaf { l, _ := m.ByID[id].(*Leaf); return l }

// StmtMarker returns the marker that s is, or nil if s is a statement of the program.
func (m *Markers) StmtMarker(s ast.Stmt) *Marker {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		return nil
	}
	return m.stmts[x]
}

// Apart returns the values that s tells apart, or nil if s is a statement of the program.
func (m *Markers) Apart(s ast.Stmt) *Apart {
	x, ok := s.(*ast.SwitchStmt)
	if !ok {
		return nil
	}
	return m.apart[x]
}

// ExprLeaf returns the leaf of a case or a value that e is with its marker, or nil.
func (m *Markers) ExprLeaf(e ast.Expr) *Leaf { return m.exprs[e] }

// IsCall reports whether e is a marker's call.
func IsCall(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := fun.X.(*ast.Ident)
	return ok && id.Name == PkgName
}

// Files inserts markers into the given files of one package. It changes the trees
// themselves, but not those of files for which skip is true. It calls working with
// each declaration before it changes it.
//
// If info is not nil, it has the types of the files without markers and what their names
// mean, and every operand of every decision is a leaf: the operands of && and ||, and the
// conditions of cases. What is in a constant is no decision: nothing evaluates it, and Go
// may want a constant there.
func Files(files []*ast.File, info *types.Info, skip func(*ast.File) bool, working func(ast.Node)) *Markers {
	m := &inserter{markers: &Markers{
		Conds:     map[ast.Stmt]*Cond{},
		Decisions: info != nil,
		Inits:     map[ast.Expr]*ast.ValueSpec{},
		stmts:     map[*ast.ExprStmt]*Marker{},
		exprs:     map[ast.Expr]*Leaf{},
		apart:     map[*ast.SwitchStmt]*Apart{},
	}, markFunc: function("Mark"), leafFunc: function("Leaf"), typedFunc: function("Typed"), valueFunc: function("Value"),
		info: info, labelled: map[ast.Stmt]bool{}}
	for _, f := range files {
		if skip(f) {
			continue
		}
		before := len(m.markers.ByID)
		for _, d := range f.Decls {
			working(d)
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Body != nil {
					m.funcBody(d.Type, d.Body)
				}
			case *ast.GenDecl:
				m.inits(d)
			}
		}
		if len(m.markers.ByID) > before {
			f.Decls = append([]ast.Decl{importDecl()}, f.Decls...)
		}
	}
	return m.markers
}

type inserter struct {
	markers                                  *Markers
	markFunc, leafFunc, typedFunc, valueFunc *ast.SelectorExpr

	info     *types.Info       // nil without decisions
	labelled map[ast.Stmt]bool // switches with a label
	inner    bool              // in an operand behind the first of a condition
	values   int               // how many values of the function have leaves
}

func importDecl() ast.Decl {
	return &ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{&ast.ImportSpec{
		Name: ast.NewIdent(PkgName),
		Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(PkgPath)},
	}}}
}
