package flow

// This file writes insertion points as text, for tests and for people who look for a
// mistake.

import (
	"fmt"
	"go/token"

	"github.com/pepgo/pep/instrument/mark"
)

var kinds = map[mark.Kind]string{
	mark.Before: "before", mark.Start: "start", mark.After: "after", mark.End: "end",
	mark.NoCase: "no case", mark.Fallthru: "fallthrough", mark.Panic: "panic", mark.OneValue: "value",
}

// Text says where p is: "if at 3:5 is true", "before 5:2".
func (p Point) Text(fset *token.FileSet) string {
	switch {
	case p.Leaf != nil:
		return fmt.Sprintf("%s at %s is %v", p.Leaf.Op, At(fset, p.Leaf.Expr.Pos()), p.Outcome)
	case p.Marker != nil:
		s := kinds[p.Marker.Kind] + " " + At(fset, p.Marker.Pos)
		if p.Out {
			s += ", leaving"
		}
		for _, u := range p.Undo {
			s += ", undone at " + At(fset, u.Pos)
		}
		return s
	case p.Jump != nil:
		if p.Jump.Leaves {
			return fmt.Sprintf("%s, in the loop at %s", p.Jump, At(fset, p.Jump.Loop.Pos()))
		}
		return fmt.Sprintf("%s, behind the loop at %s", p.Jump, At(fset, p.Jump.Loop.Pos()))
	}
	return "nowhere"
}

// At returns a position as line:column.
func At(fset *token.FileSet, p token.Pos) string {
	pos := fset.Position(p)
	return fmt.Sprintf("%d:%d", pos.Line, pos.Column)
}
