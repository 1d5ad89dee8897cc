package reeval_test

// This file asks about random statements, and compares with what the compiler makes of
// them.

import (
	"fmt"
	"go/ast"
	"math/rand/v2"
	"strings"
	"testing"
)

// traps changes the variables of a function by the bits of config, so that some of what
// the statement evaluates panics, or aliases something else.
const traps = `	sh, sp := 6, p
	hook = func() { sh++; sp.n++; p = p.next; s = gs }
	if config&1 != 0 { p.next, q = nil, nil }
	if config&2 != 0 { k, z = 7, 1 }
	if config&4 != 0 { q, gp.next, sp = p, p, q }
	_, _ = sh, sp
`

// A generator makes random statements.
type generator struct{ *rand.Rand }

func (g generator) pick(list ...string) string { return list[g.IntN(len(list))] }

// pointer returns an expression of type *node.
func (g generator) pointer() string {
	return g.pick("p", "q", "sp", "gp", "p.next", "gp.next", "q.next", "(*pp)", "nilp")
}

// integer returns an expression of type int.
func (g generator) integer(depth int) string {
	if depth == 0 {
		return g.pick("n", "m", "sh", "g", "z", "7", g.pointer()+".n", g.pointer()+".m", "gs[0]", "s[k]", "a[k]", "p.deep",
			"mp[str]")
	}
	e := func() string { return g.integer(depth - 1) }
	switch g.IntN(20) {
	case 0, 1:
		return "(" + e() + g.pick("+", "-", "*") + e() + ")"
	case 2:
		return "(" + e() + g.pick("/", "%") + e() + ")"
	case 3:
		return "(" + e() + "<<un)"
	case 4:
		return "s[" + e() + "&3]"
	case 5:
		return "a[" + e() + "&3]"
	case 6:
		return g.pick("s", "gs", "pa", g.pointer()+".s", g.pointer()+".a") + "[k]"
	case 7:
		return g.pick("touch()", "next()", "bump("+g.pointer()+")", "<-c", "f()", "it.get()", g.pointer()+".get()")
	case 8:
		return "id(" + e() + ")"
	case 9:
		return "add(" + e() + ", " + e() + ")"
	case 10:
		return "truth(" + g.boolean(depth-1) + ")"
	case 11:
		return g.pick("v.(int)", "fx.(int)", "im[fx]", "im[ix]", "fm[fl]", "mp[\"k\"]")
	case 12:
		return "len(" + g.pick("s", "gs", "str", g.pointer()+".s", "s[k:]") + ")"
	case 13:
		return "int(int8(" + e() + "))"
	}
	return g.integer(0)
}

// boolean returns an expression of type bool.
func (g generator) boolean(depth int) string {
	switch g.IntN(6) {
	case 0:
		return "(" + g.boolean(max(0, depth-1)) + g.pick("&&", "||") + g.boolean(max(0, depth-1)) + ")"
	case 1:
		return "!(" + g.integer(depth) + " == 3)"
	case 2:
		return g.pointer() + g.pick(" == ", " != ") + g.pick("nil", g.pointer())
	}
	return g.integer(depth) + g.pick(" == ", " < ", " != ", " >= ") + g.pick("3", "0", g.integer(0))
}

// target returns something that an int can be assigned to.
func (g generator) target() string {
	return g.pick("n", "sh", "g", g.pointer()+".n", g.pointer()+".m", g.pointer()+".in.n", "s[k]", "gs[0]", "a[k]",
		"pa[1]", "mp[str]", "fm[nan]", "fm[fl]", "p.deep", "s[n-3]", "(*pp).n")
}

// place returns something that a *node can be assigned to.
func (g generator) place() string {
	return g.pick("p", "q", "sp", "gp", "p.next", "gp.next", "q.next", "(*pp)", "p.next.next", "gp.next.next",
		"q.next.next")
}

func (g generator) statement() string {
	switch g.IntN(9) {
	case 0:
		return g.target() + ", " + g.target() + " = " + g.integer(2) + ", " + g.integer(2)
	case 1:
		return g.place() + " = " + g.pointer()
	case 2:
		return g.place() + ", " + g.target() + " = " + g.pointer() + ", " + g.integer(1)
	case 3:
		return "log(" + g.integer(2) + ", " + g.boolean(2) + ")"
	case 4:
		return "if " + g.boolean(3) + " { log(1) }"
	case 5:
		return g.target() + g.pick(" += ", " -= ") + g.integer(2)
	case 6:
		return "c <- " + g.integer(3)
	}
	return g.target() + " = " + g.integer(3)
}

