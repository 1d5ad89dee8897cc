package describe_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/instrument/describe"
	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/mark"
	"github.com/pepgo/pep/instrument/pathnum"
	"github.com/pepgo/pep/instrument/placement"
)

// described returns the functions of a file, and their description.
func described(t *testing.T, src string) (*token.FileSet, []*flow.Func, []wire.Func) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "in.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	fset, funcs := functions(t, fset, f)
	var all []wire.Func
	for _, f := range funcs {
		all = append(all, describeFunc(t, fset, f))
	}
	return fset, funcs, all
}

// functions returns the functions of a package.
func functions(t *testing.T, fset *token.FileSet, files ...*ast.File) (*token.FileSet, []*flow.Func) {
	t.Helper()
	funcs, _, err := flow.Functions(&flow.Config{
		Path: "p", Fset: fset, Files: files,
		Markers:  mark.Files(files, nil, func(*ast.File) bool { return false }, func(ast.Node) {}),
		Importer: importer.Default(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return fset, funcs
}

func describeFunc(t *testing.T, fset *token.FileSet, f *flow.Func) wire.Func {
	t.Helper()
	p, err := placement.New(f, pathnum.Options{})
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return describe.New(fset, func(string) int { return 7 }).Func(f, p.Graph, 100)
}

func first(t *testing.T, src string) wire.Func {
	t.Helper()
	_, _, all := described(t, src)
	return all[0]
}

// branches writes the branches of a function as text, each on a line, with the line
// that every outcome leads to.
func branches(f wire.Func) string {
	var b strings.Builder
	for _, block := range f.Blocks {
		if len(block.Outs) < 2 {
			continue
		}
		fmt.Fprintf(&b, "%d:%d %s:", block.Branch.Line, block.Branch.Col, block.Branch.Kind)
		for i, o := range block.Outs {
			if i > 0 {
				b.WriteString(";")
			}
			fmt.Fprintf(&b, " %s to %d", o.Outcome, o.Line)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestBranches(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{
			"an outcome that leads to a condition alone leads to the line of that",
			`package p
func f(a, b, c bool) int {
	if a {
		return 1
	} else if b &&
		c {
		return 2
	} else if a ||
		b ||
		c {
		return 3
	}
	return 4
}`, `
3:5 if: true to 4; false to 5
5:12 &&: true to 6; false to 8
6:3 if: true to 7; false to 8
8:12 ||: true to 11; false to 9
9:3 ||: true to 11; false to 10
10:3 if: true to 11; false to 13
`,
		},
		{
			"a condition at the head of a loop has a line of its own too",
			`package p
func f(a, b bool, n int) {
	for i := 0; i < n &&
		b; i++ {
		if a {
			continue
		}
	}
	for range n {
		if b {
			n--
		}
	}
}`, `
3:14 &&: true to 4; false to 9
4:3 for: true to 5; false to 9
5:6 if: true to 6; false to 8
10:6 if: true to 11; false to 13
9:2 range: body to 10; done to 13
`,
		},
		{
			"texts of cases that are cut or the same are told apart by where they stand",
			`package p
func f(s string, c, d chan int) {
	switch s {
	case "a long text, of which there are two that are the same for 48 bytes: one":
	case "a long text, of which there are two that are the same for 48 bytes: two":
	case "a long text, and another one of at least as much length":
	case "short":
	}
	select {
	case <-c:
	case <-d:
	case <-c:
	}
}`, `
3:2 switch: case "a long text, of which there are two that are… at 4:2 to 4; case "a long text, of which there are two that are… at 5:2 to 5; case "a long text, and another one of at least as … to 6; case "short" to 7; no case to 8
9:2 select: case <-c at 10:2 to 10; case <-d to 11; case <-c at 12:2 to 12
`,
		},
		{
			"the end of a range loop that a break shares is done, although it has no insertion point",
			`package p
func f(s []int) {
	for _, x := range s {
		if x > 3 {
			break
		}
	}
}`, `
3:2 range: body to 4; done to 7
4:6 if: true to 5; false to 7
`,
		},
		{
			"a jump out of the body of a loop over a function is an outcome of the loop",
			`package p
func f(s func(func(int) bool), n int) {
outer:
	for range n {
		for x := range s {
			if x == 1 {
				continue outer
			}
			if x == 2 {
				break outer
			}
			if x == 3 {
				break
			}
			if x == 4 {
				continue outer
			}
			if x == 5 {
				return
			}
		}
		n++
	}
	n--
}`, `
5:3 range func: done to 22; continue outer to 4; break outer to 24; return to 5
4:2 range: body to 5; done to 24
`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), branches(first(t, test.src))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// Paths start at the code that follows a loop over a function, because of the loop.
// Profiles name the line of the loop.
func TestLoopsOverFunctionsAreLoops(t *testing.T) {
	for _, src := range []string{
		"package p\nfunc f(s func(func() bool)) {\n\tprintln()\n\tfor range s {\n\t}\n}\n",
		"package p\nfunc f(s func(func() bool)) {\nouter:\n\tfor range s {\n\t\tcontinue outer\n\t}\n}\n",
	} {
		f := first(t, src)
		if len(f.Graph.Starts) != 2 || f.Graph.Starts[1].Cut {
			t.Fatalf("got starts %+v, want a second one that is not cut", f.Graph.Starts)
		}
	}
}

// table writes the site table's entry of a function.
func table(f wire.Func) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, file %d, line %d, paths from %d\n", f.Name, f.File, f.Line, f.Base)
	for i, block := range f.Blocks {
		fmt.Fprintf(&b, "%d", i)
		for _, s := range block.Spans {
			fmt.Fprintf(&b, " %d:%d-%d:%d", s.Line, s.Col, s.EndLine, s.EndCol)
		}
		fmt.Fprintln(&b)
		if k := block.Branch; k.Kind != "" {
			fmt.Fprintf(&b, "  %s at %d:%d\n", k.Kind, k.Line, k.Col)
		}
		for _, o := range block.Outs {
			fmt.Fprintf(&b, "  → %d:%d %s\n", o.Line, o.Col, o.Outcome)
		}
	}
	return b.String()
}

// The entry that the package comment explains, with a loop and a literal.
func TestTable(t *testing.T) {
	const src = `package p

func f(x int) int {
	if x > 0 {
		x = -x
	}
	for x < 9 {
		g := func() { x++ }
		g()
	}
	return x
}
`
	const want = `
p.f, file 7, line 3, paths from 100
0 4:2-4:11
  if at 4:5
  → 5:3 true
  → 7:2 false
1 5:3-5:9
  → 7:2 
2 7:2-7:2
  → 7:6 
3
  for at 7:6
  → 8:3 body
  → 11:2 done
4 8:3-9:6
  → 7:6 
5 11:2-11:10
  → 11:2 
p.f.func1, file 7, line 8, paths from 100
0 8:17-8:20
  → 8:21 
`
	var got strings.Builder
	_, _, all := described(t, src)
	for _, f := range all {
		got.WriteString(table(f))
	}
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Every simple statement that is executed stands in the spans of exactly one block. The
// test finds the statements in the syntax tree, without the graph.
func TestStatementsAreInOneBlock(t *testing.T) {
	statements := 0
	for _, path := range []string{"sort", "strconv", "regexp/syntax"} {
		pkg, err := build.Import(path, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		var files []*ast.File
		for _, name := range pkg.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(pkg.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		plain := map[ast.Node][]ast.Stmt{} // by body, before there are markers
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					if n.Body != nil {
						plain[n.Body] = simple(n.Body)
					}
				case *ast.FuncLit:
					plain[n.Body] = simple(n.Body)
				}
				return true
			})
		}
		_, funcs := functions(t, fset, files...)
		for _, f := range funcs {
			d := describeFunc(t, fset, f)
			for _, s := range plain[f.Body()] {
				statements++
				pos := fset.Position(s.Pos())
				in := 0
				for _, block := range d.Blocks {
					for _, span := range block.Spans {
						from := pos.Line > span.Line || pos.Line == span.Line && pos.Column >= span.Col
						to := pos.Line < span.EndLine || pos.Line == span.EndLine && pos.Column < span.EndCol
						if from && to {
							in++
						}
					}
				}
				if in != 1 {
					t.Errorf("%s: the statement is in %d blocks", pos, in)
				}
			}
		}
	}
	t.Logf("%d statements", statements)
	if statements < 1000 {
		t.Errorf("only %d statements", statements)
	}
}

// simple returns the statements of a function that hold no other statements. It leaves
// out the statements of function literals.
func simple(body *ast.BlockStmt) (list []ast.Stmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BlockStmt:
			for _, s := range n.List {
				list = append(list, simpleOne(s)...)
			}
		case *ast.CaseClause:
			for _, s := range n.Body {
				list = append(list, simpleOne(s)...)
			}
		}
		return true
	})
	return list
}

func simpleOne(s ast.Stmt) []ast.Stmt {
	switch s.(type) {
	case *ast.ExprStmt, *ast.AssignStmt, *ast.IncDecStmt, *ast.ReturnStmt, *ast.BranchStmt, *ast.SendStmt, *ast.DeferStmt,
		*ast.GoStmt:
		return []ast.Stmt{s}
	}
	return nil
}

// With //line directives functions have a place in their Go file, too, if that is wanted, and it is not that of a
// directive.
func TestPlacesInTheGoFile(t *testing.T) {
	const src = `package p

//line g.y:8
func f(a, b bool) int {
	if a && b {
		return 1
	}
//line t.y:2
	return 2
}

//line in.go:13
func g(a bool) bool { return !a }

//line g.y:3
func g2() {}
`
	fset, funcs, _ := described(t, src)
	name := fset.Position(fset.File(funcs[0].Syntax.Pos()).Pos(0)).Filename
	var names []string
	d := describe.New(fset, func(name string) int {
		i := slices.Index(names, name)
		if i < 0 {
			i = len(names)
			names = append(names, name)
		}
		return i
	})
	for _, sources := range []bool{false, true} {
		d.Sources = sources
		var got []string
		for _, f := range funcs {
			p, err := placement.New(f, pathnum.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s, skipped := d.Func(f, p.Graph, 0).Source, d.Skipped(f, "none").Source
			if (s == nil) != (skipped == nil) || s != nil && (s.File != skipped.File || s.Line != skipped.Line) {
				t.Errorf("%s: source %+v, if it is skipped %+v", f.Name, s, skipped)
			}
			if s == nil {
				continue
			}
			got = append(got, fmt.Sprint(f.Name, " ", names[s.File] == name, " ", s.Line))
			for _, b := range s.Blocks {
				for _, x := range b.Spans {
					got = append(got, fmt.Sprintf("%t %d:%d", names[x.File] == name, x.Line, x.Col))
				}
				if b.Branch.Kind != "" {
					got = append(got, fmt.Sprintf("%s %d:%d", b.Branch.Kind, b.Branch.Line, b.Branch.Col))
				}
			}
		}
		want := ""
		if sources {
			want = "p.f true 4; true 5:2; && 5:5; if 5:10; true 6:3; true 9:2; p.g2 true 16"
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("sources %t: %s, want %s", sources, text, want)
		}
	}
}
