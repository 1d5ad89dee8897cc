package rewrite

// This file defines the walk over the tree, with its markers, that makes the edits.
//
// The positions of edits come from the nodes of the source and from the markers. The
// marker calls themselves have no positions.

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"

	"github.com/pepgo/pep/instrument/mark"
	"github.com/pepgo/pep/runtime/doors"
)

func (w *file) stmts(s *scope, list []ast.Stmt) {
	for _, st := range list {
		w.stmt(s, st)
	}
}

func (w *file) stmt(s *scope, st ast.Stmt) {
	if st == nil {
		return
	}
	if mk := w.Markers.StmtMarker(st); mk != nil {
		w.mark(s, mk)
		return
	}
	if text := w.tapsBefore(st); text != "" {
		w.insert(st.Pos(), text[1:]+" ")
	}
	w.inner(s, st)
	w.tapsAfter(st)
}

// inner rewrites the parts of st.
func (w *file) inner(s *scope, st ast.Stmt) {
	switch st := st.(type) {
	case *ast.BlockStmt:
		w.stmts(s, st.List)
	case *ast.LabeledStmt:
		w.stmt(s, st.Stmt)
	case *ast.BranchStmt:
		w.leave(st)
		w.branch(st)
	case *ast.ReturnStmt:
		w.leave(st)
		w.literals(s, st)
		w.tapReturn(st)
	case *ast.IfStmt:
		w.ifStmt(s, st)
	case *ast.ForStmt:
		w.forStmt(s, st)
	case *ast.RangeStmt:
		for _, e := range []ast.Expr{st.Key, st.Value, st.X} {
			if e != nil {
				w.literals(s, e)
			}
		}
		w.rangeBody(s, st)
	case *ast.SwitchStmt:
		w.stmt(s, st.Init)
		if st.Tag != nil {
			w.header(st, st.Switch, st.Tag.Pos())
			w.tag(s, st)
		}
		w.clauses(s, st.Body)
		w.endTag(st)
		w.endHeader(st)
	case *ast.TypeSwitchStmt:
		w.stmt(s, st.Init)
		w.header(st, st.Switch, st.Assign.Pos())
		w.typeTag(s, st)
		w.clauses(s, st.Body)
		w.endHeader(st)
	case *ast.SelectStmt:
		for _, c := range st.Body.List {
			c := c.(*ast.CommClause)
			w.stmt(s, c.Comm)
			w.stmts(s, c.Body)
		}
	default:
		w.literals(s, st)
	}
}

// mark inserts the code at a statement marker.
func (w *file) mark(s *scope, mk *mark.Marker) {
	code := w.atMarker(s, mk)
	if code == "" {
		return
	}
	switch mk.Kind {
	case mark.Start:
		w.insert(mk.Pos, code)
	case mark.Before, mark.Panic, mark.Fallthru:
		w.insert(mk.Pos, code[1:]+" ")
	case mark.After, mark.End:
		w.insert(mk.Pos, ";"+code)
	case mark.NoCase:
		text := "default:" + code + " "
		if !mk.Alone {
			text = "; " + text
		}
		w.insert(mk.Pos, text)
	}
}

// header moves the statement in the header of a switch in front of the switch, if
// there are taps behind that statement, at pos:
//
//	switch x := f(); x.n {    →    { x := f(); Tap(x.n); switch x.n {
func (w *file) header(st ast.Stmt, keyword, pos token.Pos) {
	text := w.tapsInHeader(st, pos)
	if text == "" {
		return
	}
	w.insertOver(keyword, "switch", "{")
	w.insert(pos, text[1:]+" switch ")
}

// endHeader ends the block that header has begun.
func (w *file) endHeader(st ast.Stmt) {
	if w.Taps != nil && len(w.Taps.Headers[st]) > 0 {
		w.insert(st.End(), "}")
	}
}

func (w *file) clauses(s *scope, body *ast.BlockStmt) {
	for _, c := range body.List {
		c := c.(*ast.CaseClause)
		for _, e := range c.List {
			w.insert(e.Pos(), w.tapsInCase(e))
			w.literals(s, e)
		}
		for _, st := range c.Body {
			if a := w.Markers.Apart(st); a != nil {
				w.apart(s, body, a)
				continue
			}
			w.stmt(s, st)
		}
	}
}

