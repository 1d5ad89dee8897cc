package hotlist

// This file has the counting sample, which tests compare with a List.

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

// coin returns true with the given probability.
func (g *generator) coin(p float64) bool { return float64(g.next()>>11) < p*(1<<53) }
