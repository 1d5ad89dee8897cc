package pathnum_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/instrument/pathnum"
)

// vector is the control-flow graph of spec PEP §3.4.
const vector = "A:H H:B,X B:C,D C:E D:E E:H X:-"

// vectorFreq is the same graph with frequencies: D and the loop are hot.
const vectorFreq = "A:H*10 H:B*1000,X*10 B:C*100,D*900 C:E*100 D:E*900 E:H*1000 X:-*10"

func TestPEP02PEP03WorkedVectors(t *testing.T) {
	tests := []struct {
		name   string
		graph  string
		opts   pathnum.Options
		vals   string // edges with a Val other than 0, then starts
		paths  []string
		rotate uint64 // by which the numbers of the spec are ahead of ours
	}{
		{
			name:  "back-edge truncation",
			graph: vector,
			opts:  pathnum.Options{Truncate: pathnum.BackEdge, Order: pathnum.Original},
			vals:  "H→X 2, B→D 1; A 0, H 3",
			paths: []string{"AHBCE~", "AHBDE~", "AHX", "~HBCE~", "~HBDE~", "~HX"},
		},
		{
			name:  "header split with edges in order",
			graph: vector,
			opts:  pathnum.Options{Order: pathnum.Original},
			vals:  "H→X 2, B→D 1; A 0, H 1",
			paths: []string{"A~", "~HBCE~", "~HBDE~", "~HX"},
		},
		{
			// The entry has Val 0 here and 3 in the spec, where the hotter
			// header comes before it: numbers differ by a rotation.
			name:   "header split and smart numbering",
			graph:  vectorFreq,
			vals:   "H→X 2, B→C 1; A 0, H 1",
			paths:  []string{"~HBDE~", "~HBCE~", "~HX", "A~"},
			rotate: 3,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g, err := pathnum.Number(parse(t, test.graph), test.opts)
			if err != nil {
				t.Fatal(err)
			}
			if got := vals(g, "AHBCDEX"); got != test.vals {
				t.Errorf("got Vals %s, want %s", got, test.vals)
			}
			got := make([]string, g.N)
			for p := range g.N {
				got[(p+test.rotate)%g.N] = spell(g, p, "AHBCDEX")
			}
			if diff := cmp.Diff(test.paths, got); diff != "" {
				t.Errorf("paths (-want +got):\n%s", diff)
			}
		})
	}
}

// vals writes the Vals of g with the letters of its nodes.
func vals(g *pdag.Graph, letters string) string {
	var edges []string
	for v, n := range g.Nodes {
		for _, e := range n.Out {
			if e.Val != 0 {
				edges = append(edges, fmt.Sprintf("%c→%c %d", letters[v], letters[e.To], e.Val))
			}
		}
	}
	return strings.Join(edges, ", ") + "; " + starts(g, letters)
}

func starts(g *pdag.Graph, letters string) string {
	var starts []string
	for _, s := range g.Starts {
		text := fmt.Sprintf("%c %d", letters[s.Node], s.Val)
		if s.Cut {
			text += " cut"
		}
		starts = append(starts, text)
	}
	return strings.Join(starts, ", ")
}

// spell writes path p as the spec does: the letters of its nodes, with ~ where
// it starts or ends at a truncated edge.
func spell(g *pdag.Graph, p uint64, letters string) string {
	start, steps, ok := g.Decode(p)
	if !ok {
		return "?"
	}
	var b strings.Builder
	if start > 0 {
		b.WriteByte('~')
	}
	for _, s := range steps {
		b.WriteByte(letters[s.Node])
		if g.Nodes[s.Node].Out[s.Out].Ends {
			b.WriteByte('~')
		}
	}
	return b.String()
}

var shapes = map[string]shape{
	"mostly forward":             {maxNodes: 12, maxOut: 3, anywhere: 0.06},
	"forward with fixed, dead":   {maxNodes: 12, maxOut: 3, anywhere: 0.06, fixed: 0.05, dead: 0.1},
	"tangled":                    {maxNodes: 9, maxOut: 3, anywhere: 0.4},
	"tangled with fixed, dead":   {maxNodes: 9, maxOut: 3, anywhere: 0.4, fixed: 0.02, dead: 0.15},
	"multiway branches":          {maxNodes: 5, maxOut: 8, anywhere: 0.2, dead: 0.05},
	"few edges, much of it dead": {maxNodes: 10, maxOut: 2, anywhere: 0.2, dead: 0.4},
}

