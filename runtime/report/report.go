// Package report makes pprof profiles of counted paths. It describes each path by the
// site tables of the program, in the conventions that users of pprof know.
//
// Suppose that a path of f, which main called, was counted 7 times. In the profile of
// paths it is one sample of value 7 with the stack, leaf first,
//
//	m.f·p12   x.go:30   where the path ends
//	m.f       x.go:30
//	main.main x.go:5
//
// and the labels
//
//	path      12
//	from      entry                        or loop, cut, with from_line 15
//	lines     12-14,17,20-22
//	branches  12:5 if true; 15:6 for body
//
// The second value, branch flow, is the count times the branches on the path. In profiles of
// samples the count is an estimate, with the number of samples and the variance behind it.
// In the profile of edges every branch on the path becomes a sample of its own,
// whose leaf is f at the line that the branch leads to, with labels branch
// (x.go:12:5), kind (if) and outcome (true). Behind these, samples have the labels that
// runtime/pprof has given the goroutine.
//
// Package analyze/profile reads the number of a path, the line where it begins, the bounds of estimates and the lines
// of ranges as numbers. It takes apart the texts lines, branches, branch and site: a profile has a text once, and
// samples refer to it, but each sample would have the numbers. With a number for each line and column, profiles of
// paths are a third larger after gzip, and those of edges 6 %. The label words and the ends of ranges are texts
// because numbers of pprof have a sign.
//
// The package knows nothing of processes. Package core knows where counts come from and
// what program counters mean. Package report is linked into instrumented programs, so it
// imports only packages below runtime.
package report

import (
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/wire"
)

// A Frame is an active function, and the position of control in it.
type Frame struct {
	Func      string
	Symbol    string // the linker's name, with the shapes of a generic function; "" is Func
	File      string
	Line      int
	StartLine int // of the function, 0 if not known
}

// LeftOut is the frame in place of callers that were left out of a stack.
var LeftOut = Frame{Func: schema.LeftOut}

// A Sample is a path that was counted.
type Sample struct {
	Number uint64 // of the path, within its package
	Count  int64
	Stands float64 // sum of what its counts stand for, if the profile is of samples

	// Package is the import path of the path's package. It may be empty if Stack is
	// not empty. Then the innermost frame determines the package.
	Package string

	// Stack is the function of the path, then its callers, as indices into
	// Profile.Frames.
	Stack []uint32

	// Untold says that the path is from a place that does not tell the branches in wire.Func.Untold.
	Untold bool

	// Labels is 1 + the index into Profile.Labels of the goroutine's labels, 0 for none.
	Labels uint32
}

// A Tick is CPU time with the stack that ticks found it on.
type Tick struct {
	Stack []uint32 // as that of a Sample; the callers that are known
	In    string   // the name of what has no stack
	Time  float64  // in ns
}

// A Call is a function that was called.
type Call struct {
	Package string
	Func    int // index into the functions of the package
	Count   int64
}

// A Profile has the data for the two profiles.
type Profile struct {
	Packages []*wire.Lazy
	Frames   []Frame
	Samples  []Sample
	Labels   [][]pprofenc.Label // sets of labels of goroutines

	// Called is how often functions were called, for exact counts. It may lack functions that cannot be left before a path
	// ends.
	Called []Call

	Ticks []Tick // if the profile is of samples

	// Sampled says that Counts are of samples. Clusters are those that they come from, or some of them. So many clusters
	// that all stand for as much would be as good as all that there were.
	Sampled  bool
	Clusters []Cluster
	Equal    float64

	// Windows says that Clusters are windows. Loads are those that they have timed, and Notes what they have noted.
	Windows bool
	Loads   *Loads
	Notes   *Notes

	Mapping    pprofenc.Mapping
	Facts      facts.List // Write adds what it finds
	Outside    *Outside   // for further facts; nil for none
	Calls      *Calls     // on the paths; Write sets it
	PeriodType pprofenc.ValueType
	Period     int64
	Start      int64 // ns since 1970
	Duration   int64 // ns

	// Both runs two functions that share nothing which either changes, perhaps at the same time in two threads, and
	// returns when both have returned. Nil runs one after the other.
	Both func(a, b func())
}

