package randprog

// This file writes conditions and expressions.

import (
	"fmt"
	"strings"
)

// A cond is a condition: an atom, !x, (x), x && y or x || y.
type cond struct {
	op   string // "", "!", "(", "&&", "||"
	x, y *cond
	atom string
	both string // of an atom that is two comparisons: the operator between them
}

// randomCond makes a condition.
func (g *generator) randomCond(depth int) *cond {
	if depth == 0 || g.one(2) {
		return &cond{atom: g.boolean()}
	}
	switch g.n(8) {
	case 6:
		_, one := g.oneComparison()
		return &cond{op: "(", x: one}
	case 7:
		op, one := g.oneComparison()
		return &cond{op: op, x: g.parens(g.randomCond(depth - 1)), y: one}
	case 0:
		return &cond{op: "!", x: &cond{op: "(", x: g.randomCond(depth - 1)}}
	case 1:
		return &cond{op: "(", x: g.randomCond(depth - 1)}
	case 2, 3:
		return &cond{op: "&&", x: g.parens(g.randomCond(depth - 1)), y: g.parens(g.randomCond(depth - 1))}
	}
	return &cond{op: "||", x: g.parens(g.randomCond(depth - 1)), y: g.parens(g.randomCond(depth - 1))}
}

// oneComparison makes two comparisons of a variable with constants that are one branch, and
// returns their operator with them. The atom may stand without parentheses behind the same
// operator only.
func (g *generator) oneComparison() (op string, c *cond) {
	g.count("one comparison")
	v, k := g.variable(), g.n(40)
	format := []string{"%[1]s < %[2]d || %[1]s > %[3]d", "%[2]d <= %[1]s && %[3]d > %[1]s",
		"%[1]s == %[2]d || %[1]s == %[4]d", "%[1]s != %[2]d && %[4]d != %[1]s"}[g.n(4)]
	op = "&&"
	if strings.Contains(format, "||") {
		op = "||"
	}
	return op, &cond{both: op, atom: fmt.Sprintf(format, v, k, k+g.n(40), k^1<<g.n(4))}
}

// parens puts a condition in parentheses unless it can be an operand without them.
func (g *generator) parens(c *cond) *cond {
	if c.op == "" || c.op == "(" {
		return c
	}
	return &cond{op: "(", x: c}
}

// short reports whether the condition has && or ||, whose operands are branches of their own.
func (c *cond) short() bool {
	switch c.op {
	case "!", "(":
		return c.x.short()
	}
	return c.op == "&&" || c.op == "||"
}

// cond writes the condition of an if or a for.
func (g *generator) cond(c *cond, kind string) {
	yes, no := "true", "false"
	if kind == "for" && !c.short() {
		yes, no = "body", "done"
	}
	if !c.short() {
		g.leaf(c, kind, yes, no)
		return
	}
	g.operands(c, kind)
}

func (g *generator) operands(c *cond, kind string) {
	switch c.op {
	case "!":
		g.w.both("!")
		g.operands(c.x, kind)
	case "(":
		g.w.both("(")
		g.operands(c.x, kind)
		g.w.both(")")
	case "&&", "||":
		g.operands(c.x, c.op)
		g.w.both(" %s ", c.op)
		g.operands(c.y, kind)
	default:
		g.leaf(c, kind, "true", "false")
	}
}

// leaf writes an operand. Its outcomes have consecutive numbers.
func (g *generator) leaf(c *cond, kind, yes, no string) {
	atom := c
	for atom.x != nil {
		atom = atom.x
	}
	if atom.both != "" {
		kind += "(" + atom.both + ")"
	}
	id := g.outcome(g.w.line, g.w.col, kind, yes)
	g.outcome(g.w.line, g.w.col, kind, no)
	g.w.trace("t.cond(%d, ", id)
	g.w.both("%s", c.text())
	g.w.trace(")")
}

func (c *cond) text() string {
	switch c.op {
	case "!":
		return "!" + c.x.text()
	case "(":
		return "(" + c.x.text() + ")"
	case "&&", "||":
		return c.x.text() + " " + c.op + " " + c.y.text()
	}
	return c.atom
}

func (g *generator) boolean() string {
	v, w := g.variable(), g.variable()
	switch g.n(8) {
	case 0:
		return fmt.Sprintf("%s < %s", v, w)
	case 1:
		return fmt.Sprintf("%s%%%d %s 1", v, 2+g.n(4), []string{"==", "!="}[g.n(2)])
	case 2:
		return "ok"
	case 3:
		return fmt.Sprintf("p.test(%s)", v)
	}
	return fmt.Sprintf("p.coin(%d)", 2+g.n(3))
}

func (g *generator) variable() string { return []string{"x", "y", "z"}[g.n(3)] }

// integer returns an expression without branches of this function.
func (g *generator) integer() string {
	switch g.n(6) {
	case 0:
		return fmt.Sprintf("%s + %d", g.variable(), g.n(10))
	case 1:
		return fmt.Sprintf("%s ^ %s", g.variable(), g.variable())
	case 2:
		return fmt.Sprintf("p.rand(%d)", 2+g.n(9))
	case 3:
		return fmt.Sprintf("len(s) + %s", g.variable())
	case 4:
		return g.call()
	}
	return fmt.Sprint(g.n(100))
}

// call returns a call of a declared function.
func (g *generator) call() string {
	i := g.n(g.config.Funcs)
	args := fmt.Sprintf("(p, %s, %s, %d)", g.variable(), g.variable(), g.n(9))
	switch i % 8 {
	case 3:
		return fmt.Sprintf("new(M).f%d%s", i, args)
	case 5:
		return fmt.Sprintf("(V{}).f%d%s", i, args)
	case 6:
		return fmt.Sprintf("f%d[%s]%s", i, []string{"int", "string", "*P"}[g.n(3)], args)
	case 7:
		return fmt.Sprintf("new(G[%s]).f%d%s", []string{"int", "string", "any"}[g.n(3)], i, args)
	}
	return fmt.Sprintf("f%d%s", i, args)
}
