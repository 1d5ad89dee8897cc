package randprog

// This file writes all statements except loops and switches.

import (
	"fmt"
	"strings"
)

const deepest = 6 // nesting of blocks in a function

// block writes statements, and reports whether control can reach their end.
func (g *generator) block(depth int) (falls bool) {
	for n := 1 + g.n(4); n > 0; n-- {
		if !g.statement(depth) {
			return false
		}
		if g.budget < 0 {
			break
		}
	}
	return true
}

// braces writes a block with statements. first writes the beginning of the block.
func (g *generator) braces(depth int, first func(), after string) (falls bool) {
	g.w.open("")
	if first != nil {
		first()
	}
	falls = g.block(depth + 1)
	g.w.close(after)
	return falls
}

// statement writes a statement, and reports whether control can reach the next one.
func (g *generator) statement(depth int) (falls bool) {
	g.budget--
	if depth >= deepest || g.budget < 0 {
		g.simple()
		return true
	}
	kinds := []func(int) bool{
		g.ifStatement, g.ifStatement, g.ifStatement, g.ifChain,
		g.forCond, g.forPost, g.forEver, g.rangeInt, g.rangeSlice, g.rangeOther, g.rangeFunc,
		g.switchTag, g.switchTrue, g.typeSwitch, g.selectStatement,
		g.gotoForward, g.gotoBack, g.leaveEarly, g.leaveEarly, g.jump, g.jump,
		g.closure, g.deferred, g.faulty, g.bare,
	}
	if g.one(4) {
		g.simple()
		return true
	}
	return kinds[g.n(len(kinds))](depth)
}

// simple writes an assignment, or something else without branches.
func (g *generator) simple() {
	v := g.variable()
	switch g.n(9) {
	case 8:
		g.count("store through a number")
		g.w.ln("%s = %s", g.word(), v)
	case 7:
		g.count("load through a number")
		g.w.ln("%s = %s", v, g.word())
	case 6:
		g.count("clear")
		g.w.ln("for i := range s { s[i] = 0 }") // no loop
	case 0:
		g.w.ln("%s++", v)
	case 1:
		g.w.ln("ok = %s && %s", g.boolean(), g.boolean())
	case 2:
		g.w.ln("ok = %s || !(%s)", g.boolean(), g.boolean())
	case 3:
		g.w.ln("s[p.rand(3)] = %s", v)
	default:
		g.w.ln("%s = %s", v, g.integer())
	}
	g.count("simple")
}

// word returns an element of p.words by its address, a number as programs have it that were translated from C.
func (g *generator) word() string {
	if g.one(3) {
		return "*(*int)(unsafe.Pointer(p.at + 8*uintptr(p.rand(12))))"
	}
	return fmt.Sprintf("*(*int)(unsafe.Pointer(p.at + %d))", 8*g.n(12))
}

func (g *generator) ifStatement(depth int) bool {
	g.count("if")
	g.w.start()
	g.w.both("if ")
	g.cond(g.randomCond(3), "if")
	if g.one(3) {
		a := g.braces(depth, nil, " else")
		b := g.braces(depth, nil, "\n")
		return a || b
	}
	g.braces(depth, nil, "\n")
	return true
}

// ifChain is if … else if … else.
func (g *generator) ifChain(depth int) bool {
	g.count("else if")
	g.w.start()
	g.w.both("if v := %s; ", g.integer())
	g.cond(&cond{op: "&&", x: &cond{atom: "v > 2"}, y: g.parens(g.randomCond(1))}, "if")
	falls := g.braces(depth, nil, " else if ")
	g.cond(g.randomCond(2), "if")
	falls = g.braces(depth, nil, " else") || falls
	return g.braces(depth, nil, "\n") || falls
}

// leaveEarly leaves the function under a condition.
func (g *generator) leaveEarly(depth int) bool {
	g.w.start()
	g.w.both("if ")
	g.cond(&cond{op: "&&", x: &cond{atom: "p.coin(4)"}, y: g.parens(g.randomCond(1))}, "if")
	g.w.open("")
	switch {
	case g.one(4):
		g.count("panic")
		g.end(`panic("random")`)
	case g.fn.noReturn:
		g.leaveBy("return", "")
	default:
		g.leaveBy("return value", " "+g.integer())
	}
	g.w.close("\n")
	return true
}

// leaveBy writes a return.
func (g *generator) leaveBy(kind, value string) {
	g.w.start()
	f := g.leave("return", nil)
	if f != g.fn {
		kind = "outward " + kind
	}
	g.count(kind)
	g.w.trace("t%d.end(); ", f.id)
	g.w.both("return%s\n", value)
}

// jump is a break or continue under a condition.
func (g *generator) jump(depth int) bool {
	if len(g.fn.targets) == 0 {
		g.simple()
		return true
	}
	g.w.start()
	g.w.both("if ")
	g.cond(g.randomCond(1), "if")
	g.w.open("")
	g.jumpTo(g.n(len(g.fn.targets)))
	g.w.close("\n")
	return true
}

