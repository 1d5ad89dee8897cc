// Package windows measures how well the paths in short pieces of a run stand for all of its paths. It runs a program
// under valgrind, follows all of it through the table of actions, and beside that cuts windows at random positions:
// what an interpreter sees that begins there and executes some thousand instructions. The metrics are those of PEP.
//
// A path counts if it begins in the first part of a window. The rest of the window only follows it to its end, so
// that paths up to the length of the rest have the same chance to be counted. One window in 16 may be longer: paths
// that need that count 16 times.
package windows

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/pepgo/pep/analyze/accuracy"
	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/lab/branches"
	"github.com/pepgo/pep/runtime/follow"
)

// A Form says how windows are cut.
type Form struct {
	Length int  // instructions
	Long   bool // one in Every is longer
}

// Every and Longer are how many windows have one that is longer, and how many times. Of a window, First parts of
// Parts are for paths to begin in.
const (
	Every, Longer = 16, 10
	First, Parts  = 3, 4
)

// Mean is the mean length of the windows.
func (f Form) Mean() float64 {
	if !f.Long {
		return float64(f.Length)
	}
	return float64(f.Length) * (Every - 1 + Longer) / Every
}

// A Key is a number of windows of a form, at positions that depend on a seed.
type Key struct {
	Form
	Number int
	Seed   uint64
}

// An Overlap says how well windows agree with the whole run: the absolute overlap of path counts, of branch flow, and
// of the outcomes of branches on the paths.
type Overlap struct{ Paths, Flow, Edges float64 }

// A Result is of one program.
type Result struct {
	Instructions uint64
	Paths        int64 // executed
	Overlaps     map[Key]Overlap
}

// A set is the windows of a form and a seed, in order of their positions.
type set struct {
	Form
	seed    uint64
	begins  []uint64
	order   []int // of each window in the order in which they were drawn
	next    int   // the first one that has not begun
	running []*window
	counts  []map[uint32]int64 // by number of windows
	numbers []int
}

type window struct {
	m     *follow.Machine
	g     uint64
	begin uint64
	draw  int // how many were drawn before
	long  bool
}

// Measure runs a program twice: to know how long the run is, and to cut windows at uniformly random positions.
// Windows of a smaller number are among those of a larger one, which are in order.
func Measure(exe string, t *actions.Table, tracer, dir string, forms []Form, numbers []int, seeds uint64,
	args ...string) (*Result, error) {
	n, err := branches.Trace(exe, &actions.Table{}, tracer, dir, nil, args...)
	if err != nil {
		return nil, err
	}
	var sets []*set
	for _, f := range forms {
		for seed := range seeds {
			sets = append(sets, newSet(f, seed, numbers, n))
		}
	}
	all := map[uint32]int64{}
	machines := map[uint64]*follow.Machine{} // by goroutine
	slots := t.Slots()
	var free []*follow.Machine
	r := &Result{Overlaps: map[Key]Overlap{}}
	r.Instructions, err = branches.Trace(exe, t, tracer, dir, func(s branches.Step) error {
		m := machines[s.G]
		if m == nil {
			m = follow.New(t.Ops, slots, follow.NewMemory(1<<12, 1<<16))
			machines[s.G] = m
		}
		m.Step(s.Depth, s.Func, s.Action)
		for _, p := range m.Ended() {
			all[p]++
			r.Paths++
		}
		for _, x := range sets {
			free = x.step(s, t, slots, free)
		}
		return nil
	}, args...)
	if err != nil {
		return nil, err
	}
	on := newBranches(t)
	paths, flow, edges := outcomes(all, on)
	for _, x := range sets {
		for i, n := range x.numbers {
			p, f, e := outcomes(x.counts[i], on)
			r.Overlaps[Key{x.Form, n, x.seed}] = Overlap{
				accuracy.Absolute(paths, p), accuracy.Absolute(flow, f), accuracy.Absolute(edges, e)}
		}
	}
	return r, nil
}

