package instrument_test

// This file finds the reads of go/ssa, and names the classes of reads that taps do not
// report.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A read is an instruction that may read memory, with the position of its expression in
// the source, if it has one.
type read struct {
	instr ssa.Value
	pos   token.Pos
}

// reads returns the reads of a function.
func (c *comparison) reads(fn *ssa.Function) (reads []read) {
	for _, b := range fn.Blocks {
		for i, instr := range b.Instrs {
			v, ok := instr.(ssa.Value)
			if !ok || !mayRead(v) {
				continue
			}
			r := read{v, referred(v, b.Instrs[i+1:])}
			if !r.pos.IsValid() {
				r.pos = v.Pos()
			}
			if c.embedded(v) {
				r.pos = token.NoPos
			}
			reads = append(reads, r)
		}
	}
	return reads
}

// embedded reports whether v is an embedded field that a selector goes through without
// naming it. A field that the source names has a position of its own.
func (c *comparison) embedded(v ssa.Value) bool {
	if u, ok := v.(*ssa.UnOp); ok {
		v = u.X
	}
	switch v.(type) {
	case *ssa.Field, *ssa.FieldAddr:
		_, named := c.at[v.Pos()].(*ast.SelectorExpr)
		return !named
	}
	return false
}

func mayRead(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		return v.Op == token.MUL
	case *ssa.Index, *ssa.Lookup, *ssa.Field:
		return true
	case *ssa.Extract:
		_, next := v.Tuple.(*ssa.Next)
		return next && v.Index == 2
	}
	return false
}

// referred returns the position of the first expression that go/ssa gives as the source
// of v.
func referred(v ssa.Value, instrs []ssa.Instruction) token.Pos {
	for _, instr := range instrs {
		if ref, ok := instr.(*ssa.DebugRef); ok && ref.X == v && !ref.IsAddr {
			return loadPos(ref.Expr)
		}
	}
	return token.NoPos
}

// Classes of loads that taps do not report.
const (
	ofInit      = "no tap: in the initialiser of a package variable"
	ofBare      = "no tap: in a function with a directive against calls, or that the runtime calls"
	ofLocal     = "no tap: a local variable that lies in memory, or a part of it"
	ofCaptured  = "no tap: a captured variable, or a part of it"
	ofEmbedded  = "no tap: an embedded field on the way to what is selected, which no expression of the source is"
	ofReceiver  = "no tap: a receiver that is passed by value, by a pointer to it"
	ofElement   = "no tap: an element that a range loop is over, and that has no variable"
	ofResult    = "no tap: a named result, by a return that does not mention it"
	ofLoop      = "no tap: a variable of a loop, for the next iteration to have one of its own"
	ofLength    = "no tap: an array, or a pointer to one, that a range loop needs the length of, which is a constant"
	ofAddress   = "no tap: &*p, which reads nothing"
	ofWhole     = "no tap: a struct or an array of which only a part is used"
	ofConverted = "no tap: an array that a slice is converted to"
	ofValue     = "no tap: a part of a value that is not in memory"
)

// class returns the reason why r has no tap, or "" if it does not know one.
func (c *comparison) class(fn *ssa.Function, r read) string {
	var typ *ast.FuncType
	switch x := fn.Syntax().(type) {
	case *ast.FuncDecl:
		typ = x.Type
	case *ast.FuncLit:
		typ = x.Type
	}
	switch {
	case fn == c.pkg.Func("init"):
		return ofInit
	case typ != nil && c.bare[fmt.Sprintf("%s:%d", c.fset.Position(typ.Func).Filename, c.fset.Position(typ.Func).Line)]:
		return ofBare
	case c.embedded(r.instr):
		return ofEmbedded
	case !r.pos.IsValid():
		return unmentioned(r.instr)
	}
	switch x := variable(r.instr).(type) {
	case *ssa.Alloc:
		if c.isOf(r, x.Pos()) {
			return ofLocal
		}
		if x.Comment == "complit" {
			return ofValue
		}
	case *ssa.FreeVar:
		if c.isOf(r, x.Pos()) {
			return ofCaptured
		}
	case *ssa.Phi: // the variables that iterations of a loop have
		if c.isOf(r, x.Edges[0].Pos()) {
			return ofLocal
		}
	case *ssa.SliceToArrayPointer:
		return ofConverted
	case *ssa.UnOp, *ssa.Lookup:
	default:
		if inValue(r.instr) {
			return ofValue
		}
	}
	_, isArray := r.instr.Type().Underlying().(*types.Array)
	_, isPointer := r.instr.Type().Underlying().(*types.Pointer)
	_, isStruct := r.instr.Type().Underlying().(*types.Struct)
	switch {
	case c.addressed[r.pos]:
		return ofAddress
	case (isArray || isStruct) && c.whole[r.pos]:
		return ofWhole
	case (isArray || isPointer) && c.length[r.pos]:
		return ofLength
	}
	return ""
}

// unmentioned returns the class of a load that has no expression in the source.
func unmentioned(v ssa.Value) string {
	if u, ok := v.(*ssa.UnOp); ok {
		switch u.X.(type) {
		case *ssa.Alloc, *ssa.FreeVar:
			return ofResult
		case *ssa.IndexAddr:
			return ofElement
		case *ssa.Phi:
			return ofLoop
		}
	}
	for _, user := range *v.Referrers() {
		switch user := user.(type) {
		case ssa.CallInstruction:
			if callee := user.Common().StaticCallee(); callee != nil && callee.Signature.Recv() != nil &&
				user.Common().Args[0] == v {
				return ofReceiver
			}
		case *ssa.MakeClosure:
			return ofReceiver
		}
	}
	return ""
}

// fixed reports whether r reads a local variable, or a part of one that is always the
// same part.
func (c *comparison) fixed(r read) bool {
	u, ok := r.instr.(*ssa.UnOp)
	if !ok {
		return false
	}
	switch x := variable(u).(type) {
	case *ssa.Alloc, *ssa.FreeVar:
		return c.isOf(r, x.Pos()) && !indexed(u.X)
	}
	return false
}

// indexed reports whether an index that may differ is part of an address.
func indexed(addr ssa.Value) bool {
	for {
		switch x := addr.(type) {
		case *ssa.FieldAddr:
			addr = x.X
		case *ssa.IndexAddr:
			if _, ok := x.Index.(*ssa.Const); !ok {
				return true
			}
			addr = x.X
		default:
			return false
		}
	}
}

// variable returns the variable that v is, or that v is a part of. It does not go
// through pointers.
func variable(v ssa.Value) ssa.Value {
	if u, ok := v.(*ssa.UnOp); ok {
		v = u.X
	}
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			if _, slice := x.X.Type().Underlying().(*types.Slice); slice {
				return x.X
			}
			v = x.X
		case *ssa.Field:
			v = x.X
		case *ssa.Index:
			v = x.X
		default:
			return v
		}
	}
}

// inValue reports whether v is a part of a value, such as a field, and is read neither
// through an address nor out of a string.
func inValue(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Field:
		return true
	case *ssa.Index:
		_, array := v.X.Type().Underlying().(*types.Array)
		return array
	}
	return false
}

// isOf reports whether the expression of r is the variable that is declared at pos, or
// a part of that variable.
func (c *comparison) isOf(r read, pos token.Pos) bool {
	e := c.at[r.pos]
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.Ident:
			obj := c.info.ObjectOf(x)
			return obj != nil && obj.Pos() == pos
		default:
			return false
		}
	}
}