// Write returns the profiles of paths, of edges, and of loads and call targets if there are any. It returns none if the
// packages have been built for their taps only.
func (p *Profile) Write() []File {
	if !counted(p.Packages) && Tapped(wire.Packages(p.Packages)) {
		return nil
	}
	w := writer{
		tables:    index(p.Packages),
		sampled:   p.Sampled,
		windows:   p.Windows,
		paths:     newOutput(p, schema.Paths),
		edges:     newOutput(p, schema.Edges),
		sampledAt: make(map[pathAt]*path, len(p.Samples)),
		decode:    make(map[pathOf]*path),
		taken:     make(map[edgeOf]*edge),
		branches:  make(map[branchOf]*branchTally),
		stacks:    make(map[string]int, len(p.Samples)),
		nodes:     make([]stackNode, 0, len(p.Samples)),
	}
	both := p.Both
	if both == nil {
		both = func(a, b func()) { a(); b() }
	}
	var lost int64
	paths := make([]*path, len(p.Samples))
	for i := range p.Samples {
		s := &p.Samples[i]
		if paths[i] = w.pathOf(s); paths[i] == nil {
			lost = plus(lost, s.Count)
			continue
		}
		s.Stack = w.from(s.Stack, paths[i].fn.Name, p.Windows)
	}
	about := append(facts.List(nil), p.Facts...)
	var counts []int64
	if p.Sampled {
		counts = w.weigh(p, paths)
		about.Set(facts.EqualBursts, w.weighed())
	}
	count := func(i int) int64 {
		if p.Sampled {
			return counts[i]
		}
		return p.Samples[i].Count
	}
	for i, d := range paths {
		if d != nil {
			d.counted = plus(d.counted, count(i))
		}
	}
	p.Calls = w.calls()
	if p.Outside != nil {
		p.Outside.AddCalls(p.Calls)
		p.Outside.Tell(&about)
	}
	unended, n := w.unended(p, paths)
	about.Set(facts.Unended, uint64(n))
	about.Set(facts.UnknownPaths, uint64(lost))
	comments := []string{about.Encode()}
	for _, e := range [...]*output{w.paths, w.edges} {
		e.Mapping = p.Mapping
		e.PeriodType, e.Period = p.PeriodType, p.Period
		e.Time, e.Duration = p.Start, p.Duration
		e.Comments = comments
	}
	w.paths.DefaultType, w.edges.DefaultType = schema.Paths.Types()[0], schema.Edges.Types()[0]
	files := []File{{Kind: string(schema.Paths)}, {Kind: string(schema.Edges)}}
	both(func() {
		for i := range p.Samples {
			if paths[i] != nil {
				w.pathSample(&p.Samples[i], paths[i], count(i))
			}
		}
		w.paths.addUnended(unended, 0) // no branch flow
		w.paths.addTicks(p.Ticks)
		files[0].Data = pprofenc.Gzip(w.paths.Encode())
	}, func() {
		for i := range p.Samples {
			if paths[i] != nil && len(paths[i].branches) > 0 {
				w.addToStack(&p.Samples[i], paths[i], count(i))
			}
		}
		w.writeEdges()
		w.edges.addUnended(unended)
		files[1].Data = pprofenc.Gzip(w.edges.Encode())
	})
	if p.Loads != nil {
		files = append(files, p.Loads.Write(p)...)
	}
	if p.Notes != nil {
		files = append(files, p.Notes.Write(p)...)
	}
	return files
}

// plus and times add and multiply counts, which are not negative. Instead of overflowing
// they return the largest number.
func plus(a, b int64) int64 {
	if b > most-a {
		return most
	}
	return a + b
}

func times(a int64, n int) int64 {
	if n > 0 && a > most/int64(n) {
		return most
	}
	return a * int64(n)
}

const most = 1<<63 - 1

// counted reports whether paths of some function can be counted.
func counted(pkgs []*wire.Lazy) bool {
	for _, p := range pkgs {
		if p.Paths > 0 {
			return true
		}
	}
	return false
}

// A writer is the state of Write. A program that ends waits for Write, and it can have
// tens of thousands of stacks of the same few thousand frames. So the writer makes all
// that samples can share once, and refers to it by number.
type writer struct {
	tables           tables
	sampled, windows bool
	paths, edges     *output
	estimates

	// The paths that are known so far. Frames of a function differ in lines, so several of
	// them may have the same path.
	sampledAt map[pathAt]*path
	decode    map[pathOf]*path
	taken     map[edgeOf]*edge

	branches map[branchOf]*branchTally

	// For each stack of callers, an edge has the sum of the counts of the paths that it is on.
	stacks    map[string]int // labels and callers, as locations of the edges profile: index in stackList
	stackList []callStack
	nodes     []stackNode
}

