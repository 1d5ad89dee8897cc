package raphw

// This file holds what the tests compare the hardware with: the tree of package rap, a
// sequential model, and exact counts. None of them has a TCAM or stages.

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/rap"
)

// made returns a new engine.
func made(t testing.TB, parameters string) *engine {
	t.Helper()
	text := "raphw(" + parameters + ")"
	s, err := hwsim.NewArgs(text, len("raphw("), len(text)-1, false, nil).Parse(Kind)
	if err != nil {
		t.Fatal(err)
	}
	return s.New(0).(*engine)
}

// push gives an engine events with these points. All events have the same place.
func push(e *engine, points ...uint64) {
	for _, x := range points {
		e.Push([]tuple.Tuple{tuple.New(tuple.Load, 1, x)}, nil)
	}
}

// drain runs the pipeline until the buffer is empty and everything is written.
func (e *engine) drain() {
	for e.queue.tail > e.queue.head {
		e.now += e.clock * e.run(max(e.stall, 1), 0)
	}
	e.commit()
}

// A span is a range: its first point and the number of bits that its points share.
type span struct {
	lo     uint64
	length int
}

// spans returns the ranges in the TCAM, with their counts.
func spans(t testing.TB, e *engine) map[span]uint64 {
	t.Helper()
	m := map[span]uint64{}
	for i := range e.ranges.len() {
		s := span{e.ranges.value[i], int(e.ranges.length[i])}
		if _, twice := m[s]; twice {
			t.Fatalf("%v has two entries", s)
		}
		m[s] = e.ranges.count[i]
	}
	return m
}

// spansOf returns the ranges of a tree.
func spansOf(tree *rap.Tree, bits int) map[span]uint64 {
	m := map[span]uint64{}
	for _, r := range tree.Ranges(2) {
		m[span{r.Lo, bits - r.Width()}] = r.Count
	}
	return m
}

// difference says which ranges differ; "" means that none do.
func difference(got, want map[span]uint64) (text string) {
	all := slices.SortedFunc(maps.Keys(merged(got, want)), func(a, b span) int {
		return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.length, b.length))
	})
	show := func(m map[span]uint64, s span) string {
		if n, ok := m[s]; ok {
			return fmt.Sprint(n)
		}
		return "no entry"
	}
	for _, s := range all {
		a, b := show(got, s), show(want, s)
		if a != b && len(text) < 500 {
			text += fmt.Sprintf("%#x/%d: %s, want %s\n", s.lo, s.length, a, b)
		}
	}
	return text
}

func merged(a, b map[span]uint64) map[span]uint64 {
	m := maps.Clone(a)
	maps.Copy(m, b)
	return m
}

// checkTCAM checks the invariants of the entries of one place: they are sorted, no two
// are equal, and the parent of each is the smallest range around it.
func checkTCAM(t testing.TB, e *engine) {
	t.Helper()
	r := &e.ranges
	all := spans(t, e)
	for i := range r.len() {
		length := int(r.length[i])
		if i > 0 && r.length[i-1] > r.length[i] {
			t.Fatalf("entry %d of length %d stands behind one of length %d", i, length, r.length[i-1])
		}
		if i < int(r.first[length]) || i >= int(r.first[length+1]) {
			t.Fatalf("entry %d of length %d, which has the positions from %d to %d", i, length, r.first[length],
				r.first[length+1])
		}
		around := 0
		for l := range length { // the longest one counts
			if _, ok := all[span{r.value[i] >> (r.bits - l) << (r.bits - l), l}]; ok {
				around = l
			}
		}
		if int(r.parent[i]) != around {
			t.Fatalf("%#x/%d has a parent of length %d, want %d", r.value[i], length, r.parent[i], around)
		}
	}
}

// A sequential models the hardware without pipeline and TCAM: it has a map of ranges,
// and handles one event after another. A count goes to one range as a whole.
type sequential struct {
	spec
	counts    map[span]uint64
	n, next   uint64
	saturated uint64
}

func newSequential(s spec) *sequential {
	return &sequential{spec: s, counts: map[span]uint64{{}: 0}, next: s.first}
}

// threshold computes eps·n/log(R) from the start.
func (q *sequential) threshold() uint64 {
	x := new(big.Int).SetUint64(max(q.n, q.start))
	x.Mul(x, new(big.Int).SetUint64(q.billionths))
	return x.Div(x, new(big.Int).SetUint64(q.denominator)).Uint64()
}

// smallest returns the narrowest range around x that has fewer bits than given.
func (q *sequential) smallest(x uint64, below int) (s span) {
	for length := below - 1; length >= 0; length-- {
		s = span{x &^ (1<<(q.bits-length) - 1), length}
		if _, ok := q.counts[s]; ok {
			return s
		}
	}
	panic("no range for all points")
}

func (q *sequential) add(s span, count uint64) {
	most := ^uint64(0) >> (64 - q.width)
	sum := q.counts[s] + count
	if sum > most {
		q.saturated += sum - most
		sum = most
	}
	q.counts[s] = sum
}

func (q *sequential) event(x, times uint64) {
	v := q.smallest(x, q.bits+1)
	q.add(v, times)
	q.n += times
	if q.counts[v] > q.threshold() && v.length < q.bits {
		to := min(v.length+q.step, q.bits)
		for c := range uint64(1) << (to - v.length) {
			q.add(span{v.lo + c<<(q.bits-to), to}, 0)
		}
	}
	if q.n < q.next {
		return
	}
	for _, s := range q.postorder() {
		if s.length == 0 {
			continue
		}
		around := q.smallest(s.lo, s.length)
		if q.counts[s]+q.counts[around] <= q.threshold() {
			count := q.counts[s]
			delete(q.counts, s)
			q.add(around, count)
		}
	}
	for q.next <= q.n {
		q.next *= q.q
	}
}

// postorder returns all ranges from left to right, each after the ranges inside it.
func (q *sequential) postorder() []span {
	last := func(s span) uint64 { return s.lo + (1<<(q.bits-s.length) - 1) }
	return slices.SortedFunc(maps.Keys(q.counts), func(a, b span) int {
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(b.length, a.length))
	})
}

// A combiner is stage 0 as a list: a count leaves it if more than keep counts are in
// it.
type combiner struct {
	keep int
	list []combined
	out  func(x, times uint64)
}

type combined struct{ x, times uint64 }

func (c *combiner) event(x uint64) {
	i := slices.IndexFunc(c.list, func(w combined) bool { return w.x == x && w.times < 255 })
	if i >= 0 {
		c.list[i].times++
	} else {
		c.list = append(c.list, combined{x, 1})
	}
	c.settle(c.keep)
}

func (c *combiner) settle(keep int) {
	for len(c.list) > keep {
		w := c.list[0]
		c.list = c.list[1:]
		c.out(w.x, w.times)
	}
}

// stream returns n points of so many bits. Half of them are skewed and come from few
// words; the others are uniform. In the second half every second point is the same.
func stream(r *rand.Rand, n, bits int) []uint64 {
	mask := ^uint64(0) >> (64 - bits)
	words := make([]uint64, 40)
	for i := range words {
		words[i] = r.Uint64() & mask
	}
	zipf := rand.NewZipf(r, 1.3, 1, uint64(len(words)-1))
	list := make([]uint64, n)
	for i := range list {
		switch {
		case i >= n/2 && r.IntN(2) == 0:
			list[i] = words[len(words)-1]
		case r.IntN(2) == 0:
			list[i] = r.Uint64() & mask
		default:
			list[i] = words[zipf.Uint64()]
		}
	}
	return list
}
