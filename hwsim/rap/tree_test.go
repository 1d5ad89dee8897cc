package rap

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// put adds a range to a tree by hand. Tests build the trees of the paper with it.
func put(tree *Tree, lo, hi, count uint64) {
	shift := uint8(0)
	for ; lo+(1<<shift-1) != hi; shift++ {
	}
	tree.place(tree.roots[0], &node{lo: lo, shift: shift, count: count})
	tree.n += count
}

// figure1 returns the tree of Fig 1: [0,255] > [0,63] > [12,13], with b = 2 and a
// threshold of 13.
func figure1(t *testing.T, inner uint64) *Tree {
	tree := newTest(t, Options{Eps: 0.5, Universe: 256, B: 2, Nodes: 100, Start: 1})
	put(tree, 0, 255, 100)
	put(tree, 0, 63, 100)
	put(tree, 12, 13, inner)
	tree.n = 208 // 0.5·208/8 = 13
	tree.nodes[tree.roots[0]].count += 208 - 200 - inner
	tree.setStops()
	return tree
}

func counts(tree *Tree) string {
	s := ""
	for _, r := range tree.Ranges(0.1) {
		s += fmt.Sprintf("%d-%d:%d ", r.Lo, r.Hi, r.Count)
	}
	return s
}

func TestRAP01_AnEventCountsForTheSmallestRangeAroundIt(t *testing.T) {
	tree := figure1(t, 5)
	if err := tree.Add([]uint64{12}); err != nil {
		t.Fatal(err)
	}
	if got, want := counts(tree), "0-255:103 0-63:100 12-13:6 "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// Passing the threshold splits [12,13], as in the figure.
	tree = figure1(t, 13)
	tree.Add([]uint64{12, 12, 13})
	if got, want := counts(tree), "0-255:95 0-63:100 12-13:14 12-12:1 13-13:1 "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRAP02_Thresholds(t *testing.T) {
	for _, x := range []struct {
		o    Options
		n    uint64
		want uint64
	}{
		{Options{}, 64_000, 10}, // 0.01·64000/64
		{Options{}, 64_000*7 - 1, 69},
		{Options{Height: LogB}, 64_000, 20}, // of 32 levels
		{Options{Eps: 0.1}, 64_000, 100},
		{Options{Eps: 0.1, Universe: 1 << 16}, 64_000, 400},
		{Options{Eps: 0.1, Universe: 1 << 16, Height: LogB, B: 16}, 64_000, 1600},
		{Options{Eps: 0.1, Universe: 1 << 15, Height: LogB, B: 16}, 64_000, 1600}, // 4 levels, the last of which has 8 parts
		{Options{Eps: 0.1}, 0, 1},                                                 // the same as after 1024 events
		{Options{Eps: 0.1, Start: 1}, 0, 0},
		{Options{Eps: 0.1, Start: 64_000}, 10, 100},
		{Options{}, 1 << 63, 1441151880758558}, // 2^63/6400
	} {
		if got := Threshold(x.o, x.n); got != x.want {
			t.Errorf("Threshold(%+v, %d) = %d, want %d", x.o, x.n, got, x.want)
		}
	}
}

func TestRAP03_ASplitGivesChildrenAndKeepsTheCount(t *testing.T) {
	for b := 2; b <= 256; b *= 2 {
		tree := newTest(t, Options{Eps: 0.5, Universe: 1 << 16, B: b, Start: 1000}) // threshold 31
		for range 31 {
			tree.Add([]uint64{77})
		}
		if n := tree.Stats().Nodes; n != 1 {
			t.Errorf("b %d: %d nodes at the threshold", b, n)
		}
		tree.Add([]uint64{77})
		list := tree.Ranges(2)
		if len(list) != 1+b || list[0].Count != 32 {
			t.Fatalf("b %d: %d ranges above the threshold, the first %+v", b, len(list), list[0])
		}
		for i, r := range list[1:] {
			width := uint64(1<<16) / uint64(b)
			if want := (Range{Lo: uint64(i) * width, Hi: uint64(i)*width + width - 1, Depth: 1}); r != want {
				t.Errorf("b %d: child %+v, want %+v", b, r, want)
			}
		}
		checkStructure(t, tree)
	}
	// A point is never split. With b = 4 the last split of 2^5 points has 2 parts.
	tree := newTest(t, Options{Eps: 0.9, Universe: 32, Start: 1})
	for range 1000 {
		tree.Add([]uint64{21})
	}
	if got, want := len(tree.Ranges(2)), 1+4+4+2; got != want {
		t.Errorf("%d ranges, want %d: %s", got, want, counts(tree))
	}
	checkStructure(t, tree)
}

func TestRAP04_ASplitOfANodeWithSomeChildrenKeepsThem(t *testing.T) {
	tree := newTest(t, Options{Eps: 0.5, Universe: 1 << 10, Nodes: 100, Start: 1})
	for _, r := range [][3]uint64{{0, 1023, 50}, {16, 31, 3}, {20, 20, 7}, {64, 127, 9}, {256, 511, 11}, {600, 601 - 1, 2},
		{800, 803, 4}, {804, 807, 5}} {
		put(tree, r[0], r[1], r[2])
	}
	tree.setStops()
	checkStructure(t, tree)
	before := map[uint64]Range{}
	for x := range uint64(1024) {
		before[x] = smallest(tree, x)
	}
	if !tree.split(tree.roots[0]) {
		t.Fatal("no space")
	}
	checkStructure(t, tree)
	want := "0-1023:50 0-255:0 16-31:3 20-20:7 64-127:9 256-511:11 512-767:0 600-600:2 768-1023:0 800-803:4 804-807:5 "
	if got := counts(tree); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for x := range uint64(1024) {
		was, is := before[x], smallest(tree, x)
		if was.Hi-was.Lo == 1023 {
			was.Lo, was.Hi, was.Count = x/256*256, x/256*256+255, 0
		}
		if is.Lo != was.Lo || is.Hi != was.Hi || is.Count != was.Count {
			t.Errorf("%d is in %+v, want %+v", x, is, was)
		}
	}
}

// smallest finds the smallest range that contains x in the list of all ranges.
func smallest(tree *Tree, x uint64) (found Range) {
	for _, r := range tree.Ranges(2) {
		if r.Lo <= x && x <= r.Hi {
			found = r
		}
	}
	return found
}

func TestRAP06_Policies(t *testing.T) {
	build := func(p Policy) *Tree {
		tree := newTest(t, Options{Eps: 0.5, Universe: 256, B: 2, Policy: p, Nodes: 100, Start: 1})
		for _, r := range [][3]uint64{{0, 255, 10}, {0, 127, 2}, {0, 63, 1}, {0, 31, 13}, {64, 127, 3}, {128, 255, 1},
			{128, 191, 4}, {192, 255, 5}} {
			put(tree, r[0], r[1], r[2])
		}
		tree.setStops()
		return tree
	}
	for p, want := range map[Policy]string{
		// 64-127 is merged into 0-127 (5), and 0-63, too (6). 128-255 gets the counts
		// of its two children (10).
		Internal: "0-255:10 0-127:6 0-31:13 128-255:10 ",
		// 0-63 stays: it has a child that is too heavy.
		Leaf: "0-255:10 0-127:5 0-63:1 0-31:13 128-255:10 ",
		// 128-255 and all ranges below it have 10 together.
		Subtree: "0-255:10 0-127:2 0-63:1 0-31:13 64-127:3 128-255:10 ",
	} {
		tree := build(p)
		if p == Subtree {
			(&merger{tree, 13}).subtree(tree.roots[0])
		} else {
			(&merger{tree, 13}).visit(tree.roots[0], 0)
		}
		checkStructure(t, tree)
		if got := counts(tree); got != want {
			t.Errorf("%s: got  %s\nwant %s", p, got, want)
		}
	}
}

// The sizes of the trees under the three policies differ as in the simulation of the
// specification: internal gives smaller trees than leaf, and leaf smaller ones than
// subtree.
func TestRAP06_InternalMergesGiveTheSmallestTrees(t *testing.T) {
	for _, wide := range []bool{true, false} {
		var sizes [numPolicies]int
		points := words(1, 1.2, wide).points(500_000)
		for p := range numPolicies {
			tree := newTest(t, Options{Eps: 0.1, Policy: p, Nodes: 100_000})
			sum, times := 0, 0
			for part := range slices.Chunk(points, 1000) {
				tree.Add(part)
				sum += tree.Stats().Nodes
				times++
			}
			sizes[p] = sum / times
		}
		t.Logf("average nodes: internal %d, leaf %d, subtree %d", sizes[Internal], sizes[Leaf], sizes[Subtree])
		if sizes[Internal] > sizes[Leaf] || sizes[Leaf] > sizes[Subtree] {
			t.Errorf("wide %v: internal %d, leaf %d, subtree %d nodes on average", wide, sizes[Internal], sizes[Leaf],
				sizes[Subtree])
		}
	}
}

// The promises RAP-05, -07, -08 and -11 hold for a stream with a drift, with all
// options.
func TestRAP05_RAP07_RAP08_RAP11_PromisesHoldAtAnyTime(t *testing.T) {
	streams := map[string][]uint64{
		"two phases":     twoPhases(1, 20_000),
		"wide words":     words(2, 1.1, true).points(20_000),
		"small integers": words(3, 1.3, false).points(20_000),
		"one":            make([]uint64, 20_000),
	}
	for name, points := range streams {
		for _, o := range []Options{
			{}, {Eps: 0.1}, {Eps: 0.5}, {Eps: 0.1, B: 2}, {Eps: 0.1, B: 8}, {Eps: 0.1, B: 256, Nodes: 2000},
			{Eps: 0.1, Height: LogB}, {Eps: 0.1, Start: 1}, {Eps: 0.1, Policy: Leaf}, {Eps: 0.1, Policy: Subtree},
			{Eps: 0.1, Schedule: Schedule{Q: 4}}, {Eps: 0.1, Schedule: Schedule{Kind: Periodic, First: 5000}},
			{Eps: 0.1, Schedule: Schedule{Kind: Continuous}}, {Eps: 0.1, Nodes: 100}, {Nodes: 400},
		} {
			t.Run(fmt.Sprintf("%s/%+v", name, o), func(t *testing.T) {
				tree, exact := newTest(t, o), &oracle{}
				for i, part := range slices.Collect(slices.Chunk(points, 2000)) {
					for _, x := range part {
						exact.add(x, 1)
					}
					if err := tree.Add(part); err != nil {
						t.Fatal(err)
					}
					if i%3 == 0 || i == 9 {
						check(t, tree, exact)
					}
				}
				s := tree.Stats()
				if most := WorstSplits(tree.Options()); o.Schedule.Kind != Continuous && o.Schedule.Kind != Periodic &&
					s.Busiest > max(most, 1024) {
					t.Errorf("%d splits between merges, at most %d", s.Busiest, most)
				}
				if s.Denied > 0 && o.Nodes == 0 && o.Policy == Internal {
					t.Errorf("%d splits denied: %+v", s.Denied, s)
				}
			})
		}
	}
}

// After the start, the error is at most eps of the stream, as the paper states.
func TestRAP08_TwoPhases(t *testing.T) {
	for _, eps := range []float64{0.1, 0.01} {
		for h, name := range []string{"log2", "logb"} {
			tree, exact := newTest(t, Options{Eps: eps, Height: Height(h)}), &oracle{}
			points := twoPhases(7, 1_000_000)
			for _, x := range points {
				exact.add(x, 1)
			}
			tree.Add(points)
			check(t, tree, exact)
			worst := float64(tree.WorstError()) / float64(exact.n)
			x := uint64(0x123456789abcdef0)
			least, _ := tree.Estimate(x, x)
			truth := exact.count(x, x)
			t.Logf("eps %g %s: worst error %.2f %% of the stream, that of the second phase %.1f %% of itself", eps, name,
				100*worst, 100*float64(truth-least)/float64(truth))
			if worst > eps {
				t.Errorf("eps %g %s: worst error %g", eps, name, worst)
			}
		}
	}
}

func TestRAP21_WithoutSpaceSplitsAreDeniedAndNothingIsLost(t *testing.T) {
	tree, exact := newTest(t, Options{Nodes: 400}), &oracle{}
	points := words(5, 1.1, true).points(200_000)
	tree.Add(points)
	for _, x := range points {
		exact.add(x, 1)
	}
	check(t, tree, exact)
	if s := tree.Stats(); s.Denied == 0 || s.Nodes+s.Joints > 400 {
		t.Errorf("%+v", s)
	}
}

// A count has the same effect as so many single events.
func TestCountsAreEvents(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	src := words(6, 1.1, true)
	for _, o := range []Options{{Eps: 0.1}, {}, {Nodes: 60}, {Eps: 0.1, Schedule: Schedule{Kind: Continuous}},
		{Universe: 1 << 63, B: 8}} {
		a, b := newTest(t, o), newTest(t, o)
		for range 3000 {
			x, n := src.next()>>1, uint64(1+r.IntN(3))
			if r.IntN(20) == 0 {
				n = uint64(r.IntN(5000))
			}
			a.AddCount(x, n)
			b.Add(slices.Repeat([]uint64{x}, int(n)))
		}
		checkStructure(t, a)
		if !slices.Equal(a.Ranges(0.1), b.Ranges(0.1)) || a.Stats() != b.Stats() {
			t.Errorf("%+v: %+v, and one by one %+v", o, a.Stats(), b.Stats())
		}
	}
	tree := newTest(t, Options{})
	if err := tree.AddCount(5, 1<<62); err != nil {
		t.Fatal(err)
	}
	if err := tree.AddCount(5, 1<<63); err == nil ||
		err.Error() != "rap: 9223372036854775808 more events after 4611686018427387904: a tree counts to 2^63" {
		t.Error(err)
	}
	if err := tree.AddCount(6, 1<<62); err != nil {
		t.Fatal(err)
	}
	exact := &oracle{}
	exact.add(5, 1<<62)
	exact.add(6, 1<<62)
	check(t, tree, exact)
}

func TestNothingIsAllocatedAfterTheStart(t *testing.T) {
	for _, k := range []ScheduleKind{Growing, Continuous} {
		tree := newTest(t, Options{Eps: 0.05, Schedule: Schedule{Kind: k}})
		points := twoPhases(8, 5000)
		if n := testing.AllocsPerRun(5, func() { tree.Add(points); tree.AddCount(points[0], 100) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, x := range []struct {
		o    Options
		want string
	}{
		{Options{Eps: 1}, "rap: Eps: want a number from 0.000000001 to 0.999999999"},
		{Options{Eps: -0.1}, "rap: Eps: want a number from 0.000000001 to 0.999999999"},
		{Options{Eps: 1e-12}, "rap: Eps: want a number from 0.000000001 to 0.999999999"},
		{Options{Universe: 1000}, "rap: Universe: want a power of two from 2 on, or 0 for 2^64, not 1000"},
		{Options{Universe: 1}, "rap: Universe: want a power of two from 2 on, or 0 for 2^64, not 1"},
		{Options{B: 3}, "rap: B: want a power of two from 2 to 256, not 3"},
		{Options{B: 512}, "rap: B: want a power of two from 2 to 256, not 512"},
		{Options{B: -4}, "rap: B: want a power of two from 2 to 256, not -4"},
		{Options{Nodes: 3}, "rap: Nodes: want a number from B+1 to 67108864, not 3; a larger Eps needs fewer"},
		{Options{Policy: 3}, "rap: Policy: want Internal, Leaf or Subtree"},
		{Options{Height: 2}, "rap: Height: want Log2 or LogB"},
		{Options{Schedule: Schedule{Kind: 3}}, "rap: Schedule.Kind: want Growing, Periodic or Continuous"},
		{Options{Schedule: Schedule{Q: 1}}, "rap: Schedule.Q: want a number from 2 on"},
	} {
		if _, err := New(x.o); err == nil || err.Error() != x.want {
			t.Errorf("%+v:\ngot  %v\nwant %s", x.o, err, x.want)
		}
	}
	tree := newTest(t, Options{Universe: 1 << 10})
	want := "rap: point 1024 (index 2) is outside of the universe of 1024 points: make the tree with a larger Options.Universe"
	if err := tree.Add([]uint64{0, 1023, 1024, 1}); err == nil || err.Error() != want || tree.Events() != 2 {
		t.Errorf("after %d events: %v, want %s", tree.Events(), err, want)
	}
	if err := tree.AddCount(1<<40, 1); err == nil {
		t.Error("no error")
	}
}

// Streams of two phases are cut and weighted at will, with any options. RAP-05, -07,
// -08 and -11 hold after every operation.
func FuzzTree(f *testing.F) {
	f.Add(uint64(1), []byte("\x00\x10\x20\x30\x40\x50\x60\x70"))
	f.Add(uint64(2), []byte("\x81\x01\xff\x7f\xff\x7f\xff\x7f\x00\x00\xff\x01\x02"))
	f.Add(uint64(3), []byte("\x4e\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, seed uint64, ops []byte) {
		if len(ops) < 2 || len(ops) > 40 {
			return
		}
		o := Options{
			Eps:      []float64{0.5, 0.1, 0.03}[ops[0]%3],
			B:        2 << (ops[0] >> 2 & 3),
			Policy:   Policy(ops[0]>>4&3) % numPolicies,
			Height:   Height(ops[0] >> 6 & 1),
			Universe: 1 << (ops[1] % 64), // also 1, which New refuses
			Schedule: Schedule{First: 1 + uint64(ops[1])*4, Q: 2 + uint64(ops[1]>>6)},
		}
		tree, err := New(o)
		if err != nil {
			if o.Universe != 1 {
				t.Fatal(err)
			}
			return
		}
		r := rand.New(rand.NewPCG(seed, 0))
		mask := o.Universe - 1
		exact, hot := &oracle{}, r.Uint64()&mask
		for i, op := range ops[2:] {
			phase2 := i >= len(ops)/2
			point := func() uint64 {
				if phase2 && r.IntN(2) == 0 {
					return hot
				}
				return r.Uint64() & mask
			}
			switch {
			case op < 64: // a point with a count
				x, n := point(), uint64(1)<<(op%32)
				exact.add(x, n)
				tree.AddCount(x, n)
			case op < 224: // events
				points := make([]uint64, 1+int(op)*2)
				for k := range points {
					points[k] = point()
					exact.add(points[k], 1)
				}
				tree.Add(points)
			default: // merge with another tree
				other, _ := New(o)
				for range int(op) * 4 {
					x := point()
					exact.add(x, 1)
					other.Add([]uint64{x})
				}
				tree.Merge(other)
			}
			check(t, tree, exact)
			if s := tree.Stats(); s.Busiest > max(WorstSplits(o), o.Schedule.First) {
				t.Fatalf("%d splits between merges, at most %d", s.Busiest, WorstSplits(o))
			}
		}
	})
}
