// Package source finds the Go source files that a profile names.
//
//	src := source.NewTree("/home/me/app:/home/me/lib")
//	src.Line("example.com/app/sign.go", 11) // "	if n < 0 {", true
//	src.FuncEnd("example.com/app/sign.go", 10) // 15, true
//
// There are no errors: if it finds no source, its methods report false.
package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Tree is a set of directories with source, and the files read so far.
type Tree struct {
	dirs  []string
	files map[string]*file // by name in the profile; the value is nil if the file was not found
}

type file struct {
	path  string // where it was found
	lines []string
	shape *shape // nil until it is needed
}

// NewTree returns the tree of a list of directories, separated as in $PATH.
//
// A file name is first tried as it is, then in every directory, then in
// every directory with one leading element of the name left out, and so on:
// with the directory /home/me/app, the name /build/app/sign.go of a program
// built elsewhere finds /home/me/app/sign.go.
//
// Generators often write //line directives with names that are relative to the directory that they
// run in. The compiler takes them as relative to that of the Go file: lex/parser.y in /app/lex is
// /app/lex/lex/parser.y. So the directories above are tried as well, the innermost first.
func NewTree(list string) *Tree {
	return &Tree{filepath.SplitList(list), make(map[string]*file)}
}

// Has reports whether the file can be read.
func (t *Tree) Has(name string) bool { return t.file(name) != nil }

// Path returns where the file was found.
func (t *Tree) Path(name string) (string, bool) {
	f := t.file(name)
	if f == nil {
		return "", false
	}
	return f.path, true
}

// Line returns a line of a file, counted from 1.
func (t *Tree) Line(name string, n int64) (string, bool) {
	f := t.file(name)
	if f == nil || n < 1 || n > int64(len(f.lines)) {
		return "", false
	}
	return f.lines[n-1], true
}

// Trimmed returns a line without the space around it, "" if there is no such line, or no tree.
func (t *Tree) Trimmed(name string, n int64) string {
	if t == nil {
		return ""
	}
	text, _ := t.Line(name, n)
	return strings.TrimSpace(text)
}

// Text returns a file as it is, but with \n at the ends of lines.
func (t *Tree) Text(name string) (string, bool) {
	f := t.file(name)
	if f == nil {
		return "", false
	}
	return strings.Join(f.lines, "\n") + "\n", true
}

// FuncEnd returns the last line of the function that starts at a line. It
// reports false if there is none: then the source is not what was profiled. The compiler also makes
// functions of the bodies of ranges over functions, and of go and defer statements.
func (t *Tree) FuncEnd(name string, start int64) (int64, bool) {
	f := t.file(name)
	if f == nil {
		return 0, false
	}
	end, ok := f.parsed().ends[start]
	return end, ok
}

// Calls reports whether a line may call a function: a call or a range clause is there.
func (t *Tree) Calls(name string, line int64) bool {
	f := t.file(name)
	return f != nil && f.parsed().calls[line]
}

// A Deferred is what a defer statement calls: a function or method with a name, or a function literal.
type Deferred struct {
	Name string // without the package and the type; "" if it has none
	Line int64  // where a literal starts; 0 if it is none
}

// Deferred returns what the function that may return on a line defers.
func (t *Tree) Deferred(name string, line int64) []Deferred {
	f := t.file(name)
	if f == nil {
		return nil
	}
	return f.parsed().deferred[line]
}

func (t *Tree) file(name string) *file {
	f, ok := t.files[name]
	if !ok {
		f = t.find(name)
		t.files[name] = f
	}
	return f
}

func (t *Tree) find(name string) *file {
	if f := read(name); f != nil {
		return f
	}
	for rest := filepath.ToSlash(name); rest != ""; {
		for _, dir := range t.dirs {
			if f := read(filepath.Join(dir, filepath.FromSlash(rest))); f != nil {
				return f
			}
		}
		_, rest, _ = strings.Cut(rest, "/")
	}
	if filepath.Ext(name) == ".go" {
		return nil
	}
	for dir := filepath.Dir(name); dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		if f := read(filepath.Join(dir, filepath.Base(name))); f != nil {
			return f
		}
	}
	return nil
}

