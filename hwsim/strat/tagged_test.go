package strat

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/enginetest"
)

// The test goes through every row of figure 6 on a table with one entry. Tags have 8
// bits. Because PC is 0, the tag is the word.
func TestSTRAT13_TaggedTransitions(t *testing.T) {
	const a, b = 1, 2 // words
	valid := func(w, hits, misses uint32) slot { return slot{tag: w, hits: hits, misses: misses, valid: true} }
	empty := func(hits uint32) slot { return slot{hits: hits} }
	for _, x := range []struct {
		name   string
		before slot
		w      uint64
		after  slot
		sent   uint64 // 0 for no message
	}{
		{"E1 allocates an empty entry", empty(0), a, valid(a, 1, 0), 0},
		{"E1 credits what E6 left to whoever comes", empty(5), b, valid(b, 6, 0), 0},
		{"E1 sends at once if what was left fills the counter", empty(255), b, empty(0), 256},
		{"E3 counts a hit", valid(a, 7, 0), a, valid(a, 8, 0), 0},
		{"E3 up to one below the maximum", valid(a, 254, 0), a, valid(a, 255, 0), 0},
		{"E2 sends at the maximum", valid(a, 255, 0), a, empty(0), 256},
		{"E4 counts the first miss", valid(a, 7, 0), b, valid(a, 7, 1), 0},
		{"E4 even with one hit: the condition is for Evict", valid(a, 1, 0), b, valid(a, 1, 1), 0},
		{"E5 with one hit", valid(a, 1, 1), b, valid(b, 3, 0), 0},
		{"E5 with less than twice the misses", valid(a, 5, 3), b, valid(b, 9, 0), 0},
		{"E5a with just twice the misses", valid(a, 6, 3), b, valid(a, 6, 4), 0},
		{"E5a with many hits", valid(a, 200, 6), b, valid(a, 200, 7), 0},
		{"E5 with saturated misses", valid(a, 200, 7), b, valid(b, 208, 0), 0},
		{"E5 sends at once if the counter is full", valid(a, 250, 7), b, empty(0), 258},
		{"E6a with few hits", valid(a, 62, 7), a, valid(a, 63, 7), 0},
		{"E6 with a quarter of the maximum and enough misses", valid(a, 63, 4), a, empty(4), 64},
		{"E6a with a quarter of the maximum and too few misses", valid(a, 63, 3), a, valid(a, 64, 3), 0},
		{"E6a just below the product", valid(a, 126, 2), a, valid(a, 127, 2), 0},
		{"E6 at the product", valid(a, 127, 2), a, empty(2), 128},
		{"E6 at the maximum with one miss", valid(a, 255, 1), a, empty(1), 256},
	} {
		s := &tagged{hash: newHasher(Table, 1, 1, 0), tagBits: 8, max: 256, ways: 1, entries: []slot{x.before}}
		m, ok := s.step(hwsim.Message{Tuple: tuple.Tuple{W: x.w}, Count: 1})
		got := s.entries[0]
		got.used = 0
		if !got.valid {
			got.tag = 0
		}
		if got != x.after {
			t.Errorf("%s: got %+v, want %+v", x.name, got, x.after)
		}
		if ok != (x.sent > 0) || ok && (m.Count != x.sent || m.Tuple.W != x.w) {
			t.Errorf("%s: sent %v (%t), want the count %d", x.name, m, ok, x.sent)
		}
		// The event is counted once: in the entry or in the message.
		before := x.before.hits + x.before.misses
		if after := got.hits + got.misses + uint32(x.sent); after != before+1 {
			t.Errorf("%s: %d events before, %d after", x.name, before, after)
		}
	}
}

func TestSTRAT13_SetsTakeEmptyWaysAndThenTheLeastRecentlyUsed(t *testing.T) {
	s := &tagged{hash: newHasher(Table, 1, 1, 0), tagBits: 8, max: 256, ways: 2, entries: make([]slot, 2)}
	push := func(words ...uint64) {
		for _, w := range words {
			s.step(hwsim.Message{Tuple: tuple.Tuple{W: w}, Count: 1})
		}
	}
	check := func(when string, want [2]slot) {
		t.Helper()
		for i := range want {
			got := s.entries[i]
			got.used = 0
			if got != want[i] {
				t.Errorf("%s: way %d is %+v, want %+v", when, i, got, want[i])
			}
		}
	}
	push(1, 2, 1) // 2 is the least recently used
	check("two tags in two ways", [2]slot{{tag: 1, hits: 2, valid: true}, {tag: 2, hits: 1, valid: true}})
	push(3)
	check("a miss is one of the oldest way",
		[2]slot{{tag: 1, hits: 2, valid: true}, {tag: 2, hits: 1, misses: 1, valid: true}})
	push(3)
	check("the second miss replaces it", [2]slot{{tag: 1, hits: 2, valid: true}, {tag: 3, hits: 3, valid: true}})
	push(4)
	check("now the other is the oldest", [2]slot{{tag: 1, hits: 2, misses: 1, valid: true},
		{tag: 3, hits: 3, valid: true}})
}

