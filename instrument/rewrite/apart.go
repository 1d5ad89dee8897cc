package rewrite

// This file writes the code that tells the values of a case apart. It stands in another switch, at the
// start of the clause, and the value of the tag gets a name for it:
//
//	switch f() {        →    switch _pep_v1 := f(); _pep_v1 {
//	case 1, 2:               case 1, 2: switch _pep_v1 { case 1: Count(&table, 3); default: Count(&table, 4); };
//		g()                      g()
//	}                        }

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/pepgo/pep/instrument/mark"
)

// tag writes the header of a switch with a tag.
func (w *file) tag(s *scope, st *ast.SwitchStmt) {
	if a := w.toldApart(s, st.Body); a != nil {
		name := w.newName(value)
		w.tags[st.Body] = name
		keyword := ""
		if st.Init != nil {
			w.insertOver(st.Switch, "switch", "{")
			keyword = " switch "
		}
		w.insert(a.Tag, keyword+name+" := ")
		w.insert(st.Body.Lbrace, "; "+name+" ")
	}
	w.literals(s, st.Tag)
}

// endTag ends the block that tag has begun.
func (w *file) endTag(st *ast.SwitchStmt) {
	if st.Init != nil && w.tags[st.Body] != "" {
		w.insert(st.End(), "}")
	}
}

// typeTag writes the header of a type switch, without its init statement.
func (w *file) typeTag(s *scope, st *ast.TypeSwitchStmt) {
	if w.toldApart(s, st.Body) != nil {
		switch a := st.Assign.(type) {
		case *ast.AssignStmt:
			w.tags[st.Body] = a.Lhs[0].(*ast.Ident).Name
		default:
			w.tags[st.Body] = w.newName(value)
			w.insert(a.Pos(), w.tags[st.Body]+" := ")
		}
	}
	w.stmt(s, st.Assign)
}

// toldApart returns the first clause in the body of a switch that has code for single values, or nil.
func (w *file) toldApart(s *scope, body *ast.BlockStmt) *mark.Apart {
	for _, c := range body.List {
		for _, st := range c.(*ast.CaseClause).Body {
			if a := w.Markers.Apart(st); a != nil && w.valuesCode(s, a) != nil {
				return a
			}
		}
	}
	return nil
}

// valuesCode returns the code for the values of a clause; nil if there is none.
func (w *file) valuesCode(s *scope, a *mark.Apart) (code []string) {
	some := false
	for _, mk := range a.Values {
		code = append(code, w.atMarker(s, mk))
		some = some || code[len(code)-1] != ""
	}
	if !some {
		return nil
	}
	return code
}

// apart writes the switch over the values of a clause in the body of a switch.
func (w *file) apart(s *scope, body *ast.BlockStmt, a *mark.Apart) {
	code := w.valuesCode(s, a)
	if code == nil {
		return
	}
	text := " switch " + w.tags[body]
	if a.Types {
		text += ".(type)"
	}
	text += " {"
	for i, mk := range a.Values {
		if i == len(code)-1 {
			text += " default:" + code[i]
		} else {
			text += fmt.Sprintf(" case %s:%s", types.ExprString(mk.Case[0].(ast.Expr)), code[i])
		}
	}
	w.insert(a.Clause.Colon+1, text+" };")
}
