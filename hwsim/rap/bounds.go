package rap

// This file holds the theory: what thresholds, errors, trees and intervals can be
// at worst.

import "math/bits"

// Threshold returns the count that a node must pass after n events to be split,
// and that a node and its parent must not pass together to be merged:
// eps·n/log(R), rounded down (section 2.2). Counts are integers, so nothing
// depends on the rounding. The zero fields of o are as New reads them; o must be
// one that New takes.
func Threshold(o Options, n uint64) uint64 {
	o, _ = o.withDefaults()
	return newRate(o).of(max(n, o.Start))
}

// A rate is what of each event goes into the threshold, eps/log(R), as a
// fraction.
type rate struct{ num, den uint64 }

func newRate(o Options) rate { return rate{o.billionths(), billion * uint64(o.logR())} }

// of returns the rate times n, rounded down. The product of num < 2^30 and n has
// 128 bits; the quotient is at most n, for num < den.
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

// WorstNodes returns how many nodes a tree has at most, by the theory, after a
// merge: b·log_b(R)/eps, rounded up. It grows with b/log2(b): B of 2 and 4 need
// the same, 8 a third more, 16 twice as many (Fig 2).
func WorstNodes(o Options) uint64 {
	o, _ = o.withBounds()
	return ceilDiv(uint64(o.B)*uint64(o.depth())*billion, o.billionths())
}

// WorstSplits returns how many splits there are at most from n events on until
// there are q times as many: (q-1)·log(R)/eps, rounded up; 6400 for q = 2, 2^64
// points and an eps of 1 % (section 3.3). Each split takes more events than the
// threshold at the start of the interval. The sum of 1/threshold over the interval
// gives the better bound of ln(q)·log(R)/eps.
func WorstSplits(o Options) uint64 {
	o, _ = o.withBounds()
	return ceilDiv((o.Schedule.Q-1)*uint64(o.logR())*billion, o.billionths())
}

// ArenaNodes returns how many nodes New makes room for if Options.Nodes is 0:
// those that the theory allows after a merge, and B for each split until the
// next; never more than all ranges there are. A tree that would need more counts
// in Stats.Denied how often it had to do without.
func ArenaNodes(o Options) int {
	o, _ = o.withBounds()
	n := WorstNodes(o) + uint64(o.B)*WorstSplits(o) + 1
	if b := o.bits(); b < 32 {
		n = min(n, 2<<b)
	}
	return int(max(uint64(o.B)+1, min(n, maxNodes, maxSlots/uint64(o.B))))
}

// withBounds returns o with the defaults that the bounds depend on.
func (o Options) withBounds() (Options, error) {
	if o.Nodes == 0 {
		o.Nodes = o.B + maxB + 1 // any number that is allowed: bounds do not depend on it
	}
	return o.withDefaults()
}

// Merges returns how many merges the growing schedule has before n events are
// through: 22 for 2^32 events with a first merge after 2^10 and q = 2, 54 for
// 2^64 (section 3.3). The merge that is due with the last event counts.
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

// never is the number of events that is not reached.
const never = 1<<64 - 1

// after returns after how many events a merge is due if one happened after n.
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

// first returns after how many events the first merge is due.
func (s Schedule) first() uint64 {
	if s.Kind == Continuous {
		return never
	}
	return s.First
}

func ceilDiv(a, b uint64) uint64 { return (a + b - 1) / b }

// Bound returns by how much Estimate's least is too low at most, for any range
// that is a part of a part … of the universe, if no split was denied. For 2^64
// points, log2, B = 4 and an eps of 1 % it is eps·n/2 and 32 events, which is below
// eps·n from 6400 events on.
//
// Proof. What is missing from a range was counted for ranges around it. There are
// log_b(R) of these at most, each one with children. A node gets children when its
// count is at most one above the threshold of that time, which is no more than
// the present one; after that, events count for it only while it lacks a child
// and is not above the threshold by more than one; and a merge adds to it only up to
// the threshold. So its count is at most
//
//	max(eps·n, eps·Start)/log(R) + 1 <= eps·n/log(R) + slack
//
// with slack = Threshold(Start) + 1. When trees are merged, counts of the same
// range are added. The first terms of two trees add up to that of n1+n2 events,
// and the slacks add up.
func (t *Tree) Bound() uint64 {
	d := uint64(t.o.depth())
	return t.rate.ceil(t.n, d) + d*t.slack
}
