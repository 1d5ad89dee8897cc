package instrument_test

// This file compares the loads that package tap finds with the loads of go/ssa, which
// is a second opinion about what the compiler loads.

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/instrument"
	"github.com/pepgo/pep/instrument/rewrite"
	"github.com/pepgo/pep/instrument/tap"
)

// Every load of go/ssa is tapped, or is skipped and counted with the reason, or is of a
// class that has no business in a profile of values. And every expression that is
// tapped or counted is a load of go/ssa. (Code that is never executed would be an
// exception, but std has no such code.)
func TestLoadsAreThoseOfSSA(t *testing.T) {
	if testing.Short() && *corpus == defaultCorpus {
		*corpus = "sort,container/list,strconv,regexp/syntax"
		defer func() { *corpus = defaultCorpus }()
	}
	pkgs, lookup := readCorpus(t)
	counts := map[string]int{}
	for _, p := range pkgs {
		c := comparison{t: t, path: p.ImportPath, names: p.files(), counts: counts}
		c.imp = vendored{importer.ForCompiler(token.NewFileSet(), "gc", lookup)}
		c.run()
	}
	var lines []string
	for _, class := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, fmt.Sprintf("%7d %s", counts[class], class))
	}
	t.Logf("%d packages:\n%s", len(pkgs), strings.Join(lines, "\n"))
	if counts["tapped"] == 0 {
		t.Error("nothing is tapped")
	}
}

// A comparison is that of a package.
type comparison struct {
	t      *testing.T
	path   string
	names  []string // of the files
	imp    types.Importer
	counts map[string]int // numbers of loads by what became of them

	fset  *token.FileSet
	files []*ast.File
	pkg   *ssa.Package
	info  *types.Info
	at    map[token.Pos]ast.Expr // expressions by the position that go/ssa gives a load of them
	exprs map[exprAt]token.Pos   // and the other way round
	elems map[string]token.Pos   // variables for the elements that a loop is over, by place

	// Expressions of which the program uses only a part, the address or the length.
	whole, addressed, length map[token.Pos]bool

	taps map[token.Pos]string // what became of the load there
	bare map[string]bool      // places of functions that are never tapped
}

// An exprAt identifies an expression. The position alone does not, because a part of an
// expression may begin where the expression begins.
type exprAt struct {
	pos  string
	text string
}

func (c *comparison) run() {
	c.load()
	c.index()
	c.findTaps()
	seen := map[token.Pos]bool{}
	for _, fn := range c.functions() {
		for _, l := range c.reads(fn) {
			what := c.taps[l.pos]
			if what != "" {
				seen[l.pos] = true
				if c.fixed(l) {
					c.t.Errorf("%s: %s: %s, but it is a local variable: %s", c.fset.Position(l.pos), fn, what, l.instr)
				}
			} else {
				what = c.class(fn, l)
			}
			if what == "" {
				c.t.Errorf("%s: %s: neither tapped nor counted: %s", c.fset.Position(l.pos), fn, l.instr)
			}
			c.counts[what]++
		}
	}
	for pos, what := range c.taps {
		if !seen[pos] {
			c.t.Errorf("%s: %s, and no load of go/ssa's", c.fset.Position(pos), what)
		}
	}
}

// load parses and type-checks the package, and builds its SSA form with
// references to the source.
func (c *comparison) load() {
	c.fset = token.NewFileSet()
	for _, name := range c.names {
		f, err := parser.ParseFile(c.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			c.t.Fatal(err)
		}
		c.files = append(c.files, f)
	}
	c.info = &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Instances:    map[*ast.Ident]types.Instance{},
		Scopes:       map[ast.Node]*types.Scope{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		FileVersions: map[*ast.File]string{},
	}
	conf := &types.Config{Importer: c.imp}
	pkg, err := conf.Check(c.path, c.fset, c.files, c.info)
	if err != nil {
		c.t.Fatal(err)
	}
	prog := ssa.NewProgram(c.fset, ssa.GlobalDebug)
	created := map[*types.Package]bool{}
	var create func(p *types.Package)
	create = func(p *types.Package) {
		for _, p := range p.Imports() {
			if !created[p] {
				created[p] = true
				prog.CreatePackage(p, nil, nil, true)
				create(p)
			}
		}
	}
	create(pkg)
	c.pkg = prog.CreatePackage(pkg, c.files, c.info, false)
	c.pkg.Build()
}

