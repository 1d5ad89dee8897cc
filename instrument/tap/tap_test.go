package tap_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/instrument/describe"
	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/mark"
	"github.com/pepgo/pep/instrument/pathnum"
	"github.com/pepgo/pep/instrument/placement"
	"github.com/pepgo/pep/instrument/tap"
)

// q imports a package that has an embedded interface which p cannot name.
type q struct{}

func (q) Import(path string) (*types.Package, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "q.go",
		"package q; type inner struct{ i }; type i interface{ String() string }; type Outer struct{ inner }", 0)
	if err != nil {
		return nil, err
	}
	return new(types.Config).Check(path, fset, []*ast.File{f}, nil)
}

// find finds the taps of a file.
func find(t *testing.T, src string, opts tap.Options) (*token.FileSet, *tap.Plan) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	files := []*ast.File{f}
	markers := mark.Files(files, nil, func(*ast.File) bool { return false }, func(ast.Node) {})
	all, info, err := flow.Functions(&flow.Config{Path: "p", Fset: fset, Files: files, Markers: markers, Importer: q{}})
	if err != nil {
		t.Fatal(err)
	}
	file := func(string) int { return 0 }
	var funcs []tap.Func
	for _, f := range all {
		fn := tap.Func{Func: f}
		if p, err := placement.New(f, pathnum.Options{}); err == nil {
			fn.Blocks = describe.New(fset, file).Func(f, p.Graph, 0).Blocks
		}
		funcs = append(funcs, fn)
	}
	return fset, tap.Find(&tap.Config{
		Options: opts, Path: "p", Fset: fset, Files: files, Markers: markers, Info: info,
		FileNumber: file, Working: func(ast.Node) {},
	}, funcs)
}

// text writes a plan as lines: the insertion point, the kind, what is reported, and the
// argument of the call. What is skipped follows, with the reason.
func text(fset *token.FileSet, p *tap.Plan) string {
	type line struct {
		pos  token.Pos
		text string
	}
	var lines []line
	add := func(pos token.Pos, point string, calls []tap.Call) {
		for _, c := range calls {
			arg := c.Arg
			if c.Func != "" {
				arg = c.Func + "(" + arg + ")"
			}
			for _, m := range c.More {
				arg += ", " + m.Func + "(" + m.Arg + ")"
			}
			s := p.Sites[tuple.Tuple{PC: c.PC}.Site()-tuple.SiteBase("p")]
			lines = append(lines, line{pos, fmt.Sprintf("%s %s: %s %s = %s\n", point, flow.At(fset, pos), tuple.Tag(s.Tag),
				s.Expr, arg)})
		}
	}
	for n, calls := range p.Start {
		add(n.Lbrace, "start", calls)
	}
	for n, calls := range p.Before {
		add(n.Pos(), "before", calls)
	}
	for n, calls := range p.After {
		add(n.End(), "after", calls)
	}
	for n, calls := range p.Leaves {
		add(n.Expr.Pos(), "operand", calls)
	}
	for n, calls := range p.Markers {
		add(n.Pos, "marker", calls)
	}
	for n, calls := range p.Cases {
		add(n.Pos(), "case", calls)
	}
	for n, calls := range p.Headers {
		add(n.Pos(), "header", calls)
	}
	for n, calls := range p.Outcomes {
		add(n.Leaf.Expr.Pos(), fmt.Sprint("outcome ", n.True), calls)
	}
	for n, calls := range p.Jumps {
		add(n.Stmts[0].Pos(), "jump", calls)
	}
	for s, exprs := range p.Skipped {
		for _, e := range exprs {
			lines = append(lines, line{token.Pos(1 << 30),
				fmt.Sprintf("skipped %d:%d: %s %s: %s\n", e.Pos.Line, e.Pos.Column, s.Tag, e.Text, s.Reason)})
		}
	}
	// Maps have no order. Calls at one point keep theirs, for their point is the same text.
	point := func(l line) string {
		p, _, _ := strings.Cut(l.text, ": ")
		if strings.HasPrefix(p, "skipped") {
			return l.text
		}
		return p
	}
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(point(a), point(b)))
	})
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
	}
	return b.String()
}

