package flow

import (
	"go/ast"
	"go/parser"
	"go/token"
	"runtime"
	"testing"
	"weak"

	"golang.org/x/tools/go/ssa"

	"github.com/pepgo/pep/instrument/mark"
)

// SetBatchSize sets the size of batches for one test.
func SetBatchSize(t *testing.T, size int) {
	old := batchSize
	batchSize = token.Pos(size)
	t.Cleanup(func() { batchSize = old })
}

const inBatches = `package p

type T[E any] struct{ e E }

func (t *T[E]) m() func() { return func() { t.m() } }

var v = func() int { func() {}(); return 1 }()

func one() { func() { two(); new(T[int]).m() }(); for range seq {} }
func two() { _ = (*T[string]).m; go one() }
func seq(yield func(int) bool) { yield(v) }
`

// When a batch is built, nothing holds the SSA form of the batches before.
func TestBatchesAreReleased(t *testing.T) {
	SetBatchSize(t, 0)
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "in.go", inBatches, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	files := []*ast.File{f}
	var c *collector
	seen := map[weak.Pointer[ssa.Package]]bool{}
	c, err = newCollector(&Config{
		Path: "p", Fset: fset, Files: files,
		Markers: mark.Files(files, nil, func(*ast.File) bool { return false }, func(ast.Node) {}),
		Working: func(ast.Node) { seen[weak.Make(c.prog.pkg)] = true },
	})
	if err != nil {
		t.Fatal(err)
	}
	c.all()
	if len(seen) != 4 {
		t.Errorf("%d batches, want 4", len(seen))
	}
	runtime.GC()
	for p := range seen {
		if held := p.Value(); held != nil && held != c.prog.pkg {
			t.Errorf("the batch with %v is held", held.Func("one").Blocks)
		}
	}
	runtime.KeepAlive(c)
}