func read(name string) *file {
	// A profile may name anything: reading a pipe would not end, and what is
	// larger is no source.
	const most = 64 << 20
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	text := strings.TrimSuffix(string(data), "\n")
	return &file{path: name, lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
}

// A shape says where in a file functions and calls are.
type shape struct {
	ends     map[int64]int64      // by first line of a function: its last, the outermost's when several start there
	calls    map[int64]bool       // lines with a call, all of those that it extends over, or with a range clause
	deferred map[int64][]Deferred // by lines with a return statement, or with the end of a function
}

func (f *file) parsed() *shape {
	if f.shape != nil {
		return f.shape
	}
	f.shape = &shape{ends: make(map[int64]int64), calls: make(map[int64]bool), deferred: make(map[int64][]Deferred)}
	fset := token.NewFileSet()
	// Of a file with syntax errors, the part that can be parsed is enough.
	tree, _ := parser.ParseFile(fset, "", strings.Join(f.lines, "\n"), parser.SkipObjectResolution)
	if tree == nil {
		return f.shape
	}
	// PositionFor ignores //line directives: these are lines of this file.
	line := func(pos token.Pos) int64 { return int64(fset.PositionFor(pos, false).Line) }
	begins := func(n ast.Node, end token.Pos) {
		f.shape.ends[line(n.Pos())] = max(f.shape.ends[line(n.Pos())], line(end))
	}
	wrapped := make(map[int64]int64) // first and last lines of go and defer statements
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			f.shape.ends[line(n.Pos())] = line(n.End())
			f.shape.returns(n.Body, line)
		case *ast.FuncLit:
			begins(n, n.End())
			f.shape.returns(n.Body, line)
		case *ast.RangeStmt: // over a function
			begins(n, n.End())
			f.shape.calls[line(n.Pos())] = true
		case *ast.GoStmt:
			wrapped[line(n.Pos())] = line(n.End())
		case *ast.DeferStmt:
			wrapped[line(n.Pos())] = line(n.End())
		case *ast.CallExpr:
			for l := line(n.Pos()); l <= line(n.End()); l++ {
				f.shape.calls[l] = true
			}
		}
		return true
	})
	for first, last := range wrapped {
		if f.shape.ends[first] == 0 { // no function literal starts there
			f.shape.ends[first] = last
		}
	}
	return f.shape
}

// returns adds the lines on which a function that defers something may return.
func (s *shape) returns(body *ast.BlockStmt, line func(token.Pos) int64) {
	if body == nil {
		return
	}
	var list []Deferred
	lines := []int64{line(body.Rbrace)}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit: // another function
			return false
		case *ast.ReturnStmt:
			lines = append(lines, line(n.Pos()))
		case *ast.DeferStmt:
			list = append(list, deferredBy(n.Call.Fun, line))
		}
		return true
	})
	if len(list) == 0 {
		return
	}
	slices.Sort(lines)
	for _, l := range slices.Compact(lines) {
		s.deferred[l] = append(s.deferred[l], list...)
	}
}

// deferredBy returns what the expression that a defer statement calls is.
func deferredBy(fun ast.Expr, line func(token.Pos) int64) Deferred {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.FuncLit:
		return Deferred{Line: line(fun.Pos())}
	case *ast.Ident:
		return Deferred{Name: fun.Name}
	case *ast.SelectorExpr:
		return Deferred{Name: fun.Sel.Name}
	case *ast.IndexExpr: // an instance of a generic function
		return deferredBy(fun.X, line)
	case *ast.IndexListExpr:
		return deferredBy(fun.X, line)
	}
	return Deferred{}
}
