// Package cover says what runs of a program decided and what they did not: statements, outcomes of branches, and for
// each decision which of its conditions were shown to decide on their own (MC/DC).
//
//	paths, tables, err := cover.Open(new(profile.Reader), "prof")
//	c, err := cover.New(paths, tables, source.NewTree(""), cover.Options{})
//	f := c.Packages[0].Functions[0]
//	f.Decisions[0].Masking() // for each condition the two vectors that show it, or those that are missing
//
// For a function
//
//	func f(a, b, c bool) bool {
//		return a && (b || c)
//	}
//
// that was called with (true, true, false) and (false, true, true), the decision has the vectors
//
//	a      b      c    outcome
//	true   true   -    true
//	false  -      -    false
//
// They show that a decides on its own. Of b and c they show half at most: b was true and decided, and was never
// false; c was never evaluated.
//
// The profiles must be of programs built with -pepmode=cover, whose paths hold whole decisions.
package cover

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/machine/executable"
)

// Options select functions.
type Options struct {
	Tests     bool // those of tests, too
	Generated bool // those of generated files, too
}

// A Coverage is what runs decided.
type Coverage struct {
	Set        bool       // counts are 0 or 1
	Packages   []*Package // by import path
	Incomplete int64      // executions of decisions that did not end
	NoSource   []string   // files whose decisions are not known
	Uncounted  []Uncounted

	texts   map[string]*file // by name
	src     *source.Tree
	unknown []string // of NoSource, those with decisions
}

// An Uncounted is a function, or a decision in the source, that is not counted.
type Uncounted struct {
	Place  // Col is 0 for a function
	Text   string
	Reason string
}

// A Place is a position in a Go file.
type Place struct {
	File      string
	Line, Col int
}

// A Package is a package of a Coverage.
type Package struct {
	Path      string
	Dir       string      // of the sources of package main, which several programs may have; else empty
	Functions []*Function // by file and line
}

// A Function is a function of a Package.
type Function struct {
	ID         profile.Func // as profiles name it
	Name, File string
	Line       int
	Calls      int64
	Statements []Statement
	Branches   []*Branch   // by position
	Decisions  []*Decision // likewise
}

// A Statement is a statement with the times that it was executed.
type Statement struct {
	File                       string
	Line, Col, EndLine, EndCol int
	Count                      int64
}

// A Branch is a branch with its outcomes.
type Branch struct {
	File      string
	Line, Col int
	Kind      string
	Outcomes  []Outcome
}

// An Outcome is a way that a branch goes.
type Outcome struct {
	Name  string
	Count int64
}

// An identity is what functions of different programs have in common if they are one.
type identity struct {
	name, file string
	line       int
}

// A function is a Function while it is computed.
type function struct {
	id    identity
	pkg   *wire.Package
	site  *wire.Func
	at    identity     // as the Go file has it: //line directives say nothing of what is in the same statement or decision
	code  []wire.Block // likewise
	calls int64
	count []int64 // of the nodes
	edges [][]int64
	paths map[uint64]int64 // by number
	begun map[int64]int64  // paths that have not ended, by the line where they began
}

