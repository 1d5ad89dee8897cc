package morton_test

// This file has the oracle: adaptive spatial partitioning of two dimensions as one would
// write it down. Boxes are in a map, and found by trying all sizes. It knows nothing of
// words, of the order of their bits, or of the tree of package rap.

import (
	"cmp"
	"slices"
)

// A square is a box of 2^k points a side, whose corner is at x·2^k and y·2^k.
type square struct {
	k    int
	x, y uint64
}

// contains reports whether all of o is in s.
func (s square) contains(o square) bool {
	return o.k <= s.k && o.x>>(s.k-o.k) == s.x && o.y>>(s.k-o.k) == s.y
}

// A native tree summarises points with numbers below 2^bits.
type native struct {
	bits   int
	eps    uint64 // 1/eps
	counts map[square]uint64
	n      uint64
	next   uint64 // events at the next merge
}

func newNative(bits int, inverse uint64) *native {
	return &native{bits: bits, eps: inverse, counts: map[square]uint64{{bits, 0, 0}: 0}, next: 1024}
}

// threshold is eps·n/log2(R) for R = 2^(2·bits), with at least 1024 events.
func (t *native) threshold() uint64 { return max(t.n, 1024) / (t.eps * uint64(2*t.bits)) }

// smallest returns the smallest box that has a point.
func (t *native) smallest(x, y uint64) square {
	for k := 0; ; k++ {
		s := square{k, x >> k, y >> k}
		if _, ok := t.counts[s]; ok {
			return s
		}
	}
}

// quarters returns the four parts of a box, in the order in which package rap goes through
// children: first by x and then by y.
func (s square) quarters() (list []square) {
	for q := range uint64(4) {
		list = append(list, square{s.k - 1, 2*s.x + q/2, 2*s.y + q%2})
	}
	return list
}

func (t *native) add(x, y uint64) {
	s := t.smallest(x, y)
	t.n++
	t.counts[s]++
	if s.k > 0 && t.counts[s] > t.threshold() {
		for _, q := range s.quarters() {
			t.counts[q] += 0 // which makes the box, if there is none
		}
	}
	if t.n == t.next {
		t.merge()
		t.next *= 2
	}
}

// merge removes boxes whose count, and that of the smallest box around, are at most the
// threshold together: each after those inside.
func (t *native) merge() {
	var all []square
	for s := range t.counts {
		all = append(all, s)
	}
	slices.SortFunc(all, before)
	for _, s := range all {
		if s.k == t.bits {
			continue
		}
		around := square{s.k + 1, s.x / 2, s.y / 2}
		for {
			if _, ok := t.counts[around]; ok {
				break
			}
			around = square{around.k + 1, around.x / 2, around.y / 2}
		}
		if t.counts[s]+t.counts[around] <= t.threshold() {
			t.counts[around] += t.counts[s]
			delete(t.counts, s)
		}
	}
}

// before orders boxes: those inside of another before it, and others by the quarters of
// the smallest box that has both.
func before(a, b square) int {
	switch {
	case a == b:
		return 0
	case a.contains(b):
		return 1
	case b.contains(a):
		return -1
	}
	for k := max(a.k, b.k); ; k++ {
		ax, ay, bx, by := a.x>>(k-a.k), a.y>>(k-a.k), b.x>>(k-b.k), b.y>>(k-b.k)
		if ax/2 == bx/2 && ay/2 == by/2 {
			return cmp.Or(cmp.Compare(ax, bx), cmp.Compare(ay, by))
		}
	}
}

// hot returns the weights of the boxes whose weight is at least 1/inverse of all
// events: their count and the weights of the boxes inside that are not hot.
func (t *native) hot(inverse uint64) map[square]uint64 {
	hots, weights := map[square]uint64{}, map[square]uint64{}
	for k := range t.bits + 1 {
		for s, c := range t.counts {
			if s.k != k {
				continue
			}
			w := weights[s] + c
			if w*inverse >= t.n && w > 0 {
				hots[s] = w
				continue
			}
			around := square{s.k + 1, s.x / 2, s.y / 2}
			for around.k <= t.bits {
				if _, ok := t.counts[around]; ok {
					weights[around] += w
					break
				}
				around = square{around.k + 1, around.x / 2, around.y / 2}
			}
		}
	}
	return hots
}
