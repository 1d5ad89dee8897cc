package rewrite

// This file writes separate clones of functions that the compiler inlines, and has
// clones call them:
//
//	func (p *point) x() int { return p.n }; /*line :3:1*/func _pep_t1_x(p *point) int { _pep_core.Tap(…); return p.n }
//
//	q.point.x()    →    _pep_t1_x(&q.point)

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/pepgo/pep/instrument/clone"
)

func separateName(s *clone.Func) string {
	return fmt.Sprintf("%s%d_%s", tapped, s.Number, s.Decl.Name.Name)
}

// separateClone writes the separate clone of d, if it has one, after d.
func (w *file) separateClone(d *ast.FuncDecl) {
	if w.Clones == nil || w.Clones.Funcs[d] == nil {
		return
	}
	v := w.as(version{taps: w.Taps, kind: clonedBody, separate: true})
	v.function(d.Body)
	params := w.source(d.Type.Params.Opening+1, d.Type.Params.Closing)
	if d.Recv != nil {
		params = strings.TrimRight(w.source(d.Recv.Opening+1, d.Recv.Closing), ", \t") + ", " + params
	}
	w.insert(d.End(), fmt.Sprintf("; %sfunc %s(%s)%s%s}", w.lineDirective(d.Pos()), separateName(w.Clones.Funcs[d]),
		params, w.source(d.Type.Params.Closing+1, d.Body.Lbrace+1), v.text(d.Body)))
}

// callClone makes x a call of the separate clone of the function that it calls.
func (w *file) callClone(x *ast.CallExpr) {
	if !w.separate {
		return
	}
	call := w.Clones.Calls[x]
	if call == nil {
		return
	}
	*w.written++
	name := separateName(call.Func)
	if call.Recv == nil {
		w.buf.Replace(w.offset(x.Fun.Pos()), w.offset(x.Fun.End()), name)
		return
	}
	from := w.offset(call.Recv.Pos())
	recv := w.source(call.Recv.Pos(), call.Recv.End())
	if len(x.Args) > 0 {
		recv += ", "
	}
	breaks := strings.Repeat("\n", w.line(x.Lparen)-w.line(call.Recv.Pos()))
	w.buf.Replace(from, w.offset(x.Lparen+1), name+"("+breaks+call.Op+recv)
}
