package tap

// This file defines the walk over the statements of a function.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"maps"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/instrument/reeval"
	"github.com/pepgo/pep/runtime/doors"
)

// function finds the taps of a function, without those of the functions in it.
func (f *finder) function(fn Func) {
	f.fn, f.loops, f.requested, f.results, f.known = fn, nil, false, nil, reeval.Loads{}
	f.wanted = f.Funcs == nil || f.Funcs.MatchString(fn.Name)
	f.old = f.oldLanguage(fn.Syntax.Pos())
	f.enter()
	switch s := fn.Syntax.(type) {
	case *ast.FuncDecl:
		f.signature(s.Recv, s.Type)
	case *ast.FuncLit:
		f.signature(nil, s.Type)
	case *ast.RangeStmt:
		if s.Tok == token.DEFINE {
			f.arg(s.Key)
			f.arg(s.Value)
		}
	}
	f.leave()
	f.stmts(fn.Body().List)
	f.edges()
}

// oldLanguage reports whether the file of pos is in a version of the language
// without generics.
func (f *finder) oldLanguage(pos token.Pos) bool {
	for _, file := range f.Files {
		if file.FileStart <= pos && pos < file.FileEnd {
			v := f.Info.FileVersions[file]
			return v != "" && version.Compare(v, "go1.18") < 0
		}
	}
	return false
}

// signature taps the parameters, and notes the results.
func (f *finder) signature(recv *ast.FieldList, typ *ast.FuncType) {
	for _, list := range []*ast.FieldList{recv, typ.Params} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				f.arg(name)
			}
		}
	}
	if typ.Results == nil {
		return
	}
	for _, field := range typ.Results.List {
		for i := range max(1, len(field.Names)) {
			v := types.NewParam(token.NoPos, nil, "_", f.Info.TypeOf(field.Type))
			if i < len(field.Names) {
				v = f.Info.Defs[field.Names[i]].(*types.Var)
			}
			f.results = append(f.results, v)
		}
	}
}

// arg taps a variable that has its value when the function starts.
func (f *finder) arg(e ast.Expr) {
	if v := f.Local(e); v != nil && f.wants(tuple.Arg, e.Pos()) {
		f.start(tuple.Arg, e.Pos(), v.Name(), v, f.fn.Body())
	}
}

// start taps variable v at the start of a body. The site shows expr, whose value v
// has.
func (f *finder) start(tag tuple.Tag, pos token.Pos, expr string, v *types.Var, body *ast.BlockStmt) {
	w, ok := f.wordOf(tag, f.exprAt(pos, expr), v.Type())
	if !ok {
		return
	}
	if pc, ok := f.site(tag, pos, w.expr(expr), v.Type(), w); ok {
		f.plan.Start[body] = append(f.plan.Start[body], Call{PC: pc, Func: w.fn, Conv: w.conv, Arg: v.Name()})
	}
}

// wordOf returns how values of type t, that of e, are reported. It counts e as skipped
// if they are not.
func (f *finder) wordOf(tag tuple.Tag, e Expr, t types.Type) (w word, ok bool) {
	w, ok = f.word(t)
	if ok && w.fn == doors.SliceWord && f.old {
		ok = false
	}
	if !ok {
		f.skip(tag, e, whyType)
	}
	return w, ok
}

func (f *finder) stmts(list []ast.Stmt) {
	for _, s := range list {
		if f.Markers.StmtMarker(s) == nil {
			f.listed(s, point{stmt: s})
		}
	}
}

// listed walks a statement of a list. Taps before it go to at.
//
// Nothing can stand between a label and a loop, switch or select, because of break and
// continue. A point before the label is as good, unless a goto goes to the label.
func (f *finder) listed(s ast.Stmt, at point) {
	if l, ok := s.(*ast.LabeledStmt); ok {
		clear(f.known) // there may be other ways to here
		if f.gotos[f.Info.Defs[l.Label]] {
			at = point{}
		}
		f.listed(l.Stmt, at)
		return
	}
	f.stmt = s
	f.statement(s, at)
	f.forget(s)
}