// literals rewrites the bodies of the function literals in n, uses of syscall.Exec, and operands
// of cases and values.
func (w *file) literals(s *scope, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok {
			if l := w.Markers.ExprLeaf(x); l != nil {
				w.exprLeaf(s, l)
			}
			if w.Execs[x] {
				w.exec(x)
				return false
			}
		}
		lit, ok := n.(*ast.FuncLit)
		if ok {
			w.function(lit.Body)
		}
		return !ok
	})
}

// exec makes the program write its profile before it replaces itself by another:
//
//	syscall.Exec(name, args, env)    →    _pep_core.Exec(syscall.Exec)(name, args, env)
func (w *file) exec(x ast.Expr) {
	w.usesCore = true
	w.buf.Replace(w.offset(x.Pos()), w.offset(x.End()),
		fmt.Sprintf("%s.%s(%s)", core, doors.Exec, w.source(x.Pos(), x.End())))
}

// ifStmt rewrites an if statement, or an else if.
func (w *file) ifStmt(s *scope, st *ast.IfStmt) {
	cond := w.Markers.Conds[st]
	w.stmt(s, st.Init)
	w.literals(s, cond.Expr)
	if w.splits(s, cond) {
		w.splitIf(s, st, cond)
		return
	}
	var ifTrue, ifFalse string
	if !cond.Split {
		ifTrue = w.atLeaf(s, cond.Leaves[0], true)
		ifFalse = w.atLeaf(s, cond.Leaves[0], false)
	}
	w.insert(st.Body.Lbrace+1, ifTrue)
	w.stmts(s, st.Body.List)
	w.elseBranch(s, st, ifFalse)
}

// splitIf rewrites an if statement so that it evaluates its condition operand by
// operand. The statement becomes a block.
func (w *file) splitIf(s *scope, st *ast.IfStmt, cond *mark.Cond) {
	w.insertOver(st.If, "if", "{")
	otherwise, end := &target{w: w}, &target{w: w}
	w.operands(s, cond, otherwise)
	w.stmts(s, st.Body.List)
	if st.Else == nil {
		w.insert(st.End(), "; "+otherwise.mark()+"}")
		return
	}
	// A goto behind a body that ends in a return would be a way to the end of
	// the block, and the compiler would miss a return there.
	jump := ""
	if !w.terminates(st.Body) {
		jump = end.to() + ";"
	}
	w.insertOver(w.elseToken(st), "else", ";"+jump+" "+otherwise.mark())
	w.elseBranch(s, st, "")
	w.insert(st.End(), "; "+end.mark()+"}")
}

// elseToken returns the position of the else of st.
func (w *file) elseToken(st *ast.IfStmt) token.Pos {
	from, to := w.offset(st.Body.End()), w.offset(st.Else.Pos())
	var sc scanner.Scanner
	gap := w.src[from:to]
	f := token.NewFileSet().AddFile("", -1, len(gap))
	sc.Init(f, gap, nil, 0)
	for {
		pos, tok, _ := sc.Scan()
		if tok == token.ELSE {
			return st.Body.End() + token.Pos(f.Offset(pos))
		}
		if tok == token.EOF {
			panic("rewrite: no else between the branches of an if")
		}
	}
}

// elseBranch rewrites the else branch of st and puts code at its start.
func (w *file) elseBranch(s *scope, st *ast.IfStmt, code string) {
	switch e := st.Else.(type) {
	case nil:
		if code != "" {
			w.insert(st.End(), " else {"+code+" }")
		}
	case *ast.BlockStmt:
		w.insert(e.Lbrace+1, code)
		w.stmts(s, e.List)
	case *ast.IfStmt:
		code += w.tapsBefore(e)
		if code == "" {
			w.ifStmt(s, e)
			return
		}
		w.insert(e.If, "{"+code+" ")
		w.ifStmt(s, e)
		w.insert(e.End(), "}")
	}
}

// insertOver replaces the token tok at p.
func (w *file) insertOver(p token.Pos, tok, text string) {
	o := w.offset(p)
	w.buf.Replace(o, o+len(tok), text)
}

func (w *file) forStmt(s *scope, st *ast.ForStmt) {
	w.stmt(s, st.Init)
	cond := w.Markers.Conds[st]
	if cond != nil {
		w.literals(s, cond.Expr)
	}
	switch {
	case cond == nil:
	case w.splits(s, cond):
		w.movedOperands(s, cond, st)
	case !cond.Split:
		w.insert(st.Body.Lbrace+1, w.atLeaf(s, cond.Leaves[0], true))
	}
	w.stmt(s, st.Post)
	w.stmts(s, st.Body.List)
}
