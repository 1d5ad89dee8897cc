package rewrite

// This file writes the code for jumps out of the bodies of loops over functions. Such
// a jump goes on in another function than it stands in. So its code stands behind the
// loop, and the jump makes a detour there:
//
//	outer:                            outer:
//		for i := range n {                for i := range n {
//			for x := range seq {              for x := range seq {
//				if x == i {                           if x == i {
//					continue outer    →                   goto L1
//				}                                     }
//			}                                 }; goto L2; L1: …; continue outer; L2: ;
//		}                                 }
//
// The compiler makes the same of a goto out of the body as of any other labelled jump.
// No declaration stands between the loop and the labels, so that goto may jump there,
// and from there to all labels that it could jump to from within the loop.
//
// A return or a jump may leave the function that the loop stands in, too, and no code of that
// function runs on the way. The number of the path that ends there is known. So the path ends in front of
// the statement, behind those of the functions further in:
//
//	for x := range seq {              for x := range seq {
//		if x > 0 {               →        if x > 0 {
//			return x                          poll(3); poll(1); return x
//		}                                 }
//	}                                 }

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"

	"github.com/pepgo/pep/instrument/mark"
)

// rangeBody rewrites the body of a range loop. If the body is a function of its own, it
// writes the code of the jumps that leave it behind the loop.
func (w *file) rangeBody(s *scope, loop *ast.RangeStmt) {
	text := ""
	for _, j := range w.jumps(s, loop) {
		if j.Leaves {
			for _, st := range j.Stmts {
				w.leaving[st] = w.atJump(s, j, st.Pos()) + w.leaving[st]
			}
			continue
		}
		code := w.atJump(s, j, loop.End())
		if code == "" {
			continue
		}
		l := w.newName(label)
		for _, st := range j.Stmts {
			w.landings[st] = l
		}
		text += fmt.Sprintf(" %s:%s %s;", l, code, j)
	}
	if w.Funcs[loop.Body] != nil {
		w.function(loop.Body) // range over a function: the body is one itself
	} else {
		w.tapsAtStart(loop.Body)
		w.stmts(s, loop.Body.List)
	}
	if text != "" {
		end := w.newName(label)
		w.insert(loop.End(), fmt.Sprintf("; goto %s;%s %s: ;", end, text, end))
	}
}

// jumps returns the jumps out of the body of a loop that may have code, in source
// order.
func (w *file) jumps(s *scope, loop *ast.RangeStmt) []*mark.Jump {
	found := map[*mark.Jump]bool{}
	if s != nil {
		for j := range s.plan.Jumps {
			found[j] = true
		}
	}
	if w.Taps != nil {
		for j := range w.Taps.Jumps {
			found[j] = true
		}
	}
	maps.DeleteFunc(found, func(j *mark.Jump, _ bool) bool { return j.Loop != loop })
	return slices.SortedFunc(maps.Keys(found), func(a, b *mark.Jump) int {
		return int(a.Stmts[0].Pos() - b.Stmts[0].Pos())
	})
}

// atJump returns the text on the way of a jump, which stands at the given position.
func (w *file) atJump(s *scope, j *mark.Jump, at token.Pos) string {
	text := ""
	if s != nil {
		text = w.code(s, s.plan.Jumps[j])
	}
	if w.Taps != nil {
		text += w.calls(w.Taps.Jumps[j], at)
	}
	return text
}

// branch makes a jump go where its code stands, if it has some.
func (w *file) branch(st *ast.BranchStmt) {
	if l := w.landings[st]; l != "" {
		w.buf.Replace(w.offset(st.Pos()), w.offset(st.End()), "goto "+l)
	}
}

// leave writes the ends of the paths of functions further out that st leaves.
func (w *file) leave(st ast.Stmt) {
	if text := w.leaving[st]; text != "" {
		w.insert(st.Pos(), text[1:]+" ")
	}
}
