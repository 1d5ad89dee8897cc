package covered

// This file finds in sources what explains differences.

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A syntax is what the sources of a module have.
type syntax struct {
	dir   string
	files map[string]*file
}

// A file is what a source file has.
type file struct {
	conditions map[position]string // that decide something, with their text
	labels     map[position]bool   // of other statements than loops, switches and selects
	braces     map[position]bool   // blocks that are statements
	entered    map[position]bool   // loops, switches and selects with a label that a goto in the file has
}

func newSyntax(dir string) *syntax { return &syntax{dir, make(map[string]*file)} }

func (s *syntax) file(name string) (*file, error) {
	if s.files[name] == nil {
		text, err := os.ReadFile(filepath.Join(s.dir, name))
		if err != nil {
			return nil, err
		}
		if s.files[name], err = parse(name, string(text)); err != nil {
			return nil, err
		}
	}
	return s.files[name], nil
}

func parse(name, text string) (*file, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &file{make(map[position]string), make(map[position]bool), make(map[position]bool), make(map[position]bool)}
	at := func(p token.Pos) position {
		x := fset.PositionFor(p, false)
		return position{name, x.Line, x.Column}
	}
	var condition func(e ast.Expr)
	condition = func(e ast.Expr) {
		switch x := e.(type) {
		case *ast.ParenExpr:
			condition(x.X)
			return
		case *ast.UnaryExpr:
			if x.Op == token.NOT {
				condition(x.X)
				return
			}
		case *ast.BinaryExpr:
			if x.Op == token.LAND || x.Op == token.LOR {
				return // Its operands come.
			}
		case nil:
			return
		}
		f.conditions[at(e.Pos())] = text[fset.PositionFor(e.Pos(), false).Offset:fset.PositionFor(e.End(), false).Offset]
	}
	gotos := make(map[string]bool)
	ast.Inspect(tree, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
			gotos[b.Label.Name] = true
		}
		return true
	})
	statements := func(list []ast.Stmt) {
		for _, s := range list {
			for l, ok := s.(*ast.LabeledStmt); ok; l, ok = s.(*ast.LabeledStmt) {
				s = l.Stmt
				switch s.(type) {
				case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
					f.entered[at(l.Pos())] = gotos[l.Label.Name]
				default:
					f.labels[at(l.Pos())] = true
				}
			}
			if b, ok := s.(*ast.BlockStmt); ok {
				f.braces[at(b.Pos())] = true
			}
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				condition(n.X)
				condition(n.Y)
			}
		case *ast.IfStmt:
			condition(n.Cond)
		case *ast.ForStmt:
			condition(n.Cond)
		case *ast.SwitchStmt:
			if n.Tag == nil {
				for _, c := range n.Body.List {
					for _, e := range c.(*ast.CaseClause).List {
						condition(e)
					}
				}
			}
		case *ast.BlockStmt:
			statements(n.List)
		case *ast.CaseClause:
			statements(n.Body)
		case *ast.CommClause:
			statements(n.Body)
		}
		return true
	})
	return f, nil
}

var unreachable = regexp.MustCompile(`(?m)^(?:vet: )?(\S+\.go):(\d+):(\d+): unreachable code$`)

// unreachableCode asks go vet where code begins that cannot be reached.
func unreachableCode(dir string) (map[position]bool, error) {
	_, err := command(dir, "go", nil, "vet", "-unreachable", "./...")
	if err == nil {
		return nil, nil
	}
	list := make(map[position]bool)
	for _, m := range unreachable.FindAllStringSubmatch(err.Error(), -1) {
		p := position{file: strings.TrimPrefix(filepath.ToSlash(m[1]), "./")}
		if _, err := fmt.Sscan(m[2]+" "+m[3], &p.line, &p.col); err != nil {
			return nil, err
		}
		list[p] = true
	}
	if len(list) == 0 {
		return nil, err
	}
	return list, nil
}
