package reeval

// This file walks over the expressions of a unit in the order in which they are
// evaluated, and keeps account of what has come before.

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A Unit is some expressions that are evaluated one after the other, the operands
// of one statement for example. Code that evaluates one of them again stands in
// front of the whole unit.
//
// The caller walks over the unit with Value and the like, expression by expression
// in the order of evaluation. A [Visitor] hears of what is evaluated, and can ask
// Before about it at that moment only: the answer depends on how far the walk has come.
//
// In
//
//	x := g(a[i], h()) + p.n
//
// the unit has the effects h() and g(). The walk visits a[i], an operand of g but
// not of h: within is 1, of 2 effects. It goes on to p.n, with within 0, and before
// AnyRisk, since a[i], g and h may have panicked.
type Unit struct {
	*Facts
	visitor Visitor

	effects int  // number of effects in the unit
	within  int  // how many of them have the expression that the walk has reached as an operand
	maybe   int  // how many right operands of && and || this expression is in
	passed  int  // number of effects that the walk has passed
	before  Risk // how the expressions that the walk has passed may panic, but for those evaluated again in front
}

// A Visitor hears of what a unit evaluates.
type Visitor interface {
	// Load hears of e, which reads memory, when its operands have been walked. It
	// reports whether e, with its operands, is evaluated in front of the unit: if
	// so, e can no longer panic in its own place.
	Load(e ast.Expr) bool

	// Store hears of e in memory, which the unit assigns to, and reports whether
	// the address of e is computed in front of the unit.
	Store(e ast.Expr) bool

	// Overtaken hears of e in memory, which the unit assigns to after it has
	// assigned to something else. Its address cannot be computed in front.
	Overtaken(e ast.Expr)

	// Compared hears of e, which the unit compares with a constant.
	Compared(e ast.Expr)

	// Call hears of a call, or of what has the form of one, when what is called
	// has been walked, and the arguments have not.
	Call(e *ast.CallExpr)

	// Called hears of the same when the arguments have been walked, too.
	Called(e *ast.CallExpr)

	// Computed hears of an operation but && and ||, whose operands have been walked.
	Computed(e *ast.BinaryExpr)

	// Asserted hears of x in x.(T).
	Asserted(x ast.Expr)
}

// NewUnit starts a unit of the given expressions, to be evaluated in this order.
func (f *Facts) NewUnit(v Visitor, exprs ...ast.Expr) *Unit {
	u := &Unit{Facts: f, visitor: v}
	for _, e := range exprs {
		u.effects += f.effects(e)
	}
	return u
}

// Follow says that u is evaluated right after v, with the code for both in front of v.
// The effects of v must be among those of u.
func (u *Unit) Follow(v *Unit) { u.before = v.before }

// Certain reports whether the unit is certain to evaluate what the walk has reached: it
// is not in the right operand of && or ||.
func (u *Unit) Certain() bool { return u.maybe == 0 }

// Passed returns how many effects of the unit the walk has passed: those to the left,
// and those of operands.
func (u *Unit) Passed() int { return u.passed }

// An Operand is what is to be evaluated again: an expression, or text that means
// the same as a part of one.
type Operand struct {
	Rule    Rule // what Repeatable says
	Private bool
	Risk    Risk // with its operands
}

// Operand returns what is known of e.
func (f *Facts) Operand(e ast.Expr) Operand {
	return Operand{f.Repeatable(e), f.Private(e), f.TotalRisk(e)}
}

