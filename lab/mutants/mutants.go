// Package mutants changes a line of the source at random, and runs tests: a change that no test notices shows what is
// not tested.
//
//	list, err := mutants.List(root)         // root is the directory of the module
//	chosen := mutants.Choose(list, 1)       // in an order that comes from the seed 1
//	tests := mutants.NewTests(root)
//	fate, err := tests.Own(ctx, chosen[0])  // Killed, Survived, or Invalid if it does not compile
//
// A worked example. The line
//
//	if n >= limit && !closed {
//
// has mutants with >, with ||, and with the condition negated. Each is a whole file in which one place differs; the go
// command reads it by -overlay, so the tree is not touched. The tests that must notice it are those of its package, or
// else the short ones of packages that import it. Mutants that do not compile do not count. There are equal mutants,
// which no test can notice: a reader must find out, and write into explained.txt why.
//
// Tools such as gremlins try all mutants of a package, which would take days here, and neither remove statements nor
// draw a sample.
package mutants

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Mutant is a change of a file.
type Mutant struct {
	File string // below the root of the module, with slashes
	Line int
	What string // "< for <=", "negated", "removed"

	content    string // of the file
	start, end int    // bytes of it that are replaced
	with       string
}

func (m Mutant) String() string { return fmt.Sprintf("%s:%d: %s", m.File, m.Line, m.What) }

// swaps has what stands for an operator in a mutant.
var swaps = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ,
	token.NEQ: token.EQL,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.LAND: token.LOR,
	token.LOR: token.LAND,
	token.SHL: token.SHR, token.SHR: token.SHL, token.AND: token.OR, token.OR: token.AND, token.XOR: token.AND,
	token.AND_NOT: token.AND,
}

// Of returns the mutants of a file with some content, none of a generated one.
func Of(file string, content []byte) (list []Mutant, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, content, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil || ast.IsGenerated(f) {
		return nil, err
	}
	offset := func(p token.Pos) int { return fset.PositionFor(p, false).Offset }
	add := func(from, to token.Pos, with, what string) {
		list = append(list, Mutant{File: file, Line: fset.PositionFor(from, false).Line, What: what, content: string(content),
			start: offset(from), end: offset(to), with: with})
	}
	remove := func(s ast.Stmt) { add(s.Pos(), s.End(), "", "removed") }
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.StructType, *ast.ArrayType:
			return false
		case *ast.BinaryExpr:
			if with, ok := swaps[n.Op]; ok {
				add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), with.String(), with.String()+" for "+n.Op.String())
			}
		case *ast.BasicLit:
			if v, err := strconv.ParseUint(n.Value, 0, 64); err == nil && n.Kind == token.INT {
				with := strconv.FormatUint(v+1, 10)
				add(n.Pos(), n.End(), with, with+" for "+n.Value)
			}
		case *ast.IfStmt:
			add(n.Cond.Pos(), n.Cond.End(), "!("+string(content[offset(n.Cond.Pos()):offset(n.Cond.End())])+")", "negated")
		case *ast.ExprStmt:
			remove(n)
		case *ast.IncDecStmt:
			remove(n)
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				remove(n)
			}
		case *ast.BranchStmt:
			if n.Label == nil && n.Tok == token.CONTINUE {
				add(n.Pos(), n.End(), "break", "break for continue")
			}
		}
		return true
	})
	return list, nil
}

// List returns the mutants of the commands of a module and of what is linked into programs, as they are built here.
func List(root string) (list []Mutant, err error) {
	const files = "{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}{{end}}{{end}}"
	names, err := output(context.Background(), root, "go", "list", "-deps", "-f", files, "./cmd/...", "./runtime/...")
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Fields(names) {
		file, err := filepath.Rel(root, name)
		if err != nil {
			return nil, err
		}
		file = filepath.ToSlash(file)
		if strings.HasSuffix(filepath.Dir(file), "test") {
			continue // packages below runtime that tests share
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		some, err := Of(file, content)
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	return list, nil
}

// Choose returns a mutant of each line that has any, in random order. The order of the mutants of a file does not
// depend on other files, nor much on its other lines, so that a change of the source does not change what is chosen of
// the rest.
func Choose(list []Mutant, seed uint64) (chosen []Mutant) {
	type line struct {
		file string
		line int
	}
	type text struct{ file, text string }
	byLine := make(map[line][]Mutant)
	for _, m := range list {
		at := line{m.File, m.Line}
		byLine[at] = append(byLine[at], m)
	}
	rank := make(map[line]uint64)
	seen := make(map[text]int) // lines that read the same
	for _, m := range list {
		at := line{m.File, m.Line}
		if _, ok := rank[at]; ok {
			continue
		}
		before, _ := byLine[at][0].Diff()
		same := text{m.File, before}
		sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n%s\n%d", seed, m.File, before, seen[same]))
		seen[same]++
		rank[at] = binary.LittleEndian.Uint64(sum[:])
		chosen = append(chosen, byLine[at][binary.LittleEndian.Uint64(sum[8:])%uint64(len(byLine[at]))])
	}
	slices.SortFunc(chosen, func(a, b Mutant) int {
		return cmp.Compare(rank[line{a.File, a.Line}],
			rank[line{b.File, b.Line}])
	})
	return chosen
}

// A Fate is what becomes of a mutant.
type Fate string

// What becomes of mutants.
const (
	Killed   Fate = "killed"   // by a test of its package
	Abroad   Fate = "abroad"   // by a test of a package that imports its package
	Survived Fate = "survived" // all tests pass
	Invalid  Fate = "invalid"  // it does not compile
)

// Text returns the file with the change.
func (m Mutant) Text() string { return m.content[:m.start] + m.with + m.content[m.end:] }

// Diff returns the lines that are changed, before and after, each as one line.
func (m Mutant) Diff() (before, after string) {
	from := strings.LastIndexByte(m.content[:m.start], '\n') + 1
	to := len(m.content)
	if i := strings.IndexByte(m.content[m.end:], '\n'); i >= 0 {
		to = m.end + i
	}
	one := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	return one(m.content[from:to]), one(m.content[from:m.start] + m.with + m.content[m.end:to])
}
