// Package inline estimates which functions the compiler inlines.
//
// The compiler gives a function a budget of 80 nodes of its intermediate form;
// a call is one node and 57 more, or what the callee costs if that is inlined
// itself:
//
//	func (l *list) front() *node { return l.head }      3: it is inlined
//	func (l *list) first() int { return l.front().n }   7: so is this
//
// This package counts the cost on the syntax tree, by the same rules: type hairyVisitor
// of cmd/compile/internal/inline/inl.go, go1.26. It does not know the bodies of
// functions of other packages, and takes the full cost of a call for a call of such a
// function. So its estimate is mostly too high, and a test measures how often it is
// wrong.
package inline

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/pepgo/pep/instrument/mark"
	"github.com/pepgo/pep/runtime/doors"
)

// The compiler's parameters, by its own names for them.
const (
	maxBudget      = 80
	extraCallCost  = 57
	paramCallCost  = 17
	extraPanicCost = 1
	closureCost    = 15
)

// Big is a size of functions in nodes: inlineBigFunctionNodes. The compiler inlines
// next to nothing into a function of this size or more.
const Big = 5000

// never is the cost of a function that the compiler never inlines.
const never = 1 << 20

// Costs knows the costs of the functions of a package.
type Costs struct {
	info    *types.Info
	markers *mark.Markers
	decls   map[*types.Func]*ast.FuncDecl
	core    string           // see Instrumented
	known   map[ast.Node]int // by *ast.FuncDecl or *ast.FuncLit; -1 while Func computes it
}

// New returns the costs of a type-checked package, whose files may carry markers.
func New(files []*ast.File, markers *mark.Markers, info *types.Info) *Costs {
	c := &Costs{info: info, markers: markers, decls: map[*types.Func]*ast.FuncDecl{}, known: map[ast.Node]int{}}
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				if fn, ok := info.Defs[d.Name].(*types.Func); ok {
					c.decls[fn] = d
				}
			}
		}
	}
	return c
}

// Instrumented returns the costs of a package whose source has been instrumented, in
// which the package of the linked runtime has the name core. The source need not
// type-check where it uses that package. A call of a function of that package costs no
// more than its arguments (docs/decisions/0011-free-calls.md); only a call of Count
// costs as much as any other call.
func Instrumented(files []*ast.File, info *types.Info, core string) *Costs {
	c := New(files, new(mark.Markers), info)
	c.core = core
	return c
}

// Inlinable reports whether the estimate says that the compiler inlines a function, an
// *ast.FuncDecl or *ast.FuncLit.
func (c *Costs) Inlinable(fn ast.Node) bool { return c.Func(fn) <= maxBudget }

// Func returns the cost of inlining a function.
func (c *Costs) Func(fn ast.Node) int {
	cost, ok := c.known[fn]
	if ok && cost < 0 {
		return never // recursion
	}
	if ok {
		return cost
	}
	c.known[fn] = -1
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		cost = never
		if fn.Body != nil && !forbidden(fn.Doc) {
			cost = c.body(fn.Body)
		}
	case *ast.FuncLit:
		cost = c.body(fn.Body)
	}
	c.known[fn] = cost
	return cost
}

func forbidden(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, line := range doc.List {
		switch line.Text {
		case "//go:noinline", "//go:uintptrkeepalive", "//go:uintptrescapes", "//go:yeswritebarrierrec", "//go:cgo_unsafe_args":
			return true
		}
	}
	return false
}

func (c *Costs) body(b *ast.BlockStmt) int { return min(c.list(b.List), never) }

// Nodes returns the number of nodes of a statement. A call in the statement adds its
// own nodes, but no cost of the function that it calls.
func (c *Costs) Nodes(s ast.Stmt) int {
	n := 0
	ast.Inspect(s, func(x ast.Node) bool {
		switch x := x.(type) {
		case ast.Stmt:
			if c.markers.StmtMarker(x) != nil || c.markers.Apart(x) != nil {
				return false
			}
			n++
		case *ast.FuncLit:
			return false
		case ast.Expr:
			n++
		}
		return true
	})
	return n
}

