// Package report makes pprof profiles of counted paths: what a program's site
// tables say about each path, in the conventions that pprof's users know.
//
// A path of f that was counted 7 times, below main, becomes in the profile of
// paths one sample of value 7 with the stack, leaf first,
//
//	m.f·p12   x.go:30   where the path ends
//	m.f       x.go:30
//	main.main x.go:5
//
// and the labels
//
//	path      p12
//	from      entry                        or "loop x.go:15", "cut x.go:20"
//	lines     12-14,17,20-22
//	branches  12:5 if true; 15:6 for body
//
// The second value, branch flow, is the count times the branches on the path.
// In the profile of edges every branch on the path becomes a sample of its own,
// whose leaf is f at the line that the branch leads to, with labels branch
// (x.go:12:5), kind (if) and outcome (true).
//
// The package knows nothing of processes: where counts come from and what the
// program counters mean is package core's part. It is linked into instrumented
// programs, so it imports only its siblings.
package report

import (
	"github.com/pepgo/pep/runtime/pprofenc"
	"github.com/pepgo/pep/runtime/wire"
)

// A Frame is a function that was active, and where in it control was.
type Frame struct {
	Func      string
	File      string
	Line      int
	StartLine int // of the function, 0 if not known
}

// A Sample is a path that was counted.
type Sample struct {
	Number uint64 // of the path, within its package
	Count  int64

	// Package is the import path of the path's package. It may be empty if
	// Stack is not: then the innermost frame says which package it is.
	Package string

	// Stack is the function that the path is of, then its callers.
	Stack []Frame
}

// A Profile is what the two profiles are made from.
type Profile struct {
	Packages []*wire.Package
	Samples  []Sample

	Mapping    pprofenc.Mapping
	Comment    string
	PeriodType pprofenc.ValueType
	Period     int64
	Start      int64 // ns since 1970
	Duration   int64 // ns
}

// Write returns the profile of paths and the profile of edges, as pprof files.
func (p *Profile) Write() (paths, edges []byte) {
	w := writer{
		tables: index(p.Packages),
		paths:  pprofenc.New(pprofenc.ValueType{Type: "paths", Unit: "count"}, pprofenc.ValueType{Type: "branch_flow", Unit: "count"}),
		edges:  pprofenc.New(pprofenc.ValueType{Type: "edges", Unit: "count"}),
		decode: make(map[*wire.Func]map[uint64]*path),
	}
	var lost int64
	for i := range p.Samples {
		s := &p.Samples[i]
		if !w.sample(s) {
			lost += s.Count
		}
	}
	w.writeEdges()
	comment := p.Comment
	if lost > 0 {
		comment += ", " + itoa(int(lost)) + " of functions unknown to the site tables"
	}
	for _, e := range [...]*pprofenc.Profile{w.paths, w.edges} {
		e.Mapping = p.Mapping
		e.PeriodType, e.Period = p.PeriodType, p.Period
		e.Time, e.Duration = p.Start, p.Duration
		e.Comments = []string{comment}
	}
	w.paths.DefaultType = "paths"
	return pprofenc.Gzip(w.paths.Encode()), pprofenc.Gzip(w.edges.Encode())
}

// A writer is the work of Write in progress.
type writer struct {
	tables       tables
	paths, edges *pprofenc.Profile
	decode       map[*wire.Func]map[uint64]*path // what has been decoded so far

	// Edges are summed over the paths that share them, per stack of callers.
	edgeIndex map[edgeKey]int
	edgeList  []edgeSum
}

type edgeKey struct {
	fn        *wire.Func
	node, out int
	callers   string // location ids, encoded
}

type edgeSum struct {
	edgeKey
	count     int64
	locations []uint64 // in w.edges, without the leaf
}

// sample adds s to both profiles. Not ok is a sample whose function or path the
// site tables do not have.
func (w *writer) sample(s *Sample) (ok bool) {
	pkg, fn := w.tables.find(s)
	if fn == nil {
		return false
	}
	d := w.path(pkg, fn, s.Number-fn.Base)
	if d == nil {
		return false
	}
	locs := []uint64{
		w.paths.Location(d.id, int64(d.endLine)),
		w.paths.Location(w.function(w.paths, pkg, fn), int64(d.endLine)),
	}
	locs = append(locs, callers(w.paths, s)...)
	w.paths.Sample(locs, []int64{s.Count, s.Count * int64(len(d.branches))}, d.labels)
	w.addEdges(fn, d, s)
	return true
}

// callers returns the locations of s's callers in p.
func callers(p *pprofenc.Profile, s *Sample) (locs []uint64) {
	if len(s.Stack) < 2 {
		return nil
	}
	for _, f := range s.Stack[1:] {
		id := p.Function(pprofenc.Function{Name: f.Func, Filename: f.File, StartLine: int64(f.StartLine)})
		locs = append(locs, p.Location(id, int64(f.Line)))
	}
	return locs
}

func (w *writer) function(p *pprofenc.Profile, pkg *wire.Package, fn *wire.Func) uint64 {
	return p.Function(pprofenc.Function{Name: fn.Name, Filename: pkg.Files[fn.File], StartLine: int64(fn.Line)})
}

func (w *writer) addEdges(fn *wire.Func, d *path, s *Sample) {
	if len(d.branches) == 0 {
		return
	}
	locs := callers(w.edges, s)
	var enc []byte
	for _, l := range locs {
		for i := range 4 {
			enc = append(enc, byte(l>>(8*i)))
		}
	}
	if w.edgeIndex == nil {
		w.edgeIndex = make(map[edgeKey]int)
	}
	for _, b := range d.branches {
		k := edgeKey{fn, b.Node, b.Out, string(enc)}
		i, ok := w.edgeIndex[k]
		if !ok {
			i = len(w.edgeList)
			w.edgeIndex[k] = i
			w.edgeList = append(w.edgeList, edgeSum{edgeKey: k, locations: locs})
		}
		w.edgeList[i].count += s.Count
	}
}

func (w *writer) writeEdges() {
	for i := range w.edgeList {
		e := &w.edgeList[i]
		pkg := w.tables.of[e.fn]
		block := &e.fn.Blocks[e.node]
		out := block.Outs[e.out]
		leaf := w.edges.Location(w.function(w.edges, pkg, e.fn), int64(out.Line))
		w.edges.Sample(append([]uint64{leaf}, e.locations...), []int64{e.count}, []pprofenc.Label{
			{Key: "branch", Value: base(pkg.Files[e.fn.File]) + ":" + position(block.Branch.Line, block.Branch.Col)},
			{Key: "kind", Value: block.Branch.Kind},
			{Key: "outcome", Value: out.Outcome},
		})
	}
}
