package hotlist

// This file has the list itself: the update of section 2.2, and its merge.

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Slots is how many values a list has space for, N in the paper. The factor f by which the
// rate falls is Slots/(Slots-1), the paper's choice; it is that of lists of another size, too.
const Slots = 16

// log2Slots is how many random bits a coin takes that shows tails once in Slots times.
const log2Slots = 4

// An Entry is a value with its count.
type Entry[V comparable] struct {
	Value V
	Count uint64
}

// A List is a concise sample of a stream. Its size is constant. New and NewOf make a List.
type List[V comparable] struct {
	total     uint64
	level     uint32 // the rate is ((Slots-1)/Slots)^level
	threshold uint64 // the rate times 2^64, if level is not 0
	random    generator
	// in the order in which they came; the capacity is one more than the slots, for a value that is added
	entries []Entry[V]
}

// New returns an empty list whose random choices depend on seed alone.
func New[V comparable](seed uint64) *List[V] { return NewOf[V](Slots, seed) }

// NewOf returns an empty list with space for so many values, 1 or more.
func NewOf[V comparable](slots int, seed uint64) *List[V] {
	return &List[V]{random: generator(seed), entries: make([]Entry[V], 0, slots+1)}
}

func (l *List[V]) slots() int { return cap(l.entries) - 1 }

// Add counts an occurrence of v.
func (l *List[V]) Add(v V) {
	l.total++
	if l.level > 0 && l.random.next() >= l.threshold {
		return
	}
	for i := range l.entries {
		if e := &l.entries[i]; e.Value == v {
			e.Count++
			return
		}
	}
	l.entries = append(l.entries, Entry[V]{v, 1})
	for len(l.entries) > l.slots() {
		l.setLevel(l.level + 1)
		l.entries = thin(l.entries, &l.random)
	}
}

// setLevel sets level and threshold. The threshold is exact up to 16 in 2^64, because each
// of its roundings is at most 1 and later steps multiply that by 15/16.
func (l *List[V]) setLevel(level uint32) {
	for ; l.level < level; l.level++ {
		if l.level == 0 {
			l.threshold = (Slots - 1) << (64 - log2Slots)
		} else {
			l.threshold -= l.threshold >> log2Slots
		}
	}
}

// thin keeps each occurrence in entries with probability (Slots-1)/Slots, and removes
// entries of which none remains.
//
// A coin shows tails if log2Slots random bits are all 1, so the number of tails is
// binomial, exactly. Each round of the inner loop tosses up to 64 coins.
func thin[V comparable](entries []Entry[V], random *generator) []Entry[V] {
	var coins uint64 // a bit is 1 for tails
	left := uint64(0)
	kept := entries[:0]
	for _, e := range entries {
		for n := e.Count; n > 0; {
			if left == 0 {
				coins, left = random.next(), 64
				for range log2Slots - 1 {
					coins &= random.next()
				}
			}
			toss := min(n, left)
			e.Count -= uint64(bits.OnesCount64(coins & (1<<toss - 1)))
			coins >>= toss
			left -= toss
			n -= toss
		}
		if e.Count > 0 {
			kept = append(kept, e)
		}
	}
	return kept
}

// Merge adds what o has counted, a list with space for as many values. It does not change o.
//
// The result has the same distribution as one list of both streams, in whatever order they
// come. Imagine that each occurrence draws a number u between 0 and 1 once. Then a list with
// rate p has sampled the occurrences with u < p, and its rate is the largest power of 15/16
// at which these have at most 16 distinct values, or what there is space for: thinning never adds an occurrence, so no
// rate is left too early. The two lists have sampled at their rates, p1 and p2. Both streams
// together have at least the distinct values of each, so their rate is at most the smaller
// of the two, and Merge can get there by thinning. The total is exact.
func (l *List[V]) Merge(o *List[V]) {
	var both [2 * Slots]Entry[V]
	all := append(both[:0], l.entries...)
	for ; l.level < o.level; l.setLevel(l.level + 1) {
		all = thin(all, &l.random)
	}
	var copied [Slots]Entry[V]
	theirs := append(copied[:0], o.entries...)
	for level := o.level; level < l.level; level++ {
		theirs = thin(theirs, &l.random)
	}
	for _, e := range theirs {
		i := slices.IndexFunc(all, func(x Entry[V]) bool { return x.Value == e.Value })
		if i < 0 {
			all = append(all, e)
		} else {
			all[i].Count += e.Count
		}
	}
	for ; len(all) > l.slots(); l.setLevel(l.level + 1) {
		all = thin(all, &l.random)
	}
	l.total += o.total
	l.entries = append(l.entries[:0], all...)
}

