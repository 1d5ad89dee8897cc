package randprog

// This file writes loops.

import (
	"fmt"
	"slices"
)

// loop writes a loop. head writes the text before the body, and first writes the beginning
// of the body.
func (g *generator) loop(depth int, kind string, t *target, head, first func(l *loop), after func()) bool {
	g.count(kind)
	t.loop = g.newLoop(0)
	l := g.loops[t.loop]
	g.w.start()
	g.w.trace("t.entry(%d); ", t.loop)
	if t.label != "" {
		g.w.both("%s:\n", t.label)
		g.w.start()
	}
	l.line = g.w.line
	head(l)
	g.fn.targets = append(g.fn.targets, t)
	falls := g.braces(depth, func() { first(l); g.useLabel(t) }, "")
	g.fn.targets = g.fn.targets[:len(g.fn.targets)-1]
	l.back = falls || t.continued
	after()
	g.w.both("\n")
	return true
}

// newTarget makes the target that a loop or switch is, sometimes with a label.
func (g *generator) newTarget() *target {
	t := &target{fn: g.fn, loop: -1}
	if g.one(3) {
		t.label = g.label()
	}
	return t
}

// useLabel writes a use of the label of the innermost target, because Go does not allow
// unused labels.
func (g *generator) useLabel(t *target) {
	if t.label == "" {
		return
	}
	g.w.start()
	g.w.both("if ")
	g.cond(g.randomCond(1), "if")
	g.w.open("")
	label := g.fn.targets[len(g.fn.targets)-1].label
	g.w.start()
	switch {
	case t.loop >= 0 && g.one(2):
		t.continued = true
		g.count("labelled continue")
		if t.ofFunc {
			g.w.trace("t.end(); ")
		}
		g.w.both("continue %s\n", label)
	default:
		t.broken = true
		g.count("labelled break")
		if t.ofFunc {
			g.w.trace("t.end(); ")
		} else if t.ranges {
			g.w.trace("t.broke(%d); ", t.loop)
		}
		g.w.both("break %s\n", label)
	}
	g.w.close("\n")
}

func (g *generator) forCond(depth int) bool {
	k, ok := g.counter()
	if !ok {
		return g.rangeInt(depth)
	}
	t := g.newTarget()
	g.w.ln("%s = 0", k)
	c := &cond{atom: fmt.Sprintf("p.next(&%s, %d)", k, 2+g.n(3))}
	if g.one(2) {
		c = &cond{op: "&&", x: c, y: g.parens(g.randomCond(1))}
	}
	return g.loop(depth, "for cond", t, func(*loop) {
		g.w.both("for ")
		g.loopCond(t, c)
	}, func(*loop) {}, func() {})
}

func (g *generator) forPost(depth int) bool {
	k, ok := g.counter()
	if !ok {
		return g.rangeSlice(depth)
	}
	t := g.newTarget()
	c := &cond{atom: fmt.Sprintf("%s < %d", k, 1+g.n(4))}
	if g.one(3) {
		c = &cond{op: "&&", x: c, y: g.parens(g.randomCond(2))}
	}
	return g.loop(depth, "for", t, func(*loop) {
		g.w.both("for %s = 0; ", k)
		g.loopCond(t, c)
		g.w.both("; %s++", k)
	}, func(*loop) {}, func() {})
}

// loopCond writes the condition of a loop, whose evaluation is an arrival at its
// head.
func (g *generator) loopCond(t *target, c *cond) {
	g.w.trace("t.head(%d) && (", t.loop)
	g.cond(c, "for")
	g.w.trace(")")
}

// forEver is a loop without condition, which is left by break.
func (g *generator) forEver(depth int) bool {
	k, ok := g.counter()
	if !ok {
		return g.rangeInt(depth)
	}
	t := g.newTarget()
	post := g.one(2)
	if !post {
		g.w.ln("%s = 0", k)
	}
	return g.loop(depth, "for ever", t, func(*loop) {
		if post {
			g.w.both("for %s = 0; ; %s++", k, k)
		} else {
			g.w.both("for")
		}
	}, func(l *loop) {
		l.line, l.branch = g.w.line, -1
		g.w.start()
		g.w.trace("t.head(%d); ", t.loop)
		if post {
			g.w.both("x++\n")
		} else {
			g.w.both("%s++\n", k)
		}
		g.w.start()
		g.w.both("if ")
		g.cond(&cond{atom: fmt.Sprintf("%s > %d", k, 1+g.n(3))}, "if")
		g.w.open("")
		g.w.ln("break")
		g.w.close("\n")
	}, func() {})
}