// A pathAt is a number of a path, and the frame that it is sampled in.
type pathAt struct {
	frame  uint32
	number uint64
}

// A pathOf is path p of a function.
type pathOf struct {
	fn     *wire.Func
	p      uint64
	untold bool // as in Sample
}

// A callStack is the callers of some samples, in goroutines with the same labels.
type callStack struct {
	callers pprofenc.Stack // in the profile of edges
	labels  uint32         // as in Sample
	first   int            // of its nodes, as next
	last    int
}

// A stackNode is a sample in the list of those that have a stack.
type stackNode struct {
	path           *path
	count, samples int64
	next           int // 1 + index in nodes, 0 at the end
}

type edgeOf struct {
	fn     *wire.Func
	step   pdag.Step
	untold bool
}

type branchOf struct {
	fn   *wire.Func
	node int
}

// An edgeSum has the counts of an edge below a stack.
type edgeSum struct {
	edge           *edge
	count, samples int64
}

// pathOf returns the path of s, nil if the site tables do not have its function or the path.
func (w *writer) pathOf(s *Sample) *path {
	if s.Package != "" || len(s.Stack) == 0 {
		return w.find(s)
	}
	at := pathAt{s.Stack[0], s.Number}
	d, ok := w.sampledAt[at]
	if !ok {
		d = w.find(s)
		w.sampledAt[at] = d
	}
	return d
}

// from returns the part of a stack that begins with a function, or the whole stack if it has
// no such frame. A return in the body of a loop over a function ends a path of the function around
// the loop, which the body and the loop's function have been called by.
//
// In a window a path may end at an instruction of the function that the path's function is inlined into, where it has
// no frame. Then its caller is the innermost one, which stands for both.
func (w *writer) from(stack []uint32, fn string, inlined bool) []uint32 {
	for i, f := range stack {
		if w.paths.frames[f].Func == fn {
			return stack[i:]
		}
	}
	if inlined && len(stack) > 0 {
		return append(stack[:1:1], stack...)
	}
	return stack
}

// pathSample adds s, which is a sample of path d, to the profile of paths.
func (w *writer) pathSample(s *Sample, d *path, count int64) {
	o := w.paths
	o.locs = append(o.locs[:0], d.leaf[:]...)
	if f := o.innermost(s); f.Func == d.fn.Name && f.Symbol != "" && f.Symbol != d.fn.Name {
		id := o.Function(pprofenc.Function{Name: d.fn.Name, SystemName: f.Symbol, Filename: d.pkg.Files[d.end.file],
			StartLine: int64(d.fn.Line)})
		o.locs[1] = o.Location(id, int64(d.end.line))
	}
	o.stack = o.callers(o.stack[:0], s)
	o.values = append(o.values[:0], count, times(count, len(d.branches)))
	if w.sampled {
		o.values = append(d.tally.add(count, append(o.values, s.Count), w.variance(&d.tally)), 0)
	}
	o.SampleOf(o.locs, o.stack, o.values, o.with(d.labels, s.Labels))
}

// addToStack adds s, which is a sample of path d, to what the profile of edges is made of.
func (w *writer) addToStack(s *Sample, d *path, count int64) {
	stack := &w.stackList[w.stack(s)]
	w.nodes = append(w.nodes, stackNode{path: d, count: count, samples: s.Count})
	if stack.first == 0 {
		stack.first = len(w.nodes)
	} else {
		w.nodes[stack.last-1].next = len(w.nodes)
	}
	stack.last = len(w.nodes)
}

// stack returns the index of s's callers and labels in w.stackList.
func (w *writer) stack(s *Sample) int {
	o := w.edges
	o.stack = o.callers(o.stack[:0].Append(uint64(s.Labels)), s)
	i, ok := w.stacks[string(o.stack)]
	if !ok {
		i = len(w.stackList)
		key := string(o.stack)
		w.stacks[key] = i
		labels := len(pprofenc.Stack(nil).Append(uint64(s.Labels)))
		w.stackList = append(w.stackList, callStack{callers: pprofenc.Stack(key[labels:]), labels: s.Labels})
	}
	return i
}