var allOptions = []pathnum.Options{
	{},
	{Order: pathnum.Original},
	{Order: pathnum.Coldest, Limit: 5},
	{Truncate: pathnum.BackEdge},
	{Truncate: pathnum.BackEdge, Order: pathnum.Original, Limit: 7},
	{Truncate: pathnum.Join},
}

const maxPaths = 5000 // the largest number of paths that tests enumerate

func TestPEP01PEP04PEP06PEP07RandomGraphs(t *testing.T) {
	for name, s := range shapes {
		t.Run(name, func(t *testing.T) {
			seeds := uint64(500)
			if testing.Short() {
				seeds = 50
			}
			var numbered, paths, irreducible, cut int
			for seed := range seeds {
				in := s.random(rand.New(rand.NewPCG(seed, 1)))
				for _, opts := range allOptions {
					g, ok := checkNumber(t, in, opts)
					if t.Failed() {
						t.Fatalf("seed %d, %+v: %+v", seed, opts, in)
					}
					if !ok {
						continue
					}
					numbered++
					paths += int(g.N)
					if _, reducible := naturalHeaders(g, in.Entry, alive(in)); !reducible {
						irreducible++
					}
					if slices.ContainsFunc(g.Starts, func(s pdag.Start) bool { return s.Cut }) {
						cut++
					}
				}
			}
			t.Logf("%d numberings of %d paths, %d of irreducible graphs, %d with cuts", numbered, paths, irreducible, cut)
			if all := int(seeds) * len(allOptions); numbered < all/3 {
				t.Errorf("only %d of %d graphs could be numbered", numbered, all)
			}
		})
	}
}

