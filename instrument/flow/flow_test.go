package flow_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/mark"
)

var update = flag.Bool("update", false, "rewrite the expected graphs")

// functions returns the functions of a file, whose paths end at decisions if that is set. Each is in a batch of its
// own.
func functions(t *testing.T, src []byte, decisions bool) (*token.FileSet, []*flow.Func) {
	t.Helper()
	flow.SetBatchSize(t, 0)
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "in.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	cfg := &flow.Config{Path: "p", Fset: fset, Files: []*ast.File{f}, Importer: importer.Default()}
	var plain *types.Info
	if decisions {
		if plain, err = flow.Types(cfg); err != nil {
			t.Fatal(err)
		}
	}
	cfg.Markers = mark.Files(cfg.Files, plain, func(*ast.File) bool { return false }, func(ast.Node) {})
	funcs, _, err := flow.Functions(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return fset, funcs
}

// Each archive has a file in.go, and the graphs of its functions: a line for each node,
// with the lines of its statements, and one for each edge, with its insertion point.
func TestGraphs(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			fset, funcs := functions(t, a.Files[0].Data, strings.HasSuffix(name, "/decisions.txtar"))
			var b strings.Builder
			for _, f := range funcs {
				write(&b, fset, f)
			}
			if *update {
				a.Files = []txtar.File{a.Files[0], {Name: "graphs", Data: []byte(b.String())}}
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(a.Files) < 2 {
				t.Fatal("no graphs; run with -update")
			}
			if diff := cmp.Diff(string(a.Files[1].Data), b.String()); diff != "" {
				t.Errorf("run with -update to accept (-want +got):\n%s", diff)
			}
		})
	}
}

// The graphs of a package are the same whatever functions its batches have.
func TestBatchesDoNotShow(t *testing.T) {
	text := func(batch int) string {
		flow.SetBatchSize(t, batch)
		fset, funcs, _ := ofPackage(t, "go/parser")
		var b strings.Builder
		for _, f := range funcs {
			write(&b, fset, f)
			for _, n := range f.Nodes {
				fmt.Fprintln(&b, n.Calls)
			}
		}
		return b.String()
	}
	whole := text(1 << 30)
	if len(whole) < 50_000 {
		t.Errorf("only %d bytes", len(whole))
	}
	for _, batch := range []int{0, 10_000} {
		if diff := cmp.Diff(whole, text(batch)); diff != "" {
			t.Errorf("batches of %d bytes (-whole +batches):\n%s", batch, diff)
		}
	}
}

func write(b *strings.Builder, fset *token.FileSet, f *flow.Func) {
	fmt.Fprintf(b, "%s\n", f.Name)
	if f.Skipped != "" {
		fmt.Fprintf(b, "\tskipped: %s\n", f.Skipped)
	}
	for _, n := range f.Nodes {
		fmt.Fprintf(b, "\t%d", n.Index)
		for _, mk := range n.Markers {
			if mk.From.IsValid() {
				fmt.Fprintf(b, " %s", flow.At(fset, mk.From))
			}
		}
		fmt.Fprintln(b)
		for _, e := range n.Out {
			to := "exit"
			if e.To != nil {
				to = fmt.Sprint(e.To.Index)
			}
			fmt.Fprintf(b, "\t\t→ %s %s%s\n", to, e.Point.Text(fset), facts(e))
		}
	}
}

func facts(e *flow.Edge) (s string) {
	for _, f := range []struct {
		set  bool
		name string
	}{{e.Ends, "ends"}, {e.Panics, "panics"}} {
		if f.set {
			s += ", " + f.name
		}
	}
	return s
}

// The names of functions are those of the linker. Tools match profiles by them.
func TestNames(t *testing.T) {
	const src = `package p

type T struct{}
type G[K comparable, V any] struct{}

func (T) value() {}
func (*T) pointer() { func() { func() {}() }() }
func (*G[K, V]) generic() { _ = func() {} }
func plain[A any]() { _ = func() {} }
func init() { _ = func() {} }
func init() {}
func loop(s func(func() bool)) {
	for range s {
		_ = func() {}
		for range s {
			_ = func() {
				for range s {
					_ = func() {}
				}
			}
		}
	}
	_ = func() {}
	for range s {
	}
}

var x = func() int { return 1 }()
`
	_, funcs := functions(t, []byte(src), false)
	var got []string
	for _, f := range funcs {
		got = append(got, f.Name)
	}
	want := []string{
		"p.T.value", "p.(*T).pointer", "p.(*T).pointer.func1", "p.(*T).pointer.func1.1",
		"p.(*G[...]).generic", "p.(*G[...]).generic.func1", "p.plain[...]", "p.plain[...].func1",
		"p.init.0", "p.init.0.func1", "p.init.1",
		"p.loop", "p.loop-range1", "p.loop.func1",
		"p.loop-range2", "p.loop.func2", "p.loop.func2-range1", "p.loop.func2.1",
		"p.loop.func3", "p.loop-range3",
		"p.init.func1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestTypeErrorsAreReported(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "in.go", "package p\nfunc f() int { return \"\" }\n", parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	files := []*ast.File{f}
	_, _, err = flow.Functions(&flow.Config{
		Path: "p", Fset: fset, Files: files, Importer: importer.Default(),
		Markers: mark.Files(files, nil, func(*ast.File) bool { return false }, func(ast.Node) {}),
	})
	if err == nil || !strings.Contains(err.Error(), "in.go:2:23") {
		t.Errorf("got %v", err)
	}
}
