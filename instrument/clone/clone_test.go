package clone_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/instrument/clone"
	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/mark"
)

// plan returns the plan of a file.
func plan(t *testing.T, src string, free bool) (*token.FileSet, *ast.File, *clone.Plan) {
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
	return fset, f, clone.New(files, markers, info, free, func(ast.Node) {})
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
			if c := p.Funcs[n]; c != nil {
				fmt.Fprintf(&b, "separate clone %d, ", c.Number)
			}
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
		case *ast.CallExpr:
			if c := p.Calls[n]; c != nil {
				fmt.Fprintf(&b, "  call %d: clone %d", fset.PositionFor(n.Lparen, false).Line, c.Number)
				if c.Recv != nil {
					fmt.Fprintf(&b, ", receiver %s%s", c.Op, types.ExprString(c.Recv))
				}
				fmt.Fprintln(&b)
			}
			return true
		default:
			return true
		}
		if kind, ok := p.Kinds[body]; ok {
			fmt.Fprintln(&b, map[clone.Kind]string{clone.Original: "original", clone.Cloned: "cloned", clone.Guarded: "guarded"}[kind])
		}
		if p.Loops[body] {
			fmt.Fprintf(&b, "  loop %d: cloned\n", line(body))
		}
		if why := p.Skipped[body]; why != "" {
			fmt.Fprintf(&b, "  %d without taps: %s\n", line(body), why)
		}
		return true
	})
	return b.String()
}

// big is a statement that makes a function too expensive to be inlined.
const big = `println(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80);`