// Before says whether o, which the walk has reached, may be evaluated in front of
// the unit.
//
// The unit must be certain to evaluate o: not in the right operand of && or ||.
//
// The value must be the one that the unit computes. All effects of the unit that o
// is not an operand of may come before the unit reads o, whether they stand to the
// left of it or to the right, for Go leaves that open. Effects that o is an operand
// of come after it. So the two numbers must be equal:
//
//	f(p.n)          effects 1, within 1: may
//	f(p.n) + g()    effects 2, within 1: g may come before f and change p.n
//
// unless o is private, so that no effect changes it.
//
// A panic of o must not overtake another one: what the walk has passed must not
// panic, or panic in the same way, by a nil pointer. Effects to the left of o may
// panic, too, and count as AnyRisk when the walk has passed them.
func (u *Unit) Before(o Operand) Rule {
	switch {
	case u.maybe > 0:
		return Conditional
	case o.Rule != May:
		return o.Rule
	case u.within != u.effects && !o.Private:
		return Beside
	case !o.Risk.mayOvertake(u.before):
		return Panics
	}
	return May
}

// Value walks e, whose value is used.
func (u *Unit) Value(e ast.Expr) {
	tv := u.info.Types[e]
	if e == nil || tv.Value != nil || tv.IsType() {
		return
	}
	if u.Effect(e) {
		u.within++
		defer func() { u.within--; u.passed++ }()
	}
	outside := u.before
	switch e := e.(type) {
	case *ast.ParenExpr:
		u.Value(e.X)
		return
	case *ast.SelectorExpr:
		u.selector(e)
	case *ast.StarExpr:
		u.Value(e.X)
	case *ast.IndexExpr:
		u.element(e)
	case *ast.SliceExpr:
		u.base(e.X)
		for _, i := range []ast.Expr{e.Low, e.High, e.Max} {
			if i != nil {
				u.Value(i)
			}
		}
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			u.variable(e.X)
		} else {
			u.Value(e.X)
		}
	case *ast.BinaryExpr:
		u.binary(e)
	case *ast.CallExpr:
		u.call(e)
	case *ast.TypeAssertExpr:
		u.Value(e.X)
		if e.Type != nil {
			u.visitor.Asserted(e.X)
		}
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			u.literalElement(x, e)
		}
	}
	if !u.Memory(e) || !u.loadWhole(e, outside) {
		u.before = max(u.before, u.Risk(e))
	}
}

// loadWhole visits the load of an e whose operands have been walked. outside is the
// risk of what the unit evaluates before e and its operands.
//
// If e is evaluated in front of the unit, so are its operands, in their own order.
// How they may panic then matters neither to e nor to what follows:
//
//	x := a[i].f.g + p.n
//
// If a[i].f.g is tapped, p.n may be, too. The text before the unit evaluates a[i],
// its f, its g, and p.n, in the order of the program, and panics where the program
// would. If a[i].f.g is not tapped, a[i] is still what p.n must not overtake.
func (u *Unit) loadWhole(e ast.Expr, outside Risk) bool {
	inside := u.before
	u.before = outside
	if u.visitor.Load(e) {
		return true
	}
	u.before = inside
	return false
}

func (u *Unit) literalElement(x ast.Expr, lit *ast.CompositeLit) {
	if kv, ok := x.(*ast.KeyValueExpr); ok {
		if _, isMap := u.TypeOf(lit).Underlying().(*types.Map); isMap {
			u.Value(kv.Key)
		}
		x = kv.Value
	}
	u.Value(x)
}

// variable walks e, whose address is used.
func (u *Unit) variable(e ast.Expr) {
	u.Operands(e)
	u.before = max(u.before, u.Risk(e))
}

// Operands walks the operands of e, whose address is used: in &p.a[i] the unit reads
// p and i, and not the element.
func (u *Unit) Operands(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Ident:
	case *ast.ParenExpr:
		u.variable(e.X)
	case *ast.SelectorExpr:
		u.selector(e)
	case *ast.IndexExpr:
		u.element(e)
	case *ast.StarExpr:
		u.Value(e.X)
	default:
		u.Value(e)
	}
}

