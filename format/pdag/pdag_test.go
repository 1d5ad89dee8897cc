package pdag_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/pdag"
)

// loop is the example of the package comment.
func loop() *pdag.Graph {
	return &pdag.Graph{
		Nodes: []pdag.Node{
			{Out: []pdag.Edge{{To: 1, Ends: true}}},
			{Out: []pdag.Edge{{To: 2}, {To: 3, Val: 1}}},
			{Out: []pdag.Edge{{To: 1, Ends: true}}},
			{Out: []pdag.Edge{{To: pdag.Exit}}},
		},
		Starts: []pdag.Start{{Node: 0}, {Node: 1, Val: 1}},
		N:      3,
	}
}

func ExampleGraph_Decode() {
	// for n > 0 { n-- }, see the package comment
	g := &pdag.Graph{
		Nodes: []pdag.Node{
			{Out: []pdag.Edge{{To: 1, Ends: true}}},
			{Out: []pdag.Edge{{To: 2}, {To: 3, Val: 1}}},
			{Out: []pdag.Edge{{To: 1, Ends: true}}},
			{Out: []pdag.Edge{{To: pdag.Exit}}},
		},
		Starts: []pdag.Start{{Node: 0}, {Node: 1, Val: 1}},
		N:      3,
	}
	for p := range g.N {
		start, path, ok := g.Decode(p)
		fmt.Println(p, start, path, ok)
	}
	// Output:
	// 0 0 [{0 0}] true
	// 1 1 [{1 0} {2 0}] true
	// 2 1 [{1 1} {3 0}] true
}

func TestPEP07DecodePartial(t *testing.T) {
	g := loop()
	tests := []struct {
		name  string
		p     uint64
		at    int
		start int
		path  []pdag.Step
		ok    bool
	}{
		{"before the first edge", 0, 0, 0, nil, true},
		{"at the header, after a poll", 1, 1, 1, nil, true},
		{"in the round", 1, 2, 1, []pdag.Step{{Node: 1, Out: 0}}, true},
		{"behind the loop", 2, 3, 1, []pdag.Step{{Node: 1, Out: 1}}, true},
		{"the register of a path that is not in the round", 2, 2, 0, nil, false},
		{"the register of a path that has gone on from the header", 2, 1, 0, nil, false},
		{"a node that is reached on a truncated edge only", 0, 1, 0, nil, false},
		{"a number that is no path", 3, 1, 0, nil, false},
		{"a node that does not exist", 1, 9, 0, nil, false},
	}
	for _, test := range tests {
		start, path, ok := g.DecodePartial(test.p, test.at)
		if start != test.start || !slices.Equal(path, test.path) || ok != test.ok {
			t.Errorf("%s: DecodePartial(%d, %d) = %d, %v, %t, want %d, %v, %t",
				test.name, test.p, test.at, start, path, ok, test.start, test.path, test.ok)
		}
	}
}

