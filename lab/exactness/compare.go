package exactness

// This file compares the counters of coverage with the counts of nodes.

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/machine/executable"
)

// A Kind is the result for a block of coverage.
type Kind string

const (
	Equal       Kind = "equal"       // both counts are the same
	Unended     Kind = "unended"     // it was executed on paths that never ended; the difference is within the bound
	Skipped     Kind = "skipped"     // the function is not instrumented
	Unreachable Kind = "unreachable" // in no node, as control cannot reach it, and never executed
	NotFound    Kind = "not found"   // in no node, and executed
	Failure     Kind = "FAILURE"     // the counts differ and should not
)

// A Block is a block of coverage. Its position is that of its counter statement
// in covered text.
type Block struct {
	File      string
	Line, Col int
	Func      string // linker symbol; empty if not known
	Cover     uint32 // cover's count
	Paths     uint64 // count by paths; meaningful if a node was found
	Bound     int64  // by how much Cover may exceed Paths
	Kind      Kind
	Reason    string // of Skipped: why; of Failure: what is wrong
}

// A Report has the results for a program.
type Report struct {
	Program string
	Blocks  []Block  // in order of packages and positions
	Unended []string // functions with paths that never ended, and how many
	Clear   []string // functions with a loop that clears, which is a loop with coverage only
	Wrong   []string // what is wrong with functions as a whole
	Funcs   int      // functions that are instrumented
	Paths   uint64   // paths that were counted
}

// Check builds and runs p and compares.
func (p *Program) Check() (*Report, error) {
	b, err := p.run()
	if err != nil {
		return nil, err
	}
	c, err := newComparison(b)
	if err != nil {
		return nil, err
	}
	snap, err := readSnapshot(b.counters)
	if err != nil {
		return nil, err
	}
	for _, pkg := range b.pkgs {
		t, err := b.covered(pkg)
		if err != nil {
			return nil, err
		}
		if err := snap.read(t); err != nil {
			return nil, err
		}
		c.compare(t)
	}
	for _, f := range c.flows {
		for _, n := range f.began {
			c.report.Paths += n
		}
		if err := f.balance(); err != nil {
			c.report.Wrong = append(c.report.Wrong, err.Error())
		}
	}
	for key := range c.differ {
		c.wrong(key.name, "its paths are numbered differently without coverage")
	}
	slices.Sort(c.report.Wrong)
	slices.Sort(c.report.Unended)
	slices.Sort(c.report.Clear)
	return c.report, nil
}

type comparison struct {
	flows   map[funcKey]*flow
	spans   map[string][]span // by file, in the order of their beginnings
	skipped map[string][]wire.Skipped
	differ  map[funcKey]bool // functions whose graph without coverage is another one
	report  *Report
}

// A span is a run of statements of a node.
type span struct {
	extent
	flow *flow
	node int
}

func newComparison(b *build) (*comparison, error) {
	exe, err := executable.Open(b.exe)
	if err != nil {
		return nil, err
	}
	c := &comparison{
		flows:   map[funcKey]*flow{},
		spans:   map[string][]span{},
		skipped: map[string][]wire.Skipped{},
		differ:  map[funcKey]bool{},
		report:  &Report{Program: b.Dir},
	}
	for _, p := range exe.Packages {
		c.addTable(p)
	}
	plain, err := executable.Open(b.plain)
	if err != nil {
		return nil, err
	}
	c.compareGraphs(exe.Packages, plain.Packages)
	for _, spans := range c.spans {
		slices.SortFunc(spans, func(x, y span) int { return x.from.compare(y.from) })
	}
	return c, readPaths(b.paths, c.flows)
}

func (c *comparison) addTable(p *wire.Package) {
	for i := range p.Funcs {
		f := &p.Funcs[i]
		c.report.Funcs++
		if msg := f.Graph.Check(); msg != "" {
			c.wrong(f.Name, "%s", msg)
		}
		key := funcKey{f.Name, p.Files[f.File], f.Line}
		if c.flows[key] != nil {
			c.wrong(f.Name, "two functions of this name begin in line %d of %s", f.Line, key.file)
		}
		fl := newFlow(f)
		c.flows[key] = fl
		for node, b := range f.Blocks {
			for _, s := range b.Spans {
				file := fileIn(p.Path, key.file)
				e := extent{pos{file, s.Line, s.Col}, pos{file, s.EndLine, s.EndCol}}
				c.spans[file] = append(c.spans[file], span{e, fl, node})
			}
		}
	}
	for _, l := range p.Skipped {
		file := fileIn(p.Path, p.Files[l.File])
		c.skipped[file] = append(c.skipped[file], l)
	}
}