// Total returns how many values were added, vtot in the paper.
func (l *List[V]) Total() uint64 { return l.total }

// Level returns how often the rate was lowered.
func (l *List[V]) Level() int { return int(l.level) }

// Rate returns the probability with which the list has sampled each occurrence, thld in
// the paper.
func (l *List[V]) Rate() float64 { return math.Pow((Slots-1.0)/Slots, float64(l.level)) }

// Len returns how many values the list has, nv in the paper.
func (l *List[V]) Len() int { return len(l.entries) }

// Top returns the values, the most frequent first; values with the same count are in the
// order in which they came.
func (l *List[V]) Top() []Entry[V] {
	return descending(slices.Clone(l.entries))
}

// Estimate returns the unbiased estimate for a value that was sampled count times:
// how often it was added.
func (l *List[V]) Estimate(count uint64) float64 { return float64(count) / l.Rate() }

// Restore returns the list with space for Slots values and a given level, total and entries, to read a list from a
// file. It returns an error if no list can have them.
func Restore[V comparable](seed uint64, level int, total uint64, entries []Entry[V]) (*List[V], error) {
	l := New[V](seed)
	if level < 0 || level > maxLevel {
		return nil, fmt.Errorf("hotlist: level %d, want 0 to %d", level, maxLevel)
	}
	if len(entries) > Slots {
		return nil, fmt.Errorf("hotlist: %d values, want at most %d", len(entries), Slots)
	}
	if total > MaxTotal {
		return nil, fmt.Errorf("hotlist: a total of %d, want at most %d", total, uint64(MaxTotal))
	}
	sum := uint64(0)
	for i, e := range entries {
		if e.Count == 0 || e.Count > total {
			return nil, fmt.Errorf("hotlist: value %v has the count %d, want 1 to the total, %d", e.Value, e.Count, total)
		}
		if slices.ContainsFunc(entries[:i], func(x Entry[V]) bool { return x.Value == e.Value }) {
			return nil, fmt.Errorf("hotlist: value %v occurs twice", e.Value)
		}
		sum += e.Count
	}
	if sum > total || level == 0 && sum != total {
		return nil, fmt.Errorf("hotlist: level %d, counts add up to %d, and the total is %d", level, sum, total)
	}
	l.setLevel(uint32(level))
	l.total = total
	l.entries = append(l.entries, entries...)
	return l, nil
}

const (
	// maxLevel is a level that no stream reaches: the rate is 1e-14 there.
	maxLevel = 500

	// MaxTotal is the largest total that Restore takes. Merge tosses coins for every
	// occurrence in a list, and takes 4 s for so many.
	MaxTotal = 1 << 32
)

// A generator makes random numbers: SplitMix64, by Steele, Lea and Flood, "Fast Splittable
// Pseudorandom Number Generators", OOPSLA 2014.
type generator uint64

func (g *generator) next() uint64 {
	*g += 0x9e3779b97f4a7c15
	z := uint64(*g)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// descending sorts entries by count.
func descending[V comparable](entries []Entry[V]) []Entry[V] {
	slices.SortStableFunc(entries, func(a, b Entry[V]) int { return cmp.Compare(b.Count, a.Count) })
	return entries
}