// statement walks s. Taps before it go to at.
func (f *finder) statement(s ast.Stmt, at point) {
	f.requested = f.requests(s)
	switch s := s.(type) {
	case *ast.BlockStmt:
		f.requested = false
		f.stmts(s.List)
	case *ast.IfStmt:
		f.ifStmt(s, at)
	case *ast.ForStmt:
		f.forStmt(s, at)
	case *ast.RangeStmt:
		f.rangeStmt(s, at)
	case *ast.SwitchStmt:
		f.switchStmt(s, at)
	case *ast.TypeSwitchStmt:
		f.typeSwitch(s, at)
	case *ast.SelectStmt:
		f.selectStmt(s, at)
	default:
		f.simple(s, at, s)
	}
	f.requested = false
}

// requests reports whether the source asks for taps of s: there is a directive at the
// end of the last line of s (or, of its header), or on the line above.
func (f *finder) requests(s ast.Stmt) bool {
	end := s.End()
	switch s := s.(type) {
	case *ast.IfStmt:
		end = s.Body.Lbrace
	case *ast.ForStmt:
		end = s.Body.Lbrace
	case *ast.RangeStmt:
		end = s.Body.Lbrace
	case *ast.SwitchStmt:
		end = s.Body.Lbrace
	case *ast.TypeSwitchStmt:
		end = s.Body.Lbrace
	}
	above := f.line(s.Pos())
	above.n--
	return f.lines[f.line(end)] || f.lines[above] && !f.code[above]
}

// simple walks a statement that holds no statements. Taps of its results go behind the
// statement after; nil if nothing can stand there.
func (f *finder) simple(s ast.Stmt, at point, after ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		f.unit(at, s.X).Value(s.X)
	case *ast.AssignStmt:
		f.assign(s, at, after)
	case *ast.IncDecStmt:
		f.update(s.X, nil, at, after)
	case *ast.DeclStmt:
		f.declare(s, at, after)
	case *ast.SendStmt:
		u := f.unit(at, s.Chan, s.Value)
		u.Value(s.Chan)
		u.Value(s.Value)
	case *ast.GoStmt:
		f.unitOf(at, s.Call).Value(s.Call)
	case *ast.DeferStmt:
		f.unitOf(at, s.Call).Value(s.Call)
	case *ast.ReturnStmt:
		f.returns(s, at)
	}
}

func (f *finder) returns(s *ast.ReturnStmt, at point) {
	u := f.unit(at, s.Results...)
	if len(s.Results) == 0 {
		for _, v := range f.results {
			if v.Name() != "_" && v.Name() != "" && f.wants(tuple.Result, s.Pos()) {
				u.result(s.Pos(), v.Name(), v.Type())
			}
		}
		return
	}
	for i, e := range s.Results {
		u.Value(e)
		if !f.wants(tuple.Result, e.Pos()) {
			continue
		}
		if len(s.Results) != len(f.results) {
			f.skip(tuple.Result, f.exprOf(e), whyCalls)
			continue
		}
		u.returned(e, f.results[i].Type())
	}
}

// result taps a named result that a return statement returns without mentioning it.
func (u *unit) result(pos token.Pos, name string, typ types.Type) {
	if w, ok := u.wordOf(tuple.Result, u.exprAt(pos, name), typ); ok {
		u.insertText(tuple.Result, pos, w.expr(name), typ, w, Call{Arg: name})
	}
}

// returned taps e, which a return statement returns as a result of the given type.
func (u *unit) returned(e ast.Expr, typ types.Type) {
	if c, ok := u.constantWord(e, typ); ok {
		w, _ := u.word(typ)
		if pc, ok := u.site(tuple.Result, e.Pos(), w.expr(types.ExprString(e)), typ, w); ok {
			u.put(Call{PC: pc, Arg: fmt.Sprintf("%#x", c)})
		}
		return
	}
	if types.IsInterface(typ) && !isTypeParam(typ) {
		u.skip(tuple.Result, u.exprOf(e), whyType)
		return
	}
	u.tap(tuple.Result, e)
}

// constantWord returns the word of e as a value of type t, if e is a constant or nil.
func (f *finder) constantWord(e ast.Expr, t types.Type) (w uint64, ok bool) {
	if _, ok := f.word(t); !ok || isTypeParam(t) {
		return 0, false
	}
	if f.Info.Types[e].IsNil() {
		return 0, true
	}
	if v := f.Constant(e); v != nil {
		return constWord(v, t)
	}
	return 0, false
}