// compareGraphs checks that path numbers mean the same with and without coverage. Otherwise
// the counts with coverage would prove nothing about the programs that users build.
func (c *comparison) compareGraphs(covered, plain []*wire.Package) {
	graphs := map[string][]wire.Func{}
	for _, p := range plain {
		graphs[p.Path] = p.Funcs
	}
	for _, p := range covered {
		funcs := graphs[p.Path]
		if len(funcs) != len(p.Funcs) {
			c.wrong(p.Path, "%d functions are instrumented with coverage, %d without", len(p.Funcs), len(funcs))
			continue
		}
		var next, nextPlain uint64
		for i, f := range p.Funcs {
			g := funcs[i]
			if f.Name != g.Name || f.Base != next || g.Base != nextPlain {
				c.wrong(f.Name, "it has another name without coverage, or its paths do not follow those of the function before it")
			}
			if !reflect.DeepEqual(f.Graph, g.Graph) {
				c.differ[funcKey{f.Name, p.Files[f.File], f.Line}] = true
			}
			next, nextPlain = f.Base+f.Graph.N, g.Base+g.Graph.N
		}
	}
}

// allowClears forgets the functions of differ that have a loop which clears. Coverage puts
// a counter into it, so that it is a loop of the covered text; without coverage the compiler
// makes a call of it, and it has no paths.
func (c *comparison) allowClears(t *text) {
	for key := range c.differ {
		file := fileIn(t.path, key.file)
		if slices.ContainsFunc(t.clears[file], func(fn extent) bool { return fn.from.line == key.line }) {
			delete(c.differ, key)
			c.report.Clear = append(c.report.Clear, key.name)
		}
	}
}

func (c *comparison) wrong(fn, format string, args ...any) {
	c.report.Wrong = append(c.report.Wrong, fn+": "+fmt.Sprintf(format, args...))
}

// compare compares the counters of a package.
func (c *comparison) compare(t *text) {
	c.allowClears(t)
	slices.SortStableFunc(t.counters, func(x, y *counter) int { return x.compare(y.pos) })
	found := map[*flow][][]*counter{} // by node
	var flows []*flow                 // in order
	for _, x := range t.counters {
		s, ok := c.find(t, x)
		if !ok {
			c.report.Blocks = append(c.report.Blocks, c.unfound(t, x))
			continue
		}
		if found[s.flow] == nil {
			found[s.flow] = make([][]*counter, len(s.flow.nodes))
			flows = append(flows, s.flow)
		}
		found[s.flow][s.node] = append(found[s.flow][s.node], x)
	}
	for _, f := range flows {
		c.compareFunc(f, found[f])
	}
}

// find returns the span of the node that x is executed with, which is the innermost span
// around x. If x stands in a function literal within this span, the literal has no node
// for x.
func (c *comparison) find(t *text, x *counter) (s span, ok bool) {
	for _, o := range c.spans[x.file] {
		if o.from.compare(x.pos) > 0 {
			break
		}
		if o.contains(x.pos) {
			s, ok = o, true
		}
	}
	return s, ok && t.innermost(s.from) == x.fn
}

// unfound returns the result for a counter without a node.
func (c *comparison) unfound(t *text, x *counter) Block {
	b := Block{File: x.file, Line: x.line, Col: x.col, Cover: x.count, Kind: NotFound}
	for _, l := range c.skipped[x.file] {
		if l.Line == x.fn.from.line || strings.Contains(l.Name, "-range") && l.Line <= x.line && x.fn.from.line <= l.Line {
			b.Func, b.Kind, b.Reason = l.Name, Skipped, l.Reason
		}
	}
	if b.Kind == NotFound && x.count == 0 {
		b.Kind = Unreachable
	}
	return b
}

