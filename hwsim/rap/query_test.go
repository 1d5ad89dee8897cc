package rap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRAP09_GrowingIntervals(t *testing.T) {
	for _, x := range []struct {
		s    Schedule
		n    uint64
		want int
	}{
		{Schedule{}, 1<<32 - 1, 22},
		{Schedule{}, 1<<64 - 1, 54},
		{Schedule{}, 1023, 0},
		{Schedule{}, 1024, 1},
		{Schedule{Q: 4}, 1<<32 - 1, 11},
		{Schedule{Q: 3, First: 100}, 1000, 3},
		{Schedule{Kind: Periodic, First: 100}, 1000, 10},
		{Schedule{Kind: Continuous}, 1000, 0},
	} {
		if got := Merges(x.s, x.n); got != x.want {
			t.Errorf("Merges(%+v, %d) = %d, want %d", x.s, x.n, got, x.want)
		}
	}
	// Trees follow the schedule, in whatever way their events come.
	for _, s := range []Schedule{{}, {Q: 4}, {Q: 3, First: 100}, {Kind: Periodic, First: 7777}} {
		one, many := newTest(t, Options{Eps: 0.1, Schedule: s}), newTest(t, Options{Eps: 0.1, Schedule: s})
		for i := range 10 {
			one.AddCount(uint64(i), 10_000)
			for range 10_000 {
				many.Add([]uint64{uint64(i)})
			}
		}
		want := uint64(Merges(s, 100_000))
		if got := many.Stats().Merges; got != want {
			t.Errorf("%+v: %d merges, want %d", s, got, want)
		}
		if s.Kind == Periodic {
			want = 10 // one for each count
		}
		if got := one.Stats().Merges; got != want {
			t.Errorf("%+v: %d merges of counts, want %d", s, got, want)
		}
	}
}

// A merge counts the ranges that it removes.
func TestMergedRangesAreCounted(t *testing.T) {
	tree := newTest(t, Options{Eps: 0.1})
	src := words(2, 1.2, true)
	removed := uint64(0)
	for range 20 {
		tree.Add(src.points(3000))
		before := tree.Stats()
		tree.merge()
		after := tree.Stats()
		gone := uint64(before.Nodes - after.Nodes)
		if after.Merged-before.Merged != gone || after.Merges != before.Merges+1 {
			t.Fatalf("%+v before a merge, %+v behind it", before, after)
		}
		removed += gone
	}
	if removed == 0 {
		t.Error("merges remove nothing")
	}
}

// Merges of the periodic schedule are due at multiples of First, also after a count
// that passed several multiples.
func TestPeriodicMergesAfterACount(t *testing.T) {
	tree := newTest(t, Options{Eps: 0.1, Schedule: Schedule{Kind: Periodic, First: 7777}})
	tree.AddCount(1, 10_000)
	tree.Add(make([]uint64, 5553))
	if n := tree.Stats().Merges; n != 1 {
		t.Errorf("%d merges before 2*7777 events", n)
	}
	tree.Add([]uint64{0})
	if n := tree.Stats().Merges; n != 2 {
		t.Errorf("%d merges after 2*7777 events", n)
	}
}

// Batches of merges at growing intervals need hardly more nodes than merges that happen
// as soon as they are possible.
func TestRAP10_Schedules(t *testing.T) {
	points := words(1, 1.2, true).points(40_000)
	most := map[string]int{}
	for name, s := range map[string]Schedule{
		"growing": {}, "periodic": {Kind: Periodic, First: 2000}, "continuous": {Kind: Continuous},
	} {
		tree := newTest(t, Options{Eps: 0.1, Schedule: s})
		tree.Add(points)
		most[name] = tree.Stats().Most
		t.Logf("%s: %+v", name, tree.Stats())
	}
	if c, g := most["continuous"], most["growing"]; c > g || g > 4*c {
		t.Errorf("at most %d nodes with continuous merges, %d with growing intervals", c, g)
	}
}

func TestRAP11_RAP12_WorstCases(t *testing.T) {
	// 8: 22 levels, because 64 is no multiple of 3
	for b, want := range map[int]uint64{2: 12800, 4: 12800, 8: 17600, 16: 25600} {
		if got := WorstNodes(Options{B: b}); got != want {
			t.Errorf("b %d: %d nodes, want %d", b, got, want)
		}
	}
	if got := WorstSplits(Options{}); got != 6400 {
		t.Errorf("%d splits between merges, the paper has 6400", got)
	}
	if got := WorstSplits(Options{Schedule: Schedule{Q: 3}}); got != 12800 {
		t.Errorf("%d splits with q = 3, want 12800", got)
	}
	// With q = 2 the space for growth is smallest.
	for q := uint64(3); q < 8; q++ {
		if a, b := ArenaNodes(Options{}), ArenaNodes(Options{Schedule: Schedule{Q: q}}); a >= b {
			t.Errorf("q 2 needs %d nodes, q %d %d", a, q, b)
		}
	}
	if got := ArenaNodes(Options{}); got != 12800+4*6400+1 {
		t.Errorf("space for %d nodes", got)
	}
	if got := ArenaNodes(Options{Universe: 256}); got > 512 {
		t.Errorf("space for %d nodes of 256 points", got)
	}
}

