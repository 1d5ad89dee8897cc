package report

// This file turns a path number into names, lines and branches for people to read.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/weigh"
)

// A path is a decoded path of one function.
type path struct {
	tally    tally
	logged   float64   // what its samples in clusters stand for
	counted  int64     // how often it was taken, with all callers; as counts of samples
	leaf     [2]uint64 // locations in the profile of paths: of its pseudo function, and of its end
	end      place     // where it ends
	pkg      *wire.Package
	fn       *wire.Func
	steps    []pdag.Step
	branches []*edge // out of nodes with more than one live out-edge
	labels   pprofenc.Labels

	// The index of the start that it begins at, and of that which it goes to; the latter is 0 if it leaves the function.
	start, next int
}

// An edge is an outcome of a branch.
type edge struct {
	tally  tally
	share  weigh.Jackknife // of the branch
	branch *branchTally
	leaf   uint64 // location in the profile of edges
	sum    int    // its index in the sums of the stack that is being written

	known                 bool // the next two
	variance, independent float64
	labels                pprofenc.Labels
}

// find returns the path of s, nil if the site tables do not have it.
func (w *writer) find(s *Sample) *path {
	pkg, fn := w.tables.find(w.paths.frames, s)
	if fn == nil {
		return nil
	}
	at := pathOf{fn, s.Number - fn.Base, s.Untold && len(fn.Untold) > 0}
	d, ok := w.decode[at]
	if !ok {
		d = w.decodePath(pkg, at)
		w.decode[at] = d
	}
	return d
}

func (w *writer) decodePath(pkg *wire.Package, of pathOf) *path {
	fn := of.fn
	start, steps, ok := fn.Graph.Decode(of.p)
	if !ok || len(steps) == 0 {
		return nil
	}
	var taken []pdag.Step
	d := &path{pkg: pkg, fn: fn, steps: steps, start: start}
	for _, s := range steps {
		if live(fn.Graph.Nodes[s.Node]) > 1 {
			taken = append(taken, s)
			d.branches = append(d.branches, w.edge(pkg, of, s))
		}
	}
	last := steps[len(steps)-1]
	if e := fn.Graph.Nodes[last.Node].Out[last.Out]; e.Ends {
		d.next, _ = fn.Graph.StartAfter(e.To)
	}
	out := fn.Blocks[last.Node].Outs[last.Out]
	end := place{out.File, out.Line}
	file := pkg.Files[end.file]
	id := w.paths.Function(pprofenc.Function{
		Name:       schema.PathName(fn.Name, "p"+digits.Uint(of.p)),
		SystemName: fn.Name, // unlike Name, so that pprof does not take "(*T)" for C++
		Filename:   file,
		StartLine:  int64(fn.Line),
	})
	d.end = end
	d.leaf = [2]uint64{w.paths.Location(id, int64(end.line)), w.paths.in(pkg, fn, end)}
	labels := []pprofenc.Label{
		{Key: schema.Lines, Value: lines(pkg, fn, steps)},
	}
	if len(taken) > 0 {
		labels = append(labels, pprofenc.Label{Key: schema.Branches, Value: branches(pkg, of, taken)})
	}
	if end.file != fn.File {
		labels = append(labels, pprofenc.Label{Key: schema.FuncFile, Value: pkg.Files[fn.File]})
	}
	d.labels = w.paths.withStart(w.paths.Labels(labels...), pkg, fn, start)
	d.labels = w.paths.Number(d.labels, schema.Path, int64(of.p), schema.Number)
	return d
}

// outcome returns the outcome of the branch that a path decides by a step.
func (of pathOf) outcome(s pdag.Step) string {
	if of.untold {
		for _, n := range of.fn.Untold {
			if n == s.Node {
				return wire.OutUntold
			}
		}
	}
	return of.fn.Blocks[s.Node].Outs[s.Out].Outcome
}

// edge returns the edge that s takes.
func (w *writer) edge(pkg *wire.Package, of pathOf, s pdag.Step) *edge {
	fn, name := of.fn, of.outcome(s)
	k := edgeOf{fn, s, name == wire.OutUntold}
	e := w.taken[k]
	if e == nil {
		block := &fn.Blocks[s.Node]
		out := block.Outs[s.Out]
		at := branchOf{fn, s.Node}
		if w.branches[at] == nil {
			w.branches[at] = &branchTally{}
		}
		labels := []pprofenc.Label{
			{Key: schema.Branch, Value: beside(pkg.Files[fn.File],
				pkg.Files[block.Branch.File]) + ":" + position(block.Branch.Line, block.Branch.Col)},
			{Key: schema.BranchKind, Value: block.Branch.Kind},
			{Key: schema.Outcome, Value: name},
		}
		if out.File != fn.File {
			labels = append(labels, pprofenc.Label{Key: schema.FuncFile, Value: pkg.Files[fn.File]})
		}
		e = &edge{
			branch: w.branches[at],
			leaf:   w.edges.in(pkg, fn, place{out.File, out.Line}),
			labels: w.edges.Labels(labels...),
		}
		w.taken[k] = e
	}
	return e
}

