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
	"strings"
)

// A Tree is a set of directories with source, and the files read so far.
type Tree struct {
	dirs  []string
	files map[string]*file // by name in the profile; nil if there is none
}

type file struct {
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

// Line returns a line of a file, counted from 1.
func (t *Tree) Line(name string, n int64) (string, bool) {
	f := t.file(name)
	if f == nil || n < 1 || n > int64(len(f.lines)) {
		return "", false
	}
	return f.lines[n-1], true
}

// FuncEnd returns the last line of the function that starts at a line. It
// reports false if there is none: then the source is not what was profiled.
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
	return &file{lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
}

// A shape says where in a file functions and calls are.
type shape struct {
	ends  map[int64]int64 // by first line of a function declaration or literal: its last, the outermost's when several start there
	calls map[int64]bool  // lines with a call, all of those that it extends over, or with a range clause
}

func (f *file) parsed() *shape {
	if f.shape != nil {
		return f.shape
	}
	f.shape = &shape{ends: make(map[int64]int64), calls: make(map[int64]bool)}
	fset := token.NewFileSet()
	// Of a file with syntax errors, the part that can be parsed is enough.
	tree, _ := parser.ParseFile(fset, "", strings.Join(f.lines, "\n"), parser.SkipObjectResolution)
	if tree == nil {
		return f.shape
	}
	// PositionFor ignores //line directives: these are lines of this file.
	line := func(pos token.Pos) int64 { return int64(fset.PositionFor(pos, false).Line) }
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			f.shape.ends[line(n.Pos())] = line(n.End())
		case *ast.FuncLit:
			f.shape.ends[line(n.Pos())] = max(f.shape.ends[line(n.Pos())], line(n.End()))
		case *ast.RangeStmt: // over a function
			f.shape.calls[line(n.Pos())] = true
		case *ast.CallExpr:
			for l := line(n.Pos()); l <= line(n.End()); l++ {
				f.shape.calls[l] = true
			}
		}
		return true
	})
	return f.shape
}