// jumpTo writes a break or continue of the target i, or of the innermost if that
// has no label.
func (g *generator) jumpTo(i int) {
	last := len(g.fn.targets) - 1
	t := g.fn.targets[i]
	if t.label == "" {
		i, t = last, g.fn.targets[last]
	}
	label := ""
	if i != last || t.label != "" && g.one(2) {
		label = " " + t.label
	}
	statement := "break"
	if t.loop >= 0 && g.one(2) {
		statement = "continue"
		t.continued = true
	} else {
		t.broken = true
	}
	kind := statement
	if label != "" {
		kind = "labelled " + kind
	}
	statement += label
	g.w.start()
	f := g.leave(statement, t)
	if f != g.fn {
		kind = "outward " + kind
	}
	g.count(kind)
	if t.ofFunc {
		g.w.trace("t%d.end(); ", f.id)
	} else if t.ranges && strings.HasPrefix(statement, "break") {
		g.w.trace("t%d.broke(%d); ", f.id, t.loop)
	}
	g.w.both("%s\n", statement)
}

func (g *generator) label() string {
	g.names++
	return fmt.Sprintf("L%d", g.names)
}

// gotoForward jumps over statements.
func (g *generator) gotoForward(depth int) bool {
	g.count("goto")
	label := g.label()
	g.w.start()
	g.w.both("if ")
	g.cond(g.randomCond(1), "if")
	g.w.open("")
	g.w.ln("goto %s", label)
	g.w.close("\n")
	g.block(depth + 1)
	g.w.ln("%s:", label)
	g.w.ln("x++")
	return true
}

// gotoBack is a loop of goto.
func (g *generator) gotoBack(depth int) bool {
	k, ok := g.counter()
	if !ok {
		g.simple()
		return true
	}
	g.count("goto back")
	label := g.label()
	id := g.newLoop(0)
	g.w.start()
	g.w.trace("t.entry(%d); ", id)
	g.w.both("%s = 0\n", k)
	g.w.ln("%s:", label)
	g.loops[id].line, g.loops[id].branch = g.w.line, -1
	g.w.start()
	g.w.trace("t.head(%d); ", id)
	g.w.both("%s++\n", k)
	first := g.one(2)
	if !first {
		g.w.start()
		g.w.both("if ")
		g.cond(g.randomCond(1), "if")
		g.braces(depth, nil, "\n")
	}
	g.w.start()
	g.w.both("if ")
	g.cond(&cond{atom: fmt.Sprintf("%s < %d", k, 2+g.n(3))}, "if")
	g.w.open("")
	g.w.ln("goto %s", label)
	g.w.close("\n")
	g.loops[id].back = true
	return !first || g.block(depth+1)
}

// counter returns a variable that no other loop of the function counts with.
func (g *generator) counter() (string, bool) {
	if g.fn.counters == counters {
		return "", false
	}
	g.fn.counters++
	return fmt.Sprintf("k[%d]", g.fn.counters-1), true
}

// closure calls a function literal: here, in a goroutine, or through a variable.
func (g *generator) closure(depth int) bool {
	g.count("closure")
	how := g.n(3)
	g.w.start()
	switch how {
	case 0:
		g.w.both("x += ")
	case 1:
		g.count("go")
		g.w.both("p.wait(")
	case 2:
		g.w.both("y = p.apply(")
	}
	g.begin(&function{noReturn: how == 1})
	head, from := "func(q int) int", "q, q+1, 2"
	if how == 1 {
		head, from = "func()", "1, 2, 3"
	}
	g.w.open("%s", head)
	g.enter()
	g.locals(from)
	if g.block(depth + 1) {
		g.atEnd("x - y*z")
	}
	g.w.close([]string{"(z)\n", ")\n", ", x)\n"}[how])
	g.fn = g.fn.outer
	return true
}

// atEnd ends a function body.
func (g *generator) atEnd(result string) {
	if !g.fn.noReturn {
		g.end("return " + result)
		return
	}
	g.w.start()
	g.w.trace("t.end(); ")
	g.w.both("x++\n")
}

// deferred defers a function literal, which may recover.
func (g *generator) deferred(depth int) bool {
	if g.fn.loop != nil {
		g.simple()
		return true
	}
	g.count("defer")
	g.w.start()
	g.w.both("defer ")
	g.begin(&function{noReturn: true})
	g.w.open("func()")
	g.enter()
	g.locals("1, 2, 3")
	if g.one(2) {
		g.count("recover")
		g.w.start()
		g.w.both("if r := recover(); ")
		g.cond(&cond{atom: "r != nil"}, "if")
		g.braces(depth+1, nil, "\n")
	}
	if g.block(depth + 1) {
		g.atEnd("")
	}
	g.w.close("()\n")
	g.fn = g.fn.outer
	return true
}

// faulty writes a statement that may panic without a call of panic.
func (g *generator) faulty(depth int) bool {
	g.count("fault")
	g.w.ln(`%s`, []string{
		"x += s[p.rand(4)]", // the last is out of range
		"y += 10 / p.rand(5)",
		"z += *p.pointer(6)",
		"x += p.any(y).(int)",
	}[g.n(4)])
	return true
}

// bare writes a block that belongs to no other statement.
func (g *generator) bare(depth int) bool {
	g.count("block")
	g.w.start()
	g.w.both("{\n")
	g.w.indent++
	falls := g.block(depth + 1)
	g.w.close("\n")
	return falls
}
