package mark

// This file defines the markers of decisions that are no conditions of statements: the cases
// of a switch without a tag, and values.

import (
	"go/ast"
	"go/token"
	"reflect"

	"golang.org/x/tools/go/ast/astutil"
)

// A Value is a decision whose outcome is a value, such as x && y in z := x && y. go/ssa
// makes a branch of an operand only if something follows it:
//
//	Leaf(1, x) == 0 && Leaf(2, y) == 0 || x || y
//
// What follows the || stands there for the type checker, since the comparisons have no type. It
// must be false when the SSA form is built.
type Value struct {
	marked *ast.BinaryExpr
	cond   *Cond
}

// Cond returns the operands.
func (v *Value) Cond() *Cond { return v.cond }

// Settle writes false where the operands stand without markers. It returns that expression and
// one that has its type.
func (v *Value) Settle() (no, typed ast.Expr) {
	typed = v.marked.Y
	no = never()
	// What ends in the value then ends where it did in the source.
	no.(*ast.BinaryExpr).Y.(*ast.BasicLit).ValuePos = v.cond.Expr.End() - token.Pos(len("0"))
	v.marked.Y = no
	return v.marked.Y, typed
}

// never returns a constant that is false. The name false might be declared by the program.
func never() ast.Expr {
	zero := func() ast.Expr { return &ast.BasicLit{Kind: token.INT, Value: "0"} }
	return &ast.BinaryExpr{X: zero(), Op: token.NEQ, Y: zero()}
}

// caseCond puts markers around the operands of a case of a switch without a tag.
func (m *inserter) caseCond(e ast.Expr) ast.Expr {
	return m.operand(&Cond{Expr: e, Split: m.splits(e)}, e, "case")
}

// expr inserts markers into the bodies of the outermost function literals in e and, with
// decisions, into its values. It returns what e has become.
func (m *inserter) expr(e ast.Expr) ast.Expr { return m.within(e).(ast.Expr) }

// within does for a node what expr does for an expression.
func (m *inserter) within(n ast.Node) ast.Node {
	if !m.markers.Decisions {
		m.literals(n)
		return n
	}
	return astutil.Apply(n, func(c *astutil.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.GenDecl:
			return n.Tok == token.VAR
		case *ast.FuncLit:
			m.funcBody(n.Type, n.Body)
			return false
		case *ast.UnaryExpr, *ast.ParenExpr, *ast.BinaryExpr:
			if e := n.(ast.Expr); isShortCircuit(e) {
				c.Replace(m.value(e))
				return false
			}
		}
		return true
	}, nil)
}

// inits inserts markers into a declaration of the package.
func (m *inserter) inits(d *ast.GenDecl) {
	if !m.markers.Decisions || d.Tok != token.VAR {
		m.literals(d)
		return
	}
	for _, s := range d.Specs {
		s := s.(*ast.ValueSpec)
		for i, e := range s.Values {
			values := m.values
			s.Values[i] = m.expr(e)
			if m.values > values {
				m.markers.Inits[s.Values[i]] = s
			}
		}
	}
}

// condLiterals inserts markers into the function literals in a condition. With decisions,
// operand does so.
func (m *inserter) condLiterals(e ast.Expr) {
	if !m.markers.Decisions {
		m.literals(e)
	}
}

// value puts markers around the operands of e, which is a value with && or ||.
func (m *inserter) value(e ast.Expr) ast.Expr {
	c := &Cond{Expr: e, Split: true, Value: true, Inner: m.inner}
	v := &Value{cond: c, marked: &ast.BinaryExpr{Op: token.LOR}}
	v.marked.X = m.operand(c, e, "value")
	v.marked.Y = typeOf(c.Leaves)
	m.markers.Values = append(m.markers.Values, v)
	m.values++
	return v.marked
}

// typeOf returns an expression that has the type of a decision, as far as it has one:
// comparisons have none. The type checker must not see a function literal twice, so operands that
// have one are copied without its body.
func typeOf(leaves []*Leaf) ast.Expr {
	var typed ast.Expr
	for _, l := range leaves {
		e := l.Expr
		switch {
		case isComparison(e):
			continue
		case hasLiteral(e):
			e = withoutBodies(reflect.ValueOf(e)).Interface().(ast.Expr)
		}
		if typed == nil {
			typed = e
		} else {
			typed = &ast.BinaryExpr{X: typed, Op: token.LOR, Y: e}
		}
	}
	if typed == nil {
		return never()
	}
	return typed
}

func isComparison(e ast.Expr) bool {
	x, ok := ast.Unparen(e).(*ast.BinaryExpr)
	return ok && (isOrdering(x.Op) || x.Op == token.EQL || x.Op == token.NEQ)
}

func hasLiteral(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		_, ok := n.(*ast.FuncLit)
		found = found || ok
		return !found
	})
	return found
}

// withoutBodies copies the tree v, with function literals that do nothing and whose parameters
// have no names.
func withoutBodies(v reflect.Value) reflect.Value {
	if lit, ok := v.Interface().(*ast.FuncLit); ok {
		return reflect.ValueOf(&ast.FuncLit{
			Type: &ast.FuncType{Params: withoutNames(lit.Type.Params), Results: withoutNames(lit.Type.Results)},
			Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ForStmt{Body: &ast.BlockStmt{}}}},
		})
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Slice:
		if v.IsNil() {
			return v
		}
	}
	switch v.Kind() {
	case reflect.Interface:
		return withoutBodies(v.Elem())
	case reflect.Pointer:
		c := reflect.New(v.Type().Elem())
		c.Elem().Set(withoutBodies(v.Elem()))
		return c
	case reflect.Struct:
		c := reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			c.Field(i).Set(withoutBodies(v.Field(i)))
		}
		return c
	case reflect.Slice:
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(withoutBodies(v.Index(i)))
		}
		return c
	}
	return v
}

// withoutNames returns a field for each name of a list, without the name.
func withoutNames(list *ast.FieldList) *ast.FieldList {
	if list == nil {
		return nil
	}
	c := &ast.FieldList{}
	for _, f := range list.List {
		for range max(len(f.Names), 1) {
			c.List = append(c.List, &ast.Field{Type: f.Type})
		}
	}
	return c
}