// New adds up the paths of a program with these site tables, or of several. The tables may have more packages.
func New(paths *profile.File, tables *executable.File, src *source.Tree, o Options) (*Coverage, error) {
	known, err := counted(paths, tables)
	if err != nil {
		return nil, err
	}
	files := make(map[string]*file)
	packages := make(map[[2]string]*Package) // by path and directory
	c := &Coverage{texts: files, src: src}
	read := func(pkg *wire.Package, name string) *file { // nil if its functions are not wanted
		if !o.Tests && (strings.HasSuffix(name, "_test.go") || strings.HasSuffix(pkg.Path, ".test") ||
			strings.HasSuffix(pkg.Path, "_test")) {
			return nil
		}
		text := files[name]
		if text == nil {
			text = readFile(src, name)
			files[name] = text
			if text.tree == nil {
				c.NoSource = append(c.NoSource, name)
			}
		}
		if text.generated && !o.Generated {
			return nil
		}
		return text
	}
	for _, f := range slices.SortedFunc(maps.Values(known), func(f, g *function) int {
		return cmp.Or(cmp.Compare(f.at.file, g.at.file), cmp.Compare(f.at.line, g.at.line), cmp.Compare(f.at.name, g.at.name))
	}) {
		text := read(f.pkg, f.at.file)
		if text == nil || blank.MatchString(f.at.name) {
			continue
		}
		x, err := f.coverage(text, c)
		if err != nil {
			return nil, err
		}
		key := Package{Path: f.pkg.Path}
		if key.Path == "main" {
			key.Dir = filepath.Dir(f.at.file)
		}
		p := packages[[2]string{key.Path, key.Dir}]
		if p == nil {
			p = &key
			packages[[2]string{key.Path, key.Dir}] = p
			c.Packages = append(c.Packages, p)
		}
		p.Functions = append(p.Functions, x)
	}
	skipped := make(map[identity]bool)
	for _, pkg := range tables.Packages {
		for _, s := range pkg.Skipped {
			id := identity{s.Name, pkg.Files[s.File], s.Line}
			at := id
			if s.Source != nil {
				at = identity{s.Name, pkg.Files[s.Source.File], s.Source.Line}
			}
			if text := read(pkg, at.file); text != nil && known[id] == nil && !skipped[id] && !blank.MatchString(s.Name) {
				skipped[id] = true
				text.skipped = append(text.skipped, at.line)
				c.Uncounted = append(c.Uncounted, Uncounted{Place{File: at.file, Line: at.line}, s.Name, s.Reason})
			}
		}
	}
	for _, text := range files {
		if text.decides {
			c.unknown = append(c.unknown, text.name)
		}
		text.statements()
		if !text.generated || o.Generated {
			c.Uncounted = append(c.Uncounted, text.uncounted()...)
		}
	}
	slices.SortFunc(c.Uncounted, func(a, b Uncounted) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	slices.SortFunc(c.Packages, func(p, q *Package) int {
		return cmp.Or(cmp.Compare(p.Path, q.Path), cmp.Compare(p.Dir, q.Dir))
	})
	slices.Sort(c.NoSource)
	slices.Sort(c.unknown)
	return c, nil
}

// blank matches functions with the name _, and literals in them: there is no code of them.
var blank = regexp.MustCompile(`\._(\.[^/]*)?$`)

// counted returns the functions of the tables with the counts of their paths.
func counted(p *profile.File, tables *executable.File) (map[identity]*function, error) {
	known := make(map[identity]*function)
	for _, pkg := range tables.Packages {
		for i := range pkg.Funcs {
			site := &pkg.Funcs[i]
			f := &function{id: identity{site.Name, pkg.Files[site.File], site.Line}, pkg: pkg, site: site, code: site.Blocks,
				count: make([]int64, len(site.Graph.Nodes)), paths: make(map[uint64]int64), begun: make(map[int64]int64)}
			f.at = f.id
			if s := site.Source; s != nil {
				f.at, f.code = identity{site.Name, pkg.Files[s.File], s.Line}, s.Blocks
			}
			for _, n := range site.Graph.Nodes {
				f.edges = append(f.edges, make([]int64, len(n.Out)))
			}
			known[f.id] = f
		}
	}
	of := func(id profile.Func) (*function, error) {
		f := known[identity{id.Name, id.File, int(id.StartLine)}]
		if f == nil {
			return nil, fmt.Errorf("%s: the site tables do not have the function %s (%s:%d)", p.Name, id.Name, id.File,
				id.StartLine)
		}
		return f, nil
	}
	paths, err := p.Paths()
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		f, err := of(p.ID.Func)
		if err != nil {
			return nil, err
		}
		f.paths[p.ID.Number] += p.Count
	}
	unended, err := p.Unended()
	if err != nil {
		return nil, err
	}
	for _, u := range unended {
		f, err := of(u.Func)
		if err != nil {
			return nil, err
		}
		f.begun[u.Line] += u.Count
		if u.From.How == schema.Entry {
			f.calls += u.Count
		}
	}
	return known, nil
}

