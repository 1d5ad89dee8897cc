package randprog

// This file writes switches and selects.

import (
	"fmt"
	"strings"
)

// A clause is one of a switch or select.
type clause struct {
	head string // case 1, 2
	use  string // first statement of the body, or ""
}

func cut(s string) (string, string) {
	a, b, _ := strings.Cut(s, ";")
	return a, b
}

// choice writes a switch or select with clauses. A switch without default goes on
// behind itself if no clause fits.
func (g *generator) choice(depth int, kind, head string, clauses []clause) (falls bool) {
	g.count(kind)
	t := g.newTarget()
	if t.label != "" {
		g.w.ln("%s:", t.label)
	}
	g.w.start()
	line, col := g.w.line, g.w.col
	g.w.both("%s {\n", head)
	g.fn.targets = append(g.fn.targets, t)
	hasDefault := false
	branch := len(clauses) > 1
	for _, c := range clauses {
		hasDefault = hasDefault || c.head == "default"
	}
	none := !hasDefault && kind != "select"
	branch = branch || none
	falls = none
	for i, c := range clauses {
		g.w.start()
		g.w.both("%s:", c.head)
		if branch {
			g.w.trace(" t.outcome(%d);", g.outcome(line, col, kind, c.head))
		}
		g.w.both("\n")
		g.w.indent++
		if c.use != "" {
			g.w.ln("%s", c.use)
		}
		if i == 0 {
			g.useLabel(t)
		}
		ends := i > 0 && g.one(6) // an empty clause
		reached := ends || g.block(depth+1)
		if reached && i < len(clauses)-1 && !strings.Contains(kind, " ") && kind != "select" && g.one(4) {
			g.count("fallthrough")
			g.w.start()
			g.w.trace("t.fall(); ")
			g.w.both("fallthrough\n")
			reached = false
		}
		falls = falls || reached
		g.w.indent--
	}
	if none {
		g.w.trace("default: t.outcome(%d)\n", g.outcome(line, col, kind, "no case"))
	}
	g.fn.targets = g.fn.targets[:len(g.fn.targets)-1]
	g.w.start()
	g.w.both("}\n")
	return falls || t.broken
}

// mixed puts clauses in a random order and adds a default clause to some.
func (g *generator) mixed(clauses []clause, use string) []clause {
	g.rand.Shuffle(len(clauses), func(i, j int) { clauses[i], clauses[j] = clauses[j], clauses[i] })
	clauses = clauses[:1+g.n(len(clauses))]
	if g.one(2) {
		i := g.n(len(clauses) + 1)
		clauses = append(clauses[:i:i], append([]clause{{"default", use}}, clauses[i:]...)...)
	}
	return clauses
}

func (g *generator) switchTag(depth int) bool {
	v := g.variable()
	heads := []string{fmt.Sprintf("switch %s %% 5", v), fmt.Sprintf("switch v := %s; v & 3", g.integer()),
		"switch p.rand(6)"}
	return g.choice(depth, "switch", heads[g.n(len(heads))], g.mixed([]clause{
		{"case 0", ""}, {"case 1, 2", ""}, {"case 3", ""}, {"case 4, 5, 6", ""}, {"case -1", ""},
	}, ""))
}

func (g *generator) switchTrue(depth int) bool {
	return g.choice(depth, "switch", "switch", g.mixed([]clause{
		{"case x < y", ""}, {"case p.coin(3) && ok", ""}, {"case y%3 == 1, z == 2", ""}, {"case p.coin(2)", ""},
	}, ""))
}

func (g *generator) typeSwitch(depth int) bool {
	head, use := "switch v := p.any("+g.variable()+").(type)", "_ = v"
	if g.one(2) {
		head, use = "switch p.any(x).(type)", ""
	}
	return g.choice(depth, "type switch", head, g.mixed([]clause{
		{"case int", use}, {"case string, bool", use}, {"case nil", use}, {"case []int, error", use}, {"case *P", use},
	}, use))
}

// selectStatement writes a select. Exactly one clause is ready, or, if there is a
// default clause, no clause.
func (g *generator) selectStatement(depth int) bool {
	clauses := []clause{{"case v := <-c1", "x += v"}, {"case c2 <- x", ""}}
	if g.one(2) {
		clauses[0] = clause{"case v, more := <-c1", "x, ok = v, more"}
	}
	if g.one(2) {
		clauses[0], clauses[1] = clauses[1], clauses[0]
	}
	hasDefault := g.one(2)
	if hasDefault {
		i := g.n(3)
		clauses = append(clauses[:i:i], append([]clause{{"default", ""}}, clauses[i:]...)...)
	}
	g.w.ln("{")
	g.w.indent++
	g.w.ln("c1, c2 := p.chans(%v)", hasDefault)
	falls := g.choice(depth+1, "select", "select", clauses)
	g.w.close("\n")
	return falls
}