// The gzip example: [0,e] has 13.6 %. [0,fe] has 16.7 % without [0,e], and 30.3 % with
// it.
func TestRAP13_HotRanges(t *testing.T) {
	tree := newTest(t, Options{Universe: 1 << 16, Nodes: 100})
	put(tree, 0, 0xffff, 697)
	put(tree, 0, 0xff, 150)
	put(tree, 0x80, 0xbf, 17)
	put(tree, 0, 0xf, 90)
	put(tree, 4, 4, 46)
	hot := tree.Hot(0.1)
	want := []Range{
		{Lo: 0, Hi: 0xffff, Depth: 0, Count: 697, Weight: 697, Inclusive: 1000, Hot: true},
		{Lo: 0, Hi: 0xff, Depth: 1, Count: 150, Weight: 167, Inclusive: 303, Hot: true},
		{Lo: 0, Hi: 0xf, Depth: 2, Count: 90, Weight: 136, Inclusive: 136, Hot: true},
	}
	if !slices.Equal(hot, want) {
		t.Errorf("got  %+v\nwant %+v", hot, want)
	}
	if got := tree.Hot(0.137); len(got) != 2 || got[1].Weight != 167+136 {
		t.Errorf("hot above 13.7 %%: %+v", got)
	}
}

// If a stream fits into the tree entirely, all its counts are exact. For a stationary
// stream the error of every range is small.
func TestRAP14_PercentErrors(t *testing.T) {
	tree, exact := newTest(t, Options{Eps: 0.1, Universe: 16}), &oracle{}
	src := words(3, 1.2, false)
	for range 200_000 {
		x := src.next() % 16
		tree.Add([]uint64{x})
		exact.add(x, 1)
	}
	for _, r := range tree.Hot(0.1) {
		truth := exact.count(r.Lo, r.Hi)
		if off := 100 * float64(truth-r.Inclusive) / float64(truth); off > 0.1 {
			t.Errorf("%#x-%#x is %.3f %% off", r.Lo, r.Hi, off)
		}
	}
}

// The test compares Cover with all possible sets of ranges.
func TestRAP31_Coverage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		tree, exact := newTest(t, Options{Eps: 0.3, Universe: 64, Start: 1}), &oracle{}
		hot := r.Uint64N(64)
		for range 200 + r.IntN(2000) {
			x := r.Uint64N(64)
			if r.IntN(3) > 0 {
				x = hot
			}
			tree.Add([]uint64{x})
			exact.add(x, 1)
		}
		for _, share := range []float64{0.5, 0.8, 0.95, 1} {
			list, events := tree.Cover(share)
			var sum, least, truth uint64
			widest := 0
			least = 1 << 63
			for i, x := range list {
				if i > 0 && list[i-1].Hi >= x.Lo {
					t.Fatalf("%+v and %+v overlap", list[i-1], x)
				}
				sum += x.Inclusive
				least = min(least, x.Inclusive)
				truth += exact.count(x.Lo, x.Hi)
				widest = max(widest, x.Width())
			}
			need := share * float64(tree.Events())
			if sum != events || float64(events) < need || truth < events {
				t.Fatalf("%g: %d events, said to be %d, truly %d, need %g", share, sum, events, truth, need)
			}
			if float64(sum-least) >= need {
				t.Fatalf("%g: one less would do: %+v", share, list)
			}
			if best := coverable(tree, widest-1); float64(best) >= need {
				t.Fatalf("%g: ranges narrower than 2^%d hold %d, need %g", share, widest, best, need)
			}
		}
	}
}

// coverable returns how many events the ranges hold that are at most so wide: for each
// point, the counts that belong to such a range.
func coverable(tree *Tree, width int) (events uint64) {
	for _, r := range tree.Ranges(2) {
		if r.Width() <= width {
			events += r.Count
		}
	}
	return events
}

func TestRAP16_ABufferCombinesPoints(t *testing.T) {
	for name, points := range map[string][]uint64{
		"code": code(2, 300_000), "words": words(2, 1.1, true).points(100_000), "one": make([]uint64, 1000),
	} {
		tree, exact := newTest(t, Options{Eps: 0.1}), &oracle{}
		b := NewBuffer(tree, 10)
		for part := range slices.Chunk(points, 999) {
			b.Add(part)
			for _, x := range part {
				exact.add(x, 1)
			}
			if b.Held()+tree.Events() != exact.n {
				t.Fatalf("%s: %d events held and %d in the tree, of %d", name, b.Held(), tree.Events(), exact.n)
			}
		}
		b.Settle()
		check(t, tree, exact)
		t.Logf("%s: %.1f events to a count", name, b.Factor())
		if name == "code" && b.Factor() < 5 {
			t.Errorf("%s: %.1f events to a count", name, b.Factor())
		}
		if name == "one" && b.Factor() != 1000.0/4 {
			t.Errorf("1000 events of a point in %g each", b.Factor())
		}
		if n := testing.AllocsPerRun(3, func() { b.Add(points); b.Settle() }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
	small := NewBuffer(newTest(t, Options{Universe: 8}), 4)
	if err := small.Add([]uint64{1, 8}); err == nil || small.Held() != 1 {
		t.Errorf("%v, %d held", err, small.Held())
	}
}