func TestCheckNamesWhatIsWrong(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(g *pdag.Graph)
		want  string
	}{
		{"nothing", func(g *pdag.Graph) {}, ""},
		{"an edge out of the graph", func(g *pdag.Graph) { g.Nodes[1].Out[1].To = 4 },
			"out-edge 1 of node 1 leads to node 4 of 4"},
		{"an edge below Exit", func(g *pdag.Graph) { g.Nodes[3].Out[0].To = -2 },
			"out-edge 0 of node 3 leads to node -2 of 4"},
		{"a truncated exit", func(g *pdag.Graph) { g.Nodes[3].Out[0].Ends = true },
			"out-edge 0 of node 3 leads to Exit and is truncated"},
		{"a dead edge with a Val", func(g *pdag.Graph) { g.Nodes[1].Out[1].Dead = true },
			"out-edge 1 of node 1 is dead and numbered"},
		{"a cycle", func(g *pdag.Graph) { g.Nodes[2].Out[0].Ends = false }, "a cycle has no truncated edge"},
		{"equal Vals", func(g *pdag.Graph) { g.Nodes[1].Out[1].Val = 0 }, "out-edges of node 1 have equal Vals"},
		{"a gap", func(g *pdag.Graph) { g.Nodes[1].Out[1].Val = 2 }, "out-edges of node 1 leave a gap at 1 or overlap"},
		{"a node without paths", func(g *pdag.Graph) { g.Nodes[3].Out = nil },
			"out-edge 1 of node 1 leads to no path and is not dead"},
		{"no starts", func(g *pdag.Graph) { g.Starts = nil }, "no starts"},
		{"a start out of the graph", func(g *pdag.Graph) { g.Starts[1].Node = 7 }, "start 1 at node 7 of 4"},
		{"a start twice", func(g *pdag.Graph) { g.Starts = append(g.Starts, g.Starts[1]) }, "two starts at node 1"},
		{"no start after a truncated edge", func(g *pdag.Graph) { g.Starts = g.Starts[:1] },
			"out-edge 0 of node 0 is truncated, but node 1 is no start"},
		{"an entry that is not the first", func(g *pdag.Graph) { g.Starts[0].Val = 1 }, "start 0 has Val 1, want 0"},
		{"starts that overlap", func(g *pdag.Graph) { g.Starts[1].Val = 0 }, "start 1 has Val 0, want 1"},
		{"a start without paths", func(g *pdag.Graph) {
			g.Nodes = append(g.Nodes, pdag.Node{})
			g.Starts = append(g.Starts, pdag.Start{Node: 4, Val: 3})
		}, "start 2 has no paths"},
		{"a wrong N", func(g *pdag.Graph) { g.N = 4 }, "N is 4, want 3"},
	}
	for _, test := range tests {
		g := loop()
		test.spoil(g)
		if got := g.Check(); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestCheckCountsPastTheLargestNumber(t *testing.T) {
	g := &pdag.Graph{Starts: []pdag.Start{{Node: 0}}}
	for v := range 70 {
		g.Nodes = append(g.Nodes, pdag.Node{Out: []pdag.Edge{{To: v + 1}, {To: v + 1, Val: 1 << max(0, 69-v)}}})
	}
	g.Nodes = append(g.Nodes, pdag.Node{Out: []pdag.Edge{{To: pdag.Exit}}})
	if got, want := g.Check(), "node 6 has more than 2^64 paths"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStartAfter(t *testing.T) {
	// for { … }: the entry is the header of the loop.
	g := &pdag.Graph{
		Nodes:  []pdag.Node{{Out: []pdag.Edge{{To: 0, Ends: true}}}},
		Starts: []pdag.Start{{Node: 0}, {Node: 0, Val: 1}},
		N:      2,
	}
	if msg := g.Check(); msg != "" {
		t.Error(msg)
	}
	if start, ok := g.StartAfter(0); start != 1 || !ok {
		t.Errorf("StartAfter(0) = %d, %t, want 1, true", start, ok)
	}
	if _, ok := loop().StartAfter(0); ok {
		t.Error("the entry counts as the target of a truncated edge")
	}
}

func TestAccumulate(t *testing.T) {
	g := loop()
	counts := g.EdgeCounts()
	for p, n := range []uint64{5, 70, 5} {
		if !g.Accumulate(uint64(p), n, counts) {
			t.Errorf("path %d is not decoded", p)
		}
	}
	if g.Accumulate(3, 1, counts) {
		t.Error("path 3 is decoded")
	}
	if got, want := fmt.Sprint(counts), "[[5] [70 5] [70] [5]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestBranches(t *testing.T) {
	g := loop()
	for p, want := range []int{0, 1, 1} {
		_, path, _ := g.Decode(uint64(p))
		if got := g.Branches(path); got != want {
			t.Errorf("path %d: got %d branches, want %d", p, got, want)
		}
	}
}

// numbered makes a random graph whose edges lead forward or are truncated, with
// Vals in shuffled order.
func numbered(r *rand.Rand) *pdag.Graph {
	n := 1 + r.IntN(8)
	g := &pdag.Graph{Nodes: make([]pdag.Node, n), Starts: []pdag.Start{{Node: 0}}}
	paths := make([]uint64, n)
	isStart := make([]bool, n)
	for v := n - 1; v >= 0; v-- {
		out := make([]pdag.Edge, 1+r.IntN(3))
		for _, i := range r.Perm(len(out)) {
			switch to := r.IntN(n); {
			case to > v:
				out[i] = pdag.Edge{To: to, Val: paths[v]}
				paths[v] += paths[to]
			case to == v:
				out[i] = pdag.Edge{To: pdag.Exit, Val: paths[v]}
				paths[v]++
			default:
				out[i] = pdag.Edge{To: to, Val: paths[v], Ends: true}
				paths[v]++
				isStart[to] = true
			}
		}
		g.Nodes[v].Out = out
	}
	g.N = paths[0]
	for v, is := range isStart {
		if is {
			g.Starts = append(g.Starts, pdag.Start{Node: v, Val: g.N})
			g.N += paths[v]
		}
	}
	return g
}

// If Check accepts a graph, its paths are numbered without gaps. If Check rejects a graph,
// decoding it does no harm.
func TestPEP06CheckMeansBijection(t *testing.T) {
	var accepted int
	const graphs = 20000
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 6))
		g := numbered(r)
		if msg := g.Check(); msg != "" {
			t.Fatalf("seed %d: %s: %+v", seed, msg, g)
		}
		for range r.IntN(3) {
			spoil(g, r)
		}
		well := g.Check() == ""
		if well {
			accepted++
		}
		checkDecode(t, g, well)
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, g)
		}
	}
	t.Logf("%d of %d graphs accepted", accepted, graphs)
	if accepted == graphs {
		t.Error("no graph was spoilt")
	}
}

