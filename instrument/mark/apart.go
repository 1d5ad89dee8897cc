package mark

// This file defines the markers that tell the values of a case apart. Another switch stands for
// them, at the start of the clause:
//
//	case 1, 2, 3:         case 1, 2, 3:
//		f()                   mark.Mark(1)
//	                   →      switch mark.Value(2) {
//	                          case 0:
//	                              mark.Mark(3)
//	                          case 1:
//	                              mark.Mark(4)
//	                          default:
//	                              mark.Mark(5)
//	                          }
//	                          mark.Mark(6)
//	                          f()
//
// In the text, that switch is over the value of the tag, and its cases are 1 and 2. These are evaluated
// a second time, so they may have no calls.

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// An Apart is a switch over the values of a clause.
type Apart struct {
	Clause *ast.CaseClause
	Types  bool      // of a type switch
	Tag    token.Pos // where the tag of the clause's switch stands
	Values []*Marker // that of the default case is the last one
}

// tellsApart reports whether the values of a clause of s are told apart.
func (m *inserter) tellsApart(s ast.Stmt, tag token.Pos, c *ast.CaseClause) bool {
	if !m.markers.Decisions || !tag.IsValid() || len(c.List) < 2 {
		return false
	}
	if s, ok := s.(*ast.SwitchStmt); ok {
		switch {
		case s.Init != nil && m.labelled[s]:
			return false // the init statement would have to stand before the label, in a block
		case s.Init == nil && tag != s.Switch+token.Pos(len("switch ")):
			return false // a semicolon might be in between
		}
	}
	for _, e := range c.List {
		if !repeats(e) {
			return false
		}
	}
	return true
}

// repeats reports whether an expression is the same when it is evaluated again at once, and go/types
// writes its text on one line.
func repeats(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.Ident, *ast.SelectorExpr, *ast.ParenExpr, *ast.StarExpr:
		case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.FieldList, *ast.Field, *ast.Ellipsis:
		case *ast.BasicLit:
			ok = ok && !strings.Contains(n.Value, "\n")
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		case *ast.BinaryExpr:
			ok = ok && n.Op != token.LAND && n.Op != token.LOR
		case *ast.InterfaceType:
			ok = ok && len(n.Methods.List) == 0
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// apart returns the switch over the values of c, a clause of s. With fallen, control also comes to c from the clause
// before it.
func (m *inserter) apart(s ast.Stmt, tag token.Pos, c *ast.CaseClause, fallen bool) *ast.SwitchStmt {
	_, isTypes := s.(*ast.TypeSwitchStmt)
	a := &Apart{Clause: c, Types: isTypes, Tag: tag}
	values := &ast.SwitchStmt{Body: &ast.BlockStmt{}, Tag: call(m.valueFunc, len(m.markers.apart))}
	add := func(value ast.Expr, is []ast.Expr) {
		mk, ms := m.mark(OneValue, c.Case, c)
		mk.Switch = s
		if value != nil {
			mk.Pos, mk.Case = value.Pos(), []ast.Node{value}
		}
		a.Values = append(a.Values, mk)
		values.Body.List = append(values.Body.List, &ast.CaseClause{List: is, Body: []ast.Stmt{ms}})
	}
	for i, e := range c.List {
		is := []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(i)}}
		if i == len(c.List)-1 && !fallen {
			is = nil
		}
		add(e, is)
	}
	if fallen {
		add(nil, nil)
	}
	m.markers.apart[values] = a
	return values
}

// fallsThrough reports whether a clause ends in a fallthrough.
func fallsThrough(c *ast.CaseClause) bool {
	if len(c.Body) == 0 {
		return false
	}
	s := c.Body[len(c.Body)-1]
	for {
		l, ok := s.(*ast.LabeledStmt)
		if !ok {
			break
		}
		s = l.Stmt
	}
	b, ok := s.(*ast.BranchStmt)
	return ok && b.Tok == token.FALLTHROUGH
}