func (g *generator) rangeInt(depth int) bool {
	return g.rangeOver(depth, "range int", []string{
		"for i := range 3;x += i",
		"for i := range p.rand(4);x += i",
		"for range y % 4;x++",
		"for z = range p.rand(3);y++",
	})
}

func (g *generator) rangeSlice(depth int) bool {
	return g.rangeOver(depth, "range slice", []string{
		"for i, v := range s;x += i ^ v",
		"for _, v := range s[:p.rand(4)];x += v",
		"for i := range s[p.rand(4):];y += i",
		"for i, v := range [3]int{x, y, z};z += i ^ v",
		"for range s;x++",
	})
}

func (g *generator) rangeOther(depth int) bool {
	if g.one(2) {
		return g.rangeOver(depth, "range string", []string{
			`for i, r := range "aé日x"[:1+2*p.rand(2)];x += i + int(r)`,
			`for i := range "ab";x += i`,
			`for _, r := range p.text();y += int(r)`,
		})
	}
	if g.one(2) {
		return g.rangeOver(depth, "range map", []string{
			"for i, v := range p.single(x);x += i ^ v",
			"for i := range p.single(y);x += i",
		})
	}
	return g.rangeOver(depth, "range channel", []string{
		"for v := range p.channel(3);x += v",
		"for range p.channel(p.rand(3));x++",
	})
}

// rangeOver writes one of the loops, each given as its head and the first
// statement of its body.
func (g *generator) rangeOver(depth int, kind string, loops []string) bool {
	head, use := cut(loops[g.n(len(loops))])
	t := g.newTarget()
	t.ranges = true
	body := 0
	return g.loop(depth, kind, t, func(l *loop) {
		body = g.outcome(g.w.line, g.w.col, "range", "body")
		g.outcome(g.w.line, g.w.col, "range", "done")
		g.w.both("%s", head)
	}, func(*loop) {
		g.w.start()
		g.w.trace("t.round(%d, %d); ", t.loop, body)
		g.w.both("%s\n", use)
	}, func() {
		g.w.trace("; t.over(%d, %d)", t.loop, body+1)
	})
}

// rangeFunc is a range over a function. Its body is a function of its own, and a
// path of the function around it ends before it.
func (g *generator) rangeFunc(depth int) bool {
	g.count("range func")
	forms := []string{"for v := range p.seq(p.rand(4));x += v", "for i, v := range p.seq2(3);y += i ^ v",
		"for range p.seq0(2);x++"}
	head, use := cut(forms[g.n(len(forms))])
	t := g.newTarget()
	t.ofFunc = true
	t.loop = g.newLoop(0)
	g.w.start()
	g.w.trace("t.cut(%d); ", t.loop)
	label := g.w.line
	if t.label != "" {
		g.w.both("%s:\n", t.label)
		g.w.start()
	}
	g.loops[t.loop].head = [2]int{label, g.w.line}
	targets := append(slices.Clone(g.fn.targets), t)
	g.begin(&function{noReturn: g.fn.noReturn, counters: g.fn.counters, targets: targets, loop: t, line: g.w.line,
		col: g.w.col})
	g.w.open("%s", head)
	g.w.start()
	g.enter()
	g.w.both("%s\n", use)
	g.useLabel(t)
	if g.block(depth + 1) {
		g.w.start()
		g.w.trace("t.end(); ")
		g.w.both("x++\n")
	}
	g.w.close("\n")
	body := g.fn
	body.outer.counters = body.counters
	g.fn = body.outer
	// The code behind the loop needs a line that belongs to no other loop.
	g.loops[t.loop].line = g.w.line
	g.w.start()
	if body.left {
		g.w.trace("t.outcome(%d); ", g.exit(body, "done"))
	} else {
		g.loops[t.loop].branch = -1
	}
	g.w.both("z++\n")
	return true
}

// exit makes an outcome of a range over a function, whose body is given, and returns its number.
func (g *generator) exit(body *function, name string) int {
	body.left = true
	g.outcomes = append(g.outcomes, Outcome{body.line, body.col, "range func", name})
	return len(g.outcomes) - 1
}

// leave logs that a statement leaves bodies of ranges over functions: those that do not have the target t
// in them, or all if t is nil. It returns the function in which control goes on.
func (g *generator) leave(statement string, t *target) *function {
	f := g.fn
	for f.loop != nil && (t == nil || f.loop != t && f != t.fn) {
		g.w.trace("t%d.end(); t%d.outcome(%d); ", f.id, f.outer.id, g.exit(f, statement))
		f = f.outer
	}
	return f
}
