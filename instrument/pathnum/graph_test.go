package pathnum_test

// This file makes graphs for tests: from text, at random, from fuzzed bytes.

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/instrument/pathnum"
)

// parse makes a graph from one field per node, in the order of the fields:
//
//	A:H H:B*9,X! B:H X:-,?D D:
//
// H has an edge to B with frequency 9 and a fixed one to X, X one to Exit and a
// dead one to D. The entry is the first node.
func parse(t *testing.T, text string) *pathnum.Graph {
	t.Helper()
	fields := strings.Fields(text)
	index := map[string]int{"-": pdag.Exit}
	for i, f := range fields {
		name, _, _ := strings.Cut(f, ":")
		index[name] = i
	}
	g := &pathnum.Graph{Nodes: make([]pathnum.Node, len(fields))}
	for i, f := range fields {
		_, outs, _ := strings.Cut(f, ":")
		for _, out := range strings.FieldsFunc(outs, func(r rune) bool { return r == ',' }) {
			var e pathnum.Edge
			out, e.Dead = strings.CutPrefix(out, "?")
			out, e.Fixed = strings.CutSuffix(out, "!")
			name, freq, _ := strings.Cut(out, "*")
			if freq != "" {
				var err error
				if e.Freq, err = strconv.ParseFloat(freq, 64); err != nil {
					t.Fatal(err)
				}
			}
			to, ok := index[name]
			if !ok {
				t.Fatalf("%s: no node %q", f, name)
			}
			e.To = to
			g.Nodes[i].Out = append(g.Nodes[i].Out, e)
		}
	}
	return g
}

// A shape says what random graphs look like.
type shape struct {
	maxNodes, maxOut int
	anywhere         float64 // share of edges with a random target; others lead a little forward
	fixed, dead      float64 // shares of edges
	ends             float64 // share of edges on which paths must end
}

// random makes a graph. Some of its edges are double.
func (s shape) random(r *rand.Rand) *pathnum.Graph {
	n := 1 + r.IntN(s.maxNodes)
	g := &pathnum.Graph{Entry: r.IntN(min(n, 2)), Nodes: make([]pathnum.Node, n)}
	for v := range g.Nodes {
		out := &g.Nodes[v].Out
		for range 1 + r.IntN(s.maxOut) {
			e := pathnum.Edge{
				To:    pdag.Exit,
				Freq:  float64(r.IntN(100)),
				Fixed: r.Float64() < s.fixed,
				Dead:  r.Float64() < s.dead,
			}
			if s.ends > 0 {
				e.Ends = !e.Fixed && r.Float64() < s.ends
			}
			switch {
			case r.Float64() < s.anywhere:
				e.To = r.IntN(n)
			case v+1 < n && r.IntN(8) > 0:
				e.To = v + 1 + r.IntN(min(4, n-v-1))
			}
			*out = append(*out, e)
			if r.IntN(8) == 0 {
				*out = append(*out, e)
			}
		}
	}
	return g
}

// fromBytes makes a graph of at most 16 nodes from fuzzed bytes: per edge, one
// byte for its source and one for its target and flags.
func fromBytes(data []byte) *pathnum.Graph {
	g := &pathnum.Graph{Nodes: make([]pathnum.Node, 1)}
	if len(data) == 0 {
		return g
	}
	n := 1 + int(data[0]%16)
	g.Nodes = make([]pathnum.Node, n)
	g.Entry = int(data[0]/16) % n
	for data = data[1:]; len(data) >= 2; data = data[2:] {
		from := int(data[0]) % n
		to := int(data[1]%32) % (n + 1)
		if to == n {
			to = pdag.Exit
		}
		g.Nodes[from].Out = append(g.Nodes[from].Out, pathnum.Edge{
			To:    to,
			Freq:  float64(data[0] / 16),
			Fixed: data[1]&0xe0 == 0x20,
			Dead:  data[1]&0xe0 == 0x40,
		})
	}
	return g
}
