package reeval_test

// This file builds small functions, asks about the expressions in them, and runs
// them with an expression evaluated twice. The oracle is the Go compiler: it shares
// nothing with the rules.

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/instrument/edit"
	"github.com/pepgo/pep/instrument/reeval"
)

// world declares what the functions of the tests use. The functions log what they do.
// Every local variable that locals declares is private, unless a test captures it or
// takes its address.
const world = `package main

type node struct {
	n, m int
	next *node
	a    [4]int
	s    []int
	in   inner
	*embedded
}

type inner struct{ n int }

type embedded struct{ deep int }

func (p *node) get() int { log("get"); return p.n }
func (p node) sum() int  { log("sum"); return p.n + p.m }

type getter interface{ get() int }

type holder struct{ getter }

var (
	g    int
	gp   = &node{n: 30, next: &node{n: 31}}
	gs   = []int{40, 41}
	sink func(...any)
	seen func(any)
	hook func()

	config int // which nil pointers and other traps the function meets
)

func log(args ...any)        { sink(args...) }
func rec[T any](v T)         { seen(v) }
func see[T any](v T) T       { seen(v); return v }
func next() int              { g++; log("next", g); return g }
func id(n int) int           { log("id", n); return n }
func fail() int              { log("fail"); panic("failed") }
func bump(p *node) int       { p.n++; log("bump"); return p.n }
func forward(p **node) int   { *p = (*p).next; log("forward"); return 1 }
func touch() int             { g++; gp.n++; gs[0]++; log("touch"); if hook != nil { hook() }; return g }
func pair() (int, int)       { log("pair"); return 5, 6 }
func text(s string) int      { return len(s) }
func truth(b bool) int       { if b { return 1 }; return 0 }
func twice(f func() int) int { return f() + f() }
func bumped(p *node) *node   { p.m++; log("bumped"); return p }
func add(a, b int) int       { log("add", a, b); return a + b }
`

// locals is the beginning of every function.
const locals = `	n, m, k, z, big := 3, 4, 1, 0, 9
	un, shift := uint(2), 8
	p, q := &node{n: 10, m: 11, s: []int{1, 2}, in: inner{7}, embedded: &embedded{8}, next: &node{n: 12, next: &node{n: 13}}}, &node{n: 20, next: &node{n: 21}}
	var nilp *node
	var nils []int
	s, a, str, fl := []int{50, 51, 52}, [4]int{60, 61, 62, 63}, "hello", 1.5
	mp, fm, im := map[string]int{"k": 70}, map[float64]int{1.5: 80}, map[any]int{1: 90}
	ab, pq := a, p
	pa, pp := &ab, &pq
	var v, fx, ix any = 5, []int{1}, int8(3)
	nan := (fl - fl) / (fl - fl)
	var it getter = p
	var nilit getter
	h := holder{p}
	f := func() int { log("f"); return 2 }
	c := make(chan int, 64)
	for i := range 32 { c <- 100 + i }
	_, _, _, _, _, _, _, _, _, _, _, _, _ = n, m, k, z, big, un, shift, p, q, nilp, nils, s, str
	_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _ = a, fl, mp, fm, im, pa, pp, v, fx, ix, nan, it, nilit, h, f, c
`

// declare returns the text of a function with some statements.
func declare(name, stmts string) string {
	return fmt.Sprintf("\nfunc %s() (r byte) {\n%s\t%s\n\treturn\n}\n", name, locals, stmts)
}

// A program is a package of functions, each with some statements in question.
type program struct {
	t     *testing.T
	src   string
	fset  *token.FileSet
	file  *ast.File
	info  *types.Info
	facts *reeval.Facts
}

// load parses and type-checks a package.
func load(t *testing.T, src string) *program {
	t.Helper()
	p := &program{t: t, src: src, fset: token.NewFileSet()}
	var err error
	if p.file, err = parser.ParseFile(p.fset, "p.go", src, parser.SkipObjectResolution); err != nil {
		t.Fatal(err)
	}
	p.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
	}
	conf := types.Config{Error: func(err error) {
		line := strings.Split(src, "\n")[p.fset.Position(err.(types.Error).Pos).Line-1]
		t.Errorf("%v: %s", err, line)
	}}
	if _, err := conf.Check("main", p.fset, []*ast.File{p.file}, p.info); err != nil {
		t.FailNow()
	}
	p.facts = reeval.New([]*ast.File{p.file}, p.info)
	return p
}

