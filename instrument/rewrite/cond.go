package rewrite

// This file evaluates conditions with && and || operand by operand, so that code can
// stand at each outcome of each operand:
//
//	if a && b {        →     { if (a) { … } else { …; goto L1 }; if (b) { … } else { …; goto L1 }; {
//		f()                  	f()
//	} else {                 }; goto L2; L1: {
//		g()                  	g()
//	}                        }; L2: }
//
// The compiler makes the same control flow of the condition, so that this costs
// nothing but the code at the outcomes. All jumps go forward, to a label of the same
// or an enclosing block, over no declaration of that block.

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/pepgo/pep/instrument/mark"
)

// splits reports whether cond must be evaluated operand by operand: there is code
// before an operand, or for the end of a loop alone, or the condition has several
// operands and there is code for an outcome.
func (w *file) splits(s *scope, cond *mark.Cond) bool {
	for _, l := range cond.Leaves {
		if leafInside(l) && w.tapsAtLeaf(l, l.Expr.Pos()) != "" {
			return true
		}
		if !cond.Split {
			if l.Op == "for" && w.atLeaf(s, l, false) != "" {
				return true
			}
			continue
		}
		if w.atLeaf(s, l, true) != "" || w.atLeaf(s, l, false) != "" {
			return true
		}
	}
	return false
}

// A target is where control goes after an operand.
type target struct {
	w     *file
	label string // empty until something jumps there
	jump  string // the statement to get there, if it is not a goto
}

// to returns the statement that goes to t.
func (t *target) to() string {
	if t.jump != "" {
		return " " + t.jump
	}
	if t.label == "" {
		t.label = t.w.newName(label)
	}
	return " goto " + t.label
}

// mark returns the label of t as text, if something jumps there.
func (t *target) mark() string {
	if t.label == "" {
		return ""
	}
	return t.label + ": "
}

// A sink receives the pieces of an evaluation in order: inserted text, operands, and
// the tokens of the source that the evaluation replaces.
type sink interface {
	text(string)
	operand(e ast.Expr)
	pos() token.Pos // where text goes, in the source; NoPos if that is unknown
	drop(at token.Pos, tok string)
}

// operands evaluates the condition of an if where it stands. Control goes on behind it
// if the condition is true, and goes to otherwise if it is false.
func (w *file) operands(s *scope, cond *mark.Cond, otherwise *target) {
	e := &evaluation{file: w, scope: s, leaves: cond.Leaves, out: &inPlace{w: w, at: cond.Expr.Pos()}}
	behind := &target{w: w}
	e.eval(cond.Expr, behind, otherwise, behind)
	e.out.text(behind.mark())
}

// movedOperands evaluates the condition of a for at the start of its body. If the
// header is on several lines, line directives keep the lines of what is moved, and of
// what is not.
func (w *file) movedOperands(s *scope, cond *mark.Cond, st *ast.ForStmt) {
	w.buf.Replace(w.offset(cond.Expr.Pos()), w.offset(cond.Expr.End()), "")
	m := &moved{w: w, at: w.offset(st.Body.Lbrace + 1)}
	m.lines = bytes.Count(w.src[w.offset(cond.Expr.Pos()):w.offset(cond.Expr.End())], []byte("\n"))
	m.directives = m.lines > 0 || w.line(cond.Expr.End()) != w.line(st.Body.Lbrace) ||
		w.directivesIn(st.For, st.Body.Lbrace)
	if m.directives && st.Post != nil {
		w.insert(st.Post.Pos(), w.lineDirective(st.Post.Pos()))
	}
	e := &evaluation{file: w, scope: s, leaves: cond.Leaves, out: m}
	behind := &target{w: w}
	m.text(" ")
	e.eval(cond.Expr, behind, &target{w: w, jump: "break"}, behind)
	m.text(behind.mark())
	if m.directives {
		m.text(strings.Repeat("\n", m.lines) + w.lineDirective(st.Body.Lbrace+1))
	}
}

// line returns the line of p, regardless of line directives in the source.
func (w *file) line(p token.Pos) int { return w.file.PositionFor(p, false).Line }

// lineDirective returns a directive that says that what follows stands at p.
func (w *file) lineDirective(p token.Pos) string {
	pos := w.file.PositionFor(p, true)
	return fmt.Sprintf("/*line %s:%d:%d*/", w.fileName(p), pos.Line, max(pos.Column, 1))
}

// A naming is a line directive of the source that names a file.
type naming struct {
	pos  token.Pos
	name string // as it stands there: the compiler keeps relative names
}

var lineDirective = regexp.MustCompile(`^(?://|/\*)line (.*?):\d+(?::\d+)?(?:\*/)?\r?$`)