// writeEdges adds the samples of edges, stack by stack.
func (w *writer) writeEdges() {
	var sums []edgeSum
	for i := range w.stackList {
		stack := &w.stackList[i]
		sums = sums[:0]
		for at := stack.first; at > 0; at = w.nodes[at-1].next {
			n := &w.nodes[at-1]
			for _, e := range n.path.branches {
				if e.sum >= len(sums) || sums[e.sum].edge != e {
					e.sum = len(sums)
					sums = append(sums, edgeSum{edge: e})
				}
				sum := &sums[e.sum]
				sum.count = plus(sum.count, n.count)
				sum.samples = plus(sum.samples, n.samples)
			}
		}
		for j := range sums {
			w.edgeSample(stack, &sums[j])
		}
	}
}

func (w *writer) edgeSample(stack *callStack, sum *edgeSum) {
	o, e := w.edges, sum.edge
	o.locs = append(o.locs[:0], e.leaf)
	o.values = append(o.values[:0], sum.count)
	if w.sampled {
		if !e.known {
			e.variance, e.independent, e.known = w.variance(&e.tally), w.independent(e), true
		}
		o.values = e.tally.add(sum.count, append(o.values, sum.samples), e.variance, e.independent)
	}
	o.SampleOf(o.locs, stack.callers, o.values, o.with(e.labels, stack.labels))
}

// An output is one of the profiles, with the locations of the frames.
type output struct {
	*pprofenc.Profile
	frames    []Frame
	locations []uint64 // by frame; 0 until it is used
	ids       map[funcIn]uint64
	labels    []pprofenc.Labels // of goroutines, by number of the set; the first is none

	// Kept for their memory.
	buf    pprofenc.Labels
	stack  pprofenc.Stack
	locs   []uint64
	values []int64
}

func newOutput(p *Profile, kind schema.Kind) *output {
	names := kind.Types()
	if p.Sampled {
		names = append(names, kind.SampledTypes()...)
	}
	o := &output{Profile: newProfile(names), frames: p.Frames, locations: make([]uint64, len(p.Frames)),
		ids: make(map[funcIn]uint64), labels: make([]pprofenc.Labels, 1)}
	for _, set := range p.Labels {
		o.labels = append(o.labels, o.Labels(ofGoroutine(set)...))
	}
	return o
}

// ofGoroutine returns the labels of a goroutine as samples have them.
func ofGoroutine(set []pprofenc.Label) (labels []pprofenc.Label) {
	for _, l := range set {
		labels = append(labels, pprofenc.Label{Key: schema.GoroutineKey(l.Key), Value: l.Value})
	}
	return labels
}

// with returns labels of a path or an edge with those of a set behind them. They are good until
// the next call.
func (o *output) with(labels pprofenc.Labels, set uint32) pprofenc.Labels {
	if set == 0 {
		return labels
	}
	o.buf = append(append(o.buf[:0], labels...), o.labels[set]...)
	return o.buf
}

// newProfile returns an empty profile with some sample types.
func newProfile(names []string) *pprofenc.Profile {
	var types []pprofenc.ValueType
	for _, name := range names {
		types = append(types, pprofenc.ValueType{Type: name, Unit: schema.UnitOf(name)})
	}
	return pprofenc.New(types...)
}

// callers appends the locations of s's callers to a stack.
func (o *output) callers(stack pprofenc.Stack, s *Sample) pprofenc.Stack {
	if len(s.Stack) < 2 {
		return stack
	}
	for _, i := range s.Stack[1:] {
		stack = stack.Append(o.location(i))
	}
	return stack
}

// location returns the location of a frame.
func (o *output) location(i uint32) uint64 {
	if o.locations[i] == 0 {
		f := &o.frames[i]
		id := o.Function(pprofenc.Function{Name: f.Func, SystemName: f.Symbol, Filename: f.File,
			StartLine: int64(f.StartLine)})
		o.locations[i] = o.Location(id, int64(f.Line))
	}
	return o.locations[i]
}

// innermost returns the frame of s's function, a zero one if s has no stack.
func (o *output) innermost(s *Sample) Frame {
	if len(s.Stack) == 0 {
		return Frame{}
	}
	return o.frames[s.Stack[0]]
}

// A funcIn is a function with a file that some of its lines are in.
type funcIn struct {
	fn   *wire.Func
	file int
}

// in returns the location of a line of fn.
func (o *output) in(pkg *wire.Package, fn *wire.Func, at place) uint64 {
	key := funcIn{fn, at.file}
	id := o.ids[key]
	if id == 0 {
		id = o.Function(pprofenc.Function{Name: fn.Name, Filename: pkg.Files[at.file], StartLine: int64(fn.Line)})
		o.ids[key] = id
	}
	return o.Location(id, int64(at.line))
}
