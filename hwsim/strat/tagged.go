package strat

// This file has the tagged table.

import (
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/runtime/tuple"
)

// maxMisses is where the miss counter of 3 bits saturates (section 4.2).
const maxMisses = 7

// tagged is the tagged compressor of section 4: a stratified periodic sampler
// whose entries know a few bits of the tuple that they count, and change hands.
//
// The paper's state machine (figure 6) leaves some of the arithmetic open. Here
// no event is lost or counted twice: the counts of all messages and the hits
// and misses of all entries sum to the events. So
//
//   - the event that hands an entry over (E5) is counted for its new tuple, and
//     the event that sends a message (E2, E6) is counted in it;
//   - conditions see the counters before the event, but for the hits of a hit;
//   - an entry whose hits reach the maximum in any transition is sent at once;
//   - misses >= trigger/hits is a comparison of the product, for no hardware
//     divides, and the trigger is the maximum.
//
// A miss takes the first empty entry of the set if there is one; otherwise it
// is a miss of the entry that was hit or allocated the longest ago, and no
// other.
type tagged struct {
	hash    hasher // to sets
	tagBits int
	max     uint32
	ways    int
	entries []slot // sets one after the other
	clock   uint64
}

// A slot is an entry of the table. Evict is the state of a valid one with
// misses. An empty one can have hits: those that E6 hands on.
type slot struct {
	used   uint64 // when it was hit or allocated last
	tag    uint32
	hits   uint32
	misses uint32
	valid  bool
}

func (s *tagged) step(m hwsim.Message) (hwsim.Message, bool) {
	s.clock++
	tag := tagOf(m.Tuple, s.tagBits)
	e, hit := s.find(int(s.hash.index(m.Tuple)), tag)
	switch {
	case hit: // E2, E3, E6, E6a
		e.hits++
		if e.hits >= s.max || s.shouldEvict(e) {
			return e.send(m.Tuple)
		}
	case !e.valid: // E1
		e.valid, e.tag = true, tag
		e.hits++
	case e.misses == 0 || !e.shouldReplace(): // E4, E5a
		e.misses++
		return m, false
	default: // E5
		e.tag = tag
		e.hits, e.misses = e.hits+e.misses+1, 0
	}
	e.used = s.clock
	if e.hits >= s.max {
		return e.send(m.Tuple)
	}
	return m, false
}

// find returns the entry of a set that an event with the given tag is for, and
// whether it has that tag.
func (s *tagged) find(set int, tag uint32) (e *slot, hit bool) {
	ways := s.entries[set*s.ways : (set+1)*s.ways]
	var empty *slot
	oldest := &ways[0]
	for i := range ways {
		switch e := &ways[i]; {
		case !e.valid:
			if empty == nil {
				empty = e
			}
		case e.tag == tag:
			return e, true
		case e.used < oldest.used:
			oldest = e
		}
	}
	if empty != nil {
		return empty, false
	}
	return oldest, false
}

// send reports the hits of e, empties it, and leaves its misses to whoever
// takes it next.
func (e *slot) send(t tuple.Tuple) (hwsim.Message, bool) {
	m := hwsim.Message{Tuple: t, Count: uint64(e.hits)}
	e.hits, e.misses, e.valid = e.misses, 0, false
	return m, true
}

func (s *tagged) shouldEvict(e *slot) bool {
	return 4*e.hits >= s.max && e.misses*e.hits >= s.max
}

func (e *slot) shouldReplace() bool {
	return e.misses == maxMisses || e.hits == 1 || e.hits < 2*e.misses
}

// flush can send nothing: the entries do not know their tuples.
func (s *tagged) flush(out []hwsim.Message) []hwsim.Message {
	clear(s.entries)
	s.clock = 0
	return out
}

func (s *tagged) retained() (n int64) {
	for _, e := range s.entries {
		n += int64(e.hits) + int64(e.misses)
	}
	return n
}

func (s *tagged) stratum(t tuple.Tuple) int { return int(s.hash.index(t)) }
