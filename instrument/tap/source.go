package tap

// This file gathers what the walks need to know of a package's source: directives,
// labels, and the facts of package reeval.

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/pepgo/pep/instrument/reeval"
)

// A source is a package's source.
type source struct {
	*Config
	*reeval.Facts
	lines  map[line]bool           // lines with a directive
	code   map[line]bool           // those of them that hold code too
	bodies map[*ast.BlockStmt]bool // bodies of functions
	gotos  map[types.Object]bool   // labels that a goto goes to
	labels map[ast.Stmt]types.Object
	locals map[string]bool // see localNames
}

func newSource(c *Config) *source {
	s := &source{
		Config: c,
		Facts:  reeval.New(c.Files, c.Info),
		lines:  map[line]bool{},
		code:   map[line]bool{},
		bodies: map[*ast.BlockStmt]bool{},
		gotos:  map[types.Object]bool{},
		labels: map[ast.Stmt]types.Object{},
	}
	for _, file := range c.Files {
		s.directives(file)
		s.findLabels(file)
	}
	return s
}

// findLabels notes the labels of a file, and those that a goto goes to.
func (s *source) findLabels(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			s.labels[n.Stmt] = s.Info.Defs[n.Label]
		case *ast.BranchStmt:
			if n.Tok == token.GOTO {
				s.gotos[s.Info.Uses[n.Label]] = true
			}
		}
		return true
	})
}
