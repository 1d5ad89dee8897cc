package clone_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/instrument/clone"
	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/mark"
)

// plan returns the plan of a file.
func plan(t *testing.T, src string) (*token.FileSet, *ast.File, *clone.Plan) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	files := []*ast.File{f}
	markers := mark.Files(files, nil, func(*ast.File) bool { return false }, func(ast.Node) {})
	_, info, err := flow.Functions(&flow.Config{Path: "p", Fset: fset, Files: files, Markers: markers, Importer: importer.Default()})
	if err != nil {
		t.Fatal(err)
	}
	return fset, f, clone.New(files, markers, info, func(ast.Node) {})
}

// text writes a plan as text: a line for each function, in source order, with indented
// lines for what is in the function.
func text(fset *token.FileSet, f *ast.File, p *clone.Plan) string {
	line := func(n ast.Node) int { return fset.PositionFor(n.Pos(), false).Line }
	var b strings.Builder
	ast.Inspect(f, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl:
			body = n.Body
			fmt.Fprintf(&b, "%s: ", n.Name.Name)
		case *ast.FuncLit:
			body = n.Body
			fmt.Fprintf(&b, "  literal %d: ", line(n))
		case *ast.ForStmt:
			body = n.Body
		case *ast.RangeStmt:
			body = n.Body
		case *ast.AssignStmt:
			if declares := p.Mixed[n]; declares != nil {
				fmt.Fprintf(&b, "  := %d: declares %v\n", line(n), declares)
			}
			return true
		default:
			return true
		}
		if kind, ok := p.Kinds[body]; ok {
			fmt.Fprintln(&b, map[clone.Kind]string{clone.Cloned: "cloned", clone.Guarded: "guarded"}[kind])
		}
		if p.Loops[body] {
			fmt.Fprintf(&b, "  loop %d: cloned\n", line(body))
		}
		return true
	})
	return b.String()
}

var plans = []struct{ name, src, want string }{
	{
		"a function is cloned, small ones like others",
		"func F(n int) int { return small(n) }\nfunc small(n int) int { return n + 1 }",
		"F: cloned\nsmall: cloned\n",
	},
	{
		"a generic one",
		"func Small[T any](p *T) T { return *p }",
		"Small: cloned\n",
	},
	{
		"a type that is declared twice would be two types: taps have a test each",
		"func F() { type x int }",
		"F: guarded\n",
	},
	{
		"a line directive cannot stand there twice",
		"func F() {\n//line q.go:7\n}",
		"F: guarded\n",
	},
	{
		"a := that assigns to a result is taken apart",
		"func F(c func() (int, error)) (err error) { n, err := c(); println(n); return }",
		"F: cloned\n  := 2: declares [true false]\n",
	},
	{
		"one whose constant would have another type cannot",
		"func F() (n int8) { m, n := 1, 2; println(m); return n }",
		"F: guarded\n",
	},
	{
		"a loop that calls is cloned itself, and loops around it are not",
		"func F(f func(int)) {\n\tfor i := range 9 {\n\t\tfor j := range i {\n\t\t\tf(j)\n\t\t}\n\t\tfor range i {\n\t\t\tprintln()\n\t\t}\n\t}\n}",
		"F: cloned\n  loop 4: cloned\n",
	},
	{
		"sends, receives, selects and maps are calls of the Go runtime",
		"func F(c chan int, m map[int]int) (n int) {\n\tfor range n {\n\t\tc <- 1\n\t}\n\tfor range n {\n\t\tn += <-c\n\t}\n\tfor x := range c {\n\t\tn += x\n\t}\n\tfor {\n\t\tselect {\n\t\tcase n = <-c:\n\t\tdefault:\n\t\t\treturn\n\t\t}\n\t}\n}\nfunc G(m map[int]int, c chan bool) (n int) {\n\tfor i := range n {\n\t\tn += m[i]\n\t}\n\tfor _, v := range m {\n\t\tn += v\n\t}\n\tfor i := range n {\n\t\tdelete(m, i)\n\t}\n\tfor <-c {\n\t\tn++\n\t}\n\tfor range n {\n\t\tn++\n\t}\n\treturn n\n}",
		"F: cloned\n  loop 3: cloned\n  loop 6: cloned\n  loop 9: cloned\n  loop 12: cloned\nG: cloned\n  loop 21: cloned\n  loop 24: cloned\n  loop 27: cloned\n  loop 30: cloned\n",
	},
	{
		"a loop around an innermost one that calls nothing is cloned, and loops around it are not",
		"func F(a, b, c [][]int) {\n\tfor i := range a {\n\t\tfor j := range b {\n\t\t\tfor k := 0; k < 9; k++ {\n\t\t\t\tc[i][j] += a[i][k] * b[k][j]\n\t\t\t}\n\t\t}\n\t}\n\tfor range 9 {\n\t\tfor i := range c {\n\t\t\tc[i] = nil\n\t\t}\n\t}\n}",
		"F: cloned\n  loop 4: cloned\n  loop 10: cloned\n",
	},
	{
		"a loop with a label, a literal or a deferred call in it is not cloned",
		"func F(f func(int)) {\n\tfor range 9 {\n\t\tf(1)\n\t\tdefer f(2)\n\t}\n\tfor range 9 {\n\tl:\n\t\tf(3)\n\t\tgoto l\n\t}\n\tfor range 9 {\n\t\tf(4)\n\t\tfunc() {}()\n\t}\n}",
		"F: cloned\n  literal 14: cloned\n",
	},
	{
		"a literal is cloned as a declared function is",
		"func F(f func()) {\n\tg := func() { f() }\n\tg()\n}",
		"F: cloned\n  literal 3: cloned\n",
	},
	{
		"many deferred calls would no longer be cheap",
		"func F(f func()) { defer f(); defer f(); defer f(); defer f(); defer f() }",
		"F: guarded\n",
	},
	{
		"few deferred calls are cheap twice, too",
		"func F(f func()) { defer f() }",
		"F: cloned\n",
	},
}

// The test shows the plans of small functions.
func TestPlans(t *testing.T) {
	for _, test := range plans {
		t.Run(test.name, func(t *testing.T) {
			fset, f, p := plan(t, "package p\n"+test.src)
			if diff := cmp.Diff(test.want, text(fset, f, p)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
