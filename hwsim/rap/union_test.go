package rap

import (
	"math/rand/v2"
	"testing"
)

// Trees of several processors are merged into one. Its error is at any time within the
// sum of their bounds, also if the trees were results of merges.
func TestMergedTreesKeepTheirBound(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		o := Options{Eps: []float64{0.01, 0.1}[seed%2], B: []int{2, 4, 16}[seed%3], Policy: Policy(seed / 3 % 3)}
		all, exact := newTest(t, o), &oracle{}
		var bounds uint64
		for p := range 4 {
			tree := newTest(t, o)
			src := words(seed*10+uint64(p), 1.05+r.Float64(), p%2 == 0)
			for range r.IntN(30_000) {
				x := src.next()
				if p == 3 {
					x = r.Uint64() >> r.IntN(40)
				}
				tree.Add([]uint64{x})
				exact.add(x, 1)
			}
			bounds += tree.Bound()
			if err := all.Merge(tree); err != nil {
				t.Fatal(err)
			}
			check(t, all, exact)
			if tree.Events() != 0 || tree.Stats().Nodes != 1 {
				t.Fatalf("the other tree is left with %+v", tree.Stats())
			}
			checkStructure(t, tree)
			if all.Bound() > bounds+2*uint64(o.depth()+64)*uint64(p+2) {
				t.Fatalf("bound %d of the merged tree, those of the trees are %d", all.Bound(), bounds)
			}
			for range r.IntN(5000) { // the merged tree goes on
				x := src.next()
				all.Add([]uint64{x})
				exact.add(x, 1)
			}
			check(t, all, exact)
			bounds = all.Bound()
		}
		if s := all.Stats(); s.Denied > 0 && o.Policy == Internal {
			t.Errorf("%+v", s)
		}
	}
}

// Each tree adds the cost of its first splits to the error: 30 events of a point are in
// 30 nested ranges of each tree.
func TestMergedTreesAddUpTheirSlack(t *testing.T) {
	all, exact := newTest(t, Options{}), &oracle{}
	for range 40 {
		tree := newTest(t, Options{})
		tree.AddCount(1, 30)
		exact.add(1, 30)
		if err := all.Merge(tree); err != nil {
			t.Fatal(err)
		}
		check(t, all, exact)
	}
	if worst := all.WorstError(); worst != 1200 {
		t.Errorf("worst error %d, want 1200: none of the events is in a single point", worst)
	}
}

// If there is no space for ranges of the other tree, their counts go to the ranges
// around them.
func TestMergeWithoutSpace(t *testing.T) {
	o := Options{Eps: 0.05}
	a, exact := newTest(t, Options{Eps: 0.05, Nodes: 50}), &oracle{}
	b := newTest(t, o)
	src := words(1, 1.2, true)
	for range 20_000 {
		x := src.next()
		b.Add([]uint64{x})
		exact.add(x, 1)
	}
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	check(t, a, exact)
	if a.Stats().Denied == 0 {
		t.Error("nothing was denied")
	}
	// What was denied in either tree, and how much each was split and merged, is of both then.
	c, before := newTest(t, o), a.Stats()
	c.Add(src.points(20_000))
	own := c.Stats()
	if err := c.Merge(a); err != nil {
		t.Fatal(err)
	}
	if s := c.Stats(); s.Denied != before.Denied+own.Denied || s.Splits < before.Splits+own.Splits ||
		s.Merges <= before.Merges+own.Merges || s.Merged < before.Merged+own.Merged {
		t.Errorf("%+v and %+v became %+v", own, before, s)
	}
}

func TestOnlyTreesOfAKindAreMerged(t *testing.T) {
	base := Options{Eps: 0.1, Universe: 1 << 20, B: 4}
	for want, o := range map[string]Options{
		"rap: Eps: want the same in both trees":      {Eps: 0.2, Universe: 1 << 20, B: 4},
		"rap: Universe: want the same in both trees": {Eps: 0.1, Universe: 1 << 21, B: 4},
		"rap: B: want the same in both trees":        {Eps: 0.1, Universe: 1 << 20, B: 2},
		"rap: Height: want the same in both trees":   {Eps: 0.1, Universe: 1 << 20, B: 4, Height: LogB},
	} {
		if err := newTest(t, base).Merge(newTest(t, o)); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	a, b := newTest(t, base), newTest(t, base)
	a.AddCount(1, 1<<62)
	b.AddCount(1, 1<<63)
	if err := a.Merge(b); err == nil || b.Events() != 1<<63 {
		t.Errorf("%v, and %d events in the other tree", err, b.Events())
	}
}
