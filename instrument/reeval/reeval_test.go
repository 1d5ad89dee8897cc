package reeval_test

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"

	"github.com/pepgo/pep/instrument/reeval"
)

// A function is that of a row.
type function struct {
	row
	question
	name   string
	at     []int // offsets at which the expressions in question begin
	to     []int
	fn     *ast.FuncDecl
	exprs  []ast.Expr
	inside []ast.Stmt // the statements that they stand in
}

// Every row gets the answer that it expects, and the answer is right. Where an
// expression may be evaluated again, the program that does so behaves as the plain one,
// and the second evaluation gives the value that the program computes. Where an
// expression may not be evaluated again, the test mostly sees a difference; rows with
// strict set are the exceptions.
func TestRows(t *testing.T) {
	var all []*function
	src := world + declare("nothing", "")
	for _, q := range []question{before, after, again} {
		for _, r := range rows[q] {
			m := &function{row: r, question: q, name: fmt.Sprintf("row%d", len(all))}
			text := declare(m.name, r.stmts)
			for {
				i := strings.Index(text, "‹")
				if i < 0 {
					break
				}
				text = text[:i] + text[i+len("‹"):]
				j := strings.Index(text, "›")
				text = text[:j] + text[j+len("›"):]
				m.at = append(m.at, len(src)+i)
				m.to = append(m.to, len(src)+j)
			}
			src += text
			all = append(all, m)
		}
	}
	if len(all) < 80 {
		t.Errorf("%d rows", len(all))
	}
	p := load(t, src)
	for i, m := range all {
		m.fn = p.file.Decls[len(p.file.Decls)-len(all)+i].(*ast.FuncDecl)
		for j := range m.at {
			e, s := p.find(m.fn, m.at[j], m.to[j])
			if e == nil {
				continue // this is the second text of its question
			}
			m.exprs, m.inside = append(m.exprs, e), append(m.inside, s)
		}
		if len(m.exprs) == 0 {
			continue // the row is only there to be type-checked
		}
		if got := p.answer(m); got != m.want {
			t.Errorf("%s: got %q, want %q", m.stmts, got, m.want)
		}
	}
	p.compare(all)
}

// find returns the expression that stands at the given offsets, and the statement of
// a list that it is in.
func (p *program) find(fn *ast.FuncDecl, from, to int) (expr ast.Expr, stmt ast.Stmt) {
	for _, s := range fn.Body.List {
		ast.Inspect(s, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && expr == nil && p.offset(e.Pos()) == from && p.offset(e.End()) == to {
				expr, stmt = e, s
			}
			return true
		})
	}
	return expr, stmt
}

// answer asks about the expressions in question.
func (p *program) answer(m *function) (got reeval.Rule) {
	got = "never asked about"
	v := &visitor{}
	switch m.question {
	case before:
		v.load = func(e ast.Expr, isLoad bool) bool {
			if e == ast.Unparen(m.exprs[0]) {
				got = reeval.Rule(v.before(e))
			}
			return false
		}
		p.walk(v, m.inside[0])
	case after:
		v.load = func(ast.Expr, bool) bool { return false }
		p.walk(v, m.inside[0])
		got = v.assignment.After(m.exprs[0])
	case again:
		loads := reeval.Loads{}
		v.load = func(e ast.Expr, isLoad bool) bool {
			if !isLoad {
				return false
			}
			if e == m.exprs[1] {
				got = changed
				if loads.Has(v.unit, e) {
					got = may
				}
			}
			loads.Add(v.unit, e)
			return false
		}
		for _, s := range m.fn.Body.List[len(p.prefix().List):] {
			if d, ok := s.(*ast.ReturnStmt); ok && len(d.Results) == 0 {
				break
			}
			p.walk(v, s)
			p.facts.Forget(loads, s)
		}
	}
	return got
}

// prefix returns the statements that every function begins with.
func (p *program) prefix() *ast.BlockStmt {
	for _, d := range p.file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name == "nothing" {
			return &ast.BlockStmt{List: d.Body.List[:len(d.Body.List)-1]}
		}
	}
	p.t.Fatal("no function nothing")
	return nil
}

// compare runs every row in three variants: plain, with the expressions evaluated
// again, and with calls that record the values that the program computes.
func (p *program) compare(all []*function) {
	var variants []variant
	watched := map[*function]bool{}
	for _, m := range all {
		if len(m.exprs) == 0 {
			continue
		}
		variants = append(variants, variant{m.name, p.text(m.fn.Body)})
		switch m.question {
		case before:
			variants = append(variants, variant{m.name + "twice", p.evaluatedBefore(m.fn, m.inside[0], m.exprs...)})
			watched[m] = m.want != context && p.watchable(m.fn, m.exprs[0])
		case after:
			variants = append(variants, variant{m.name + "twice", p.evaluatedAfter(m.fn, m.inside[0], m.exprs[0])})
			if value := assignedTo(m.inside[0], m.exprs[0]); value != nil {
				variants = append(variants, variant{m.name + "watched", p.watched(m.fn, value)})
			}
		case again:
			watched[m] = true
		}
		if watched[m] {
			variants = append(variants, variant{m.name + "watched", p.watched(m.fn, m.exprs...)})
		}
	}
	got := run(p.t, variants, 1)
	for _, m := range all {
		if len(m.exprs) == 0 {
			continue
		}
		same, why := sameRuns(m.question, got[m.name][0], got[m.name+"twice"], got[m.name+"watched"])
		switch {
		case m.want == may && !same:
			p.t.Errorf("%s: a second evaluation changes the program: %s", m.stmts, why)
		case m.want != may && same && !m.strict:
			p.t.Errorf("%s: a second evaluation makes no difference", m.stmts)
		case m.want != may && !same && m.strict:
			p.t.Errorf("%s: a second evaluation makes a difference, strict need not be set: %s", m.stmts, why)
		}
	}
}

// assignedTo returns the value that s assigns to target; nil if s computes it.
func assignedTo(s ast.Stmt, target ast.Expr) ast.Expr {
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok.String() != "=" || len(a.Lhs) != len(a.Rhs) {
		return nil
	}
	for i, l := range a.Lhs {
		if id, ok := a.Rhs[i].(*ast.Ident); l == target && (!ok || id.Name != "nil") {
			return a.Rhs[i]
		}
	}
	return nil
}

// sameRuns reports whether a program behaves alike with an expression evaluated twice,
// and whether both evaluations give the same value.
func sameRuns(q question, plain outcome, twice, watched []outcome) (same bool, why string) {
	for _, other := range [][]outcome{twice, watched} {
		if len(other) > 0 && plain.log != other[0].log {
			return false, fmt.Sprintf("%s, and plain %s", other[0].log, plain.log)
		}
	}
	if len(watched) == 0 {
		return true, ""
	}
	if q == again {
		values := strings.Split(strings.Trim(watched[0].values, "[]"), " ")
		if len(values) == 2 && values[0] != values[1] {
			return false, watched[0].values
		}
		return true, ""
	}
	if q == after && strings.Contains(plain.log, "panic:") {
		return true, "" // the statement has not been completed
	}
	if !strings.HasPrefix(twice[0].values, strings.TrimSuffix(watched[0].values, "]")) {
		return false, fmt.Sprintf("got %s, and the program computes %s", twice[0].values, watched[0].values)
	}
	if twice[0].values != watched[0].values && !strings.Contains(plain.log, "panic:") {
		return false, fmt.Sprintf("got %s, and the program computes %s", twice[0].values, watched[0].values)
	}
	return true, ""
}