var plans = []struct{ name, src, want string }{
	{
		"a function that the compiler does not inline is cloned",
		"func F(n int) { BIG }",
		"F: cloned\n",
	},
	{
		"one that it inlines has no taps, and a separate clone if clones call it",
		"func F(n int) int { BIG; return small(n) }\nfunc small(n int) int { return n + 1 }",
		"F: cloned\n  call 2: clone 1\nsmall: separate clone 1, original\n",
	},
	{
		"nobody calls it: no separate clone",
		"func Small(n int) int { return n + 1 }",
		"Small: original\n  2 without taps: the compiler inlines the function\n",
	},
	{
		"what only interfaces can call is not inlined, however small it is",
		"type t int\nfunc (t) f() int { return 1 }\nfunc g() int { return 2 }",
		"f: cloned\ng: cloned\n",
	},
	{
		"nor is an exported method of a type that other packages get in interfaces only",
		"type T struct{ s i; R r; e }\ntype i interface{ F() int }\ntype t struct{}\nfunc (t) F() int { return 1 }\ntype r struct{}\nfunc (*r) F() int { return 2 }\ntype e struct{}\nfunc (e) F() int { return 3 }\ntype g struct{}\nfunc (g) F() int { return 4 }\nfunc New() map[int][]*g { return nil }\ntype own struct{ n int }\nfunc (o own) F() int { return int(o.n) }\nfunc h(o own) int { return o.F() }",
		"F: cloned\nF: original\n  7 without taps: the compiler inlines the function\nF: original\n  9 without taps: the compiler inlines the function\nF: original\n  11 without taps: the compiler inlines the function\nNew: original\n  12 without taps: the compiler inlines the function\nF: separate clone 2, original\nh: cloned\n  call 15: clone 2, receiver o\n",
	},
	{
		"nor is a function in a table, while one in a variable may be",
		"type t struct{ n int }\nvar table = [...]func(p *t) int{\n0: func(p *t) int { return p.n },\n}\nfunc F(p *t) int { BIG\nf := func(p *t) int { return p.n }\nreturn f(p) }",
		"  literal 4: cloned\nF: cloned\n  literal 7: original\n",
	},
	{
		"a separate clone calls none but separate clones, so that nobody sees it on the stack",
		"func F(n int) int { BIG; return a(n) + b(n) }\nfunc a(n int) int { return b(n) }\nfunc b(n int) int { return c(n) }\nfunc c(n int) int { return n }\nfunc G() int { BIG; return d() }\nfunc d() int { F(1); return 1 }",
		"F: cloned\n  call 2: clone 1\n  call 2: clone 2\na: separate clone 1, original\n  call 3: clone 2\nb: separate clone 2, original\n  call 4: clone 3\nc: separate clone 3, original\nG: cloned\nd: original\n  7 without taps: the compiler inlines the function\n",
	},
	{
		"or functions of std, unless they may call something of the program",
		"import (\"bytes\"; \"errors\"; \"io\"; \"log\"; \"math/big\"; \"slices\"; \"strings\"; e \"encoding/binary\")\n" +
			"func F(r io.Reader) { BIG; a(1); b(nil); c(nil); d(nil); g(nil, nil); h(nil, r); i(nil); j(); k(nil, nil); l(nil) }\n" +
			"func a(n int64) *big.Int { return big.NewInt(n) }\n" +
			"func b(s []string) string { return strings.Join(s, \"\") }\n" +
			"func c(f func(rune) rune) string { return strings.Map(f, \"\") }\n" +
			"func d(s []int) int { return slices.Max(s) }\n" +
			"func g(x, y error) bool { return errors.Is(x, y) }\n" +
			"func h(b *bytes.Buffer, r io.Reader) { b.ReadFrom(r) }\n" +
			"func i(s []error) bool { return slices.Contains(s, nil) }\n" +
			"func j() { log.Flags() }\n" +
			"func k(o e.ByteOrder, b []byte) uint16 { return o.Uint16(b) }\n" +
			"func l(b []byte) uint16 { return e.LittleEndian.Uint16(b) }\n",
		"F: cloned\n  call 3: clone 1\n  call 3: clone 2\n  call 3: clone 4\n  call 3: clone 10\n" +
			"a: separate clone 1, original\nb: separate clone 2, original\nc: original\n  6 without taps: the compiler inlines the function\n" +
			"d: separate clone 4, original\ng: original\n  8 without taps: the compiler inlines the function\nh: original\n  9 without taps: the compiler inlines the function\n" +
			"i: original\n  10 without taps: the compiler inlines the function\nj: original\n  11 without taps: the compiler inlines the function\n" +
			"k: original\n  12 without taps: the compiler inlines the function\nl: separate clone 10, original\n",
	},
	{
		"a method becomes a function of its receiver",
		"type t struct{ n int }\nfunc (p *t) ptr() int { return p.n }\nfunc (v t) val() int { return v.n }\nfunc F(v t, p *t) { BIG; println(v.ptr(), p.ptr(), v.val(), p.val()) }",
		"ptr: separate clone 1, original\nval: separate clone 2, original\nF: cloned\n  call 5: clone 1, receiver &v\n  call 5: clone 1, receiver p\n  call 5: clone 2, receiver v\n  call 5: clone 2, receiver *p\n",
	},
	{
		"the receiver may be an element, unless a call is in it",
		"type t struct{ n int }\nfunc (p *t) get() int { return p.n }\nfunc F(l []*t, v []t, m map[string]*t, i int) { BIG; println(l[i].get(), v[i+1].get(), m[\"k\"].get(), (*&l[0]).get(), l[len(l)-1].get()) }",
		"get: separate clone 1, original\nF: cloned\n  call 4: clone 1, receiver l[i]\n  call 4: clone 1, receiver &v[i + 1]\n  call 4: clone 1, receiver m[\"k\"]\n",
	},
	{
		"deferred calls and go statements stay what they are",
		"func F() { BIG; defer small(1) }\nfunc small(n int) { println(n) }",
		"F: cloned\nsmall: original\n  3 without taps: the compiler inlines the function\n",
	},
	{
		"a type that is declared twice would be two types: taps have a test each",
		"func F() { BIG; type x int }",
		"F: guarded\n",
	},
	{
		"a line directive cannot stand there twice",
		"func F() { BIG\n//line q.go:7\n}",
		"F: guarded\n",
	},
	{
		"a := that assigns to a result is taken apart",
		"func F(c func() (int, error)) (err error) { BIG; n, err := c(); println(n); return }",
		"F: cloned\n  := 2: declares [true false]\n",
	},
	{
		"one whose constant would have another type cannot",
		"func F() (n int8) { BIG; m, n := 1, 2; println(m); return n }",
		"F: guarded\n",
	},
	{
		"a loop that calls is cloned itself, and loops around it are not",
		"func F(f func(int)) { BIG\n\tfor i := range 9 {\n\t\tfor j := range i {\n\t\t\tf(j)\n\t\t}\n\t\tfor range i {\n\t\t\tprintln()\n\t\t}\n\t}\n}",
		"F: cloned\n  loop 4: cloned\n",
	},
	{
		"sends, receives, selects and maps are calls of the Go runtime",
		"func F(c chan int, m map[int]int) (n int) { BIG\n\tfor range n {\n\t\tc <- 1\n\t}\n\tfor range n {\n\t\tn += <-c\n\t}\n\tfor x := range c {\n\t\tn += x\n\t}\n\tfor {\n\t\tselect {\n\t\tcase n = <-c:\n\t\tdefault:\n\t\t\treturn\n\t\t}\n\t}\n}\nfunc G(m map[int]int, c chan bool) (n int) { BIG\n\tfor i := range n {\n\t\tn += m[i]\n\t}\n\tfor _, v := range m {\n\t\tn += v\n\t}\n\tfor i := range n {\n\t\tdelete(m, i)\n\t}\n\tfor <-c {\n\t\tn++\n\t}\n\tfor range n {\n\t\tn++\n\t}\n\treturn n\n}",
		"F: cloned\n  loop 3: cloned\n  loop 6: cloned\n  loop 9: cloned\n  loop 12: cloned\nG: cloned\n  loop 21: cloned\n  loop 24: cloned\n  loop 27: cloned\n  loop 30: cloned\n",
	},
	{
		"a loop around an innermost one that calls nothing is cloned, and loops around it are not",
		"func F(a, b, c [][]int) { BIG\n\tfor i := range a {\n\t\tfor j := range b {\n\t\t\tfor k := 0; k < 9; k++ {\n\t\t\t\tc[i][j] += a[i][k] * b[k][j]\n\t\t\t}\n\t\t}\n\t}\n\tfor range 9 {\n\t\tfor i := range c {\n\t\t\tc[i] = nil\n\t\t}\n\t}\n}",
		"F: cloned\n  loop 4: cloned\n  loop 10: cloned\n",
	},
	{
		"a loop with a label, a literal or a deferred call in it is not cloned",
		"func F(f func(int)) { BIG\n\tfor range 9 {\n\t\tf(1)\n\t\tdefer f(2)\n\t}\n\tfor range 9 {\n\tl:\n\t\tf(3)\n\t\tgoto l\n\t}\n\tfor range 9 {\n\t\tf(4)\n\t\tfunc() { BIG }()\n\t}\n}",
		"F: cloned\n  literal 14: cloned\n",
	},
	{
		"a literal is cloned as a declared function is, unless a clone holds it",
		"func F(f func()) { BIG\n\tg := func() { BIG; f() }\n\tg()\n}",
		"F: cloned\n  literal 3: cloned\n",
	},
	{
		"many deferred calls would no longer be cheap",
		"func F(f func()) { BIG; defer f(); defer f(); defer f(); defer f(); defer f() }",
		"F: guarded\n",
	},
	{
		"few deferred calls are cheap twice, too",
		"func F(f func()) { BIG; defer f() }",
		"F: cloned\n",
	},
}