// compareFunc compares the counters in the nodes of one function.
func (c *comparison) compareFunc(f *flow, counters [][]*counter) {
	node, first := f.first(counters)
	unended := f.unended(node, first)
	sum := int64(0)
	for i, n := range unended {
		sum += n
		if n < 0 {
			c.wrong(f.Name, "%d more paths from start %d ended than began there", -n, i)
		}
	}
	if sum > 0 {
		c.report.Unended = append(c.report.Unended, fmt.Sprintf("%s %d", f.Name, sum))
	}
	if n := max(unended[0], 0); first != nil && f.unendedEntry != n {
		c.wrong(f.Name, "%d paths from the entry have not ended, the profile says %d", n, f.unendedEntry)
	}
	elsewhere := int64(0)
	for _, n := range unended[1:] {
		elsewhere += max(n, 0)
	}
	if f.unendedElsewhere != elsewhere {
		c.wrong(f.Name, "%d paths from elsewhere than the entry have not ended, the profile says %d", elsewhere,
			f.unendedElsewhere)
	}
	bounds := f.bounds(unended, counters)
	var blocks []Block
	for v, cs := range counters {
		for _, x := range cs {
			b := Block{
				File: x.file, Line: x.line, Col: x.col, Func: f.Name,
				Cover: x.count, Paths: f.nodes[v], Bound: bounds[v], Kind: Failure,
			}
			switch d := excess(x, f.nodes[v]); {
			case d == 0:
				b.Kind = Equal
			case 0 < d && d <= bounds[v]:
				b.Kind = Unended
			}
			blocks = append(blocks, b)
		}
	}
	slices.SortFunc(blocks, func(x, y Block) int {
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Col, y.Col))
	})
	c.report.Blocks = append(c.report.Blocks, blocks...)
}

// first returns the first counter that every execution of the function reaches, and the
// counter's node. It returns nil if no counter is like that: the body of a range-over-func
// loop begins with code that is not in the source.
func (f *flow) first(counters [][]*counter) (node int, c *counter) {
	node = f.Graph.Starts[0].Node
	for range counters {
		if len(counters[node]) > 0 {
			return node, counters[node][0]
		}
		next := -1
		for _, e := range f.Graph.Nodes[node].Out {
			if e.Dead {
				continue
			}
			if next >= 0 || e.Ends || e.To < 0 {
				return 0, nil
			}
			next = e.To
		}
		if next < 0 {
			return 0, nil
		}
		node = next
	}
	return 0, nil
}

// excess returns by how much a counter exceeds a count by paths, modulo 2^32.
func excess(x *counter, paths uint64) int64 {
	return int64(int32(x.count - uint32(paths)))
}

// bounds returns by how much the counters of each node may exceed the node's count. The
// bound is the number of unended paths that began at the node, plus the number of those
// that can have come from the nodes before it. The latter is the excess of these nodes.
func (f *flow) bounds(unended []int64, counters [][]*counter) []int64 {
	bounds := make([]int64, len(f.nodes))
	for i, s := range f.Graph.Starts {
		bounds[s.Node] += unended[i]
	}
	for _, v := range f.order() {
		reach := bounds[v]
		for i, x := range counters[v] {
			// A panic between two counters adds to the excess of the first one only.
			if d := excess(x, f.nodes[v]); i == 0 || d > reach {
				reach = d
			}
		}
		reach = max(0, min(reach, bounds[v]))
		for _, e := range f.Graph.Nodes[v].Out {
			if e.To >= 0 && !e.Ends {
				bounds[e.To] += reach
			}
		}
	}
	return bounds
}

// order returns the nodes in an order in which every edge leads forward, except edges on
// which paths end. Dead edges lead forward, too: unended paths take them.
func (f *flow) order() []int {
	var post []int
	seen := make([]bool, len(f.nodes))
	var visit func(v int)
	visit = func(v int) {
		seen[v] = true
		for _, e := range f.Graph.Nodes[v].Out {
			if e.To >= 0 && !e.Ends && !seen[e.To] {
				visit(e.To)
			}
		}
		post = append(post, v)
	}
	for v := range f.nodes {
		if !seen[v] {
			visit(v)
		}
	}
	slices.Reverse(post)
	return post
}
