package flow

// This file finds the ways that control never goes because a constant decides otherwise:
//
//	const debug = false
//
//	if debug && n > 1 {            // debug is never true
//	switch runtime.GOOS {          // on Linux
//	case "linux":
//	case "windows":                // never
//	}

import (
	"go/ast"
	"go/constant"
	"go/token"

	"github.com/pepgo/pep/instrument/mark"
)

// never reports whether control never takes e, by the constants that decide that. Parts of the package may depend on
// the constants' values: what never runs here may run on another system.
func (b *builder) never(e *Edge) bool {
	if e.Leaf != nil {
		v := e.Leaf.Value
		return v != nil && v.Kind() == constant.Bool && constant.BoolVal(v) != e.Outcome
	}
	if e.Case == nil {
		return false
	}
	s, ok := e.Case.Switch.(*ast.SwitchStmt)
	if !ok || s.Tag == nil || b.info.Types[s.Tag].Value == nil {
		return false
	}
	if b.reached[s] == nil {
		b.reached[s] = b.cases(s)
	}
	switch c, _ := e.Case.Of.(*ast.CaseClause); {
	case e.Case.Kind == mark.OneValue:
		return len(e.Case.Case) > 0 && !b.reached[s][e.Case.Case[0]]
	case c == nil || c.List == nil:
		return !b.reached[s][s]
	default:
		for _, x := range c.List {
			if b.reached[s][x] {
				return false
			}
		}
		return true
	}
}

// cases returns the values of the cases that a switch over a constant may find equal to it, and the switch itself if
// it may find none.
func (b *builder) cases(s *ast.SwitchStmt) map[ast.Node]bool {
	reached := map[ast.Node]bool{}
	tag := b.info.Types[s.Tag].Value
	for _, c := range s.Body.List {
		for _, x := range c.(*ast.CaseClause).List {
			v := b.info.Types[x].Value
			if v == nil {
				reached[x] = true
			} else if constant.Compare(tag, token.EQL, v) {
				reached[x] = true
				return reached
			}
		}
	}
	reached[s] = true
	return reached
}
