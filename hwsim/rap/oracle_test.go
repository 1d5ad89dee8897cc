package rap

// This file holds what the tests compare trees with: exact counts, and streams.

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// An oracle knows all points exactly: the points in order, and the number of events
// before each of them.
type oracle struct {
	counts map[uint64]uint64
	n      uint64
	points []uint64 // sorted if sums is valid
	sums   []uint64 // number of events of points[:i]
}

func (o *oracle) add(x, count uint64) {
	if o.counts == nil {
		o.counts = map[uint64]uint64{}
	}
	o.counts[x] += count
	o.n += count
	o.sums = nil
}

// count returns the number of events with points from lo to hi.
func (o *oracle) count(lo, hi uint64) uint64 {
	if o.sums == nil {
		o.points = o.points[:0]
		for x := range o.counts {
			o.points = append(o.points, x)
		}
		slices.Sort(o.points)
		o.sums = make([]uint64, len(o.points)+1)
		for i, x := range o.points {
			o.sums[i+1] = o.sums[i] + o.counts[x]
		}
	}
	from, _ := slices.BinarySearch(o.points, lo)
	to, found := slices.BinarySearch(o.points, hi)
	if found {
		to++
	}
	return o.sums[to] - o.sums[from]
}

// newTest returns a tree.
func newTest(t testing.TB, o Options) *Tree {
	t.Helper()
	tree, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// check checks all promises of a tree: its structure, and the sum of its counts. For
// every range of the tree, and every aligned range around a sample of points, it checks
// that the truth is within the estimate, and the error within the bound.
func check(t testing.TB, tree *Tree, o *oracle) {
	t.Helper()
	checkStructure(t, tree)
	if tree.Events() != o.n {
		t.Fatalf("%d events, want %d", tree.Events(), o.n)
	}
	bound := tree.Bound()
	if tree.s.Denied > 0 {
		bound = tree.n
	}
	worst := tree.WorstError()
	if want := worstError(tree); worst != want {
		t.Fatalf("after %d events: worst error %d, the ranges of the tree allow %d", o.n, worst, want)
	}
	if worst > bound {
		t.Fatalf("after %d events: worst error %d, bound %d", o.n, worst, bound)
	}
	ranges := func(lo, hi uint64) {
		least, most := tree.Estimate(lo, hi)
		truth := o.count(lo, hi)
		if least > truth || most < truth {
			t.Fatalf("after %d events: %#x-%#x has %d events, the estimate is %d to %d", o.n, lo, hi, truth, least, most)
		}
		if truth-least > worst {
			t.Fatalf("after %d events: %#x-%#x has %d events, the estimate is %d and so %d too low; worst error %d", o.n, lo, hi,
				truth, least, truth-least, worst)
		}
	}
	for _, r := range tree.Ranges(0.1) {
		ranges(r.Lo, r.Hi)
	}
	seen := 0
	for x := range o.counts {
		if seen++; seen > 200 {
			break
		}
		for shift := 0; ; shift += tree.o.logB() {
			shift = min(shift, tree.o.bits())
			lo := x >> shift << shift
			ranges(lo, lo+(1<<shift-1))
			if shift == tree.o.bits() {
				break
			}
		}
	}
}

// worstError computes what WorstError promises from the list of ranges: all events of the ranges around a point, or
// around a part of the innermost of them, may be in that point or part.
func worstError(tree *Tree) (worst uint64) {
	var around []uint64 // by depth: the events of a range of several points, and of those around it
	for _, r := range tree.Ranges(0.1) {
		sum := uint64(0)
		if r.Depth > 0 {
			sum = around[r.Depth-1]
		}
		if r.Lo < r.Hi {
			sum += r.Count
		}
		around = append(around[:r.Depth], sum)
		worst = max(worst, sum)
	}
	return worst
}

// checkStructure checks the slice of nodes: every node is in the slot for its range, no
// joint is superfluous, and every node in use can be reached.
func checkStructure(t testing.TB, tree *Tree) {
	t.Helper()
	var sum uint64
	nodes, joints := 0, 0
	var visit func(i uint32, top bool)
	visit = func(i uint32, top bool) {
		nd := tree.nodes[i]
		sum += nd.count
		kids := 0
		for c, k := range tree.slotsOf(i) {
			if k == 0 {
				continue
			}
			kids++
			kid := tree.nodes[k]
			lo := nd.lo + uint64(c)<<nd.below
			if kid.shift > nd.below || kid.lo < lo || kid.lo-lo > 1<<nd.below-1 || nd.shift == 0 ||
				kid.lo&(1<<kid.shift-1) != 0 {
				t.Fatalf("node %+v in slot %d of %+v", kid, c, nd)
			}
			visit(k, false)
		}
		switch {
		case kids != int(nd.kids):
			t.Fatalf("%d slots of %+v are in use", kids, nd)
		case nd.joint && (kids < 2 || nd.count != 0 || top):
			t.Fatalf("joint %+v", nd)
		case nd.joint:
			joints++
		default:
			nodes++
			if tree.complete(i) && nd.stop != 0 {
				t.Fatalf("%+v has all its children and would count", nd)
			}
		}
	}
	for _, r := range tree.roots {
		visit(r, true)
	}
	if sum != tree.n {
		t.Fatalf("the counts of all nodes are %d, of %d events", sum, tree.n)
	}
	if nodes != tree.s.Nodes || joints != tree.s.Joints {
		t.Fatalf("%d nodes and %d joints, counted as %d and %d", nodes, joints, tree.s.Nodes, tree.s.Joints)
	}
	free := 0
	for i := tree.free; i != 0; i = uint32(tree.nodes[i].lo) {
		free++
	}
	if int(tree.used) != 1+nodes+joints+free {
		t.Fatalf("%d nodes were used, %d are in the tree and %d free", tree.used-1, nodes+joints, free)
	}
}

// A source makes streams that resemble real ones.
type source struct {
	rng  *rand.Rand
	zipf *rand.Zipf
	of   []uint64 // values by rank
}

// words returns a source of skewed words: rank k of 2^16 words has a share proportional
// to 1/k^s. If wide is true, the words are random, otherwise they are small integers.
func words(seed uint64, s float64, wide bool) *source {
	r := rand.New(rand.NewPCG(seed, 1))
	src := &source{rng: r, zipf: rand.NewZipf(r, s, 1, 1<<16-1), of: make([]uint64, 1<<16)}
	for i := range src.of {
		src.of[i] = uint64(i)
		if wide {
			src.of[i] = r.Uint64()
		}
	}
	return src
}

func (s *source) next() uint64 { return s.of[s.zipf.Uint64()] }

func (s *source) points(n int) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		list[i] = s.next()
	}
	return list
}

// twoPhases returns n points. The first half is uniform. In the second half every
// second point is the same.
func twoPhases(seed uint64, n int) []uint64 {
	r := rand.New(rand.NewPCG(seed, 2))
	list := make([]uint64, n)
	for i := range list {
		list[i] = r.Uint64()
		if i >= n/2 && r.IntN(2) == 0 {
			list[i] = 0x123456789abcdef0
		}
	}
	return list
}

// code returns n points that resemble the basic blocks of a program: loops of a few
// blocks that run many times, one loop after another, in functions of which few are
// hot.
func code(seed uint64, n int) []uint64 {
	src := words(seed, 1.2, false)
	list := make([]uint64, 0, n)
	for len(list) < n {
		at := 0x400000 + src.next()*64
		blocks, times := 1+src.rng.IntN(12), 1+int(src.rng.ExpFloat64()*30)
		for range times {
			for b := range blocks {
				list = append(list, at+uint64(b)*16)
			}
		}
	}
	return list[:n]
}
