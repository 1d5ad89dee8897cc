package hook_test

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/gobuild/goruntimetest"
	"github.com/pepgo/pep/instrument/hook"
)

// found returns the names of the functions whose bodies Find finds. The name of a
// literal is the name of the function around it and "func".
func found(t *testing.T, fset *token.FileSet, path string, files []*ast.File, imp types.Importer) map[string]string {
	t.Helper()
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	cfg := types.Config{Importer: imp, FakeImportC: true}
	if _, err := cfg.Check(path, fset, files, info); err != nil {
		t.Fatal(err)
	}
	reasons := hook.Find(files, info)
	names := map[string]string{}
	for _, f := range files {
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Body == nil {
				continue
			}
			if r := reasons[d.Body]; r != "" {
				names[d.Name.Name] = r
			}
			ast.Inspect(d.Body, func(n ast.Node) bool {
				if lit, ok := n.(*ast.FuncLit); ok && reasons[lit.Body] != "" {
					names[d.Name.Name+" func"] = reasons[lit.Body]
				}
				return true
			})
		}
	}
	return names
}

func TestFind(t *testing.T) {
	const source = `package p

func register(f func(), n int)
func withBody(f func()) { f() }

func init() {
	register(cleanup, 1)
	register(func() { inLiteral() }, 2)
	register((x{}).method, 3)
	register(generic[int], 4)
	withBody(ordinary)
	v := ordinary
	v()
}

func cleanup()   { called(); func() {}() }
func called()    { deeper() }
func deeper()    { called() }
func inLiteral() {}
func ordinary()  { register(nil, 5) }

type x struct{}

func (x) method() {}
func (x) other()  {}

func generic[T any]() {}

//go:linkname pushed runtime.pushed
func pushed() {}

//go:linkname elsewhere example.com/other.elsewhere
func elsewhere() {}

//go:linkname pulled runtime.pulled
func pulled()
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	const by = "the runtime calls it, having got it by register"
	want := map[string]string{
		"cleanup": by, "cleanup func": by, "called": by, "deeper": by, "init func": by, "inLiteral": by, "method": by,
		"generic": by,
		"pushed":  "the runtime calls it as runtime.pushed",
	}
	if d := cmp.Diff(want, found(t, fset, "p", []*ast.File{f}, nil)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// STRAT-25: Find finds the functions of std that the runtime calls.
func TestFindInStd(t *testing.T) {
	fset := token.NewFileSet()
	std := importer.ForCompiler(fset, "source", nil)
	for path, want := range map[string][]string{
		"sync":             {"poolCleanup"},
		"time":             {"sendTime", "goFunc", "Now", "Add"},
		"internal/godebug": {"update", "newIncNonDefault", "Value"},
	} {
		pkg, err := build.Import(path, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		var files []*ast.File
		for _, name := range pkg.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(pkg.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		got := found(t, fset, path, files, std)
		for _, name := range want {
			if got[name] == "" {
				t.Errorf("%s.%s is not found: %q", path, name, slices.Sorted(maps.Keys(got)))
			}
		}
	}
}

// A new release of Go may have new hooks. Its runtime may provide another package with
// a new function that takes functions as arguments, or may call a further function of
// another package.
func TestHooksOfTheRuntime(t *testing.T) {
	const handed = "its argument is found, for it has no body in the package that calls it"
	known := map[string]string{
		"sync.runtime_registerPoolCleanup":     handed,
		"time.newTimer":                        handed,
		"internal/godebug.setUpdate":           handed,
		"internal/godebug.registerMetric":      handed,
		"internal/godebug.setNewIncNonDefault": handed,
		"syscall/js.setEventHandler":           handed,
		"internal/synctest.Run":                "its argument runs in a goroutine of its own",
		"internal/synctest.inBubble":           "its argument runs in the goroutine that calls it",
		"sync/atomic.StoreUintptr":             "is assembly",
		"sync/atomic.SwapUintptr":              "is assembly",
		"sync/atomic.CompareAndSwapUintptr":    "is assembly",
		"time.now":                             "is assembly of the runtime's",
		"main.main":                            "runs in a goroutine of its own, as all of a program does",
	}
	got := map[string]bool{}
	for _, dir := range []string{"runtime", "internal/runtime/*"} {
		names, err := filepath.Glob(filepath.Join(goruntimetest.Root(t), "src", filepath.FromSlash(dir), "*.go"))
		if err != nil || len(names) < 10 {
			t.Fatalf("%d files, %v", len(names), err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, link := range foreign(f) {
				got[link] = true
			}
		}
	}
	for link := range got {
		if known[link] == "" {
			t.Errorf("the runtime has the hook %s: does instrument/hook find what it calls?", link)
		}
	}
	for link := range known {
		if !got[link] {
			t.Errorf("the runtime has no hook %s any more", link)
		}
	}
}

// foreign returns the linknames by which a file of the runtime gets functions of other
// packages. These are the linknames of the file's functions that have functions as
// parameters, and of its functions without a body.
func foreign(f *ast.File) (list []string) {
	names := map[string]string{}
	for _, group := range f.Comments {
		for _, c := range group.List {
			d := strings.Fields(c.Text)
			if len(d) == 3 && d[0] == "//go:linkname" && !strings.HasPrefix(d[2], "runtime.") &&
				!strings.HasPrefix(d[2], "internal/runtime/") {
				names[d[1]] = d[2]
			}
		}
	}
	for _, d := range f.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || names[d.Name.Name] == "" || strings.HasPrefix(d.Name.Name, "abigen_") { // those are for vet
			continue
		}
		takes := d.Body == nil
		for _, p := range d.Type.Params.List {
			if _, ok := p.Type.(*ast.FuncType); ok {
				takes = true
			}
		}
		if takes {
			list = append(list, names[d.Name.Name])
		}
	}
	return list
}