// index finds the expressions that may be loads.
func (c *comparison) index() {
	c.at, c.exprs = map[token.Pos]ast.Expr{}, map[exprAt]token.Pos{}
	c.elems = map[string]token.Pos{}
	c.whole, c.addressed, c.length = map[token.Pos]bool{}, map[token.Pos]bool{}, map[token.Pos]bool{}
	lasts := map[*ast.Ident]bool{} // of selectors
	for _, f := range c.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				lasts[n.Sel] = true
				c.whole[loadPos(n.X)] = true
			case *ast.IndexExpr:
				c.whole[loadPos(n.X)] = true
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					c.addressed[loadPos(n.X)] = true
				}
			case *ast.RangeStmt:
				if n.Value == nil {
					c.length[loadPos(n.X)] = true
				} else {
					c.elems[c.place(n.Value.Pos())] = loadPos(n.Value)
				}
			case *ast.Ident:
				if lasts[n] {
					return true
				}
			}
			if e, ok := n.(ast.Expr); ok {
				c.at[loadPos(e)] = e
				c.exprs[exprAt{c.place(e.Pos()), types.ExprString(e)}] = loadPos(e)
			}
			return true
		})
	}
}

// loadPos returns the position that go/ssa gives a load of e.
func loadPos(e ast.Expr) token.Pos {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return e.Sel.Pos()
	case *ast.IndexExpr:
		return e.Lbrack
	default:
		return e.Pos()
	}
}

func (c *comparison) place(pos token.Pos) string { return c.fset.Position(pos).String() }

// findTaps notes what is tapped and what is skipped.
func (c *comparison) findTaps() {
	kinds, err := tap.ParseKinds("loads")
	if err != nil {
		c.t.Fatal(err)
	}
	pkg := &instrument.Package{Path: c.path, Files: c.names, Importer: c.imp, CorePath: "0pep/core"}
	res, err := instrument.Do(pkg, instrument.Options{Ends: rewrite.Poll, Taps: tap.Options{Kinds: kinds}})
	if err != nil {
		c.t.Fatal(err)
	}
	c.taps, c.bare = map[token.Pos]string{}, map[string]bool{}
	add := func(pos, text, what string) {
		p, ok := c.elems[pos]
		if !ok {
			p, ok = c.exprs[exprAt{pos, text}]
		}
		if !ok {
			c.t.Errorf("%s: there is no expression %s", pos, text)
		}
		if c.taps[p] != "" {
			c.t.Errorf("%s: %s: %s and %s", pos, text, c.taps[p], what)
		}
		c.taps[p] = what
	}
	for _, s := range res.Sites.Taps {
		text := s.Expr
		if s.Kind == wire.Length {
			text = strings.TrimSuffix(strings.TrimPrefix(text, "len("), ")")
		}
		add(fmt.Sprintf("%s:%d:%d", res.Sites.Files[s.File], s.Line, s.Col), text, "tapped")
	}
	for s, exprs := range res.Taps.Skipped {
		for _, e := range exprs {
			add(e.Pos.String(), e.Text, "not tapped: "+s.Reason)
		}
	}
	for _, l := range res.Sites.Skipped {
		if strings.HasPrefix(l.Reason, "//go:") || strings.HasPrefix(l.Reason, "the runtime calls it") {
			c.bare[fmt.Sprintf("%s:%d", res.Sites.Files[l.File], l.Line)] = true
		}
	}
}

// functions returns the functions and function literals of the source, and the function
// that initialises the variables of the package.
func (c *comparison) functions() (list []*ssa.Function) {
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		list = append(list, fn)
		for _, anon := range fn.AnonFuncs {
			add(anon)
		}
	}
	for _, f := range c.files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				if obj, ok := c.info.Defs[d.Name].(*types.Func); ok {
					if fn := c.pkg.Prog.FuncValue(obj); fn != nil {
						add(fn)
					}
				}
			}
		}
	}
	add(c.pkg.Func("init"))
	return list
}
