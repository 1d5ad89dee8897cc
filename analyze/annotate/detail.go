package annotate

// This file computes the details of a function.

import (
	"cmp"
	"fmt"
	"math"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
)

// Most items that a Detail has of each kind.
const (
	maxPaths  = 12
	maxValues = 5 // of a tap that is no site
)

// A placeOf is a line and column of a file.
type placeOf struct {
	file      string
	line, col int64
}

func (p placeOf) compare(q placeOf) int {
	return cmp.Or(cmp.Compare(p.file, q.file), cmp.Compare(p.line, q.line), cmp.Compare(p.col, q.col))
}

// A view is a function while its details are computed.
type view struct {
	b     *builder
	f     *function
	shape *shape        // nil if the program's file is not known
	count []float64     // of each path, reconciled
	steps [][]pdag.Step // of each path
	start []int         // where it begins, an index into the graph's starts
	node  []float64     // reconciled counts of nodes
	ran   []bool        // nodes that have run, whether a sample shows it or not
	d     *Detail
	list  []*branch // by position

	untold []int // nodes whose branches have not told each time how paths go on
}

func (b *builder) detail(f *function) *Detail {
	// No list is nil, so that none is null as JSON.
	v := &view{b: b, f: f, d: &Detail{Lines: []Line{}, Branches: []Branch{}, Paths: []Path{}, Taps: []Tap{},
		Decisions: []Decided{}, Graph: Graph{Nodes: []Node{}}}}
	for _, p := range f.paths {
		v.count = append(v.count, float64(p.Count))
	}
	if f.site != nil && len(f.site.Graph.Nodes) > 0 {
		v.decode()
	}
	v.reconcile()
	v.graph()
	v.branches()
	v.lines()
	v.paths()
	v.d.Decisions = append(v.d.Decisions, f.decisions...)
	v.d.Callers, v.d.Callees = calls(f.callers), calls(f.callees)
	v.taps()
	return v.d
}

// decode finds the nodes of each path. If the graph does not have one of them, v gets no shape.
func (v *view) decode() {
	for _, p := range v.f.paths {
		start, steps, ok := v.f.site.Graph.Decode(p.ID.Number)
		if !ok {
			v.d.Note = fmt.Sprintf("The program's file does not have path %s, so it is not what ran.", p.ID.Name())
			v.steps, v.start = nil, nil
			return
		}
		v.steps, v.start = append(v.steps, steps), append(v.start, start)
	}
	v.shape = newShape(v.f.site)
}

// end returns the start at which the path after path i begins: 0, the entry, if it leaves the function.
func (v *view) end(i int) int {
	last := v.steps[i][len(v.steps[i])-1]
	e := v.f.site.Graph.Nodes[last.Node].Out[last.Out]
	if e.Ends {
		if s, ok := v.f.site.Graph.StartAfter(e.To); ok {
			return s
		}
	}
	return 0
}

// reconcile balances the counts of paths.
func (v *view) reconcile() {
	if v.shape == nil || v.b.p.Exact || len(v.count) == 0 {
		return
	}
	index := make(map[[2]int]int)
	var flows []flow
	for i, c := range v.count {
		k := [2]int{v.start[i], v.end(i)}
		j, ok := index[k]
		if !ok {
			j = len(flows)
			index[k] = j
			flows = append(flows, flow{k[0], k[1], 0})
		}
		flows[j].count += c
	}
	w, closed := balance(flows, len(v.f.site.Graph.Starts))
	if w == nil {
		why := "No sample shows how a loop was reached or left"
		if closed {
			why = "The counts of loops differ too much from those around them"
		}
		v.d.Note = why + ", so counts stay as they were sampled, and those of a loop may not fit those around it."
		return
	}
	var before, after float64
	for i, p := range v.f.paths {
		v.count[i] *= w[v.start[i]] / w[v.end(i)]
		branches := float64(len(p.Branches))
		before += branches * float64(p.Count)
		after += branches * v.count[i]
	}
	if after > 0 { // keep the flow
		for i := range v.count {
			v.count[i] *= before / after
		}
	}
	v.d.Reconciled = true
}

// graph counts nodes and edges, and finds what must have run.
func (v *view) graph() {
	if v.shape == nil {
		return
	}
	site := v.f.site
	v.node = make([]float64, len(site.Graph.Nodes))
	arcs := make([][]float64, len(site.Graph.Nodes))
	for i, n := range site.Graph.Nodes {
		arcs[i] = make([]float64, len(n.Out))
	}
	var seen []int
	for i, steps := range v.steps {
		for _, s := range steps {
			if v.node[s.Node] == 0 && v.f.paths[i].Count > 0 {
				seen = append(seen, s.Node)
			}
			v.node[s.Node] += v.count[i]
			arcs[s.Node][s.Out] += v.count[i]
		}
	}
	for n := range site.Blocks {
		first, last := blockLines(site, n)
		for _, l := range v.f.calls {
			if first <= l && l <= last && v.covers(n, l) {
				seen = append(seen, n)
			}
		}
		x := Node{First: first, Last: last, Count: round(v.node[n]), Out: []Arc{}}
		for j, e := range site.Graph.Nodes[n].Out {
			x.Out = append(x.Out, Arc{To: e.To, Name: site.Blocks[n].Outs[j].Outcome, Count: round(arcs[n][j])})
		}
		v.d.Graph.Nodes = append(v.d.Graph.Nodes, x)
	}
	v.ran = v.shape.above(seen)
}

// covers reports whether a line is in a statement of a node. Of a call in several nodes on a line, as in
// operands of &&, the sample does not tell which it was.
func (v *view) covers(n int, line int64) bool {
	nodes := 0
	in := false
	for i := range v.f.site.Blocks {
		for _, s := range v.f.site.Blocks[i].Spans {
			if s.File == v.f.site.File && int64(s.Line) <= line && line <= int64(s.EndLine) {
				nodes++
				in = in || i == n
				break
			}
		}
	}
	return in && nodes == 1
}

// blockLines returns the lines of a node in the function's file, zeros if it has none.
func blockLines(site *wire.Func, n int) (first, last int64) {
	add := func(file, from, to int) {
		if file == site.File && from > 0 {
			if first == 0 || int64(from) < first {
				first = int64(from)
			}
			last = max(last, int64(to))
		}
	}
	b := &site.Blocks[n]
	for _, s := range b.Spans {
		add(s.File, s.Line, s.EndLine)
	}
	if len(b.Outs) > 1 {
		add(b.Branch.File, b.Branch.Line, b.Branch.Line)
	}
	return first, last
}

func round(x float64) int64 { return int64(math.Round(x)) }