// countBegun counts the statements up to the next decision of paths that a panic has left, or the end of the
// program: they began. If several paths begin on a line, the profile does not tell which it was. Behind a call that may
// have been where the path was left, nothing is counted that other ways lead to as well:
//
//	if err != nil {
//		fail(err) // panics
//	}
//	next() // may never have been called
func (f *function) countBegun() {
	if len(f.begun) == 0 {
		return
	}
	nodes := f.site.Graph.Nodes
	into := make([]int, len(nodes)) // edges that lead to a node
	for _, n := range nodes {
		for _, e := range n.Out {
			if !e.Dead && e.To != pdag.Exit {
				into[e.To]++
			}
		}
	}
	for line, count := range f.begun {
		start := -1
		for i, s := range f.site.Graph.Starts {
			if f.beginLine(i, s.Node) != line {
				continue
			}
			if start >= 0 {
				start = -1
				break
			}
			start = s.Node
		}
		called := false
		for n := start; n >= 0 && len(nodes[n].Out) > 0; {
			f.count[n] += count
			first, end := f.site.CallsOf(n)
			called = called || end > first
			e := nodes[n].Out[0]
			if len(nodes[n].Out) > 1 || e.Ends || e.To == pdag.Exit || called && into[e.To] > 1 {
				break
			}
			n = e.To
		}
	}
}

// beginLine is the line by which profiles name a start.
func (f *function) beginLine(start, node int) int64 {
	b := &f.site.Blocks[node]
	switch {
	case start == 0:
		return int64(f.id.line)
	case b.Branch.Line > 0 && len(b.Outs) > 1:
		return int64(b.Branch.Line)
	case len(b.Spans) > 0:
		return int64(b.Spans[0].Line)
	}
	return 0
}

// decode returns the steps of a path, and whether it begins at the entry.
func (f *function) decode(number uint64) (steps []pdag.Step, entry bool, err error) {
	start, steps, ok := f.site.Graph.Decode(number)
	if !ok {
		return nil, false, fmt.Errorf("the executable does not have path p%d of %s", number, f.id.name)
	}
	return steps, start == 0, nil
}

// A file is a source file with its decisions.
type file struct {
	name      string
	tree      *ast.File // nil if there is no source of Go
	text      *token.File
	decides   bool // the program has decisions of it, though there is no source
	generated bool
	decisions []*Decision
	list      []written // statements of the source, without counts
	bodies    []span    // of functions
	dead      []span    // that never run, by a constant
	spans     []span    // of the functions that are listed
	skipped   []int     // lines of functions that are not instrumented
}

// uncounted lists the decisions that are not counted, in other functions than those.
func (f *file) uncounted() (list []Uncounted) {
	for _, d := range f.decisions {
		if !d.seen && !slices.ContainsFunc(d.lines, func(line int) bool { return slices.Contains(f.skipped, line) }) {
			list = append(list, Uncounted{Place{f.name, d.Line, d.Col}, d.Text, d.why})
		}
	}
	return list
}

func readFile(src *source.Tree, name string) *file {
	text, ok := src.Text(name)
	if !ok || filepath.Ext(name) != ".go" {
		return &file{name: name}
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return &file{name: name}
	}
	at := func(p token.Pos) (line, col int) {
		pos := fset.PositionFor(p, false)
		return pos.Line, pos.Column
	}
	of := func(n ast.Node) string {
		return text[fset.PositionFor(n.Pos(), false).Offset:fset.PositionFor(n.End(), false).Offset]
	}
	return &file{name: name, tree: tree, text: fset.File(tree.FileStart), generated: ast.IsGenerated(tree),
		decisions: decisions(tree, nil, at, of), list: statements(name, tree, at), bodies: bodies(tree, at)}
}

