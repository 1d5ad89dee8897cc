package branches

// This file compares counts with those of go build -cover.

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pepgo/pep/format/branches"
)

// A Body is a part of a function that begins with a counter of coverage.
type Body struct {
	Outcome Key  // with which it begins
	from    Span // the counter stands between these
}

// A Span is a part of a line or of several.
type Span struct{ Line, Col, EndLine, EndCol int }

// Bodies returns the bodies of functions, ifs, loops and clauses in a file. Coverage does not count operands. But if
// the right one of && or || is a call of a function whose name begins with right, and which is called nowhere else,
// then the body of that function is executed as often as the left operand says.
func Bodies(file string) (bodies []Body, err error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, nil, 0)
	if err != nil {
		return nil, err
	}
	add := func(kind branches.Kind, at, from token.Pos, list []ast.Stmt, end token.Pos) {
		p := set.Position(at)
		if len(list) > 0 {
			end = list[0].Pos()
		}
		a, b := set.Position(from), set.Position(end)
		bodies = append(bodies, Body{Key{kind, branches.Pos{File: file, Line: p.Line, Col: p.Column}},
			Span{a.Line, a.Column, b.Line, b.Column}})
	}
	block := func(kind branches.Kind, at token.Pos, b *ast.BlockStmt) { add(kind, at, b.Lbrace, b.List, b.Rbrace) }
	right := map[string]*ast.BlockStmt{}
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "right") {
			right[f.Name.Name] = f.Body
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if body := right[callee(n.Y)]; body != nil && n.Op == token.LAND {
				block(branches.True, n.OpPos, body)
			} else if body != nil && n.Op == token.LOR {
				block(branches.False, n.OpPos, body)
			}
		case *ast.FuncDecl:
			if n.Body != nil {
				at := n.Name.Pos()
				if n.Recv != nil {
					at = n.Recv.Opening
				}
				block(branches.Entry, at, n.Body)
			}
		case *ast.FuncLit:
			block(branches.Entry, n.Pos(), n.Body)
		case *ast.IfStmt:
			block(branches.True, n.Pos(), n.Body)
			if e, ok := n.Else.(*ast.BlockStmt); ok {
				block(branches.False, n.Pos(), e)
			}
		case *ast.ForStmt:
			if n.Cond != nil {
				block(branches.True, n.Pos(), n.Body)
			}
		case *ast.RangeStmt:
			block(branches.True, n.Range, n.Body)
		case *ast.CaseClause:
			add(branches.Clause, n.Pos(), n.Colon, n.Body, n.Colon+1)
		case *ast.CommClause:
			add(branches.Clause, n.Pos(), n.Colon, n.Body, n.Colon+1)
		}
		return true
	})
	return bodies, nil
}

// callee returns the name of the function that an operand calls.
func callee(x ast.Expr) string {
	if not, ok := x.(*ast.UnaryExpr); ok {
		x = not.X
	}
	if call, ok := x.(*ast.CallExpr); ok {
		if f, ok := call.Fun.(*ast.Ident); ok {
			return f.Name
		}
	}
	return ""
}

// ReadCoverage reads counts as go tool covdata textfmt writes them, by file and position, of the packages whose
// directories dirs has by import path.
func ReadCoverage(name string, dirs map[string]string) (map[branches.Pos]int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	counts := map[branches.Pos]int64{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		file, rest, ok := strings.Cut(sc.Text(), ".go:")
		var p branches.Pos
		var endLine, endCol, statements int
		var n int64
		if !ok || strings.HasPrefix(file, "mode:") {
			continue
		}
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &p.Line, &p.Col, &endLine, &endCol, &statements, &n); err != nil {
			return nil, fmt.Errorf("%s: line %q: %w", name, sc.Text(), err)
		}
		dir, ok := dirs[path.Dir(file)]
		if !ok {
			continue // of the code that covers
		}
		p.File = filepath.Join(dir, path.Base(file)+".go")
		counts[p] += n
	}
	return counts, nil
}

// A Result says how many bodies have the counts of coverage.
type Result struct {
	Equal, Lost   int
	EqualN, LostN int64
	LostBy        map[branches.Loss]int
	Executed      int // of the equal ones
	Differ        []string
	LostBodies    []string
	Missing       []string // have a counter, and no outcome in the table
}

// Compare compares counts with those of coverage, body by body.
func Compare(counts map[Key]Count, coverage map[branches.Pos]int64) (*Result, error) {
	byFile := map[string][]branches.Pos{}
	for p := range coverage {
		byFile[p.File] = append(byFile[p.File], p)
	}
	r := &Result{LostBy: map[branches.Loss]int{}}
	for file, starts := range byFile {
		bodies, err := Bodies(file)
		if err != nil {
			return nil, err
		}
		for _, b := range bodies {
			want, ok := int64(0), false
			for _, p := range starts {
				if b.from.has(p) {
					want, ok = coverage[p], true
				}
			}
			got, known := counts[b.Outcome]
			switch {
			case !ok:
			case !known && want == 0: // neither has functions that the linker leaves out
			case !known:
				r.Missing = append(r.Missing, fmt.Sprintf("%s: %s: coverage %d", b.Outcome.Pos, b.Outcome.Kind, want))
			case got.Lost != 0:
				r.Lost++
				r.LostN += want
				r.LostBy[got.Lost]++
				r.LostBodies = append(r.LostBodies, fmt.Sprintf("%s: %s: %s", b.Outcome.Pos, b.Outcome.Kind, got.Lost))
			case got.N == want:
				r.Equal++
				r.EqualN += want
				if want > 0 {
					r.Executed++
				}
			default:
				r.Differ = append(r.Differ, fmt.Sprintf("%s: %s: the table counts %d, coverage %d", b.Outcome.Pos, b.Outcome.Kind,
					got.N, want))
			}
		}
	}
	return r, nil
}

func (s Span) has(p branches.Pos) bool {
	return (p.Line > s.Line || p.Line == s.Line && p.Col >= s.Col) &&
		(p.Line < s.EndLine || p.Line == s.EndLine && p.Col <= s.EndCol)
}