func newSet(f Form, seed uint64, numbers []int, instructions uint64) *set {
	x := &set{Form: f, seed: seed, numbers: numbers}
	random := rand.New(rand.NewPCG(seed, uint64(f.Length)))
	most := numbers[len(numbers)-1]
	at := make([]uint64, most)
	for i := range at {
		at[i] = random.Uint64N(instructions)
		x.order = append(x.order, i)
	}
	slices.SortFunc(x.order, func(a, b int) int {
		switch {
		case at[a] < at[b]:
			return -1
		case at[a] > at[b]:
			return 1
		}
		return a - b
	})
	for _, i := range x.order {
		x.begins = append(x.begins, at[i])
	}
	for range numbers {
		x.counts = append(x.counts, map[uint32]int64{})
	}
	return x
}

// step has all windows of a set see an action. It takes machines from free, and returns those that are free then.
func (x *set) step(s branches.Step, t *actions.Table, slots []uint16, free []*follow.Machine) []*follow.Machine {
	for x.next < len(x.begins) && x.begins[x.next] < s.At {
		draw := x.order[x.next]
		w := &window{begin: x.begins[x.next], draw: draw, long: x.Long && draw%Every == 0, g: s.G}
		if n := len(free); n > 0 {
			w.m, free = free[n-1], free[:n-1]
			w.m.Reset()
		} else {
			w.m = follow.New(t.Ops, slots, follow.NewMemory(256, 4096))
		}
		x.running = append(x.running, w)
		x.next++
	}
	for i := 0; i < len(x.running); i++ {
		w := x.running[i]
		done := s.At - w.begin
		length, weight := uint64(x.Length), int64(1)
		if w.long && done > length {
			length, weight = length*Longer, Every
		}
		if done > length {
			free = append(free, w.m)
			x.running[i] = x.running[len(x.running)-1]
			x.running = x.running[:len(x.running)-1]
			i--
			continue
		}
		if s.G != w.g {
			continue
		}
		w.m.Late = done > uint64(x.Length)*First/Parts
		w.m.Step(s.Depth, s.Func, s.Action)
		for _, p := range w.m.Ended() {
			for j, n := range x.numbers {
				if w.draw < n {
					x.counts[j][p] += weight
				}
			}
		}
	}
	return free
}

// A branch is a node of a function that has several edges.
type branch struct {
	fn   *actions.Source
	node int
}

// An edge is an outcome of a branch.
type edge struct {
	branch
	out string
}

// newBranches returns which edges are on paths.
func newBranches(t *actions.Table) func(path uint32) []edge {
	known := map[uint32][]edge{}
	return func(path uint32) []edge {
		edges, ok := known[path]
		if !ok {
			s, number := t.Find(path)
			g := &s.Package.Sites.Funcs[s.Site].Graph
			if _, steps, ok := g.Decode(number); ok {
				for _, x := range steps {
					if len(g.Nodes[x.Node].Out) > 1 {
						edges = append(edges, edge{branch{s, x.Node}, strconv.Itoa(x.Out)})
					}
				}
			}
			known[path] = edges
		}
		return edges
	}
}

// outcomes returns counts as accuracy has them: one branch for each path, for their flow as well, and the edges.
func outcomes(counts map[uint32]int64, on func(uint32) []edge) (
	paths, flow map[uint32]accuracy.Outcomes, edges map[branch]accuracy.Outcomes) {
	paths, flow, edges = map[uint32]accuracy.Outcomes{}, map[uint32]accuracy.Outcomes{}, map[branch]accuracy.Outcomes{}
	for p, n := range counts {
		list := on(p)
		paths[p], flow[p] = accuracy.Outcomes{"": n}, accuracy.Outcomes{"": n * int64(len(list))}
		for _, e := range list {
			if edges[e.branch] == nil {
				edges[e.branch] = accuracy.Outcomes{}
			}
			edges[e.branch][e.out] += n
		}
	}
	return paths, flow, edges
}