// The test asks about random statements, about one expression at a time or about all
// loads together. Wherever the answer is "may", a second evaluation does not change the
// program, and gives the value that the program computes. The random statements are the
// same in every run of the test.
func TestRandomStatements(t *testing.T) {
	count := 150
	if testing.Short() {
		count = 60
	}
	g := generator{rand.New(rand.NewPCG(5, 2001))}
	var src strings.Builder
	src.WriteString(world + declare("nothing", ""))
	for i := range count {
		src.WriteString(declare(fmt.Sprintf("random%d", i),
			traps+"\t"+g.statement()+"\n\tlog(n, m, sh, g, k, len(c), a, s, gs, mp, len(fm), p != nil && p.n > 10, gp != nil && gp.n > 30)"))
	}
	p := load(t, src.String())
	var variants []variant
	type test struct {
		question
		plain, twice, watched string
		stmt, expr            string
	}
	var tests []test
	asked, answered := 0, map[question]int{}
	for _, d := range p.file.Decls[len(p.file.Decls)-count:] {
		fn := d.(*ast.FuncDecl)
		name := fn.Name.Name
		s := fn.Body.List[len(fn.Body.List)-3]
		variants = append(variants, variant{name, p.text(fn.Body)})
		add := func(q question, twice string, watch ast.Expr, exprs string) {
			x := test{q, name, fmt.Sprintf("%stwice%d", name, len(tests)), "", p.text(s), exprs}
			variants = append(variants, variant{x.twice, twice})
			if watch != nil {
				x.watched = fmt.Sprintf("%swatched%d", name, len(tests))
				variants = append(variants, variant{x.watched, p.watched(fn, watch)})
			}
			tests = append(tests, x)
			answered[q]++
		}
		var one, together []ast.Expr
		v := &visitor{}
		v.load = func(e ast.Expr, isLoad bool) bool {
			asked++
			if v.before(e) == "" {
				one = append(one, e)
			}
			return false
		}
		p.walk(v, s)
		v.load = func(e ast.Expr, isLoad bool) bool {
			if !isLoad || v.before(e) != "" {
				return false
			}
			together = append(together, e)
			return true
		}
		p.walk(v, s)
		for _, e := range one {
			var watch ast.Expr
			if p.watchable(fn, e) {
				watch = e
			}
			add(before, p.evaluatedBefore(fn, s, e), watch, p.text(e))
		}
		if len(together) > 1 {
			add(before, p.evaluatedBefore(fn, s, together...), nil, fmt.Sprint(len(together), " together"))
		}
		if v.assignment == nil {
			continue
		}
		for _, target := range v.assignment.Targets {
			if v.assignment.After(target) == "" {
				var watch ast.Expr
				if len(v.assignment.Targets) == 1 {
					watch = assignedTo(s, target) // the other target may be the same variable
				}
				add(after, p.evaluatedAfter(fn, s, target), watch, p.text(target)+" after")
			}
		}
	}
	const configurations = 8
	got := run(t, variants, configurations)
	for _, x := range tests {
		for c := range configurations {
			var watched []outcome
			if x.watched != "" {
				watched = got[x.watched][c : c+1]
			}
			plain, twice := got[x.plain][c], got[x.twice][c]
			if samePanic(plain.log, twice.log) {
				continue
			}
			if same, why := sameRuns(x.question, plain, []outcome{twice}, watched); !same {
				t.Errorf("%s: %s: with configuration %d, %s", x.stmt, x.expr, c, why)
			}
		}
	}
	t.Logf("asked about %d expressions; compared %d before and %d after a statement", asked, answered[before],
		answered[after])
	if answered[before] < count/2 || answered[after] < count/8 {
		t.Errorf("asked about %d expressions, and only %d and %d may be evaluated again", asked, answered[before],
			answered[after])
	}
}

// samePanic reports whether two runs end by runtime errors, after the same events. If
// two operands of a statement fail, Go leaves open which of them a program reports. The
// rows show that a second evaluation does not change it where the compiler goes from
// left to right.
func samePanic(a, b string) bool {
	const panic = "panic: runtime error"
	i, j := strings.Index(a, panic), strings.Index(b, panic)
	return i >= 0 && j >= 0 && a[:i] == b[:j]
}
