package rap

// This file holds the theory: the worst cases of thresholds, errors, trees and
// intervals.

import "math/bits"

// Threshold returns eps·n/log(R), rounded down (section 2.2). After n events a node is
// split if its count is above this threshold. A node is merged into its parent if their
// two counts together are not above it. Counts are integers, so nothing depends on the
// rounding. Fields of o that are zero have the same meaning as for New. o must be valid
// for New.
func Threshold(o Options, n uint64) uint64 {
	o, _ = o.withDefaults()
	return newRate(o).of(max(n, o.Start))
}

// A rate is eps/log(R) as a fraction: how much each event adds to the threshold.
type rate struct{ num, den uint64 }

func newRate(o Options) rate { return rate{o.billionths(), billion * uint64(o.logR())} }

// of returns the rate times n, rounded down. The product of num < 2^30 and n has 128
// bits; the quotient is at most n, because num < den.
func (r rate) of(n uint64) uint64 {
	hi, lo := bits.Mul64(r.num, n)
	q, _ := bits.Div64(hi, lo, r.den)
	return q
}

// ceil returns the rate times n times f, rounded up.
func (r rate) ceil(n, f uint64) uint64 {
	hi, lo := bits.Mul64(r.num*f, n)
	lo, carry := bits.Add64(lo, r.den-1, 0)
	q, _ := bits.Div64(hi+carry, lo, r.den)
	return q
}

// WorstNodes returns how many nodes a tree has at most after a merge, by the theory:
// b·log_b(R)/eps, rounded up. This number grows with b/log2(b): a B of 2 and a B of 4
// need the same number, 8 needs a third more, 16 needs twice as many (Fig 2).
func WorstNodes(o Options) uint64 {
	o, _ = o.withBounds()
	return ceilDiv(uint64(o.B)*uint64(o.depth())*billion, o.billionths())
}

// WorstSplits returns an upper bound for the number of splits while the number of
// events grows from n to q·n: (q-1)·log(R)/eps, rounded up. For q = 2, 2^64 points and
// an eps of 1 % this is 6400 (section 3.3). Proof: each split takes more events than
// the threshold at the start of the interval. A better bound is ln(q)·log(R)/eps: the
// sum of 1/threshold over the interval.
func WorstSplits(o Options) uint64 {
	o, _ = o.withBounds()
	return ceilDiv((o.Schedule.Q-1)*uint64(o.logR())*billion, o.billionths())
}

// ArenaNodes returns the number of nodes that New makes space for if Options.Nodes is 0:
// the nodes that the theory allows after a merge, and B nodes for each split until the
// next merge, but never more nodes than there are ranges. If a tree needs more nodes,
// it goes on without them, and Stats.Denied counts how often that happened.
func ArenaNodes(o Options) int {
	o, _ = o.withBounds()
	n := WorstNodes(o) + uint64(o.B)*WorstSplits(o) + 1
	if b := o.bits(); b < 32 {
		n = min(n, 2<<b)
	}
	return int(max(uint64(o.B)+1, min(n, maxNodes, maxSlots/uint64(o.B))))
}

// withBounds returns o with the defaults of the fields that the bounds depend on.
func (o Options) withBounds() (Options, error) {
	if o.Nodes == 0 {
		o.Nodes = o.B + maxB + 1 // any valid number: the bounds do not depend on it
	}
	return o.withDefaults()
}

// Merges returns how many merges the growing schedule makes during the first n events.
// With a first merge after 2^10 events and q = 2, there are 22 merges for 2^32 events
// and 54 for 2^64 (section 3.3). A merge that is due after event n is included.
func Merges(s Schedule, n uint64) (count int) {
	if s.First == 0 {
		s.First = defaultFirst
	}
	for at := s.First; at <= n; count++ {
		at = s.after(at)
		if at == never {
			return count + 1
		}
	}
	return count
}

// never is a number of events that no stream reaches.
const never = 1<<64 - 1

// after returns the number of events after which the next merge is due, if the last one
// happened after n events.
func (s Schedule) after(n uint64) uint64 {
	q := max(s.Q, 2)
	switch s.Kind {
	case Periodic:
		if n > never-s.First {
			return never
		}
		return n + s.First
	case Continuous:
		return never
	}
	hi, lo := bits.Mul64(n, q)
	if hi > 0 {
		return never
	}
	return lo
}

// first returns the number of events after which the first merge is due.
func (s Schedule) first() uint64 {
	if s.Kind == Continuous {
		return never
	}
	return s.First
}

func ceilDiv(a, b uint64) uint64 { return (a + b - 1) / b }

// Bound returns the greatest possible error of Estimate's least: the truth is at most
// so much higher. It holds for every range that splits of the universe can reach (a
// part of a part … of it), if no split was denied. For 2^64 points, log2, B = 4 and an
// eps of 1 % the bound is eps·n/2 and 32 events. That is below eps·n from 6400 events
// on.
//
// Proof. The events that are missing from a range were counted for ranges around it.
// There are at most log_b(R) such ranges, and each of them has children. The count of
// such a node has three parts. First, the node got children when its count was at most
// one above the threshold of that time, and that threshold was not higher than the
// present one. Second, after that, an event counts for the node only while the node
// lacks a child and its count is at most one above the threshold. Third, a merge adds
// to the count only up to the threshold. So its count is at most
//
//	max(eps·n, eps·Start)/log(R) + 1 <= eps·n/log(R) + slack
//
// with slack = Threshold(Start) + 1. When two trees are merged, the counts of the same
// range are added. The sum of the first terms of the two trees is the first term for
// n1+n2 events, and the slacks add up.
func (t *Tree) Bound() uint64 {
	d := uint64(t.o.depth())
	return t.rate.ceil(t.n, d) + d*t.slack
}
