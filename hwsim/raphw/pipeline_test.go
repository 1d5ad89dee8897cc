package raphw

// This file compares the ranges of the pipeline with those of the tree and of a sequential
// model.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pepgo/pep/hwsim/rap"
)

// parameters makes a description from random bytes. The description always has space for
// all entries that the streams of the tests need.
func parameters(a, b byte, bits int, more string) string {
	return fmt.Sprintf("eps=%d%%,b=%d,universe=2^%d,start=%d,first=%d,q=%d,height=%s,over=words,entries=60000,cycles=%d,rate=%d,clock=%d,move=%d,refill=%d,%s",
		[]int{3, 10, 30}[a%3], 2<<(a>>2&3), bits, 1+int(a>>4)*20, 1+int(b), 2+b>>6, []string{"log2", "logb"}[a>>7],
		1+b&3, 1+a&7, 1+b>>3&3, b>>5&1, 5+b>>6, more)
}

// Without combining, the entries of the TCAM equal those of the tree, range by range
// and count by count, in whatever cycles the events come.
func FuzzRAP17_EventsAsInTheTree(f *testing.F) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 17))
		f.Add(seed, byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()))
	}
	f.Fuzz(func(t *testing.T, seed uint64, a, b, c byte) {
		bits := 1 + int(c&63)
		e := made(t, parameters(a, b, bits, "buffer=0,near=1,far="+fmt.Sprint(1+c>>6*20)))
		o, _ := e.base.Hardware()
		tree, err := rap.New(o)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, 1))
		points := stream(r, 2000, bits)
		for part := range slices.Chunk(points, 200+r.IntN(1000)) {
			push(e, part...)
			tree.Add(part)
			e.drain()
			if d := difference(spans(t, e), spansOf(tree, bits)); d != "" {
				t.Fatalf("%s after %d events:\n%s", e.String(), e.n, d)
			}
		}
		checkTCAM(t, e)
		if s := tree.Stats(); s.Splits != e.splits || s.Merges != e.merges || s.Merged != e.merged || s.Denied+e.denied > 0 {
			t.Fatalf("%s: %+v, the tree: %+v", e.String(), e.meter, s)
		}
	})
}

// With combining, and counts in parts, the entries are those of a tree that is given the
// same counts in the same order. The processor is slow here, so that the order of counts
// does not depend on cycles; those that the buffer holds at the end of a part leave it
// one after the other, as quickly as the pipeline takes them.
func FuzzRAP17_CountsAsInTheTree(f *testing.F) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 18))
		f.Add(seed, byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()))
	}
	f.Fuzz(func(t *testing.T, seed uint64, a, b, c byte) {
		bits := 1 + int(c&63)
		keep := 1 + int(c>>4)
		e := made(t, parameters(a, b, bits, fmt.Sprintf("buffer=64,keep=%d,counts=parts,near=900000,far=900000", keep)))
		o, _ := e.base.Hardware()
		tree, err := rap.New(o)
		if err != nil {
			t.Fatal(err)
		}
		stage0 := &combiner{keep: keep, out: func(x, times uint64) { tree.AddCount(x, times) }}
		r := rand.New(rand.NewPCG(seed, 1))
		events := uint64(0)
		for part := range slices.Chunk(stream(r, 2000, bits), 200+r.IntN(1000)) {
			for _, x := range part {
				push(e, x)
				stage0.event(x)
			}
			e.drain()
			stage0.settle(0)
			events += uint64(len(part))
			if d := difference(spans(t, e), spansOf(tree, bits)); d != "" || e.n != events {
				t.Fatalf("%s after %d of %d events:\n%s", e.String(), e.n, events, d)
			}
		}
		checkTCAM(t, e)
		if s := tree.Stats(); s.Splits != e.splits || s.Merges != e.merges || s.Merged != e.merged || s.Denied+e.denied > 0 {
			t.Fatalf("%s: %+v, the tree: %+v", e.String(), e.meter, s)
		}
	})
}

// A count of 200 passes the first splits and five merges. In parts it does so event by
// event, as in the tree. As a whole it makes one split and one merge.
func TestRAP17_OneCountManyMerges(t *testing.T) {
	const parameters = "eps=50%,universe=256,start=1,first=10,over=words,buffer=8,keep=7,"
	e := made(t, parameters+"counts=parts")
	o, _ := e.base.Hardware()
	tree, err := rap.New(o)
	if err != nil {
		t.Fatal(err)
	}
	push(e, slices.Repeat([]uint64{77}, 200)...)
	e.drain()
	tree.AddCount(77, 200)
	if d := difference(spans(t, e), spansOf(tree, 8)); d != "" || e.merges != 5 || tree.Stats().Merges != 5 {
		t.Errorf("%d merges, %d in the tree, want 5\n%s", e.merges, tree.Stats().Merges, d)
	}
	e = made(t, parameters+"counts=whole")
	push(e, slices.Repeat([]uint64{77}, 200)...)
	e.drain()
	if e.merges != 1 || e.splits != 1 || e.n != 200 {
		t.Errorf("%d merges, %d splits, %d events, want 1, 1, 200", e.merges, e.splits, e.n)
	}
}

