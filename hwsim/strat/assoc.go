package strat

// This file has the associative table of counters.

import (
	"math/bits"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// maxMerged is how many messages an entry merges before the table sends it. The
// counter of an entry has one byte (section 3.4).
const maxMerged = 256

// associative is A_k: a cache of k tuples with a counter each (section 3.4).
// The paper does not say which entry a new tuple replaces. This table replaces
// the least recently used entry.
//
// Hardware compares a tuple with all entries at once. This table keeps the
// entries in a hash table with chaining, and in a list in order of use.
type associative struct {
	entries []entry
	used    int
	heads   []int32 // of chains: 1 + an index into entries, or 0 for an empty chain
	shift   int     // a 64-bit hash shifted right by shift is an index into heads
	newest  int32
	oldest  int32
}

type entry struct {
	tuple  tuple.Tuple
	count  uint64 // of events
	merged uint32 // messages that count adds up
	chain  int32  // the next entry of the chain, encoded as in heads

	newer, older int32 // the neighbours in order of use; -1 at the ends of the list
}

func newAssociative(k int) *associative {
	n := bits.Len(uint(2*k - 1))
	return &associative{
		entries: make([]entry, k),
		heads:   make([]int32, 1<<n),
		shift:   64 - n,
		newest:  -1,
		oldest:  -1,
	}
}

// bucket returns the head of the chain of t. The multipliers are the fractions
// of the golden ratio and of the square root of 3.
func (s *associative) bucket(t tuple.Tuple) *int32 {
	return &s.heads[(t.PC*0x9E3779B97F4A7C15+t.W*0xBB67AE8584CAA73B)>>s.shift]
}

func (s *associative) step(m hwsim.Message) (hwsim.Message, bool) {
	head := s.bucket(m.Tuple)
	for i := *head; i != 0; i = s.entries[i-1].chain {
		if e := &s.entries[i-1]; e.tuple == m.Tuple {
			s.touch(i - 1)
			e.count += m.Count
			if e.merged++; e.merged < maxMerged {
				return m, false
			}
			m.Count = e.count
			e.count, e.merged = 0, 0
			return m, true
		}
	}
	if s.used < len(s.entries) {
		s.used++
		s.put(int32(s.used-1), m, head)
		return m, false
	}
	i := s.oldest
	victim := hwsim.Message{Tuple: s.entries[i].tuple, Count: s.entries[i].count}
	s.unchain(i)
	s.unlist(i)
	s.put(i, m, head)
	return victim, victim.Count > 0
}

// put stores the tuple and the count of m in entry i, and puts the entry at the
// front of the chain with the given head.
func (s *associative) put(i int32, m hwsim.Message, head *int32) {
	s.entries[i] = entry{tuple: m.Tuple, count: m.Count, merged: 1, chain: *head}
	*head = i + 1
	s.list(i)
}

// touch makes entry i the most recently used.
func (s *associative) touch(i int32) {
	if i != s.newest {
		s.unlist(i)
		s.list(i)
	}
}

func (s *associative) list(i int32) {
	e := &s.entries[i]
	e.newer, e.older = -1, s.newest
	if s.newest >= 0 {
		s.entries[s.newest].newer = i
	} else {
		s.oldest = i
	}
	s.newest = i
}

func (s *associative) unlist(i int32) {
	e := &s.entries[i]
	if e.newer >= 0 {
		s.entries[e.newer].older = e.older
	} else {
		s.newest = e.older
	}
	if e.older >= 0 {
		s.entries[e.older].newer = e.newer
	} else {
		s.oldest = e.newer
	}
}

func (s *associative) unchain(i int32) {
	p := s.bucket(s.entries[i].tuple)
	for *p != i+1 {
		p = &s.entries[*p-1].chain
	}
	*p = s.entries[i].chain
}

// flush sends all entries, the least recently used first.
func (s *associative) flush(out []hwsim.Message) []hwsim.Message {
	for i := s.oldest; i >= 0; i = s.entries[i].newer {
		if e := &s.entries[i]; e.count > 0 {
			out = append(out, hwsim.Message{Tuple: e.tuple, Count: e.count})
		}
	}
	clear(s.heads)
	s.used, s.newest, s.oldest = 0, -1, -1
	return out
}

func (s *associative) retained() (n int64) {
	for _, e := range s.entries[:s.used] {
		n += int64(e.count)
	}
	return n
}