// The test shows the plans of small functions.
func TestPlans(t *testing.T) {
	for _, test := range plans {
		t.Run(test.name, func(t *testing.T) {
			fset, f, p := plan(t, "package p\n"+strings.ReplaceAll(test.src, "BIG", big), false)
			if diff := cmp.Diff(test.want, text(fset, f, p)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// With a compiler that inlines the originals of cloned functions, small functions are cloned like others, and
// nothing is skipped.
func TestPlansIfOriginalsAreInlined(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"one that clones call", "func F(n int) int { BIG; return small(n) }\nfunc small(n int) int { return n + 1 }", "F: cloned\nsmall: cloned\n"},
		{"one that calls something unknown", "func Small(f func() int) int { return f() }", "Small: cloned\n"},
		{"one with a literal, and the literal", "func Small() func() { return func() {} }", "Small: cloned\n  literal 2: cloned\n"},
		{"one that ends with a return as pepbuild would end it", "func Small(p *int) { *p = 1; return }", "Small: cloned\n"},
		{"a generic one", "func Small[T any](p *T) T { return *p }", "Small: cloned\n"},
		{"one with a loop that calls", "func Small(f func()) { for { f() } }", "Small: cloned\n  loop 2: cloned\n"},
		{"one that cannot be cloned has tests", "func Small() (n int8) { m, n := 1, 2; _ = m; return n }", "Small: guarded\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fset, f, p := plan(t, "package p\n"+strings.ReplaceAll(test.src, "BIG", big), true)
			if diff := cmp.Diff(test.want, text(fset, f, p)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// Separate clones that lead to no tap are dropped.
func TestKeep(t *testing.T) {
	_, f, p := plan(t, "package p\nfunc F(n int) int { "+big+"return a(n) + d(n) }\nfunc a(n int) int { return b(n) }\nfunc b(n int) int { return n }\nfunc d(n int) int { return n }\n", false)
	p.Keep(func(b *ast.BlockStmt) bool { return b == f.Decls[3].(*ast.FuncDecl).Body })
	var names []string
	for d := range maps.Keys(p.Funcs) {
		names = append(names, d.Name.Name)
	}
	slices.Sort(names)
	if got, want := fmt.Sprint(names), "[a b]"; got != want {
		t.Errorf("with taps in b alone, got the clones %s, want %s", got, want)
	}
	for _, c := range p.Calls {
		if c.Decl.Name.Name == "d" {
			t.Error("d is dropped, and a call of its clone is not")
		}
	}
}
