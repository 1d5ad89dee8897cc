package hotlist

// This file has the two baselines.

import (
	"math"
	"slices"
)

// A Counting is a counting sample of Gibbons and Matias: from the first occurrence that it
// samples, it counts every occurrence of a value. So counts are larger than those of a List
// and vary less, but each lacks the occurrences before the first, whose number is not known.
type Counting[V comparable] struct {
	total   uint64
	rate    float64
	random  generator
	entries []Entry[V]
}

// NewCounting returns an empty counting sample.
func NewCounting[V comparable](seed uint64) *Counting[V] {
	return &Counting[V]{rate: 1, random: generator(seed)}
}

// Add counts an occurrence of v.
func (s *Counting[V]) Add(v V) {
	s.total++
	if i := slices.IndexFunc(s.entries, func(e Entry[V]) bool { return e.Value == v }); i >= 0 {
		s.entries[i].Count++
		return
	}
	if !s.random.coin(s.rate) {
		return
	}
	s.entries = append(s.entries, Entry[V]{v, 1})
	for len(s.entries) > Slots {
		s.lower()
	}
}

// lower lowers the rate. An entry's first occurrence remains with the quotient of the
// rates. If it does not, the entry loses occurrences until a coin with the new rate says
// that the next one would have been sampled first.
func (s *Counting[V]) lower() {
	const keep = (Slots - 1.0) / Slots
	s.rate *= keep
	for i := range s.entries {
		e := &s.entries[i]
		if s.random.coin(keep) {
			continue
		}
		for e.Count--; e.Count > 0 && !s.random.coin(s.rate); {
			e.Count--
		}
	}
	s.entries = slices.DeleteFunc(s.entries, func(e Entry[V]) bool { return e.Count == 0 })
}

// Top returns the values with estimates of how often they occurred, the most frequent first.
// The estimate adds 0.418/p - 1 to the count, which Gibbons and Matias derive for the values
// that are in the sample.
func (s *Counting[V]) Top() []Entry[V] {
	top := slices.Clone(s.entries)
	if s.rate < 1 {
		for i := range top {
			top[i].Count = uint64(math.Round(float64(top[i].Count) + 0.418/s.rate - 1))
		}
	}
	return descending(top)
}

// A Table is the table of the most frequent values of Calder, Feller and Eustace, "Value
// Profiling", MICRO 1997: a value that has no entry replaces the least frequent one in the
// lower half of the table, and the lower half is cleared every so often, so that new values
// can rise. Its counts are at most the true ones.
type Table[V comparable] struct {
	entries []Entry[V] // the most frequent first
	since   int        // values since the lower half was cleared
}

// ClearAfter is how many values a Table takes before it clears its lower half. Calder and
// others say that it needs tuning, and use 2000.
const ClearAfter = 2000

// Add counts an occurrence of v.
func (t *Table[V]) Add(v V) {
	if t.since++; t.since > ClearAfter {
		t.since = 0
		t.entries = t.entries[:min(len(t.entries), Slots/2)]
	}
	i := slices.IndexFunc(t.entries, func(e Entry[V]) bool { return e.Value == v })
	switch {
	case i >= 0:
		t.entries[i].Count++
	case len(t.entries) < Slots:
		i = len(t.entries)
		t.entries = append(t.entries, Entry[V]{v, 1})
	default:
		i = Slots - 1
		t.entries[i] = Entry[V]{v, 1}
	}
	for ; i > 0 && t.entries[i-1].Count < t.entries[i].Count; i-- {
		t.entries[i-1], t.entries[i] = t.entries[i], t.entries[i-1]
	}
}

// Top returns the values with their counts, the most frequent first.
func (t *Table[V]) Top() []Entry[V] { return slices.Clone(t.entries) }

// coin returns true with the given probability.
func (g *generator) coin(p float64) bool { return float64(g.next()>>11) < p*(1<<53) }
