package flow

// This file finds the jumps out of the bodies of loops over functions.
//
// For such a loop, go/ssa makes the body a function that stores a number and
// returns false where a jump leaves the loop. Behind the call of the iterator, the
// function that the loop stands in compares the number with those of all jumps, by
// instructions that have the positions of the jumps.

import (
	"go/ast"
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/pepgo/pep/instrument/mark"
)

// findExits notes the statements that may leave the body of a loop over a function:
// labelled jumps and returns.
func (b *builder) findExits(loop *ast.RangeStmt) {
	type target struct {
		tok   token.Token
		label string
	}
	jumps := map[target]*mark.Jump{}
	add := func(st ast.Stmt, to target) {
		j := jumps[to]
		if j == nil {
			j = &mark.Jump{Tok: to.tok, Label: to.label, Loop: loop}
			jumps[to] = j
		}
		j.Stmts = append(j.Stmts, st)
		b.exits[st.Pos()] = j
	}
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			add(n, target{tok: token.RETURN})
		case *ast.BranchStmt:
			if n.Label != nil {
				add(n, target{n.Tok, n.Label.Name})
			}
		}
		return true
	})
}

// exit returns the jump that x asks for: control takes the first way from x if a certain
// statement has left the body of a loop over a function. It returns nil
//
//   - if x asks for something else,
//   - if the statement is a break with the label of the loop itself. Control goes where
//     the loop ends, and there is an insertion point anyhow. A break behind the loop
//     would not be legal.
func (b *builder) exit(x *ssa.If) *mark.Jump {
	cmp, ok := x.Cond.(*ssa.BinOp)
	if !ok {
		return nil
	}
	jump := b.exits[cmp.Pos()]
	if jump == nil {
		return nil
	}
	to := x.Block().Succs[0]
	mk := b.firstMarker(to)
	if jump.Tok == token.RETURN || mk == nil && returnsFalse(to) {
		jump.Leaves = true
		return jump
	}
	if mk != nil && mk.Kind == mark.After && mk.Of == jump.Loop {
		return nil
	}
	return jump
}

// returnsFalse reports whether x ends in a "return false" that is not in the source:
// no marker stands before it.
func returnsFalse(x *ssa.BasicBlock) bool {
	ret, ok := x.Instrs[len(x.Instrs)-1].(*ssa.Return)
	if !ok || len(ret.Results) != 1 {
		return false
	}
	c, ok := ret.Results[0].(*ssa.Const)
	return ok && c.Value != nil && c.Value.Kind() == constant.Bool && !constant.BoolVal(c.Value)
}

// firstMarker returns the first statement marker in x, or nil.
func (b *builder) firstMarker(x *ssa.BasicBlock) *mark.Marker {
	for _, instr := range x.Instrs {
		if call, ok := instr.(*ssa.Call); ok {
			if id, ok := b.marker(call.Common(), "Mark"); ok {
				return b.markers.Marker(id)
			}
		}
	}
	return nil
}
