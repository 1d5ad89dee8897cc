package cover

// This file says where a reader looks for what stands in a Go file.

import "github.com/pepgo/pep/analyze/source"

// Shown returns where to show what is at p. That is where a //line directive says, if there is such a line. A scanner
// that ragel has written, for example, shows its actions in the ragel file, and the rest in the Go file:
//
//	//line num.rl:12
//		n++
//	//line num.go:40
//		goto st2
//
// Directives that lead to the Go file itself are not followed: they are wrong once the file was formatted.
func (c *Coverage) Shown(p Place) Place {
	if f := c.texts[p.File]; f != nil && f.tree != nil {
		return f.shown(p, c.src)
	}
	return p
}

func (f *file) shown(p Place, src *source.Tree) Place {
	if p.Line < 1 || p.Line > f.text.LineCount() {
		return p
	}
	at := f.text.PositionFor(f.text.Pos(f.text.Offset(f.text.LineStart(p.Line))+max(p.Col, 1)-1), true)
	if at.Filename == f.name {
		return p
	}
	if _, ok := src.Line(at.Filename, int64(at.Line)); !ok {
		return p
	}
	if at.Column == 0 || p.Col == 0 { // the directive has no column
		at.Column = p.Col
	}
	name, _ := src.Path(at.Filename)
	return Place{name, at.Line, at.Column}
}