func (p *program) offset(pos token.Pos) int { return p.fset.Position(pos).Offset }

func (p *program) text(n ast.Node) string { return p.src[p.offset(n.Pos()):p.offset(n.End())] }

// walk walks over the unit that statement s consists of, in the order in which s
// evaluates it. For statements with bodies it is the unit of the header.
func (p *program) walk(v *visitor, s ast.Stmt) {
	values := func(exprs ...ast.Expr) {
		v.unit = p.facts.NewUnit(v, exprs...)
		for _, e := range exprs {
			v.unit.Value(e)
			v.ask(e)
		}
	}
	assign := func(targets, exprs []ast.Expr) {
		v.unit = p.facts.NewUnit(v, append(append([]ast.Expr{}, exprs...), targets...)...)
		v.assignment = &reeval.Assignment{Unit: v.unit, Targets: targets}
		v.assignment.Walk(exprs)
	}
	v.assignment = nil
	switch s := s.(type) {
	case *ast.ExprStmt:
		values(s.X)
	case *ast.AssignStmt:
		if s.Tok == token.ASSIGN || s.Tok == token.DEFINE {
			assign(s.Lhs, s.Rhs)
			break
		}
		values(s.Lhs[0], s.Rhs[0])
		v.assignment = &reeval.Assignment{Unit: v.unit, Targets: s.Lhs}
	case *ast.IncDecStmt:
		values(s.X)
		v.assignment = &reeval.Assignment{Unit: v.unit, Targets: []ast.Expr{s.X}}
	case *ast.SendStmt:
		values(s.Chan, s.Value)
	case *ast.ReturnStmt:
		values(s.Results...)
	case *ast.IfStmt:
		values(s.Cond)
	case *ast.SwitchStmt:
		values(s.Tag)
	case *ast.GoStmt:
		values(s.Call)
	case *ast.DeferStmt:
		values(s.Call)
	default:
		p.t.Fatalf("%s: no unit for %T", p.fset.Position(s.Pos()), s)
	}
}

// A visitor asks about the expressions that the walk passes to it.
type visitor struct {
	unit       *reeval.Unit
	assignment *reeval.Assignment // of the statement, if it is one

	// load is called for each expression that is evaluated, and reports whether it is
	// evaluated in front of the unit.
	load func(e ast.Expr, isLoad bool) bool
}

func (v *visitor) ask(e ast.Expr) bool      { return v.load(ast.Unparen(e), false) }
func (v *visitor) Load(e ast.Expr) bool     { return v.load(ast.Unparen(e), true) }
func (v *visitor) Store(ast.Expr) bool      { return false }
func (v *visitor) Overtaken(ast.Expr)       {}
func (v *visitor) Compared(e ast.Expr)      { v.ask(e) }
func (v *visitor) Asserted(e ast.Expr)      { v.ask(e) }
func (v *visitor) Called(*ast.CallExpr)     {}
func (v *visitor) Computed(*ast.BinaryExpr) {}
func (v *visitor) before(e ast.Expr) string { return string(v.unit.Before(v.unit.Operand(e))) }

func (v *visitor) Call(e *ast.CallExpr) {
	fun := ast.Unparen(e.Fun)
	if sel, s := v.unit.Method(fun); s != nil {
		v.ask(sel.X)
	} else if v.unit.FuncValue(fun) {
		v.ask(fun)
	}
}

// A variant is a version of a function to be run.
type variant struct {
	name string
	text string // of its body
}

// edited returns the text of n after edits.
func (p *program) edited(n ast.Node, change func(b *edit.Buffer)) string {
	b := edit.New([]byte(p.src[:p.offset(n.End())]))
	change(b)
	return b.String()[p.offset(n.Pos()):]
}