// live returns how many out-edges of n can be on a path.
func live(n pdag.Node) (count int) {
	for _, e := range n.Out {
		if !e.Dead {
			count++
		}
	}
	return count
}

// withStart adds where a path begins to its labels.
func (o *output) withStart(labels pprofenc.Labels, pkg *wire.Package, fn *wire.Func, start int) pprofenc.Labels {
	if start == 0 {
		return append(labels, o.Labels(pprofenc.Label{Key: schema.From, Value: schema.Entry})...)
	}
	s := fn.Graph.Starts[start]
	from := []pprofenc.Label{{Key: schema.From, Value: schema.Loop}}
	if s.Cut {
		from[0].Value = schema.Cut
	}
	p := nodePlace(fn, s.Node)
	if p.file != fn.File {
		from = append(from, pprofenc.Label{Key: schema.FromFile, Value: beside(pkg.Files[fn.File], pkg.Files[p.file])})
	}
	return o.Number(append(labels, o.Labels(from...)...), schema.FromLine, int64(p.line), schema.Line)
}

// A place is a line of a file, which is an index into the files of a package.
type place struct{ file, line int }

// nodePlace returns the line of a node: the line of its branch (in a loop header that is the
// loop statement), otherwise of its first statement, otherwise the line that an edge to
// the node leads to.
func nodePlace(fn *wire.Func, node int) place {
	b := &fn.Blocks[node]
	if b.Branch.Line > 0 && len(b.Outs) > 1 {
		return place{b.Branch.File, b.Branch.Line}
	}
	if len(b.Spans) > 0 {
		return place{b.Spans[0].File, b.Spans[0].Line}
	}
	for i, n := range fn.Graph.Nodes {
		for j, e := range n.Out {
			if e.To == node {
				out := fn.Blocks[i].Outs[j]
				return place{out.File, out.Line}
			}
		}
	}
	return place{fn.File, fn.Line}
}

// lines lists the lines of the statements and branches on a path: "12-14,17". Those of other files
// than the function's follow: "12-14,17; b.tmpl:3-5".
func lines(pkg *wire.Package, fn *wire.Func, steps []pdag.Step) string {
	b := linesIn(fn, steps, fn.File)
	if !fn.Elsewhere {
		return string(b)
	}
	for i, name := range pkg.Files {
		if i == fn.File {
			continue
		}
		if list := linesIn(fn, steps, i); len(list) > 0 {
			if len(b) > 0 {
				b = append(b, "; "...)
			}
			b = append(append(append(b, beside(pkg.Files[fn.File], name)...), ':'), list...)
		}
	}
	return string(b)
}

// linesIn lists the lines that are in a file.
func linesIn(fn *wire.Func, steps []pdag.Step, file int) []byte {
	var on []int // ascending
	for _, s := range steps {
		b := &fn.Blocks[s.Node]
		for _, span := range b.Spans {
			if span.File != file {
				continue
			}
			for l := span.Line; l <= span.EndLine; l++ {
				on = insert(on, l)
			}
		}
		if len(b.Outs) > 1 && b.Branch.Line > 0 && b.Branch.File == file {
			on = insert(on, b.Branch.Line)
		}
	}
	var b []byte
	for i := 0; i < len(on); {
		j := i + 1
		for j < len(on) && on[j] == on[j-1]+1 {
			j++
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, digits.Int(int64(on[i]))...)
		if j > i+1 {
			b = append(b, '-')
			b = append(b, digits.Int(int64(on[j-1]))...)
		}
		i = j
	}
	return b
}

// insert adds x to s, which is in ascending order. Most lines come in this order.
func insert(s []int, x int) []int {
	i := len(s)
	for i > 0 && s[i-1] > x {
		i--
	}
	if i > 0 && s[i-1] == x {
		return s
	}
	s = append(s, 0)
	copy(s[i+1:], s[i:])
	s[i] = x
	return s
}

// branches lists the branches of a path and their outcomes. One in another file than the function's
// has the name of the file before its line.
func branches(pkg *wire.Package, of pathOf, steps []pdag.Step) string {
	fn := of.fn
	var b []byte
	for i, s := range steps {
		block := &fn.Blocks[s.Node]
		if i > 0 {
			b = append(b, "; "...)
		}
		if block.Branch.File != fn.File {
			b = append(append(b, beside(pkg.Files[fn.File], pkg.Files[block.Branch.File])...), ':')
		}
		b = append(b, position(block.Branch.Line, block.Branch.Col)...)
		b = append(b, ' ')
		b = append(b, block.Branch.Kind...)
		if o := of.outcome(s); o != "" {
			b = append(b, ' ')
			b = append(b, o...)
		}
	}
	return string(b)
}

func position(line, col int) string { return digits.Int(int64(line)) + ":" + digits.Int(int64(col)) }

// beside returns the name of a file without its directory, if that is the directory of another file.
func beside(other, name string) string {
	if short := base(name); name[:len(name)-len(short)] == other[:len(other)-len(base(other))] {
		return short
	}
	return name
}

func base(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' || name[i] == '\\' {
			return name[i+1:]
		}
	}
	return name
}
