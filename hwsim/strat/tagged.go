package strat

// This file has the tagged table.

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// maxMisses is the number at which the miss counter, of 3 bits, saturates (section 4.2).
const maxMisses = 7

// tagged is the tagged compressor of section 4: a stratified periodic sampler whose
// entries each store a tag, a few bits of a hash of the tuple that they count. An entry
// can pass from one tuple to another.
//
// The paper's state machine (figure 6) leaves some of the arithmetic open. This
// implementation neither loses an event nor counts one twice: the counts of all messages
// and the hits and misses of all entries add up to the number of events. So
//
//   - the event that passes an entry to a new tuple (E5) counts for the new tuple, and
//     the event that makes an entry send a message (E2, E6) counts in this message;
//   - conditions use the counters as they are before the event, except that a hit
//     increments the hits first;
//   - an entry whose hits reach the maximum in any transition is sent at once;
//   - the condition misses >= trigger/hits is computed as misses*hits >= trigger,
//     because hardware does not divide, and the trigger is the maximum.
//
// If the set has no entry with the event's tag, the first empty entry of the set takes
// the event. If no entry is empty, the event is a miss of one entry: the one whose last
// hit or allocation is the longest ago.
type tagged struct {
	hash    hasher // from tuples to sets
	tagBits int
	max     uint32 // the hits at which an entry is sent
	ways    int
	entries []slot // one set after the other
	clock   uint64 // events
}

// A slot is an entry of the table. The paper's states are: Empty if it is not valid,
// Evict if it is valid and has misses. An empty slot can have hits: send turns the
// misses of the old entry into hits of the next one (E6).
type slot struct {
	used   uint64 // the clock at its last hit or allocation
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

// find returns the entry of a set that takes an event with the given tag, and whether
// the entry already has this tag.
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

// send returns a message with the hits of e, and empties e. The misses of e become
// the hits with which the next tuple takes the entry.
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

// flush sends nothing, because the entries do not know their tuples.
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
