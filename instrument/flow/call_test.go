package flow_test

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/mark"
)

const callers = `package p

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

type T struct {
	sync.Mutex
	w io.Writer
	f func() int
}

func (t *T) m(b *strings.Builder, list []string) {
	t.Lock()
	defer t.Unlock()
	t.w.Write(nil)
	t.f()
	b.WriteString("x")
	slices.Sort(list)
	_ = append(list, string(make([]byte, 3)))
	go one(list)
	func() { two[int](1) }()
}

func one(list []string) bool {
	if len(list) > 0 && strings.Contains(list[0], "a") {
		_, err := json.Marshal(list)
		return err == nil
	}
	return fmt.Sprint(list) == "" || one(nil)
}

func two[E any](e E) { G[E]{}.n(); new(G[E]).o() }

type G[E any] struct{ e E }

func (g G[E]) n()  {}
func (g *G[E]) o() { f := bytes.NewReader; f(nil); (*T).m(nil, nil, nil) }
`

// The calls of each function: those of builtins, conversions and markers are no calls.
func TestCalls(t *testing.T) {
	_, funcs := functions(t, []byte(callers), false)
	var got []string
	for _, f := range funcs {
		var calls []string
		for _, n := range f.Nodes {
			calls = append(calls, n.Calls...)
		}
		got = append(got, f.Name+": "+strings.Join(calls, " "))
	}
	want := []string{
		"p.(*T).m: sync.(*Mutex).Lock sync.(*Mutex).Unlock (interface) (function value) strings.(*Builder).WriteString slices.Sort[...] p.one p.(*T).m.func1",
		"p.(*T).m.func1: p.two[...]",
		"p.one: strings.Contains encoding/json.Marshal fmt.Sprint p.one",
		"p.two[...]: p.G[...].n p.(*G[...]).o",
		"p.G[...].n: ",
		"p.(*G[...]).o: bytes.NewReader p.(*T).m",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// The functions of two packages have as many calls as their syntax. The syntax says what is a
// call and not a conversion or a builtin by its types alone.
func TestCallsAreThoseOfTheSyntax(t *testing.T) {
	flow.SetBatchSize(t, 100_000)
	all := 0
	for _, name := range []string{"go/types", "encoding/json"} {
		_, funcs, info := ofPackage(t, name)
		bodies := map[ast.Node]bool{} // of ranges over functions
		for _, f := range funcs {
			bodies[f.Syntax] = true
		}
		for _, f := range funcs {
			if f.Skipped != "" {
				continue
			}
			got := 0
			for _, n := range f.Nodes {
				got += len(n.Calls)
			}
			if want := calls(f.Body(), info, bodies); got != want {
				t.Errorf("%s: %d calls, want %d", f.Name, got, want)
			}
			all += got
		}
	}
	if all < 5000 {
		t.Errorf("only %d calls", all)
	}
}

// ofPackage returns the functions of a package of std.
func ofPackage(t *testing.T, name string) (*token.FileSet, []*flow.Func, *types.Info) {
	t.Helper()
	//lint:ignore SA1019 tests read the installation that builds them
	dir := filepath.Join(runtime.GOROOT(), "src", name)
	pkg, err := build.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, f := range pkg.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(dir, f), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	funcs, info, err := flow.Functions(&flow.Config{
		Path: name, Fset: fset, Files: files,
		Markers:  mark.Files(files, nil, func(*ast.File) bool { return false }, func(ast.Node) {}),
		Importer: importer.Default(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return fset, funcs, info
}

// calls counts the calls in x, and not those in function literals and bodies in it.
func calls(x ast.Node, info *types.Info, bodies map[ast.Node]bool) (n int) {
	ast.Inspect(x, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.RangeStmt:
			if bodies[x] {
				n += calls(x.X, info, bodies) + 1 // of the function
				return false
			}
		case *ast.CallExpr:
			fun := ast.Unparen(x.Fun)
			if sel, ok := fun.(*ast.SelectorExpr); ok {
				fun = sel.Sel
			}
			if id, ok := fun.(*ast.Ident); ok {
				if fn := info.Uses[id]; fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == mark.PkgPath {
					return true
				}
			}
			if tv := info.Types[x.Fun]; !tv.IsType() && !tv.IsBuiltin() {
				n++
			}
		}
		return true
	})
	return n
}