// evaluatedBefore returns the function with the expressions evaluated again before
// statement s.
func (p *program) evaluatedBefore(fn *ast.FuncDecl, s ast.Stmt, exprs ...ast.Expr) string {
	return p.edited(fn.Body, func(b *edit.Buffer) {
		for _, e := range exprs {
			b.Insert(p.offset(s.Pos()), "rec("+p.text(e)+"); ")
		}
	})
}

// evaluatedAfter returns the function with e evaluated again after statement s.
func (p *program) evaluatedAfter(fn *ast.FuncDecl, s ast.Stmt, e ast.Expr) string {
	return p.edited(fn.Body, func(b *edit.Buffer) { b.Insert(p.offset(s.End()), "; rec("+p.text(e)+")") })
}

// watched returns the function with a look at the values of the expressions that the
// program itself computes.
func (p *program) watched(fn *ast.FuncDecl, exprs ...ast.Expr) string {
	return p.edited(fn.Body, func(b *edit.Buffer) {
		for _, e := range exprs {
			b.Insert(p.offset(e.Pos()), "see(")
			b.Insert(p.offset(e.End()), ")")
		}
	})
}

// watchable reports whether see(e) can stand in the place of e in fn: e is not an
// operand of &, not a part of what is assigned to, and not the receiver of a method.
func (p *program) watchable(fn *ast.FuncDecl, e ast.Expr) bool {
	can := true
	var path []ast.Node
	ast.Inspect(fn, func(n ast.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		if n != e {
			return true
		}
		inner := ast.Node(e)
		for i := len(path) - 2; i >= 0; i-- {
			switch up := path[i].(type) {
			case *ast.ParenExpr:
			case *ast.SelectorExpr:
				if _, s := p.facts.Method(up); s != nil {
					can = false
				}
			case *ast.IndexExpr:
				if up.Index == inner {
					return true
				}
			case *ast.SliceExpr:
				can = can && up.X != inner
				return true
			case *ast.UnaryExpr:
				can = can && up.Op != token.AND
				return true
			case *ast.AssignStmt:
				can = can && len(up.Lhs) == len(up.Rhs) // see(m[k]) has one value
				for _, l := range up.Lhs {
					can = can && l != inner
				}
				return true
			case *ast.IncDecStmt:
				can = false
				return true
			default:
				return true
			}
			inner = path[i]
		}
		return true
	})
	return can
}

// An outcome is what a variant did.
type outcome struct {
	log    string // what it logged, and its panic
	values string // the values that it recorded
}

// run runs all variants in one program, in the given number of configurations.
func run(t *testing.T, variants []variant, configurations int) map[string][]outcome {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Print()\n")
	for _, v := range variants {
		fmt.Fprintf(&b, "\tfor config = range %d { run(%q, %s) }\n", configurations, v.name, v.name)
	}
	b.WriteString(`}

func run(name string, f func() byte) {
	var logged, values []string
	sink = func(args ...any) { logged = append(logged, fmt.Sprint(args...)) }
	seen = func(v any) {
		if n, ok := v.(*node); ok && n != nil {
			v = n.n
		}
		switch v.(type) {
		case func() int, []int, *[4]int, *embedded, getter, chan int, *int:
			v = fmt.Sprintf("%T", v)
		}
		values = append(values, fmt.Sprint(v))
	}
	hook, g, gp, gs = nil, 0, &node{n: 30, next: &node{n: 31}}, []int{40, 41}
	func() {
		defer func() {
			if r := recover(); r != nil {
				log("panic: ", r)
			}
		}()
		log("returns ", f())
	}()
	if gp == nil {
		gp = new(node)
	}
	log("ends with ", g, gp.n, gs)
	fmt.Printf("%s\t%q\t%q\n", name, logged, values)
}
`)
	for _, v := range variants {
		fmt.Fprintf(&b, "\nfunc %s() (r byte) %s\n", v.name, v.text)
	}
	for name, text := range map[string]string{"world.go": world, "main.go": b.String(),
		"go.mod": "module main\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out[max(0, len(out)-3000):])
	}
	outcomes := map[string][]outcome{}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		outcomes[f[0]] = append(outcomes[f[0]], outcome{f[1], f[2]})
	}
	return outcomes
}