const decls = `package p

import "q"

var _ q.Outer

type list struct {
	n    int
	next *list
	f    func(int) int
	s    []int
	r    rec
}

type rec struct{ a, b int }

type stringer interface{ String() string }

type holder struct{ stringer }

func g() int         { return 1 }
func two() (int, int) { return 1, 2 }
`

var rows = []struct{ name, kinds, src, want string }{
	{"parameters and receivers, at the start", "args", "func (l *list) m(n int, s []int, r rec, _ int, any any) {}", `
start 23:57: arg l = PtrWord(l)
start 23:57: arg n = n
start 23:57: arg len(s) = SliceWord(s)
skipped 23:34: arg r: its type has no word
skipped 23:48: arg any: its type has no word
`},
	{"results", "results", "func f(n int, l *list) (int, *list) { if n > 3 { return 7, nil }; return n, l }", `
before 23:50: result 7 = 0x7
before 23:50: result nil = 0x0
before 23:67: result n = n
before 23:67: result l = PtrWord(l)
`},
	{"named results", "results", "func f(n int) (r int, err error) { r = n; return }", `
before 23:43: result r = r
skipped 23:43: result err: its type has no word
`},
	{"results of a call", "results", "func f() (int, int) { return two() }", `
skipped 23:30: result two(): the results of a call
`},
	{"a load before the statement", "loads", "func f(l *list) { g(); println(l.next.n) }", `
before 23:24: load l.next = PtrWord(l.next)
before 23:24: load l.next.n = l.next.n
`},
	{"a load in the variable that it is assigned to", "loads", "func f(l *list) { x := l.n; println(x) }", `
after 23:27: load l.n = x
`},
	{"elements of a range loop", "loads", "func f(l *list) { for i, x := range l.s { println(i, x) } }", `
before 23:19: load len(l.s) = SliceWord(l.s)
start 23:41: load l.s[i] = x
`},
	{"elements that are assigned to memory", "loads", "func f(l *list) { for _, l.n = range l.s { } }", `
before 23:19: load len(l.s) = SliceWord(l.s)
skipped 23:26: load l.n: cannot be read back
`},
	{"the same load twice", "loads", "func f(l *list) { a := l.n + 1; b := l.n + 2; println(a, b); c := l.n + 3; println(c) }", `
before 23:19: load l.n = l.n
before 23:62: load l.n = l.n
skipped 23:38: load l.n: read before, and not changed since
`},
	{"a load beside a call", "loads", "func f(l *list) int { return l.n + g() }", `
skipped 23:30: load l.n: beside a call
`},
	{"a load behind &&", "loads", "func f(l *list) bool { b := l != nil && l.n > 3; return b }", `
skipped 23:41: load l.n: evaluated conditionally
`},
	{"loads in the operands of a condition", "loads", "func f(l *list) { if l != nil && l.n > 3 { } }", `
operand 23:34: load l.n = l.n
`},
	{"a load behind an expression that may panic", "loads", "func f(l *list, a []rec, i int) { println(a[i:], l.n) }", `
skipped 23:50: load l.n: behind an expression that may panic
`},
	{"a load that is not repeatable", "loads", "func f(l *list) { println(l.s[g()]) }", `
skipped 23:27: load l.s: beside a call
skipped 23:27: load l.s[g()]: not without side effects
`},
	{"structs have no word", "loads", "func f(l *list) { r := l.r; println(r.a) }", `
skipped 23:24: load l.r: its type has no word
`},
	{"loop conditions and posts", "loads", "func f(l *list) { for p := l; p.n > 0; p = p.next { if p.s == nil { continue }; g() } }", `
operand 23:31: load p.n = p.n
operand 23:56: load len(p.s) = SliceWord(p.s)
before 23:69: load p.next = PtrWord(p.next)
marker 23:85: load p.next = PtrWord(p.next)
`},
	{"a post whose names mean something else", "loads",
		"func f(l *list) { for p := l; p != nil; p = p.next { p := l; g(); _ = p } }", `
skipped 23:45: load p.next: no insertion point
`},
	{"cases of a switch without a tag", "loads",
		"func f(l *list) { switch { case l.n > 3: case l.next == nil, l.next.n > 4: } }", `
case 23:33: load l.n = l.n
case 23:47: load l.next = PtrWord(l.next)
case 23:62: load l.next.n = l.next.n
skipped 23:62: load l.next: read before, and not changed since
`},
	{"a switch with a tag", "loads,consts", "func f(l *list) { switch l.n { case 3: case l.next.n: } }", `
before 23:19: load l.n = l.n
before 23:19: const l.n = l.n
skipped 23:45: load l.next.n: no insertion point
skipped 23:45: load l.next: no insertion point
`},
	{"the header of a switch", "loads", "func f(l *list) { switch x := g(); l.n + x { case 3: } }", `
header 23:19: load l.n = l.n
`},
	{"the operands of a select", "loads", "func f(l *list, c chan int) { select { case c <- l.n: case l.s[0] = <-c: default: } }", `
before 23:31: load l.n = l.n
skipped 23:60: load l.s: no insertion point
`},
	{"behind a label that a goto goes to", "loads", "func f(l *list) { again: switch l.n { case 3: goto again } }", `
skipped 23:33: load l.n: no insertion point
`},
	{"several variables in one declaration", "loads", "func f(l *list) { var ( a = l.n; b = l.next ); println(a, b) }", `
before 23:19: load l.n = l.n
skipped 23:38: load l.next: no insertion point
`},
	{"stores", "stores", "func f(l *list, n int) { l.n = 5; l.n = n; l.n = g(); l.n += 2; l.s[0]++ }", `
after 23:33: store l.n = 0x5
after 23:42: store l.n = n
after 23:53: store l.n = l.n
after 23:63: store l.n = l.n
after 23:73: store l.s[0] = l.s[0]
`},
	{"stores with addresses", "stores,pairs",
		"func f(l *list, m map[int]int, i int) { l.n = 5; l.s[i] = i; m[i] = i; l.next, i = nil, 7; l.next.n, l.next = 1, nil }", `
after 23:48: store l.n = 0x5, PtrWord(&l.n)
before 23:50: load len(l.s) = SliceWord(l.s), PtrWord(&l.s)
after 23:60: store l.s[i] = i, PtrWord(&l.s[i])
after 23:70: store m[i] = i
after 23:90: store l.next = 0x0, PtrWord(&l.next)
before 23:92: load l.next = PtrWord(l.next), PtrWord(&l.next)
after 23:117: store l.next.n = 0x1
after 23:117: store l.next = 0x0, PtrWord(&l.next)
`},
	{"a store that cannot be read back", "stores", "func f(l *list, i int) { l.s[l.n] = i + 1; l, l.n = l.next, g() }", `
skipped 23:26: store l.s[l.n]: cannot be read back
skipped 23:47: store l.n: cannot be read back
`},
	{"addresses", "addrs", "func f(l *list, m map[int]int, i int) { println(l.n, m[i]); l.s[i] = 1; i, l.n = 1, 2 }", `
before 23:41: addr l.n = PtrWord(&l.n)
before 23:61: addr l.s = PtrWord(&l.s)
before 23:61: addr l.s[i] = PtrWord(&l.s[i])
skipped 23:76: addr l.n: behind an expression that may panic
`},
	{"function values", "calls", "func f(l *list, h func()) { h(); println(l.f(3)); g() }", `
before 23:29: call h = FuncWord(h)
before 23:34: call l.f = FuncWord(l.f)
`},
	{"methods of interfaces", "calls,types", "func f(s stringer, h holder) { println(s.String()); println(h.String()) }", `
before 23:32: type s = TypeWord(s)
before 23:32: call s.String = TypeWord(s)
before 23:53: type h.stringer = TypeWord(h.stringer)
before 23:53: call h.String = TypeWord(h.stringer)
`},
	{"a method of an interface in a field of another package's own", "calls,types", "func f(o q.Outer) { o.String() }", `
skipped 23:21: call o.String: of an embedded interface
skipped 23:21: type o.String: of an embedded interface
`},
	{"the first case behind a tag that may panic", "loads", "func f(l *list, n, m int) { switch n / m { case l.n: } }", `
skipped 23:49: load l.n: behind an expression that may panic
`},
	{"an operand of || need not have been evaluated", "loads",
		"func f(l *list, b bool) { if b || l.n > 3 { println(l.n) } }", `
operand 23:35: load l.n = l.n
before 23:45: load l.n = l.n
`},
	{"a call in a case changes what is known behind the switch", "loads",
		"func f(l *list) { switch { case l.n > 3: case g() > 3: }; println(l.n) }", `
case 23:33: load l.n = l.n
before 23:59: load l.n = l.n
`},
	{"a select may wait for another goroutine", "loads",
		"func f(l *list, c chan int) { a := l.n + 1; select { case <-c: println(l.n, a) } }", `
before 23:31: load l.n = l.n
before 23:64: load l.n = l.n
`},
	{"an embedded interface beside a call", "types", "func f(h *holder) { println(h.String(), g()) }", `
skipped 23:29: type h.stringer: beside a call
`},
	{"a post statement behind a body with a call", "loads", "func f(l *list) { for i := 0; i < l.n; i += l.n { g() } }", `
operand 23:31: load l.n = l.n
marker 23:55: load l.n = l.n
`},
	{"assertions and type switches", "types", "func f(x any) { _ = x.(int); switch x.(type) { case nil: } }", `
before 23:17: type x = TypeWord(x)
before 23:30: type x = TypeWord(x)
`},
	{"comparisons with constants", "consts", "func f(n int, s string) { println(n == 3, 4 < n, s == \"\", n == g()) }", `
before 23:27: const n = n
before 23:27: const n = n
`},
	{"branches", "edges", "func f(n int) { if n > 3 { g() } }", `
outcome false 23:20: edge if = 1
outcome true 23:20: edge if = 0
`},
	{"branches without a point", "edges", "func f(s []int) { for _, x := range s { if x > 3 { break } } }", `
marker 23:40: edge range = 0
outcome false 23:44: edge if = 1
outcome true 23:44: edge if = 0
skipped 23:19: edge done: the edge has no insertion point of its own
`},
	{"a statement that asks for taps", "marked",
		"func f(l *list) {\n\tn := l.n //pep:tap\n\t// no taps here\n\tl.n = n\n}", `
after 24:10: load l.n = n
after 24:10: store n = n
`},
}

// The taps of small functions, and what is skipped.
func TestFind(t *testing.T) {
	reasons := map[string]bool{}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			kinds, err := tap.ParseKinds(row.kinds)
			if err != nil {
				t.Fatal(err)
			}
			fset, p := find(t, decls+row.src, tap.Options{Kinds: kinds,
				Ranges: []tap.Range{{File: "p.go", From: strings.Count(decls, "\n") + 1, To: 99}}})
			for s := range p.Skipped {
				reasons[s.Reason] = true
			}
			if diff := gocmp.Diff(strings.TrimPrefix(row.want, "\n"), text(fset, p)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	for _, r := range tap.Reasons {
		if !reasons[r] {
			t.Errorf("no row has the reason %q", r)
		}
	}
}