// The pipeline has the same result as handling one event after another, wherever splits
// and merges flush it, also with counters that are too small. Counts are added as a
// whole.
func FuzzRAP18_PipelinedAsSequential(f *testing.F) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 19))
		f.Add(seed, byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()))
	}
	f.Fuzz(func(t *testing.T, seed uint64, a, b, c byte) {
		bits := 1 + int(c&63)
		keep := 1 + int(c>>4)
		e := made(t, parameters(a, b, bits, fmt.Sprintf("buffer=32,keep=%d,bits=%d,near=900000,far=900000", keep,
			8+int(c>>6)*8)))
		model := newSequential(e.spec)
		stage0 := &combiner{keep: keep, out: model.event}
		r := rand.New(rand.NewPCG(seed, 1))
		for part := range slices.Chunk(stream(r, 2000, bits), 200+r.IntN(1000)) {
			for _, x := range part {
				push(e, x)
				stage0.event(x)
			}
			e.drain()
			stage0.settle(0)
			if d := difference(spans(t, e), model.counts); d != "" || e.saturated != model.saturated {
				t.Fatalf("%s after %d events, %d and %d lost:\n%s", e.String(), e.n, e.saturated, model.saturated, d)
			}
		}
	})
}

// One event splits the range of all points while the events behind it are already in
// the pipeline. They must count for the new ranges, in their order.
func TestRAP18_EventsBehindASplit(t *testing.T) {
	for _, cycles := range []int{1, 2, 3, 4} {
		// The threshold is 0.5·16/4 = 2: the third event of a range splits it.
		e := made(t, fmt.Sprintf("eps=50%%,universe=16,start=16,first=1000,over=words,cycles=%d,near=1,far=1", cycles))
		push(e, 0, 5, 10, 1, 2, 3, 6)
		e.drain()
		// 0, 5 and 10 are in the root; it has 3 events, so it gets its 4 parts. 1, 2
		// and 3 split 0-3.
		want := map[span]uint64{{0, 0}: 3, {0, 2}: 3, {4, 2}: 1, {8, 2}: 0, {12, 2}: 0, {0, 4}: 0, {1, 4}: 0, {2, 4}: 0,
			{3, 4}: 0}
		if d := difference(spans(t, e), want); d != "" {
			t.Errorf("%d cycles an event:\n%s", cycles, d)
		}
		if e.splits != 2 || cycles == 1 && e.replayed < 4 {
			t.Errorf("%d cycles an event: %d splits, %d events replayed", cycles, e.splits, e.replayed)
		}
	}
}

// Events of the same range in successive cycles: each reads the count that the one
// before it is still writing.
func TestRAP18_CountsAreForwarded(t *testing.T) {
	e := made(t, "eps=50%,universe=16,start=100000,over=words,cycles=1,near=1,far=1")
	push(e, slices.Repeat([]uint64{7}, 100)...)
	e.drain()
	if got := e.ranges.count[0]; got != 100 || e.forwarded < 90 {
		t.Errorf("count %d, want 100; %d counts were forwarded", got, e.forwarded)
	}
	e = made(t, "eps=50%,universe=16,start=100000,over=words,cycles=4,near=1,far=1")
	push(e, slices.Repeat([]uint64{7}, 100)...)
	e.drain()
	if got := e.ranges.count[0]; got != 100 || e.forwarded != 0 {
		t.Errorf("count %d, want 100; %d counts were forwarded, none with 4 cycles between events", got, e.forwarded)
	}
}

// The index of the model tells ranges apart that begin with the same point, also where
// they collide.
func TestRAP17_NestedEntries(t *testing.T) {
	r := newTCAM(100, 64)
	r.index = make([]uint32, 128)
	for length := 0; length <= 64; length++ {
		r.insert(7, 0, length, max(length-1, 0))
	}
	for length := range 65 {
		if got := r.find(7, 0, length); got != length {
			t.Errorf("the entry of length %d is found at %d", length, got)
		}
		if got := r.find(8, 0, length); got != none {
			t.Errorf("an entry of another place is found at %d", got)
		}
	}
}

// The arbiter's choice is the longest of all match lines.
func TestRAP17_Arbiter(t *testing.T) {
	e := made(t, "3%,universe=2^20,b=2,start=1,over=words")
	r := rand.New(rand.NewPCG(3, 3))
	push(e, stream(r, 20_000, 20)...)
	e.drain()
	matches := 0
	for range 4000 {
		x := r.Uint64() & (1<<20 - 1)
		pc := e.ranges.pc[0] + r.Uint64N(2) // also a place without entries
		want, longest := none, -1
		for i := range e.ranges.len() {
			if e.ranges.pc[i] == pc && x>>(20-e.ranges.length[i]) == e.ranges.value[i]>>(20-e.ranges.length[i]) {
				matches++
				if int(e.ranges.length[i]) > longest {
					want, longest = i, int(e.ranges.length[i])
				}
			}
		}
		if got := e.ranges.longest(pc, x); got != want {
			t.Fatalf("%#x: entry %d, want %d", x, got, want)
		}
	}
	if matches < 5000 {
		t.Errorf("%d match lines were high, too few to test the arbiter", matches)
	}
}