func (c *Costs) list(list []ast.Stmt) int {
	n := 0
	for _, s := range list {
		n += c.stmt(s)
	}
	return n
}

func (c *Costs) stmt(s ast.Stmt) int {
	if s == nil || c.markers.StmtMarker(s) != nil || c.markers.Apart(s) != nil {
		return 0
	}
	switch s := s.(type) {
	case *ast.BlockStmt:
		return c.list(s.List)
	case *ast.LabeledStmt:
		return 1 + c.stmt(s.Stmt)
	case *ast.ExprStmt:
		return c.expr(s.X)
	case *ast.AssignStmt:
		return c.assign(s)
	case *ast.IncDecStmt:
		return 2 + c.expr(s.X)
	case *ast.SendStmt:
		return 1 + c.expr(s.Chan) + c.expr(s.Value)
	case *ast.ReturnStmt:
		return 1 + c.exprs(s.Results)
	case *ast.BranchStmt:
		if s.Tok == token.FALLTHROUGH {
			return 0
		}
		return 1
	case *ast.DeclStmt:
		return c.decl(s.Decl.(*ast.GenDecl))
	case *ast.GoStmt, *ast.DeferStmt:
		return never
	case *ast.IfStmt:
		return c.ifStmt(s)
	case *ast.ForStmt:
		n := 1 + c.stmt(s.Init) + c.stmt(s.Post) + c.list(s.Body.List)
		return n + c.expr(c.cond(s, s.Cond))
	case *ast.RangeStmt:
		return c.rangeStmt(s)
	case *ast.SwitchStmt:
		n := 1 + c.stmt(s.Init) + c.clauses(s.Body)
		if s.Tag != nil {
			n += c.expr(s.Tag)
		}
		return n
	case *ast.TypeSwitchStmt:
		return 2 + c.stmt(s.Init) + c.stmt(s.Assign) + c.clauses(s.Body)
	case *ast.SelectStmt:
		n := 1
		for _, x := range s.Body.List {
			x := x.(*ast.CommClause)
			n += 1 + c.stmt(x.Comm) + c.list(x.Body)
		}
		return n
	}
	return 0
}

// assign returns the cost of an assignment. Each variable that it declares adds two
// nodes.
func (c *Costs) assign(s *ast.AssignStmt) int {
	n := 1 + c.exprs(s.Rhs)
	for _, e := range s.Lhs {
		n += c.expr(e)
		if id, ok := e.(*ast.Ident); ok && s.Tok == token.DEFINE && c.info.Defs[id] != nil {
			n += 2
		}
	}
	return n
}

func (c *Costs) decl(d *ast.GenDecl) int {
	n := 0
	for _, spec := range d.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
			n += 1 + 3*len(v.Names) + c.exprs(v.Values)
		}
	}
	return n
}

// cond returns the condition of s without markers. The expression e is the condition in
// the syntax tree, which may have markers.
func (c *Costs) cond(s ast.Stmt, e ast.Expr) ast.Expr {
	if cond := c.markers.Conds[s]; cond != nil {
		return cond.Expr
	}
	return e
}

func (c *Costs) ifStmt(s *ast.IfStmt) int {
	cond := c.cond(s, s.Cond)
	n := c.stmt(s.Init)
	if v := c.info.Types[cond].Value; v != nil && v.Kind() == constant.Bool {
		if constant.BoolVal(v) {
			return n + c.list(s.Body.List)
		}
		return n + c.stmt(s.Else)
	}
	return n + 1 + c.expr(cond) + c.list(s.Body.List) + c.stmt(s.Else)
}

func (c *Costs) rangeStmt(s *ast.RangeStmt) int {
	n := 1 + c.expr(s.X) + c.list(s.Body.List)
	for _, e := range []ast.Expr{s.Key, s.Value} {
		if e == nil {
			continue
		}
		n++
		if s.Tok == token.DEFINE {
			n += 2
		}
	}
	if _, ok := c.typeOf(s.X).Underlying().(*types.Signature); ok {
		n += extraCallCost + closureCost
	}
	return n
}