// Target walks e, which the unit assigns to when it has evaluated everything, and
// whose operands have been walked. If e is not the first target, a panic of e comes
// after an assignment:
//
//	x, p.n = 1, 2    // if p is nil, x is 1 when the program panics
func (u *Unit) Target(e ast.Expr, first bool) {
	front := false
	switch {
	case !u.Memory(e):
	case first || u.TotalRisk(e) == Safe:
		front = u.visitor.Store(e)
	default:
		u.visitor.Overtaken(e)
	}
	if !front {
		u.before = max(u.before, u.Risk(e))
	}
}

func (u *Unit) selector(e *ast.SelectorExpr) {
	switch s := u.info.Selections[e]; {
	case s == nil || s.Kind() == types.MethodExpr:
	case s.Kind() == types.MethodVal:
		u.receiver(e, s)
	default:
		u.base(e.X)
	}
}

// base walks what e is a part of. To find a part of what a pointer, a slice or the
// like refers to, the unit must read the pointer. It need not read a struct or an
// array as a whole.
func (u *Unit) base(e ast.Expr) {
	switch u.TypeOf(e).Underlying().(type) {
	case *types.Struct, *types.Array:
		u.variable(e)
	default:
		u.Value(e)
	}
}

func (u *Unit) element(e *ast.IndexExpr) {
	if u.isElement(e) {
		u.base(e.X)
		u.Value(e.Index)
	}
}

func (u *Unit) binary(e *ast.BinaryExpr) {
	u.Value(e.X)
	if e.Op == token.LAND || e.Op == token.LOR {
		u.maybe++
		u.Value(e.Y)
		u.maybe--
		return
	}
	u.Value(e.Y)
	u.visitor.Computed(e)
	switch e.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		if u.Constant(e.Y) != nil {
			u.visitor.Compared(e.X)
		} else if u.Constant(e.X) != nil {
			u.visitor.Compared(e.Y)
		}
	}
}

// call walks a call: first what is called, then the arguments. The name of a
// declared function is not evaluated.
func (u *Unit) call(e *ast.CallExpr) {
	fun := ast.Unparen(e.Fun)
	if sel, s := u.Method(fun); s != nil {
		u.receiver(sel, s)
	} else if u.FuncValue(fun) {
		u.Value(fun)
	}
	u.visitor.Call(e)
	for _, arg := range e.Args {
		u.Value(arg)
	}
	u.visitor.Called(e)
}

// Method returns the selection of the method that fun is with its receiver; nil if
// fun is something else.
func (f *Facts) Method(fun ast.Expr) (*ast.SelectorExpr, *types.Selection) {
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return nil, nil
	}
	if s := f.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
		return sel, s
	}
	return nil, nil
}

// FuncValue reports whether fun, which is called and is no method, is a function
// value, and neither a function that the compiler knows, a type, nor a builtin.
func (f *Facts) FuncValue(fun ast.Expr) bool {
	if _, lit := fun.(*ast.FuncLit); lit {
		return false
	}
	return f.info.Types[fun].IsValue() && !f.declared(fun)
}

// declared reports whether fun names a declared function.
func (f *Facts) declared(fun ast.Expr) bool {
	switch x := fun.(type) {
	case *ast.Ident:
		_, ok := f.info.Uses[x].(*types.Func)
		return ok
	case *ast.SelectorExpr:
		_, ok := f.info.Uses[x.Sel].(*types.Func)
		return ok
	case *ast.IndexExpr:
		return f.declared(x.X)
	case *ast.IndexListExpr:
		return true
	}
	return false
}

// receiver walks the receiver of a method value or call. A method with a pointer
// receiver takes the address of a variable and does not read it.
func (u *Unit) receiver(e *ast.SelectorExpr, s *types.Selection) {
	recv := s.Obj().Type().(*types.Signature).Recv()
	if recv == nil || !isPointer(recv.Type()) || isPointer(u.TypeOf(e.X)) {
		u.Value(e.X)
	} else {
		u.variable(e.X)
	}
	u.before = max(u.before, NilRisk)
}