// With Rest, the loops that have an edge in each round on which paths end are not cut.
func TestRestOfLoops(t *testing.T) {
	none, some := 0, 0
	for seed := range uint64(1000) {
		in := shape{maxNodes: 9, maxOut: 3, anywhere: 0.2, fixed: 0.02, dead: 0.03,
			ends: 0.3}.random(rand.New(rand.NewPCG(seed, 3)))
		for _, limit := range []uint64{0, 4} {
			g, ok := checkNumber(t, in, pathnum.Options{Truncate: pathnum.Rest, Limit: limit})
			if t.Failed() {
				t.Fatalf("seed %d: %+v", seed, in)
			}
			if !ok {
				continue
			}
			// The edges that do not end paths, and edges from a new entry to where paths begin.
			rest := &pathnum.Graph{Entry: len(in.Nodes), Nodes: make([]pathnum.Node, len(in.Nodes)+1)}
			entries := &rest.Nodes[rest.Entry].Out
			*entries = []pathnum.Edge{{To: in.Entry}}
			live, asked := alive(in), map[int]bool{}
			var edges [][]bool
			for v, node := range in.Nodes {
				edges = append(edges, make([]bool, len(node.Out)))
				rest.Nodes[v].Out = node.Out
				for i, e := range node.Out {
					switch {
					case !live[v][i] || e.To == pdag.Exit:
					case e.Ends:
						asked[e.To] = true
						*entries = append(*entries, pathnum.Edge{To: e.To})
					default:
						edges[v][i] = true
					}
				}
			}
			edges = append(edges, slices.Repeat([]bool{true}, len(*entries)))
			numbered := &pdag.Graph{Nodes: make([]pdag.Node, len(rest.Nodes))}
			for v, node := range rest.Nodes {
				for _, e := range node.Out {
					numbered.Nodes[v].Out = append(numbered.Nodes[v].Out, pdag.Edge{To: e.To})
				}
			}
			headers, reducible := naturalHeaders(numbered, rest.Entry, edges)
			if !reducible {
				continue
			}
			for _, v := range headers {
				asked[v] = true
			}
			if len(headers) == 0 {
				none++
			} else {
				some++
			}
			want, got := slices.Sorted(maps.Keys(asked)), []int(nil)
			for _, s := range g.Starts[1:] {
				if !s.Cut {
					got = append(got, s.Node)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: paths start at %v, want %v: %+v", seed, got, want, in)
			}
		}
	}
	if none < 100 || some < 100 {
		t.Errorf("%d graphs have no other loop, %d have some", none, some)
	}
}

// PEP-14: with Join a path is a counter of an edge: no two paths end on the same one. Fixed edges into a node keep
// paths whole there, and paths of an entry that is a loop header end on the same edges as those of its further rounds.
func TestPEP14JoinsMakeCountersOfEdges(t *testing.T) {
	counters, shared := 0, 0
	for seed := range uint64(1000) {
		in := shapes["mostly forward"].random(rand.New(rand.NewPCG(seed, 14)))
		g, ok := checkNumber(t, in, pathnum.Options{Truncate: pathnum.Join})
		if t.Failed() || !ok {
			t.Fatalf("seed %d: %+v", seed, in)
		}
		if _, header := g.StartAfter(in.Entry); header {
			continue
		}
		counted := map[pdag.Step]int{}
		paths, _ := enumerate(g, maxPaths)
		for _, p := range paths {
			counted[p.steps[len(p.steps)-1]]++
			counters++
		}
		for _, n := range counted {
			if n != 1 {
				shared++
			}
		}
		if shared > 0 {
			t.Fatalf("seed %d: paths share the edges on which they end: %+v", seed, in)
		}
	}
	if counters < 5000 {
		t.Errorf("only %d paths were looked at", counters)
	}
}

// Paths are cut at nodes that are Whole where others are cut with 16 times the limit.
func TestWholeNodes(t *testing.T) {
	for n := range 30 { // nodes 1… are Whole, and each has two edges to the next
		in := &pathnum.Graph{Nodes: make([]pathnum.Node, n+1)}
		for v := range in.Nodes {
			to := v + 1
			if v == n {
				to = pdag.Exit
			}
			in.Nodes[v] = pathnum.Node{Out: []pathnum.Edge{{To: to}, {To: to}}, Whole: v > 0}
		}
		g, err := pathnum.Number(in, pathnum.Options{Limit: 4})
		if err != nil {
			t.Fatal(err)
		}
		var cuts []int
		for _, s := range g.Starts[1:] {
			cuts = append(cuts, s.Node)
		}
		var want []int
		for v := n - 6; v > 0; v -= 7 { // where 2^7 paths begin
			want = append(want, v)
		}
		slices.Sort(cuts)
		slices.Sort(want)
		if !slices.Equal(cuts, want) {
			t.Errorf("%d nodes: paths are cut at %v, want %v", n+1, cuts, want)
		}
	}
}

func FuzzNumber(f *testing.F) {
	f.Add([]byte{6, 0, 1, 1, 2, 1, 6, 2, 3, 2, 4, 3, 5, 4, 5, 5, 1})     // the vector
	f.Add([]byte{2, 0, 1, 0, 2, 1, 2, 2, 1, 2, 3})                       // a loop with two entries
	f.Add([]byte{0, 0, 0})                                               // for {}
	f.Add([]byte{3, 0, 0x21, 0, 0x42, 0, 0x22, 1, 4, 2, 4, 3, 3, 3, 44}) // fixed and dead edges
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 80 {
			return
		}
		for _, opts := range allOptions {
			checkNumber(t, fromBytes(data), opts)
		}
	})
}

// checkNumber numbers in and compares the result with the oracle. It reports false if
// the graph cannot be numbered.
func checkNumber(t *testing.T, in *pathnum.Graph, opts pathnum.Options) (g *pdag.Graph, ok bool) {
	t.Helper()
	live := alive(in)
	g, err := pathnum.Number(in, opts)
	if err != nil {
		checkError(t, in, live, err)
		return nil, false
	}
	if msg := g.Check(); msg != "" {
		t.Errorf("not well-formed: %s", msg)
		return nil, false
	}
	checkEdges(t, in, g, live)
	checkTruncation(t, in, g, live, opts)
	paths, all := enumerate(g, maxPaths)
	if all {
		checkPaths(t, g, paths)
		checkPartial(t, g, paths)
	}
	return g, true
}