func (c *Costs) clauses(body *ast.BlockStmt) int {
	n := 0
	for _, x := range body.List {
		x := x.(*ast.CaseClause)
		n += 1 + c.exprs(x.List) + c.list(x.Body)
	}
	return n
}

func (c *Costs) exprs(list []ast.Expr) int {
	n := 0
	for _, e := range list {
		n += c.expr(e)
	}
	return n
}

func (c *Costs) typeOf(e ast.Expr) types.Type {
	if t := c.info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

func (c *Costs) expr(e ast.Expr) int {
	if e == nil {
		return 0
	}
	if l := c.markers.ExprLeaf(e); l != nil {
		return c.expr(l.Expr)
	}
	switch t := c.info.Types[e]; {
	case t.IsType():
		return 0
	case t.Value != nil:
		return 1
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.expr(e.X)
	case *ast.SelectorExpr:
		return c.selector(e)
	case *ast.StarExpr:
		return 1 + c.expr(e.X)
	case *ast.UnaryExpr:
		return c.unary(e)
	case *ast.BinaryExpr:
		n := 1 + c.expr(e.X) + c.expr(e.Y)
		if x, ok := ast.Unparen(e.X).(*ast.BinaryExpr); ok && c.concatenates(e) && c.concatenates(x) {
			n-- // all of a+b+c is one node
		}
		return n
	case *ast.IndexExpr:
		if c.isFunc(e.X) {
			return c.expr(e.X) // an instance
		}
		return 1 + c.expr(e.X) + c.expr(e.Index)
	case *ast.IndexListExpr:
		return c.expr(e.X)
	case *ast.SliceExpr:
		n := 1 + c.expr(e.X) + c.expr(e.Low) + c.expr(e.High) + c.expr(e.Max)
		if v := c.info.Types[e.Low].Value; e.Low != nil && v != nil && constant.Sign(v) == 0 {
			n--
		}
		return n
	case *ast.TypeAssertExpr:
		return 1 + c.expr(e.X)
	case *ast.CompositeLit:
		return c.composite(e)
	case *ast.KeyValueExpr:
		return 1 + c.expr(e.Value)
	case *ast.FuncLit:
		return 1 + closureCost
	case *ast.CallExpr:
		return c.call(e)
	}
	return 1
}

func (c *Costs) concatenates(e *ast.BinaryExpr) bool {
	b, ok := c.typeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0 && c.info.Types[e].Value == nil
}

func (c *Costs) isFunc(e ast.Expr) bool {
	_, ok := c.typeOf(e).Underlying().(*types.Signature)
	return ok
}

// selector returns the cost of a selector expression. Every embedded field on the way
// adds a node.
func (c *Costs) selector(e *ast.SelectorExpr) int {
	s := c.info.Selections[e]
	if s == nil {
		return 1 // of a package
	}
	return len(s.Index()) + c.expr(e.X)
}

func (c *Costs) unary(e *ast.UnaryExpr) int {
	n := 1 + c.expr(e.X)
	x, ok := e.X.(*ast.SelectorExpr)
	if !ok || e.Op != token.AND {
		return n
	}
	// The address of the first field of a variable is free.
	if s := c.info.Selections[x]; s != nil && s.Kind() == types.FieldVal && len(s.Index()) == 1 && s.Index()[0] == 0 {
		if _, ok := x.X.(*ast.Ident); ok {
			n -= 2
		}
	}
	return n
}

func (c *Costs) composite(e *ast.CompositeLit) int {
	n := 1
	t := c.typeOf(e).Underlying()
	if p, ok := t.(*types.Pointer); ok { // in a literal of pointers
		n++
		t = p.Elem().Underlying()
	}
	if _, ok := t.(*types.Slice); ok {
		n++
	}
	_, isStruct := t.(*types.Struct)
	for _, x := range e.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok && !isStruct {
			n += c.expr(kv.Key)
		} else if !ok && isStruct {
			n++
		}
		n += c.expr(x)
	}
	return n
}

