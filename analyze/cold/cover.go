package cold

// This file passes lines on to writers of coverage.

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/cover"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/branches"
)

// Coverage returns the lines that have code of their own as statements that were executed once or never. The source
// says where in a line its text is; of a file that it does not have, statements extend over the whole line.
func (d *Data) Coverage(src *source.Tree) *cover.Coverage {
	c := &cover.Coverage{Set: true}
	packages := make(map[string]*cover.Package)
	for _, g := range d.groups() {
		p := packages[g.pkg]
		if p == nil {
			p = &cover.Package{Path: g.pkg}
			packages[g.pkg] = p
			c.Packages = append(c.Packages, p)
		}
		f := &cover.Function{Name: g.name, File: g.file, Line: g.line}
		for _, n := range g.numbers() {
			l := g.lines[n]
			if l.state() == NoCode {
				continue
			}
			s := cover.Statement{File: g.file, Line: int(n), Col: 1, EndLine: int(n), EndCol: wholeLine}
			if text, ok := src.Line(g.file, int64(n)); ok {
				s.Col = len(text) - len(strings.TrimLeft(text, " \t")) + 1
				s.EndCol = max(len(text), s.Col) + 1
			}
			if l.state() == Ran {
				s.Count, f.Calls = 1, 1
			}
			f.Statements = append(f.Statements, s)
		}
		f.Branches = g.conditions()
		p.Functions = append(p.Functions, f)
	}
	slices.SortFunc(c.Packages, func(p, q *cover.Package) int { return cmp.Compare(p.Path, q.Path) })
	for _, p := range c.Packages {
		slices.SortFunc(p.Functions, func(f, g *cover.Function) int {
			return cmp.Or(cmp.Compare(f.File, g.File), cmp.Compare(f.Line, g.Line), cmp.Compare(f.Name, g.Name))
		})
	}
	return c
}

// conditions returns the conditions of which both outcomes are known.
func (g *group) conditions() (list []*cover.Branch) {
	for i := 1; i < len(g.outcomes); i++ {
		t, f := &g.outcomes[i-1], &g.outcomes[i]
		if t.Kind != branches.True || f.Kind != branches.False || t.Pos != f.Pos || t.State == NoCode || f.State == NoCode {
			continue
		}
		b := &cover.Branch{File: g.file, Line: t.Pos.Line, Col: t.Pos.Col, Kind: "condition"}
		for _, o := range []*Outcome{t, f} {
			x := cover.Outcome{Name: o.Kind.String()}
			if o.State == Ran {
				x.Count = 1
			}
			b.Outcomes = append(b.Outcomes, x)
		}
		list = append(list, b)
	}
	return list
}

// wholeLine is a column behind the end of lines.
const wholeLine = 1000

// SourcePath adds to a list of directories with source where modules and the standard library are, as -trimpath names
// their files by the paths of their packages.
func SourcePath(list string) string {
	modules := os.Getenv("GOMODCACHE")
	if modules == "" {
		home, _ := os.UserHomeDir()
		modules = filepath.Join(cmp.Or(os.Getenv("GOPATH"), filepath.Join(home, "go")), "pkg", "mod")
	}
	dirs := append(filepath.SplitList(list), modules)
	if root := os.Getenv("GOROOT"); root != "" {
		dirs = append(dirs, filepath.Join(root, "src"))
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}
