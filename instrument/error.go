package instrument

// This file reports mistakes of the instrumenter's own.

import (
	"fmt"
	"go/ast"
	"go/types"
	"runtime/debug"
)

// An InternalError is a mistake of the instrumenter's: a panic in one of its
// phases.
type InternalError struct {
	Package string // import path
	Phase   string // "rewrite"
	Func    string // what the phase was working on: "p.go:12: func (t *T) f"; "" if it was no function yet
	Cause   any    // what the panic said
	Stack   []byte // of the panic
}

func (e *InternalError) Error() string {
	at := e.Package
	if e.Func != "" {
		at = e.Func
	}
	return fmt.Sprintf("internal error in phase %s, at %s: %v", e.Phase, at, e.Cause)
}

// begin says which phase begins.
func (in *instrumenter) begin(phase string) { in.phase, in.at = phase, nil }

// working says that a phase begins to work on n.
func (in *instrumenter) working(n ast.Node) { in.at = n }

// recover turns a panic into an error.
func (in *instrumenter) recover(res **Result, err *error) {
	if cause := recover(); cause != nil {
		*res = nil
		*err = &InternalError{in.pkg.Path, in.phase, in.describeAt(), cause, debug.Stack()}
	}
}

// describeAt names what the phase is working on.
func (in *instrumenter) describeAt() string {
	if in.at == nil {
		return ""
	}
	pos := in.fset.Position(in.at.Pos())
	text := fmt.Sprintf("%s:%d: ", pos.Filename, pos.Line)
	switch n := in.at.(type) {
	case *ast.RangeStmt:
		text += "the body of a loop in "
	case *ast.FuncLit:
		text += "a function literal in "
	case *ast.FuncDecl:
		return text + declared(n)
	}
	for _, f := range in.files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Pos() <= in.at.Pos() && in.at.Pos() < d.End() {
				return text + declared(d)
			}
		}
	}
	return text + "a declaration"
}

// declared returns the beginning of a declaration: "func (*T) f".
func declared(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return "func " + d.Name.Name
	}
	return fmt.Sprintf("func (%s) %s", types.ExprString(d.Recv.List[0].Type), d.Name.Name)
}