func (c *Costs) call(e *ast.CallExpr) int {
	fun := ast.Unparen(e.Fun)
	if c.info.Types[fun].IsType() {
		return c.conversion(e)
	}
	args := c.exprs(e.Args)
	if id, ok := fun.(*ast.Ident); ok {
		if b, ok := c.info.Uses[id].(*types.Builtin); ok {
			switch b.Name() {
			case "recover":
				return never
			case "panic":
				return args + 1 + extraPanicCost
			}
			return args + 1
		}
	}
	return 1 + args + c.expr(fun) + c.callee(fun)
}

func (c *Costs) conversion(e *ast.CallExpr) int {
	from, to := c.typeOf(e.Args[0]).Underlying(), c.typeOf(e).Underlying()
	n := c.expr(e.Args[0])
	if types.Identical(from, to) {
		return n
	}
	return n + 1
}

// callee returns the cost that the called function adds to a call.
func (c *Costs) callee(fun ast.Expr) int {
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	var obj types.Object
	switch x := fun.(type) {
	case *ast.Ident:
		obj = c.info.Uses[x]
	case *ast.SelectorExpr:
		if id, ok := x.X.(*ast.Ident); ok && id.Name == c.core && x.Sel.Name != doors.Count {
			return 0
		}
		obj = c.info.Uses[x.Sel]
		if s := c.info.Selections[x]; s != nil && types.IsInterface(s.Recv()) {
			return extraCallCost
		}
	case *ast.FuncLit:
		return c.inlined(x)
	}
	switch obj := obj.(type) {
	case *types.Var:
		if obj.Kind() == types.ParamVar {
			return paramCallCost
		}
	case *types.Func:
		if intrinsic(obj) {
			return 0
		}
		if d := c.decls[obj.Origin()]; d != nil {
			return c.inlined(d)
		}
	}
	return extraCallCost
}

// Calls reports whether the compiler makes a call of a call expression. It makes none
// of a conversion, of most builtins, or of a function that it inlines.
func (c *Costs) Calls(e *ast.CallExpr) bool {
	fun := ast.Unparen(e.Fun)
	if mark.IsCall(e) || c.info.Types[fun].IsType() || c.info.Types[fun].IsBuiltin() {
		return false
	}
	return c.callee(fun) >= paramCallCost && !c.small(fun)
}

// small reports whether a call calls a function of this package, or a literal, that the
// compiler inlines by the estimate.
func (c *Costs) small(fun ast.Expr) bool {
	switch x := fun.(type) {
	case *ast.FuncLit:
		return c.Inlinable(x)
	case *ast.Ident:
		return c.smallFunc(c.info.Uses[x])
	case *ast.SelectorExpr:
		return c.smallFunc(c.info.Uses[x.Sel])
	}
	return false
}

func (c *Costs) smallFunc(obj types.Object) bool {
	fn, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	d := c.decls[fn.Origin()]
	return d != nil && c.Inlinable(d)
}

func (c *Costs) inlined(fn ast.Node) int {
	if cost := c.Func(fn); cost <= maxBudget {
		return cost
	}
	return extraCallCost
}

// intrinsic reports whether a call of fn is an instruction or nearly so.
func intrinsic(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	switch fn.Pkg().Path() {
	case "math/bits", "internal/runtime/sys", "sync/atomic", "internal/runtime/atomic":
		return true
	case "internal/byteorder":
		return strings.HasPrefix(fn.Name(), "LE") || strings.HasPrefix(fn.Name(), "BE")
	case "encoding/binary":
		return strings.Contains(fn.Name(), "Uint")
	case "math":
		switch fn.Name() {
		case "Sqrt", "Floor", "Ceil", "Trunc", "Abs", "Copysign", "FMA", "RoundToEven":
			return true
		}
	}
	return false
}
