package rewrite

// This file writes taps where functions return. What a return statement calls comes
// before its tap:
//
//	return g(x), 1    →    { _pep_v1, _ := g(x), 0; _pep_core.Tap(…); return _pep_v1, 1 }

import (
	"go/ast"
	"strings"

	"github.com/pepgo/pep/instrument/tap"
)

// tapReturn writes the tap of a return statement.
func (w *file) tapReturn(st *ast.ReturnStmt) {
	if w.Taps == nil || w.Taps.Returns[st] == nil {
		return
	}
	r := w.Taps.Returns[st]
	text := w.calls([]tap.Call{r.Call}, st.Pos())
	if r.Results == nil {
		w.insert(st.Pos(), text[1:]+" ")
		return
	}
	var left, right []string
	if len(st.Results) < r.Vars { // the results of a call
		for range r.Vars {
			left = append(left, w.newName(value))
		}
		right = left
	} else {
		left, right = w.computed(st, r)
	}
	w.insertOver(st.Return, "return", "{ "+strings.Join(left, ", ")+" :=")
	w.insert(st.End(), ";"+text+" return "+strings.Join(right, ", ")+" }")
}

// computed returns the variables for the operands of st, and the operands for the
// return behind the tap. In the place of a constant a 0 is computed.
func (w *file) computed(st *ast.ReturnStmt, r *tap.Return) (left, right []string) {
	for i, e := range st.Results {
		if r.Results[i] {
			name := w.newName(value)
			left, right = append(left, name), append(right, name)
			continue
		}
		left, right = append(left, "_"), append(right, w.source(e.Pos(), e.End()))
		w.buf.Replace(w.offset(e.Pos()), w.offset(e.End()), "0")
	}
	return left, right
}

// tapEnd writes the tap at the end of a body.
func (w *file) tapEnd(body *ast.BlockStmt) {
	if w.Taps != nil {
		if text := w.calls(w.Taps.Ends[body], body.Rbrace); text != "" {
			w.insert(body.Rbrace, ";"+text)
		}
	}
}
