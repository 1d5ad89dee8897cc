package rewrite

// This file evaluates conditions with && and || operand by operand, so that
// code can stand at each outcome of each operand:
//
//	if a && b {     →     { t := 0 != 0; if (a) { t = 0 == 0 } else { … };
//	                      if t { t = 0 != 0; if (b) { … t = 0 == 0 } }; if t {
//
// The variable holds constants only, and the compiler turns the tests of it into
// jumps again. 0 == 0 stands for true, which a program may have redefined. An
// operand is tested by an if of its own rather than assigned, since operands may
// be of different boolean types.

import (
	"go/ast"
	"go/token"

	"github.com/pepgo/pep/instrument/mark"
)

const (
	yes = "0 == 0"
	no  = "0 != 0"
)

// splits reports whether cond must be evaluated operand by operand: it can be,
// and there is code for an outcome.
func (w *file) splits(s *scope, cond *mark.Cond) bool {
	if s == nil || !cond.Split {
		return false
	}
	for _, l := range cond.Leaves {
		if w.atLeaf(s, l, true) != "" || w.atLeaf(s, l, false) != "" {
			return true
		}
	}
	return false
}

// A sink receives the pieces of an evaluation in order: inserted text, and
// operands and what stands between them in the source.
type sink interface {
	text(string)
	operand(e ast.Expr)
	drop(from token.Pos, tok string) // a token that the evaluation replaces
}

// operands evaluates the condition of an if in its place.
func (w *file) operands(s *scope, cond *mark.Cond) {
	in := &inPlace{w: w, at: cond.Expr.Pos()}
	in.text(test + " := " + no + "; ")
	w.evaluate(s, cond, in)
	in.text("; ")
}

// movedOperands evaluates the condition of a for at the start of its body.
func (w *file) movedOperands(s *scope, cond *mark.Cond, st *ast.ForStmt) {
	at := w.offset(st.Body.Lbrace + 1)
	from, to := w.offset(cond.Expr.Pos()), w.offset(cond.Expr.End())
	w.buf.Replace(from, to, "")
	m := &moved{w: w, at: at}
	m.text(" " + test + " := " + no + "; ")
	w.evaluate(s, cond, m)
	m.text("; if !" + test + " { break };")
}

// evaluate sends the statements that set the test variable to the value of
// cond. The variable is false before.
func (w *file) evaluate(s *scope, cond *mark.Cond, out sink) {
	leaves := cond.Leaves
	var eval func(e ast.Expr)
	eval = func(e ast.Expr) {
		switch x := e.(type) {
		case *ast.ParenExpr:
			out.drop(x.Lparen, "(")
			eval(x.X)
			out.drop(x.Rparen, ")")
			return
		case *ast.UnaryExpr:
			if x.Op == token.NOT {
				out.drop(x.OpPos, "!")
				eval(x.X)
				out.text("; " + test + " = !" + test)
				return
			}
		case *ast.BinaryExpr:
			if x.Op == token.LAND || x.Op == token.LOR {
				eval(x.X)
				if x.Op == token.LAND {
					out.text("; if " + test + " { " + test + " = " + no + "; ")
				} else {
					out.text("; if !" + test + " { ")
				}
				out.drop(x.OpPos, x.Op.String())
				eval(x.Y)
				out.text(" }")
				return
			}
		}
		l := leaves[0]
		leaves = leaves[1:]
		out.text("if (")
		out.operand(e)
		out.text(") {" + w.atLeaf(s, l, true) + " " + test + " = " + yes + " }")
		if code := w.atLeaf(s, l, false); code != "" {
			out.text(" else {" + code + " }")
		}
	}
	eval(cond.Expr)
}

// inPlace leaves the operands where they are and puts text between them. What
// separates two operands in the source (line breaks, comments) stays behind the
// text, right before the next operand.
type inPlace struct {
	w  *file
	at token.Pos // where text goes
}

func (p *inPlace) text(t string) { p.w.insert(p.at, t) }

func (p *inPlace) operand(e ast.Expr) { p.at = e.End() }

func (p *inPlace) drop(from token.Pos, tok string) { p.w.insertOver(from, tok, "") }

// moved puts text and operands at one offset.
type moved struct {
	w  *file
	at int
}

func (m *moved) text(t string) { m.w.buf.Insert(m.at, t) }

func (m *moved) operand(e ast.Expr) {
	m.w.buf.Move(m.w.offset(e.Pos()), m.w.offset(e.End()), m.at)
}

func (m *moved) drop(token.Pos, string) {}
