package pathnum_test

// This file numbers the functions of real packages. The graphs are those of go/cfg.

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/instrument/pathnum"
	"golang.org/x/tools/go/cfg"
)

// corpus are packages of the standard library with many branches, large
// switches, gotos and long runs of ifs.
var corpus = []string{
	"bytes", "compress/flate", "database/sql", "encoding/json", "fmt", "go/parser", "go/printer", "go/types",
	"math/big", "net", "net/http", "reflect", "regexp/syntax", "strconv", "text/template", "time",
	"cmd/compile/internal/ssa", "cmd/compile/internal/ssagen",
}

func TestPEP01PEP35StandardLibrary(t *testing.T) {
	packages := corpus
	if testing.Short() {
		packages = corpus[:4]
	}
	var stats corpusStats
	for _, pkg := range packages {
		//lint:ignore SA1019 tests read the installation that builds them
		names, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", pkg, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if body := functionBody(n); body != nil {
					checkFunction(t, fset.Position(n.Pos()), body, &stats)
				}
				return true
			})
		}
	}
	stats.log(t)
}

func functionBody(n ast.Node) *ast.BlockStmt {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return n.Body
	case *ast.FuncLit:
		return n.Body
	}
	return nil
}

// checkFunction numbers one function and decodes some of its paths.
func checkFunction(t *testing.T, pos token.Position, body *ast.BlockStmt, stats *corpusStats) {
	t.Helper()
	in := fromCFG(cfg.New(body, mayReturn))
	g, err := pathnum.Number(in, pathnum.Options{})
	if err != nil {
		t.Errorf("%s: %v", pos, err)
		return
	}
	if msg := g.Check(); msg != "" {
		t.Errorf("%s: %s", pos, msg)
		return
	}
	stats.add(g)
	for p := uint64(0); p < g.N; p += 1 + g.N/50 {
		start, steps, ok := g.Decode(p)
		sum := g.Starts[start].Val
		for _, s := range steps {
			sum += g.Nodes[s.Node].Out[s.Out].Val
		}
		if !ok || sum != p {
			t.Errorf("%s: Decode(%d) = %v, %t, whose Vals have the sum %d", pos, p, steps, ok, sum)
		}
	}
}

func mayReturn(call *ast.CallExpr) bool {
	id, ok := call.Fun.(*ast.Ident)
	return !ok || id.Name != "panic"
}

func fromCFG(c *cfg.CFG) *pathnum.Graph {
	g := &pathnum.Graph{Nodes: make([]pathnum.Node, len(c.Blocks))}
	for _, b := range c.Blocks {
		out := &g.Nodes[b.Index].Out
		for _, succ := range b.Succs {
			*out = append(*out, pathnum.Edge{To: int(succ.Index)})
		}
		if returns(b) {
			*out = append(*out, pathnum.Edge{To: pdag.Exit})
		}
	}
	return g
}

// returns reports whether b ends the function other than by a panic.
func returns(b *cfg.Block) bool {
	if len(b.Succs) > 0 || len(b.Nodes) == 0 {
		return len(b.Succs) == 0
	}
	stmt, ok := b.Nodes[len(b.Nodes)-1].(*ast.ExprStmt)
	if !ok {
		return true
	}
	call, ok := stmt.X.(*ast.CallExpr)
	return !ok || mayReturn(call)
}

// corpusStats are statistics of the functions of a corpus.
type corpusStats struct {
	paths       []uint64 // by function
	edges       int
	withVal     int
	loops, cuts int
}

func (s *corpusStats) add(g *pdag.Graph) {
	s.paths = append(s.paths, g.N)
	for _, n := range g.Nodes {
		for _, e := range n.Out {
			s.edges++
			if e.Val != 0 {
				s.withVal++
			}
		}
	}
	for _, start := range g.Starts[1:] {
		if start.Cut {
			s.cuts++
		} else {
			s.loops++
		}
	}
}

func (s *corpusStats) log(t *testing.T) {
	slices.Sort(s.paths)
	n := len(s.paths)
	sum := uint64(0)
	for _, p := range s.paths {
		sum += p
	}
	t.Logf("%d functions, %d edges (%d with a Val), %d loops, %d cuts", n, s.edges, s.withVal, s.loops, s.cuts)
	t.Logf("paths: %d in all, by function median %d, P90 %d, P99 %d, largest %d",
		sum, s.paths[n/2], s.paths[n*9/10], s.paths[n*99/100], s.paths[n-1])
}
