//go:build !peplinked

package rap

// This file answers queries about a tree: ranges, estimates, hot ranges, coverage
// (section 4.1).

import (
	"cmp"
	"slices"
)

// A Range is a node of a tree: the points from Lo to Hi.
type Range struct {
	Lo, Hi    uint64
	Depth     int    // number of ranges around it
	Count     uint64 // events that are in no smaller range of the tree
	Weight    uint64 // Count, plus the weights of the ranges next below that are not hot
	Inclusive uint64 // Count, plus the counts of all ranges below
	Hot       bool   // Weight is at least a share of all events
}

// Width returns the logarithm to base 2 of the number of points.
func (r Range) Width() int {
	n := 0
	for d := r.Hi - r.Lo; d > 0; d >>= 1 {
		n++
	}
	return n
}

// Ranges returns all ranges. A range comes before the ranges below it, and those are in
// order from left to right. A range is hot if its weight is at least the given share of
// all events (the paper takes 0.1). A hot range does not add to the weight of the range
// around it, so it does not make that range hot.
func (t *Tree) Ranges(share float64) []Range {
	q := query{t: t, hot: share * float64(t.n), list: make([]Range, 0, t.s.Nodes)}
	q.visit(t.roots[0], 0)
	return q.list
}

// Hot returns the hot ranges among Ranges, in order of their weights, the greatest
// first.
func (t *Tree) Hot(share float64) []Range {
	list := slices.DeleteFunc(t.Ranges(share), func(r Range) bool { return !r.Hot })
	slices.SortStableFunc(list, func(a, b Range) int { return cmp.Compare(b.Weight, a.Weight) })
	return list
}

// A query builds the list of ranges.
type query struct {
	t    *Tree
	hot  float64 // the least weight of a hot range
	list []Range
}

// visit adds node i and all nodes below it to the list. It returns the weight that
// counts for the range around i, and the number of all events of these nodes.
func (q *query) visit(i uint32, depth int) (weight, inclusive uint64) {
	nd := &q.t.nodes[i]
	at := len(q.list)
	if !nd.joint {
		weight, inclusive = nd.count, nd.count
		q.list = append(q.list, Range{Lo: nd.lo, Hi: nd.hi(), Depth: depth, Count: nd.count})
		depth++
	}
	for _, k := range q.t.slotsOf(i) {
		if k != 0 {
			w, in := q.visit(k, depth)
			weight += w
			inclusive += in
		}
	}
	if nd.joint {
		return weight, inclusive
	}
	r := &q.list[at]
	r.Weight, r.Inclusive = weight, inclusive
	if r.Hot = weight > 0 && float64(weight) >= q.hot; r.Hot {
		weight = 0
	}
	return weight, inclusive
}

// hi returns the last point of a node.
func (nd *node) hi() uint64 { return nd.lo + (1<<nd.shift - 1) }

// Estimate returns two bounds for the number of events with points from lo to hi. least
// is the sum of the counts of the ranges inside lo to hi. most is the sum of the counts
// of all ranges that overlap lo to hi. The bounds hold even if events were combined,
// nodes merged or splits denied.
func (t *Tree) Estimate(lo, hi uint64) (least, most uint64) {
	return t.estimate(t.roots[0], lo, hi)
}

func (t *Tree) estimate(i uint32, lo, hi uint64) (least, most uint64) {
	nd := &t.nodes[i]
	if nd.hi() < lo || hi < nd.lo {
		return 0, 0
	}
	most = nd.count
	if lo <= nd.lo && nd.hi() <= hi {
		least = nd.count
	}
	if nd.kids == 0 {
		return least, most
	}
	for _, k := range t.slotsOf(i) {
		if k != 0 {
			l, m := t.estimate(k, lo, hi)
			least += l
			most += m
		}
	}
	return least, most
}

// WorstError returns the greatest error of Estimate's least that the present tree
// allows, for every range that splits of the universe can reach (a part of a part … of
// it). It is the greatest sum, over all ranges, of the counts of the ranges around a
// range. WorstError is at most Bound unless splits were denied.
func (t *Tree) WorstError() uint64 { return t.worstError(t.roots[0], 0) }

func (t *Tree) worstError(i uint32, around uint64) uint64 {
	nd := &t.nodes[i]
	if nd.shift > 0 {
		around += nd.count
	}
	worst := around
	for _, k := range t.slotsOf(i) {
		if k != 0 {
			worst = max(worst, t.worstError(k, around))
		}
	}
	return worst
}

// Cover returns the narrowest ranges that together hold a share of all events, and how
// many events they hold. First, Cover finds the least width w such that the disjoint
// ranges of the tree that are no wider than w hold enough events. Of these ranges it
// takes those with most events until they hold enough. So without any one of them the
// share would be too small. The ranges are in order from left to right.
func (t *Tree) Cover(share float64) (list []Range, events uint64) {
	all := t.Ranges(2) // with a share of 2, no range is hot
	need := share * float64(t.n)
	for width := 0; ; width++ {
		list, events = narrowest(all, width), 0
		for _, r := range list {
			events += r.Inclusive
		}
		if float64(events) >= need || width == t.o.bits() {
			break
		}
	}
	slices.SortStableFunc(list, func(a, b Range) int { return cmp.Compare(b.Inclusive, a.Inclusive) })
	n := 0
	for events = 0; n < len(list) && (float64(events) < need || n == 0); n++ {
		events += list[n].Inclusive
	}
	list = list[:n]
	slices.SortFunc(list, func(a, b Range) int { return cmp.Compare(a.Lo, b.Lo) })
	return list, events
}

// narrowest returns the ranges that have events, are at most so wide, and are in no
// other range that is at most so wide.
func narrowest(all []Range, width int) (list []Range) {
	for i := 0; i < len(all); i++ {
		r := all[i]
		if r.Width() > width {
			continue
		}
		if r.Inclusive > 0 {
			list = append(list, r)
		}
		for i+1 < len(all) && all[i+1].Depth > r.Depth {
			i++
		}
	}
	return list
}