// coverage adds up what the paths of f show.
func (f *function) coverage(text *file, c *Coverage) (*Function, error) {
	x := &Function{ID: profile.Func{Name: f.id.name, File: f.id.file, StartLine: int64(f.id.line)}, Name: f.at.name,
		File: f.at.file, Line: f.at.line}
	t, err := f.newTracer(text, x, c)
	if err != nil {
		return nil, err
	}
	for number, count := range f.paths {
		steps, entry, err := f.decode(number)
		if err != nil {
			return nil, err
		}
		if entry {
			f.calls += count
		}
		for _, s := range steps {
			f.count[s.Node] += count
			f.edges[s.Node][s.Out] += count
		}
		c.Incomplete += t.trace(steps, count)
	}
	f.countBegun()
	x.Calls = f.calls
	for n := range f.code {
		for _, s := range f.code[n].Spans {
			text.spans = append(text.spans, span{function: x,
				Statement: Statement{f.pkg.Files[s.File], s.Line, s.Col, s.EndLine, s.EndCol, f.count[n]}})
		}
		if !f.branch(x, n, c, t) && len(f.site.Blocks[n].Outs) > 1 {
			at := f.code[n].Branch
			s := Statement{f.pkg.Files[at.File], at.Line, at.Col, at.Line, at.Col, f.count[n]}
			text.spans = append(text.spans, span{function: x, branch: true, Statement: s})
		}
	}
	for _, b := range x.Branches { // a span of its own, for statements that have no other
		text.spans = append(text.spans, span{function: x, branch: true,
			Statement: Statement{b.File, b.Line, b.Col, b.Line, b.Col, b.count()}})
	}
	slices.SortFunc(x.Branches, func(b, d *Branch) int {
		return cmp.Or(cmp.Compare(b.File, d.File), cmp.Compare(b.Line, d.Line), cmp.Compare(b.Col, d.Col))
	})
	for _, d := range x.Decisions {
		slices.SortFunc(d.Vectors, func(v, w Vector) int { return slices.Compare(w.Conditions, v.Conditions) })
	}
	return x, nil
}

// branch adds the branch of a node, and reports whether it does: a path can take it in more than one way. It lists
// what a constant decides, unless that is a condition of a decision, which is listed as such.
func (f *function) branch(x *Function, n int, c *Coverage, t *tracer) bool {
	live := 0
	for _, e := range f.site.Graph.Nodes[n].Out {
		if !e.Dead {
			live++
		}
	}
	at := f.code[n].Branch
	if !t.runs[n] {
		return false
	}
	if live < 2 {
		_, decision := t.operand(n)
		if _, is := constant(&f.site.Blocks[n]); is && !decision {
			text := at.Kind
			for _, o := range f.site.Blocks[n].Outs {
				if o.Outcome != wire.OutNever {
					text += " " + o.Outcome
				}
			}
			c.Uncounted = append(c.Uncounted, Uncounted{f.branchAt(n), text, whyConstant})
		}
		return false
	}
	i := slices.IndexFunc(x.Branches, func(b *Branch) bool {
		return b.File == f.pkg.Files[at.File] && b.Line == at.Line && b.Col == at.Col
	})
	if i < 0 {
		i = len(x.Branches)
		x.Branches = append(x.Branches, &Branch{File: f.pkg.Files[at.File], Line: at.Line, Col: at.Col, Kind: at.Kind})
	}
	b := x.Branches[i]
	for j, out := range f.site.Blocks[n].Outs {
		if f.site.Graph.Nodes[n].Out[j].Dead || at.Kind == "switch" && out.Outcome == wire.OutElse { // on to the next case
			continue
		}
		k := slices.IndexFunc(b.Outcomes, func(o Outcome) bool { return o.Name == out.Outcome })
		if k < 0 {
			k = len(b.Outcomes)
			b.Outcomes = append(b.Outcomes, Outcome{Name: out.Outcome})
		}
		b.Outcomes[k].Count += f.edges[n][j]
	}
	return true
}