// checkError makes sure that an error names an edge that is fixed and would
// need code.
func checkError(t *testing.T, in *pathnum.Graph, live [][]bool, err error) {
	t.Helper()
	var fixed *pathnum.FixedError
	if !errors.As(err, &fixed) {
		t.Fatal(err)
	}
	e := in.Nodes[fixed.Node].Out[fixed.Out]
	if !e.Fixed || !live[fixed.Node][fixed.Out] || e.To != fixed.To {
		t.Errorf("%+v names edge %+v, live %t", fixed, e, live[fixed.Node][fixed.Out])
	}
	if fixed.Truncated {
		return
	}
	others := 0
	for i, o := range in.Nodes[fixed.Node].Out {
		if o.Fixed && live[fixed.Node][i] {
			others++
		}
	}
	if others < 2 {
		t.Errorf("%+v names the only fixed edge of its node", fixed)
	}
}

// checkEdges makes sure that out has the edges of in, that exactly the edges that are
// not alive are dead, and that fixed edges need no code.
func checkEdges(t *testing.T, in *pathnum.Graph, out *pdag.Graph, live [][]bool) {
	t.Helper()
	if len(out.Nodes) != len(in.Nodes) {
		t.Fatalf("got %d nodes, want %d", len(out.Nodes), len(in.Nodes))
	}
	for v, n := range in.Nodes {
		if len(out.Nodes[v].Out) != len(n.Out) {
			t.Fatalf("node %d: got %d edges, want %d", v, len(out.Nodes[v].Out), len(n.Out))
		}
		for i, e := range n.Out {
			got := out.Nodes[v].Out[i]
			if got.To != e.To || got.Dead == live[v][i] {
				t.Errorf("node %d, out-edge %d: got %+v for %+v, live %t", v, i, got, e, live[v][i])
			}
			if e.Fixed && (got.Val != 0 || got.Ends) {
				t.Errorf("node %d, out-edge %d is fixed: got %+v", v, i, got)
			}
		}
	}
}

func checkTruncation(t *testing.T, in *pathnum.Graph, g *pdag.Graph, live [][]bool, opts pathnum.Options) {
	t.Helper()
	n := len(g.Nodes)
	if g.Starts[0].Node != in.Entry {
		t.Errorf("first start is node %d, want the entry %d", g.Starts[0].Node, in.Entry)
	}
	var headers, starts []int
	for _, s := range g.Starts[1:] {
		starts = append(starts, s.Node)
		if !s.Cut {
			headers = append(headers, s.Node)
		}
	}
	slices.Sort(headers)
	all := reach(n, n, liveEdges(g, live))
	kept := reach(n, n, func(yield func(from, to int)) {
		for v, node := range g.Nodes {
			for i, e := range node.Out {
				switch {
				case !live[v][i] || e.To == pdag.Exit:
				case !e.Ends:
					yield(v, e.To)
					if opts.Truncate == pathnum.Header && slices.Contains(starts, e.To) {
						t.Errorf("edge %d→%d to a header is not truncated", v, e.To)
					}
				case opts.Truncate == pathnum.BackEdge && opts.Limit == 0 && v != e.To && !all[e.To][v]:
					t.Errorf("edge %d→%d is truncated and closes no cycle", v, e.To)
				}
			}
		}
	})
	for v := range n {
		if kept[v][v] {
			t.Errorf("node %d is on a cycle without truncated edges", v)
		}
	}
	if opts.Truncate == pathnum.Rest {
		return // TestRestOfLoops looks at the headers
	}
	if want, reducible := naturalHeaders(g, in.Entry, live); reducible && !slices.Equal(headers, want) {
		t.Errorf("got loop headers %v, want %v", headers, want)
	}
}