func (f *finder) ifStmt(s *ast.IfStmt, at point) {
	if s.Init != nil {
		f.simple(s.Init, at, nil)
		f.forget(s.Init)
	}
	always := f.condition(s)
	f.requested = false
	f.stmts(s.Body.List)
	f.known = maps.Clone(always)
	switch e := s.Else.(type) {
	case *ast.BlockStmt:
		f.stmts(e.List)
	case *ast.IfStmt:
		f.statement(e, point{stmt: e})
	}
	f.known = always
}

// condition walks the operands of the condition of s. Package rewrite makes an
// insertion point before each of them. condition returns the loads that are known
// whatever the outcome is: those of the first operand. The loads of all operands are
// known if the condition is true and has no ||.
func (f *finder) condition(s ast.Stmt) (always reeval.Loads) {
	c := f.Markers.Conds[s]
	if c == nil {
		return maps.Clone(f.known)
	}
	for i, l := range c.Leaves {
		f.unit(point{leaf: l}, l.Expr).Value(l.Expr)
		f.forget(l.Expr)
		switch {
		case i == 0:
			always = maps.Clone(f.known)
		case l.Cond.Split && !conjunction(c.Expr):
			f.known = maps.Clone(always) // this operand need not have been evaluated
		}
	}
	for i, l := range c.Leaves {
		if i > 0 && f.HasEffect(l.Expr) {
			always = reeval.Loads{}
		}
	}
	return always
}

// conjunction reports whether e has no || that decides it.
func conjunction(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		return e.Op != token.LOR && (e.Op != token.LAND || conjunction(e.X) && conjunction(e.Y))
	case *ast.UnaryExpr:
		return e.Op != token.NOT || conjunction(e.X)
	}
	return true
}

// nested walks statements that the program need not execute. The loads in them are
// known within them only.
func (f *finder) nested(walk func()) {
	known := maps.Clone(f.known)
	walk()
	f.known = known
}

// forget forgets the loads that n may change.
func (f *finder) forget(n ast.Node) { f.Forget(f.known, n) }

func (f *finder) forStmt(s *ast.ForStmt, at point) {
	if s.Init != nil {
		f.simple(s.Init, at, nil)
	}
	f.forget(s)
	f.loop(s.Body.Lbrace, s.End())
	if s.Cond != nil {
		cond := f.Markers.Conds[s].Expr
		f.loop(cond.Pos(), cond.End())
	}
	f.nested(func() {
		f.condition(s)
		requested := f.requested
		f.requested = false
		f.nested(func() { f.stmts(s.Body.List) })
		f.requested = requested
		if s.Post != nil {
			f.forget(s.Body)
			f.loop(s.Post.Pos(), s.Post.End())
			f.simple(s.Post, f.behindBody(s), nil)
		}
	})
}

// loop notes that the source from one position to the other is in a loop.
func (f *finder) loop(from, to token.Pos) { f.loops = append(f.loops, extent{from, to}) }

func (f *finder) rangeStmt(s *ast.RangeStmt, at point) {
	if f.evaluates(s) {
		f.unit(at, s.X).Value(s.X)
	}
	if f.bodies[s.Body] {
		return // over a function: the body is one itself
	}
	f.forget(s)
	f.loop(s.Pos(), s.X.Pos()) // the variables
	f.loop(s.Body.Lbrace, s.End())
	f.elements(s)
	f.requested = false
	f.nested(func() { f.stmts(s.Body.List) })
}

// evaluates reports whether a range statement evaluates its operand. It does not if
// the operand is an array, or a pointer to one, and the loop needs the length only.
func (f *finder) evaluates(s *ast.RangeStmt) bool {
	if s.Value != nil && !isBlank(s.Value) {
		return true
	}
	t := f.TypeOf(s.X).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	_, array := t.(*types.Array)
	return !array
}

// elements taps the elements that a range loop is over, in the variable that the loop
// assigns them to.
func (f *finder) elements(s *ast.RangeStmt) {
	if s.Value == nil || !f.wants(tuple.Load, s.Value.Pos()) || isBlank(s.Value) {
		return
	}
	v := f.Local(s.Value)
	if v == nil {
		f.skip(tuple.Load, f.exprOf(s.Value), whyReread)
		return
	}
	key := "…"
	if s.Key != nil && !isBlank(s.Key) {
		key = types.ExprString(s.Key)
	}
	f.start(tuple.Load, s.Value.Pos(), types.ExprString(s.X)+"["+key+"]", v, s.Body)
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}
