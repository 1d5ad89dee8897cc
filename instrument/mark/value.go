package mark

// This file defines the markers of decisions that are no conditions of statements: the cases
// of a switch without a tag, and values.

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/ast/astutil"
)

// caseCond puts markers around the operands of a case of a switch without a tag.
func (m *inserter) caseCond(e ast.Expr) ast.Expr {
	return m.operand(&Cond{Expr: e, Split: m.splits(e)}, e, "case")
}

// expr inserts markers into the bodies of the outermost function literals in e and, with
// decisions, into its values, but not into constants. It returns what e has become.
func (m *inserter) expr(e ast.Expr) ast.Expr { return m.within(e).(ast.Expr) }

// within does for a node what expr does for an expression.
func (m *inserter) within(n ast.Node) ast.Node {
	if !m.markers.Decisions {
		m.literals(n)
		return n
	}
	return astutil.Apply(n, func(c *astutil.Cursor) bool {
		if e, ok := c.Node().(ast.Expr); ok && m.info.Types[e].Value != nil {
			return false
		}
		switch n := c.Node().(type) {
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
	if !m.markers.Decisions {
		m.literals(d)
		return
	}
	for _, s := range d.Specs {
		s, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
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

// value puts markers around the operands of e, which is a value with && or ||. go/ssa makes a branch of an operand only
// if something follows it:
//
//	Leaf(1, x) == 0 && Leaf(2, y) == 0 || 0 != 0
//
// If x has a type of its own, Typed(1, x) stands for its marker, since the comparisons have no type.
func (m *inserter) value(e ast.Expr) ast.Expr {
	c := &Cond{Expr: e, Split: true, Value: true, Inner: m.inner}
	if t := types.Unalias(m.info.TypeOf(e)); t != types.Typ[types.Bool] && t != types.Typ[types.UntypedBool] {
		c.typed = m.typed(e)
	}
	m.values++
	x := m.operand(c, e, "value")
	// What ends in the value then ends where it did in the source.
	zero := &ast.BasicLit{Kind: token.INT, Value: "0", ValuePos: e.End() - token.Pos(len("0"))}
	// the program may declare false
	no := &ast.BinaryExpr{X: &ast.BasicLit{Kind: token.INT, Value: "0"}, Op: token.NEQ, Y: zero}
	return &ast.BinaryExpr{X: x, Op: token.LOR, Y: no}
}

// typed returns an operand of e that has a type, nil if there is none: a comparison has no type, and some constants
// have none.
func (m *inserter) typed(e ast.Expr) ast.Expr {
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			return m.typed(x.X)
		}
	case *ast.BinaryExpr:
		if x.Op != token.LAND && x.Op != token.LOR {
			return nil
		}
		if t := m.typed(x.X); t != nil {
			return t
		}
		return m.typed(x.Y)
	case *ast.Ident:
		return m.typedConst(e, x)
	case *ast.SelectorExpr:
		return m.typedConst(e, x.Sel)
	}
	return e
}

// typedConst returns e, whose name is id, unless that is a constant without a type.
func (m *inserter) typedConst(e ast.Expr, id *ast.Ident) ast.Expr {
	if c, ok := m.info.Uses[id].(*types.Const); ok && c.Type() == types.Typ[types.UntypedBool] {
		return nil
	}
	return e
}

// copied returns a copy of n if markers will be in it, else n.
func (m *inserter) copied(n ast.Node) ast.Node {
	marked := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			marked = true
		case ast.Expr:
			marked = marked || m.markers.Decisions && isShortCircuit(n)
		}
		return !marked
	})
	if !marked {
		return n
	}
	return withoutBodies(reflect.ValueOf(n)).Interface().(ast.Node)
}

// withoutBodies copies the tree v, with function literals that do nothing.
func withoutBodies(v reflect.Value) reflect.Value {
	if lit, ok := v.Interface().(*ast.FuncLit); ok {
		return reflect.ValueOf(&ast.FuncLit{Type: lit.Type, Body: &ast.BlockStmt{}})
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
