package exactness

import (
	"fmt"
	"testing"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
)

// The graph is the loop in the comment of package pdag, with a counter in every node.
func TestCompareFunc(t *testing.T) {
	graph := pdag.Graph{
		Nodes: []pdag.Node{
			{Out: []pdag.Edge{{To: 1, Ends: true}}},
			{Out: []pdag.Edge{{To: 2}, {To: 3, Val: 1}}},
			{Out: []pdag.Edge{{To: 1, Ends: true}}},
			{Out: []pdag.Edge{{To: pdag.Exit}}},
		},
		Starts: []pdag.Start{{Node: 0}, {Node: 1, Val: 1}},
		N:      3,
	}
	const big = 1<<32 + 5
	tests := []struct {
		name  string
		paths [3]uint64
		cover [4]uint32
		want  string // kinds of the blocks
		wrong int

		// What the profile says of paths that have not ended.
		unended [2]int64
	}{
		{"all paths ended", [3]uint64{5, 70, 5}, [4]uint32{5, 75, 70, 5}, "[equal equal equal equal]", 0, [2]int64{0, 0}},
		{"counters overflow", [3]uint64{big, 70, big}, [4]uint32{5, 75, 70, 5}, "[equal equal equal equal]", 0,
			[2]int64{0, 0}},
		{"two panics in the body", [3]uint64{5, 70, 3}, [4]uint32{5, 75, 72, 3}, "[equal unended unended equal]", 0,
			[2]int64{0, 2}},
		{"a panic at the entry", [3]uint64{5, 70, 5}, [4]uint32{6, 75, 70, 5}, "[unended equal equal equal]", 0,
			[2]int64{1, 0}},
		{"a panic at the entry that the profile does not have", [3]uint64{5, 70, 5}, [4]uint32{6, 75, 70, 5},
			"[unended equal equal equal]", 1, [2]int64{0, 0}},
		{"a panic in the body that the profile does not have", [3]uint64{5, 70, 4}, [4]uint32{5, 75, 71, 4},
			"[equal unended unended equal]", 1, [2]int64{0, 0}},
		{"a panic of the profile alone", [3]uint64{5, 70, 5}, [4]uint32{5, 75, 70, 5}, "[equal equal equal equal]", 1,
			[2]int64{0, 1}},
		{"one execution more than possible", [3]uint64{5, 70, 3}, [4]uint32{5, 75, 73, 3}, "[equal unended FAILURE equal]", 0,
			[2]int64{0, 2}},
		{"a count without any unended path", [3]uint64{5, 70, 5}, [4]uint32{5, 75, 71, 5}, "[equal equal FAILURE equal]", 0,
			[2]int64{0, 0}},
		{"paths where nothing was executed", [3]uint64{5, 70, 5}, [4]uint32{5, 75, 69, 5}, "[equal equal FAILURE equal]", 0,
			[2]int64{0, 0}},
		{"behind a node without excess", [3]uint64{5, 70, 3}, [4]uint32{5, 73, 71, 3}, "[equal equal FAILURE equal]", 0,
			[2]int64{0, 2}},
		{"more rounds than begin", [3]uint64{5, 70, 6}, [4]uint32{5, 76, 70, 6}, "[equal equal equal equal]", 1,
			[2]int64{0, 0}},
		{"more entries than there were", [3]uint64{5, 70, 5}, [4]uint32{4, 75, 70, 5}, "[FAILURE equal equal equal]", 1,
			[2]int64{0, 0}},
	}
	for _, test := range tests {
		f := newFlow(&wire.Func{Name: "f", Graph: graph})
		for p, n := range test.paths {
			if err := f.add(uint64(p), n); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.balance(); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		f.unendedEntry, f.unendedElsewhere = test.unended[0], test.unended[1]
		c := &comparison{report: &Report{}}
		counters := make([][]*counter, len(graph.Nodes))
		for v, n := range test.cover {
			counters[v] = []*counter{{pos: pos{line: v}, count: n}}
		}
		c.compareFunc(f, counters)
		var kinds []Kind
		for _, b := range c.report.Blocks {
			kinds = append(kinds, b.Kind)
		}
		if got := fmt.Sprint(kinds); got != test.want || len(c.report.Wrong) != test.wrong {
			t.Errorf("%s: got %s, %q, want %s, %d things wrong", test.name, got, c.report.Wrong, test.want, test.wrong)
		}
	}
}