// checkPaths makes sure that the paths have the numbers 0 … N-1 and that each number
// decodes to its path.
func checkPaths(t *testing.T, g *pdag.Graph, paths []path) {
	t.Helper()
	if uint64(len(paths)) != g.N {
		t.Errorf("N is %d, but there are %d paths", g.N, len(paths))
		return
	}
	seen := make([]bool, g.N)
	for _, p := range paths {
		if p.sum >= g.N || seen[p.sum] {
			t.Errorf("number %d of %d is given twice or too large", p.sum, g.N)
			return
		}
		seen[p.sum] = true
		start, steps, ok := g.Decode(p.sum)
		if !ok || start != p.start || !slices.Equal(steps, p.steps) {
			t.Errorf("Decode(%d) = %d, %v, %t, want %d, %v", p.sum, start, steps, ok, p.start, p.steps)
		}
	}
	if _, _, ok := g.Decode(g.N); ok {
		t.Errorf("Decode(N) is ok")
	}
}

// checkPartial makes sure that decoding finds every prefix of every path again, and
// takes no other value of the register for a prefix.
func checkPartial(t *testing.T, g *pdag.Graph, paths []path) {
	t.Helper()
	type moment struct {
		r  uint64
		at int
	}
	prefixes := make(map[moment]path)
	for _, p := range paths {
		r := g.Starts[p.start].Val
		for i, s := range p.steps {
			prefixes[moment{r, s.Node}] = path{start: p.start, steps: p.steps[:i]}
			r += g.Nodes[s.Node].Out[s.Out].Val
		}
	}
	for p := range min(g.N, 300) {
		for at := range g.Nodes {
			want, wantOK := prefixes[moment{p, at}]
			start, steps, ok := g.DecodePartial(p, at)
			if ok != wantOK || start != want.start || !slices.Equal(steps, want.steps) {
				t.Errorf("DecodePartial(%d, %d) = %d, %v, %t, want %d, %v, %t", p, at, start, steps, ok, want.start, want.steps,
					wantOK)
			}
		}
	}
}

func TestPEP08HottestEdgesCarryNothing(t *testing.T) {
	for seed := range uint64(500) {
		in := shapes["tangled with fixed, dead"].random(rand.New(rand.NewPCG(seed, 8)))
		g, err := pathnum.Number(in, pathnum.Options{})
		if err != nil {
			continue
		}
		for v, n := range g.Nodes {
			for i, e := range n.Out {
				if e.Dead || e.Val == 0 {
					continue
				}
				// The edge that is numbered first is at least as hot as the others, or
				// is fixed.
				first := slices.IndexFunc(n.Out, func(o pdag.Edge) bool { return !o.Dead && o.Val == 0 })
				if f := in.Nodes[v].Out[first]; f.Freq < in.Nodes[v].Out[i].Freq && !f.Fixed {
					t.Errorf("seed %d: node %d: out-edge %d is hotter than out-edge %d and has Val %d", seed, v, i, first, e.Val)
				}
			}
		}
	}
}

func TestPEP09FrequenciesNeverChangeThePaths(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 9))
		in := shapes["tangled with fixed, dead"].random(r)
		var want []string
		for try := range 5 {
			opts := pathnum.Options{Order: pathnum.Order(r.IntN(3)), Limit: 9}
			g, err := pathnum.Number(in, opts)
			if err != nil {
				break
			}
			got := keys(t, g)
			if try == 0 {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, %+v (-want +got):\n%s", seed, opts, diff)
			}
			for v := range in.Nodes {
				for i := range in.Nodes[v].Out {
					in.Nodes[v].Out[i].Freq = r.Float64() * 1000
				}
			}
		}
	}
}

// keys returns the sorted keys of the paths of g.
func keys(t *testing.T, g *pdag.Graph) []string {
	t.Helper()
	paths, all := enumerate(g, maxPaths)
	if !all {
		t.Fatalf("more than %d paths", maxPaths)
	}
	var keys []string
	for _, p := range paths {
		keys = append(keys, p.key(g))
	}
	slices.Sort(keys)
	return keys
}

// ifs is a function of n ifs without else, one after the other.
func ifs(n int) *pathnum.Graph {
	g := &pathnum.Graph{}
	for i := range n {
		cond := 2 * i
		g.Nodes = append(g.Nodes,
			pathnum.Node{Out: []pathnum.Edge{{To: cond + 1}, {To: cond + 2}}},
			pathnum.Node{Out: []pathnum.Edge{{To: cond + 2}}})
	}
	g.Nodes = append(g.Nodes, pathnum.Node{Out: []pathnum.Edge{{To: pdag.Exit}}})
	return g
}