// slowTagged is a tagged table written as figure 6 states the transitions. It has the
// states by name, and the ways in a list whose first way is the least recently used.
type slowTagged struct {
	max, ways int
	set       func(tuple.Tuple) int
	tag       func(tuple.Tuple) uint64
	sets      map[int][]*slowEntry
}

type slowEntry struct {
	way          int
	state        string
	tag          uint64
	hits, misses int
}

func (s *slowTagged) step(t tuple.Tuple) (sent int) {
	i, tag := s.set(t), s.tag(t)
	if s.sets[i] == nil {
		for w := range s.ways {
			s.sets[i] = append(s.sets[i], &slowEntry{way: w, state: "Empty"})
		}
	}
	set := s.sets[i]
	use := func(e *slowEntry) {
		set = append(slices.DeleteFunc(set, func(x *slowEntry) bool { return x == e }), e)
		s.sets[i] = set
	}
	var hit, empty *slowEntry
	for _, e := range set {
		if e.state != "Empty" && e.tag == tag {
			hit = e
		}
		if e.state == "Empty" && (empty == nil || e.way < empty.way) {
			empty = e
		}
	}
	if hit != nil {
		use(hit)
		hit.hits++
		evict := hit.state == "Evict" && hit.hits*4 >= s.max && float64(hit.misses) >= float64(s.max)/float64(hit.hits)
		if hit.hits >= s.max || evict {
			sent = hit.hits
			hit.state, hit.hits, hit.misses = "Empty", hit.misses, 0
		}
		return sent
	}
	e := set[0]
	if empty != nil {
		e = empty
	}
	switch e.state {
	case "Empty":
		e.state, e.tag = "Valid", tag
		e.hits++
	case "Valid":
		e.state, e.misses = "Evict", 1
		return 0
	case "Evict":
		if !(e.misses == 7 || e.hits == 1 || e.hits > 1 && e.hits < 2*e.misses) {
			e.misses++
			return 0
		}
		e.state, e.tag = "Valid", tag
		e.hits, e.misses = e.hits+e.misses+1, 0
	}
	use(e)
	if e.hits >= s.max {
		sent = e.hits
		e.state, e.hits = "Empty", 0
	}
	return sent
}

func TestSTRAT14_TaggedTableConservesEvents(t *testing.T) {
	in := biased(7, 1_000_000)
	e := mustNew(t, "tag2-256-2048")
	out := enginetest.Push(e, in)
	if got := counts(out) + uint64(e.Retained()); got != uint64(len(in)) {
		t.Errorf("counts, hits and misses sum to %d of %d events", got, len(in))
	}
}

func FuzzSTRAT14_Conservation(f *testing.F) {
	f.Add([]byte("a stream of bytes"), uint8(2), uint8(3), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, stream []byte, tagBits, max, sets, ways uint8) {
		s := Stage{Op: Tagged, TagBits: 1 + int(tagBits%8), Rate: 1 + int(max), Ways: 1 + int(ways%8)}
		s.N = s.Ways * (1 + int(sets))
		e := Spec{Stages: []Stage{s}}.compressor()
		var in []tuple.Tuple
		for _, b := range stream {
			in = append(in, tuple.New(tuple.Load, uint64(b>>4), uint64(b)))
		}
		if got := counts(enginetest.Push(e, in)) + uint64(e.Retained()); got != uint64(len(in)) {
			t.Errorf("%s: counts, hits and misses sum to %d of %d events", Spec{Stages: []Stage{s}, Seed: 1}, got, len(in))
		}
	})
}

// All variants of the table must send the messages of the model, and hold or send every
// event once.
func TestSTRAT15_TaggedVariants(t *testing.T) {
	in := biased(8, 30_000)
	for tagBits := 1; tagBits <= 8; tagBits++ {
		for _, ways := range []string{"/1w", "/2w", "/4w", "/full"} {
			for _, size := range []string{"-16-64", "-256-128"} {
				spec := fmt.Sprintf("tag%d%s%s", tagBits, size, ways)
				e := mustNew(t, spec)
				s, _ := ParseSpec(spec)
				slow := slowTagged{
					max:  s.Stages[0].Rate,
					ways: s.Stages[0].Ways,
					set:  func(x tuple.Tuple) int { i, _ := e.Stratum(x); return i },
					tag:  func(x tuple.Tuple) uint64 { return slowFold(x.PC^x.W, tagBits) },
					sets: map[int][]*slowEntry{},
				}
				if n := s.Stages[0].N / s.Stages[0].Ways; slow.ways*n != s.Stages[0].N {
					t.Fatalf("%s: %d ways and %d sets", spec, slow.ways, n)
				}
				var want []hwsim.Message
				for _, x := range in {
					if sent := slow.step(x); sent > 0 {
						want = append(want, hwsim.Message{Tuple: x, Count: uint64(sent)})
					}
				}
				got := enginetest.Push(e, in)
				if !slices.Equal(got, want) {
					t.Errorf("%s: %d messages, the model sends %d, or others", spec, len(got), len(want))
				}
				if sum := counts(got) + uint64(e.Retained()); sum != uint64(len(in)) {
					t.Errorf("%s: counts, hits and misses sum to %d of %d events", spec, sum, len(in))
				}
			}
		}
	}
}
