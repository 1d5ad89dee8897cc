package mark_test

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pepgo/pep/instrument/mark"
)

// parse parses a file and inserts markers.
func parse(t *testing.T, name string, src any) (*token.FileSet, *ast.File, *mark.Markers) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return fset, f, mark.Files([]*ast.File{f}, nil, func(*ast.File) bool { return false }, func(ast.Node) {})
}

func TestKinds(t *testing.T) {
	const src = `package p

func f(n int) {
	n++
	for n > 0 && n < 9 {
		n--
	}
	switch n {
	case 1:
		fallthrough
	case 2:
		panic(n)
	}
	if n == 3 || !(n == 4) {
		return
	}
}
`
	fset, _, marks := parse(t, "p.go", src)
	var got []string
	for _, m := range marks.ByID {
		switch m := m.(type) {
		case *mark.Marker:
			kind := map[mark.Kind]string{
				mark.Before: "before", mark.Start: "start", mark.After: "after", mark.End: "end",
				mark.NoCase: "no case", mark.Fallthru: "fallthrough", mark.Panic: "panic",
			}[m.Kind]
			got = append(got, kind+" "+strings.TrimPrefix(fset.Position(m.Pos).String(), "p.go:"))
		case *mark.Leaf:
			got = append(got, "leaf "+m.Op+" "+strings.TrimPrefix(fset.Position(m.Expr.Pos()).String(), "p.go:"))
		}
	}
	want := []string{
		"start 3:16", // n++ …
		"before 5:2", // … the loop
		"leaf && 5:6", "leaf for 5:15", "start 5:22", "end 7:2",
		"after 7:3", // … the switch
		"start 9:9", "fallthrough 10:3",
		"start 11:9", "panic 12:3",
		"no case 13:2",
		"before 14:2", // the if
		"leaf || 14:5", "leaf if 14:17", "start 14:26", "before 15:3",
		"end 17:1",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A tree whose markers are taken out again is the program that it was. The corpus is
// those parts of std that have statements of all kinds.
func TestMarksCanBeTakenAway(t *testing.T) {
	for _, dir := range []string{"strconv", "text/template", "text/template/parse", "go/printer", "regexp/syntax"} {
		//lint:ignore SA1019 tests read the installation that builds them
		files, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Skipf("no source of %s: %v", dir, err)
		}
		for _, name := range files {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			fset, f, marks := parse(t, name, src)
			ids := map[string]int{}
			unmark(f, marks, ids)
			fset2 := token.NewFileSet()
			plain, err := parser.ParseFile(fset2, name, src, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := text(t, fset, f), text(t, fset2, plain); got != want {
				t.Errorf("%s differs", name)
			}
			for id, n := range ids {
				if n != 1 {
					t.Errorf("%s: marker %s stands in %d places", name, id, n)
				}
			}
			if len(ids) != len(marks.ByID) {
				t.Errorf("%s: %d markers of %d are in the tree", name, len(ids), len(marks.ByID))
			}
		}
	}
}

// text formats a tree without regard to its positions.
func text(t *testing.T, fset *token.FileSet, f *ast.File) string {
	t.Helper()
	f.Comments = nil
	var b bytes.Buffer
	if err := format.Node(&b, fset, f); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// unmark takes the markers out of a tree and counts them by ID.
func unmark(f *ast.File, marks *mark.Markers, ids map[string]int) {
	if len(marks.ByID) > 0 {
		f.Decls = f.Decls[1:] // the import
	}
	id := func(call *ast.CallExpr) string { return call.Args[0].(*ast.BasicLit).Value }
	list := func(stmts []ast.Stmt) (kept []ast.Stmt) {
		for _, s := range stmts {
			if l, ok := s.(*ast.LabeledStmt); ok && marks.StmtMarker(l.Stmt) != nil {
				// The statement of the label is the one that follows.
				ids[id(l.Stmt.(*ast.ExprStmt).X.(*ast.CallExpr))]++
				l.Stmt = nil
			}
			if marks.StmtMarker(s) != nil {
				ids[id(s.(*ast.ExprStmt).X.(*ast.CallExpr))]++
				continue
			}
			if n := len(kept); n > 0 {
				if l := innermost(kept[n-1]); l != nil && l.Stmt == nil {
					l.Stmt = s
					continue
				}
			}
			kept = append(kept, s)
		}
		if n := len(kept); n > 0 {
			if l := innermost(kept[n-1]); l != nil && l.Stmt == nil {
				l.Stmt = &ast.EmptyStmt{Implicit: true}
			}
		}
		return kept
	}
	for s, c := range marks.Conds {
		for _, l := range c.Leaves {
			ids["leaf "+l.Op+string(rune(l.ID))]++
		}
		switch s := s.(type) {
		case *ast.IfStmt:
			s.Cond = c.Expr
		case *ast.ForStmt:
			s.Cond = c.Expr
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			n.List = list(n.List)
			// The default clause that is not in the source.
			if k := len(n.List); k > 0 {
				if c, ok := n.List[k-1].(*ast.CaseClause); ok && len(c.Body) == 1 {
					if mk := marks.StmtMarker(c.Body[0]); mk != nil && mk.Kind == mark.NoCase {
						c.Body = list(c.Body)
						n.List = n.List[:k-1]
					}
				}
			}
		case *ast.CaseClause:
			n.Body = list(n.Body)
		case *ast.CommClause:
			n.Body = list(n.Body)
		}
		return true
	})
}

// innermost returns the label that stands right before its statement, if s is
// labelled.
func innermost(s ast.Stmt) *ast.LabeledStmt {
	var l *ast.LabeledStmt
	for {
		next, ok := s.(*ast.LabeledStmt)
		if !ok {
			return l
		}
		l, s = next, next.Stmt
	}
}

func TestSkippedFilesAreLeft(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", "package p\nfunc f() { f() }\n", parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	marks := mark.Files([]*ast.File{f}, nil, func(*ast.File) bool { return true }, func(ast.Node) {})
	if len(marks.ByID) != 0 || len(f.Decls) != 1 {
		t.Errorf("%d markers, %d declarations", len(marks.ByID), len(f.Decls))
	}
}