func TestPEP35FortyIfsAreCut(t *testing.T) {
	g, err := pathnum.Number(ifs(40), pathnum.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if msg := g.Check(); msg != "" {
		t.Fatal(msg)
	}
	// Thirteen ifs have 8192 paths, the first number above the limit.
	want := []pdag.Start{
		{Node: 0},
		{Node: 2 * 1, Val: 2, Cut: true},
		{Node: 2 * 14, Val: 2 + 8192, Cut: true},
		{Node: 2 * 27, Val: 2 + 2*8192, Cut: true},
	}
	if diff := cmp.Diff(want, g.Starts); diff != "" {
		t.Errorf("starts (-want +got):\n%s", diff)
	}
	for p := uint64(0); p < g.N; p += 997 {
		if _, _, ok := g.Decode(p); !ok {
			t.Errorf("path %d of %d is not decoded", p, g.N)
		}
	}
}

func TestPEP35TooManyPaths(t *testing.T) {
	uncapped := pathnum.Options{Limit: 1 << 63}
	g, err := pathnum.Number(ifs(31), uncapped)
	if err != nil || g.N != 1<<31 {
		t.Errorf("31 ifs: got %v, want 2^31 paths", err)
	}
	_, err = pathnum.Number(ifs(32), uncapped)
	var size *pathnum.SizeError
	if !errors.As(err, &size) {
		t.Errorf("32 ifs: got error %v, want a SizeError", err)
	}
}

func TestFixedEdges(t *testing.T) {
	tests := []struct{ name, graph, err string }{
		{"A fixed edge into a loop cannot be truncated.", "A:H! H:B,- B:H",
			"out-edge 0 of node 0 leads to loop header 1 and has no insertion point"},
		{"A fixed edge that closes a loop cannot be truncated.", "A:H H:-,B B:X,H! X:H",
			"out-edge 1 of node 2 leads to loop header 1 and has no insertion point"},
		{"Two fixed edges of a node cannot both have Val 0.", "A:X!,B!,- X:- B:-",
			"out-edge 1 of node 0 is the second one without an insertion point"},
		{"A dead fixed edge is in nobody's way.", "A:X!,?B!,- X:- B:-", ""},
		{"A fixed edge to a panic is in nobody's way.", "A:X!,B!,- X:- B:C! C:", ""},
		{"A fixed edge that cannot be reached is in nobody's way.", "A:- B:C!,-! C:B!", ""},
		{"A fixed edge may leave the function.", "A:-!,B B:-", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := pathnum.Number(parse(t, test.graph), pathnum.Options{})
			if got := fmt.Sprint(err); got != test.err && !(test.err == "" && err == nil) {
				t.Errorf("got error %q, want %q", got, test.err)
			}
		})
	}
}

func TestFixedEdgesComeFirst(t *testing.T) {
	g, err := pathnum.Number(parse(t, "A:B*9,C*1! B:- C:-"), pathnum.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := vals(g, "ABC"), "A→B 1; A 0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFixedEdgesAreNotCut(t *testing.T) {
	// D has too many paths, but a fixed edge leads to it: B and C are cut.
	g, err := pathnum.Number(parse(t, "A:B,C B:D C:D! D:-,-,-"), pathnum.Options{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := starts(g, "ABCD"), "A 0, B 2 cut, C 5 cut"; got != want {
		t.Errorf("got starts %s, want %s", got, want)
	}
}

func TestFunctionsWithoutAnEnd(t *testing.T) {
	tests := []struct {
		name, graph string
		paths       uint64
	}{
		{"An endless loop has the way to it and its rounds for paths.", "A:H H:H", 2},
		{"An endless loop at the entry has its start and its rounds.", "H:H", 2},
		{"A function that only panics has no paths.", "A:B B:?-", 0},
		{"A function without any edge has no paths.", "A:", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g, err := pathnum.Number(parse(t, test.graph), pathnum.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if msg := g.Check(); msg != "" || g.N != test.paths {
				t.Errorf("got %d paths %q, want %d", g.N, msg, test.paths)
			}
		})
	}
}