// namings returns the line directives of f that name a file.
func namings(f *ast.File) (list []naming) {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if m := lineDirective.FindStringSubmatch(c.Text); m != nil && m[1] != "" {
				list = append(list, naming{c.Pos(), m[1]})
			}
		}
	}
	return list
}

// fileName returns the name of the file in which p stands, as a directive has to write it: nothing
// if no directive of the source names a file, because then none can change.
func (w *file) fileName(p token.Pos) string {
	if len(w.namings) == 0 {
		return ""
	}
	name := w.file.Name()
	for _, n := range w.namings {
		if n.pos < p {
			name = n.name
		}
	}
	return name
}

// directivesIn reports whether a directive that names a file stands between two positions.
func (w *file) directivesIn(from, to token.Pos) bool {
	return slices.ContainsFunc(w.namings, func(n naming) bool { return from < n.pos && n.pos < to })
}

type evaluation struct {
	*file
	scope  *scope
	leaves []*mark.Leaf // yet to come, in source order
	out    sink
}

// eval writes statements that go to yes if e is true and to no if it is false. One of
// the two is next: what follows.
func (ev *evaluation) eval(e ast.Expr, yes, no, next *target) {
	if e == ev.leaves[0].Expr {
		ifTrue, ifFalse := ev.outcomes()
		ev.test(e, ifTrue, ifFalse, yes, no, next)
		return
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		ev.out.drop(x.Lparen, "(")
		ev.eval(x.X, yes, no, next)
		ev.out.drop(x.Rparen, ")")
	case *ast.UnaryExpr: // !
		if ast.Unparen(x.X) == ev.leaves[0].Expr {
			// The ! stays: the compiler then inlines what it inlines in the source.
			ifTrue, ifFalse := ev.outcomes()
			ev.test(e, ifFalse, ifTrue, yes, no, next)
			return
		}
		ev.out.drop(x.OpPos, "!")
		ev.eval(x.X, no, yes, next)
	case *ast.BinaryExpr: // && or ||
		right := &target{w: ev.file} // the right operand
		if x.Op == token.LAND {
			ev.eval(x.X, right, no, right)
		} else {
			ev.eval(x.X, yes, right, right)
		}
		ev.out.text(right.mark())
		ev.out.drop(x.OpPos, x.Op.String())
		ev.eval(x.Y, yes, no, next)
	}
}

// outcomes takes the next leaf, writes the taps before it, and returns the code for its
// two outcomes.
func (ev *evaluation) outcomes() (ifTrue, ifFalse string) {
	l := ev.leaves[0]
	ev.leaves = ev.leaves[1:]
	if leafInside(l) {
		ev.out.text(strings.TrimPrefix(ev.tapsAtLeaf(l, ev.out.pos())+" ", " "))
	}
	return ev.atLeaf(ev.scope, l, true), ev.atLeaf(ev.scope, l, false)
}

// test writes an if with the operand e.
func (ev *evaluation) test(e ast.Expr, ifTrue, ifFalse string, yes, no, next *target) {
	if yes != next {
		ifTrue += yes.to()
	}
	if no != next {
		ifFalse += no.to()
	}
	ev.out.text("if (")
	ev.out.operand(e)
	ev.out.text(") {" + ifTrue + " }")
	if ifFalse != "" {
		ev.out.text(" else {" + ifFalse + " }")
	}
	ev.out.text("; ")
}

// inPlace keeps the operands where they are and puts text between them. What separates
// two operands in the source (line breaks, comments) stays behind the text, right
// before the next operand.
type inPlace struct {
	w  *file
	at token.Pos // where text goes
}

func (p *inPlace) text(t string) { p.w.insert(p.at, t) }

func (p *inPlace) pos() token.Pos { return p.at }

func (p *inPlace) operand(e ast.Expr) { p.at = e.End() }

func (p *inPlace) drop(at token.Pos, tok string) { p.w.insertOver(at, tok, "") }

// moved puts text and operands at one offset.
type moved struct {
	w          *file
	at         int
	lines      int  // line breaks that still have to be written
	directives bool // say where operands stood
}

func (m *moved) text(t string) { m.w.buf.Insert(m.at, t) }

func (m *moved) pos() token.Pos {
	if m.directives {
		return token.NoPos
	}
	return m.w.file.Pos(m.at)
}

func (m *moved) operand(e ast.Expr) {
	from, to := m.w.offset(e.Pos()), m.w.offset(e.End())
	if m.directives {
		m.text(m.w.lineDirective(e.Pos()))
	}
	m.w.buf.Move(from, to, m.at)
	m.lines -= bytes.Count(m.w.src[from:to], []byte("\n"))
}

func (m *moved) drop(token.Pos, string) {}