// spoil changes something in g.
func spoil(g *pdag.Graph, r *rand.Rand) {
	out := g.Nodes[r.IntN(len(g.Nodes))].Out
	e := &out[r.IntN(len(out))]
	switch r.IntN(7) {
	case 0:
		e.To = r.IntN(len(g.Nodes)+3) - 2
	case 1:
		e.Val = r.Uint64N(5)
	case 2:
		e.Ends = !e.Ends
	case 3:
		e.Dead = !e.Dead
	case 4:
		out[0].Val, e.Val = e.Val, out[0].Val
	case 5:
		g.N += r.Uint64N(3) - 1
	case 6:
		g.Starts[r.IntN(len(g.Starts))].Node = r.IntN(len(g.Nodes)+2) - 1
	}
}

// checkDecode decodes every number and checks that each result is a path with that number.
// In a well-formed graph every number has a path, and all paths differ.
func checkDecode(t *testing.T, g *pdag.Graph, well bool) {
	seen := make(map[string]uint64)
	for p := range min(g.N, 1000) {
		start, path, ok := g.Decode(p)
		for at := range g.Nodes {
			g.DecodePartial(p, at)
		}
		if !ok {
			if well || path != nil {
				t.Errorf("Decode(%d) = %v, %t", p, path, ok)
			}
			continue
		}
		sum := g.Starts[start].Val
		node := g.Starts[start].Node
		for i, s := range path {
			e := g.Nodes[s.Node].Out[s.Out]
			if s.Node != node || e.Dead || (i == len(path)-1) != (e.Ends || e.To == pdag.Exit) {
				t.Errorf("Decode(%d) = %v, which is no path", p, path)
			}
			sum += e.Val
			node = e.To
		}
		if sum != p {
			t.Errorf("Decode(%d) = %v, whose number is %d", p, path, sum)
		}
		key := fmt.Sprint(start, path)
		if q, twice := seen[key]; twice {
			t.Errorf("%d and %d are the same path", p, q)
		}
		seen[key] = p
	}
}

func FuzzCheckAndDecode(f *testing.F) {
	f.Add(uint64(3), []byte{1, 1, 0x20, 0, 2, 0, 3, 1, 1, 0x20, 9, 0})
	f.Fuzz(func(t *testing.T, n uint64, data []byte) {
		if len(data) > 100 {
			return
		}
		g := &pdag.Graph{N: n}
		for ; len(data) >= 3; data = data[3:] {
			g.Nodes = append(g.Nodes, pdag.Node{})
			out := &g.Nodes[int(data[0])%len(g.Nodes)].Out
			*out = append(*out, pdag.Edge{
				To:   int(int8(data[1])),
				Val:  uint64(data[2] & 0x1f),
				Ends: data[2]&0x20 != 0,
				Dead: data[2]&0x40 != 0,
			})
			if data[2]&0x80 != 0 {
				g.Starts = append(g.Starts, pdag.Start{Node: int(int8(data[1])), Val: uint64(data[0])})
			}
		}
		checkDecode(t, g, g.Check() == "")
	})
}
