package counted

// This file finds the branches of a source.

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/instrument/describe"
)

// A place is a position, with the base name of its file.
type place struct {
	file      string
	line, col int
}

// A branch is one that a profile may have, and what the compiler knows of it.
type branch struct {
	place
	kind     string
	outcomes map[string][]outcome // by the name in the profile
}

type outcome struct {
	kind branches.Kind
	place
}

// A source is the branches of files, by the name of the function, or that of the function around a closure.
type source struct {
	fset  *token.FileSet
	funcs map[name][]branch

	fn name // of which branches are added
}

// A name is that of a function of a file: (*T).Read. Initialisers of variables and all functions init are init.
type name struct{ file, fn string }

const initializers = "init"

// parse reads files, and returns the branches in them.
func parse(files []string) (*source, error) {
	s := &source{fset: token.NewFileSet(), funcs: map[name][]branch{}}
	for _, file := range files {
		f, err := parser.ParseFile(s.fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			s.fn = name{s.at(d.Pos()).file, initializers}
			if d, ok := d.(*ast.FuncDecl); ok {
				s.fn.fn = declared(d)
			}
			s.add(d)
		}
	}
	for _, list := range s.funcs {
		slices.SortStableFunc(list, func(a, b branch) int { return a.compare(b.place) })
	}
	return s, nil
}

// declared returns the linker's name of a function, without the package.
func declared(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) != 1 {
		return d.Name.Name
	}
	t, star := ast.Unparen(d.Recv.List[0].Type), false
	if s, ok := t.(*ast.StarExpr); ok {
		t, star = ast.Unparen(s.X), true
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	id, ok := t.(*ast.Ident)
	switch {
	case !ok:
		return d.Name.Name
	case star:
		return "(*" + id.Name + ")." + d.Name.Name
	}
	return id.Name + "." + d.Name.Name
}

// at returns a position as profiles have it: a line directive may say another one than that of the text, and leave the
// column unknown.
func (s *source) at(p token.Pos) place {
	pos := s.fset.Position(p)
	if pos.Column == 0 {
		pos.Column = s.fset.PositionFor(p, false).Column
	}
	return place{filepath.Base(pos.Filename), pos.Line, pos.Column}
}

func (s *source) put(kind string, at token.Pos, outcomes map[string][]outcome) {
	s.funcs[s.fn] = append(s.funcs[s.fn], branch{s.at(at), kind, outcomes})
}

// add adds the branches of a declaration.
func (s *source) add(d ast.Decl) {
	w := &condition{s, map[ast.Expr]bool{}}
	condition := func(e ast.Expr, kind string, at token.Pos) {
		if e == nil {
			return
		}
		end, x := decider{kind, at, false}, stripped(e)
		op, short := x.(*ast.BinaryExpr)
		switch short = short && isShort(op); {
		case !short:
			s.put(kind, e.Pos(), w.whole(end)) // with its negations; in profiles of coverage without them
		case x != e && isLeaf(op.X) && isLeaf(op.Y):
			s.put(kind+"("+op.Op.String()+")", e.Pos(), w.whole(end))
		}
		if short || x != e {
			w.operand(e, end)
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			condition(n.Cond, "if", n.If)
		case *ast.ForStmt:
			condition(n.Cond, "for", n.For)
		case *ast.RangeStmt:
			s.put("range", n.For, map[string][]outcome{
				wire.OutBody: {{branches.True, s.at(n.Range)}}, wire.OutDone: {{branches.False, s.at(n.Range)}}})
		case *ast.SwitchStmt:
			s.clauses("switch", n.Switch, n.Body)
		case *ast.TypeSwitchStmt:
			s.clauses("type switch", n.Switch, n.Body)
		case *ast.SelectStmt:
			s.clauses("select", n.Select, n.Body)
		case *ast.BinaryExpr:
			if isShort(n) && !w.inside[n] {
				w.operand(n, decider{kind: "value"})
			}
		}
		return true
	})
}

// clauses adds a switch or a select.
func (s *source) clauses(kind string, at token.Pos, body *ast.BlockStmt) {
	outcomes := map[string][]outcome{wire.OutNoCase: {{branches.None, s.at(at)}}}
	for _, c := range body.List {
		var nodes []ast.Node
		switch c := c.(type) {
		case *ast.CaseClause:
			for _, e := range c.List {
				nodes = append(nodes, e)
			}
		case *ast.CommClause:
			if c.Comm != nil {
				nodes = append(nodes, c.Comm)
			}
		}
		text := wire.OutDefault
		if nodes != nil {
			text = "case " + describe.Text(nodes)
		}
		if text == wire.OutDefault {
			delete(outcomes, wire.OutNoCase)
		}
		outcomes[text] = append(outcomes[text], outcome{branches.Clause, s.at(c.Pos())})
	}
	s.put(kind, at, outcomes)
}

// A condition adds the operands of a condition.
type condition struct {
	*source
	inside map[ast.Expr]bool // operators whose operands are there
}

// A decider is what an operand decides first: the operator behind it, or the statement.
type decider struct {
	kind string
	pos  token.Pos // unknown for a value
	not  bool      // it is decided that the other way round
}

func isShort(e *ast.BinaryExpr) bool { return e.Op == token.LAND || e.Op == token.LOR }

// stripped returns e without parentheses and negations.
func stripped(e ast.Expr) ast.Expr {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
			continue
		case *ast.UnaryExpr:
			if x.Op == token.NOT {
				e = x.X
				continue
			}
		}
		return e
	}
}

// isLeaf reports whether e has no operators && and ||.
func isLeaf(e ast.Expr) bool {
	op, ok := stripped(e).(*ast.BinaryExpr)
	return !ok || !isShort(op)
}

// whole returns the outcomes of an operand that decides d.
func (w *condition) whole(d decider) map[string][]outcome {
	if !d.pos.IsValid() {
		return nil
	}
	yes, no := []outcome{{branches.True, w.at(d.pos)}}, []outcome{{branches.False, w.at(d.pos)}}
	if d.not {
		yes, no = no, yes
	}
	return map[string][]outcome{wire.OutTrue: yes, wire.OutFalse: no, wire.OutBody: yes, wire.OutDone: no}
}

// operand adds the operands of e, which decides d.
func (w *condition) operand(e ast.Expr, d decider) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		w.operand(x.X, d)
		return
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			d.not = !d.not
			w.operand(x.X, d)
			return
		}
	case *ast.BinaryExpr:
		if isShort(x) {
			w.inside[x] = true
			op := decider{x.Op.String(), x.OpPos, false}
			w.operand(x.X, op)
			w.operand(x.Y, d)
			w.pair(x, op, d)
			return
		}
	}
	w.put(d.kind, e.Pos(), w.whole(d))
}

// pair adds the operands beside an operator as one: the profile does so if they compare the same expression. Nobody
// knows which of them decided.
func (w *condition) pair(x *ast.BinaryExpr, op, d decider) {
	left := ast.Unparen(x.X)
	if l, ok := left.(*ast.BinaryExpr); ok && l.Op == x.Op {
		left = ast.Unparen(l.Y)
	}
	if !isLeaf(left) || !isLeaf(x.Y) {
		return
	}
	outcomes := w.whole(op)
	for name, list := range w.whole(d) {
		outcomes[name] = append(outcomes[name], list...)
	}
	w.put(d.kind+"("+x.Op.String()+")", left.Pos(), outcomes)
}

func (p place) compare(q place) int {
	return cmp.Or(strings.Compare(p.file, q.file), cmp.Compare(p.line, q.line), cmp.Compare(p.col, q.col))
}
