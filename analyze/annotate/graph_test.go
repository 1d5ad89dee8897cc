package annotate

import (
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
)

// randomGraph makes a graph in which the entry, node 0, need not lead to all nodes.
func randomGraph(r *rand.Rand) *wire.Func {
	f := &wire.Func{Graph: pdag.Graph{Nodes: make([]pdag.Node, 1+r.IntN(12)), Starts: []pdag.Start{{Node: 0}}}}
	for i := range f.Graph.Nodes {
		for range 1 + r.IntN(3) {
			f.Graph.Nodes[i].Out = append(f.Graph.Nodes[i].Out, pdag.Edge{To: r.IntN(len(f.Graph.Nodes)+1) - 1})
		}
	}
	return f
}

// reached returns the nodes that the entry leads to without a node and without an edge.
func reached(f *wire.Func, node int, edge pdag.Step) map[int]bool {
	seen := make(map[int]bool)
	var visit func(n int)
	visit = func(n int) {
		if n == pdag.Exit || n == node || seen[n] {
			return
		}
		seen[n] = true
		for i, e := range f.Graph.Nodes[n].Out {
			if (pdag.Step{Node: n, Out: i}) != edge {
				visit(e.To)
			}
		}
	}
	visit(0)
	return seen
}

// A node dominates another one if the entry does not lead to that without it, and control has gone along
// an edge if what has run cannot be reached without it.
func TestWhatMustHaveRun(t *testing.T) {
	none := pdag.Step{Node: -1}
	r := rand.New(rand.NewPCG(1, 2))
	proved, loops := 0, 0
	for range 2000 {
		f := randomGraph(r)
		s := newShape(f)
		all := reached(f, -2, none)
		for n := range f.Graph.Nodes {
			ran := s.above([]int{n})
			for m := range f.Graph.Nodes {
				want := all[n] && (m == n || !reached(f, m, none)[n])
				if ran[m] != want {
					t.Fatalf("%v: %d has run, so %d has: got %t, want %t", f.Graph.Nodes, n, m, ran[m], want)
				}
			}
			head := false // some edge leads back to n from a node that n dominates
			for m := range f.Graph.Nodes {
				for _, e := range f.Graph.Nodes[m].Out {
					head = head || e.To == n && all[m] && all[n] && (m == n || !reached(f, n, none)[m])
				}
			}
			if s.loop(n) != head {
				t.Fatalf("%v: %d is the head of a loop: got %t, want %t", f.Graph.Nodes, n, s.loop(n), head)
			}
			if head {
				loops++
			}
			for i, e := range f.Graph.Nodes[n].Out {
				if !all[n] || e.To == pdag.Exit {
					continue
				}
				want := !reached(f, -2, pdag.Step{Node: n, Out: i})[e.To]
				if got := s.only(n, e.To); got != want {
					t.Fatalf("%v: control comes to %d from %d only: got %t, want %t", f.Graph.Nodes, e.To, n, got, want)
				}
				if want {
					proved++
				}
			}
		}
	}
	if proved < 1000 || loops < 500 {
		t.Errorf("%d edges that control must take and %d heads of loops: the graphs test too little", proved, loops)
	}
}

func TestBalance(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	balanced, not := 0, 0
	for range 2000 {
		places := 1 + r.IntN(8)
		var flows []flow
		for range r.IntN(3 * places) {
			flows = append(flows, flow{r.IntN(places), r.IntN(places), float64(r.IntN(1000))})
		}
		w, closed := balance(flows, places)
		circle := inCircles(flows, places)
		if (w != nil) != circle || closed != circle {
			t.Fatalf("%v: got weights %v, %t, but each is part of a circle: %t", flows, w, closed, circle)
		}
		if w == nil {
			not++
			continue
		}
		balanced++
		sum, size := make([]float64, places), make([]float64, places)
		for _, f := range flows {
			c := f.count * w[f.from] / w[f.to]
			sum[f.from] += c
			sum[f.to] -= c
			size[f.from] += c
		}
		for s := range sum {
			if d := sum[s]; d > 1e-6*size[s] || d < -1e-6*size[s] {
				t.Fatalf("%v with weights %v: place %d is off by %g of %g", flows, w, s, d, size[s])
			}
		}
	}
	if balanced < 300 || not < 300 {
		t.Errorf("%d balanced and %d not: the flows test too little", balanced, not)
	}
	// What is balanced stays as it is.
	w, _ := balance([]flow{{0, 1, 10}, {1, 1, 90}, {1, 0, 10}}, 2)
	if len(w) != 2 || w[0] != w[1] {
		t.Errorf("weights of balanced flows: %v", w)
	}
}

// inCircles reports whether from each flow's end others lead to its beginning, by Warshall's closure.
func inCircles(flows []flow, places int) bool {
	leads := make([][]bool, places)
	for i := range leads {
		leads[i] = make([]bool, places)
		leads[i][i] = true
	}
	for _, f := range flows {
		leads[f.from][f.to] = leads[f.from][f.to] || f.count > 0
	}
	for k := range places {
		for i := range places {
			for j := range places {
				leads[i][j] = leads[i][j] || leads[i][k] && leads[k][j]
			}
		}
	}
	for _, f := range flows {
		if f.count > 0 && !leads[f.to][f.from] {
			return false
		}
	}
	return true
}

// A node is behind a branch if the entry does not lead to it without one of the edges of the branch.
func TestBehind(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	behind := 0
	for range 2000 {
		f := randomGraph(r)
		f.Blocks = make([]wire.Block, len(f.Graph.Nodes))
		var branches []int
		for n := range f.Graph.Nodes {
			if r.IntN(2) == 0 && len(f.Graph.Nodes[n].Out) > 1 {
				branches = append(branches, n)
			}
		}
		all := reached(f, -2, pdag.Step{Node: -1})
		got := newShape(f).behind(branches)
		for n := range f.Graph.Nodes {
			want := false
			for _, u := range branches {
				for i := range f.Graph.Nodes[u].Out {
					want = want || all[n] && !reached(f, -2, pdag.Step{Node: u, Out: i})[n]
				}
			}
			if got[n] != want {
				t.Fatalf("%v, %v: node %d: got %t, want %t", f.Graph.Nodes, branches, n, got[n], want)
			}
			if want {
				behind++
			}
		}
	}
	if behind < 1000 {
		t.Errorf("only %d nodes are behind branches", behind)
	}
}
