package rewrite

// This file writes taps: calls of the linked runtime that report a word each.
//
//	p := l.head                   p := l.head; _pep_core.Tap(0x3…, _pep_core.PtrWord(_pep_core.Ptr(p)))
//	if p.n > 3 {             →    _pep_core.Tap(0x3…, _pep_core.U64(p.n)); if p.n > 3 {
//
// Before a case of a switch without a tag they stand in its list, and do not match:
//
//	case p.n > 3:            →    case _pep_core.TapCase(0x3…, _pep_core.U64(p.n)), p.n > 3:
//
// The conversions are to aliases of the linked runtime, since the program may use
// the names of the predeclared types for something else.

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/instrument/mark"
	"github.com/pepgo/pep/instrument/placement"
	"github.com/pepgo/pep/instrument/tap"
	"github.com/pepgo/pep/runtime/doors"
)

// A form is how taps are written: by which functions, for samples of one word and more.
type form struct {
	fns [tuple.MaxWords]string
	end string
}

var (
	asStatement = form{[...]string{doors.Tap, doors.Tap2, doors.Tap3}, ";"}
	asCase      = form{[...]string{doors.TapCase, doors.Tap2Case, doors.Tap3Case}, ","} // in the list of a case
)

// calls returns the text of some taps that stand at the given position; NoPos if a
// line directive follows. Line directives make the panic of an argument have the line
// that the argument has in the source.
func (w *file) calls(calls []tap.Call, at token.Pos) string { return w.callsAs(asStatement, calls, at) }

func (w *file) callsAs(f form, calls []tap.Call, at token.Pos) string {
	if len(calls) == 0 {
		return ""
	}
	var b strings.Builder
	elsewhere := false
	for _, c := range calls {
		words := []string{word(c.Func, c.Conv, c.Arg)}
		for _, m := range c.More {
			words = append(words, word(m.Func, m.Conv, m.Arg))
		}
		b.WriteString(" ")
		if c.Defer {
			b.WriteString("defer ")
		}
		if c.Pos.IsValid() && (!at.IsValid() || w.line(c.Pos) != w.line(at)) {
			b.WriteString(w.lineDirective(c.Pos))
			elsewhere = true
		}
		b.WriteString(w.tap(f, c.PC, words))
	}
	if elsewhere && at.IsValid() {
		b.WriteString(w.lineDirective(at))
	}
	return b.String()
}

// word returns the text for a word: a function of the linked runtime makes it of an
// argument that is converted to a type, as far as they are given.
func word(fn, conv, arg string) string {
	for _, name := range []string{conv, fn} {
		if name != "" {
			arg = fmt.Sprintf("%s.%s(%s)", core, name, arg)
		}
	}
	return arg
}

// tap returns the text that reports a sample of some words.
func (w *file) tap(f form, pc uint64, words []string) string {
	w.usesCore = true
	return fmt.Sprintf("%s.%s(%#x, %s)%s", core, f.fns[len(words)-1], pc, strings.Join(words, ", "), f.end)
}

func (w *file) tapsAtStart(body *ast.BlockStmt) {
	if w.Taps != nil {
		w.insert(body.Lbrace+1, w.calls(w.Taps.Start[body], body.Lbrace))
	}
}

func (w *file) tapsBefore(st ast.Stmt) string {
	if w.Taps == nil {
		return ""
	}
	text := w.calls(w.Taps.Before[st], st.Pos())
	if s, ok := st.(*ast.IfStmt); ok && s.Init == nil {
		text += w.tapsAtLeaf(w.Markers.Conds[s].Leaves[0], st.Pos())
	}
	return text
}

func (w *file) tapsAfter(st ast.Stmt) {
	if w.Taps == nil {
		return
	}
	if text := w.calls(w.Taps.After[st], st.End()); text != "" {
		w.insert(st.End(), ";"+strings.TrimSuffix(text, ";"))
	}
}

func (w *file) tapsAtMarker(mk *mark.Marker) string {
	if w.Taps == nil {
		return ""
	}
	return w.calls(w.Taps.Markers[mk], mk.Pos)
}

func (w *file) tapsAtOutcome(o placement.Outcome) string {
	if w.Taps == nil {
		return ""
	}
	return w.calls(w.Taps.Outcomes[o], o.Leaf.Expr.Pos())
}

// tapsInCase returns the text before an expression of a case.
func (w *file) tapsInCase(e ast.Expr) string {
	if w.Taps == nil || len(w.Taps.Cases[e]) == 0 {
		return ""
	}
	return w.callsAs(asCase, w.Taps.Cases[e], e.Pos())[1:] + " "
}

// tapsInHeader returns the text at the given position in the header of a switch,
// behind the statement there.
func (w *file) tapsInHeader(s ast.Stmt, at token.Pos) string {
	if w.Taps == nil {
		return ""
	}
	return w.calls(w.Taps.Headers[s], at)
}

// tapsAtLeaf returns the text before an operand of a condition. For the first
// operand of an if without a statement in its header, that is before the if.
func (w *file) tapsAtLeaf(l *mark.Leaf, at token.Pos) string {
	if w.Taps == nil {
		return ""
	}
	return w.calls(w.Taps.Leaves[l], at)
}

// leafInside reports whether the taps of l stand within the evaluation of the
// condition, and not before the statement.
func leafInside(l *mark.Leaf) bool {
	s, ok := l.Cond.Stmt.(*ast.IfStmt)
	return !ok || s.Init != nil || l != l.Cond.Leaves[0]
}
