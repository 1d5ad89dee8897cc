package strat

import (
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/enginetest"
)

// profile returns the profile that software makes of messages.
func profile(msgs ...[]hwsim.Message) map[tuple.Tuple]uint64 {
	p := map[tuple.Tuple]uint64{}
	for _, batch := range msgs {
		for _, m := range batch {
			p[m.Tuple] += m.Count
		}
	}
	return p
}

func TestSTRAT10_AssociativeTableLosesNothing(t *testing.T) {
	in := biased(1, 300_000)
	for _, first := range []string{"R64", "P64", "CR64", "RC64", "H[P64]512", "H[CR64]512", "tag2-64-512",
		"tag3-64-512/full"} {
		for _, second := range []string{"A1", "A2", "A16", "A4096", "A16+A4"} {
			with, without := mustNew(t, first+"+"+second), mustNew(t, first)
			var got [][]hwsim.Message
			for batch := range slices.Chunk(in, 10_007) {
				got = append(got, enginetest.Push(with, batch))
			}
			got = append(got, enginetest.Flush(with))
			want := enginetest.Push(without, in)
			if p := profile(got...); !equal(p, profile(want)) {
				t.Errorf("%s: another profile than without %s", first+"+"+second, second)
			}
			if n := len(slices.Concat(got...)); n > len(want) {
				t.Errorf("%s: %d messages, %d without %s", first+"+"+second, n, len(want), second)
			}
		}
	}
}

func equal(a, b map[tuple.Tuple]uint64) bool {
	if len(a) != len(b) {
		return false
	}
	for t, n := range a {
		if b[t] != n {
			return false
		}
	}
	return true
}

// slowAssociative keeps its entries in a slice in order of use.
type slowAssociative struct {
	k       int
	entries []hwsim.Message // the least recently used first
	merged  map[tuple.Tuple]int
}

func (s *slowAssociative) step(m hwsim.Message) (out []hwsim.Message) {
	i := slices.IndexFunc(s.entries, func(e hwsim.Message) bool { return e.Tuple == m.Tuple })
	if i < 0 {
		if len(s.entries) == s.k {
			if s.entries[0].Count > 0 {
				out = append(out, s.entries[0])
			}
			s.entries = s.entries[1:]
		}
		s.entries = append(s.entries, m)
		s.merged[m.Tuple] = 1
		return out
	}
	e := s.entries[i]
	s.entries = slices.Delete(s.entries, i, i+1)
	e.Count += m.Count
	if s.merged[m.Tuple]++; s.merged[m.Tuple] == 256 {
		out = append(out, e)
		s.merged[m.Tuple], e.Count = 0, 0
	}
	s.entries = append(s.entries, e)
	return out
}

func TestSTRAT10_ReplacesTheLeastRecentlyUsed(t *testing.T) {
	for _, k := range []int{1, 2, 3, 16, 100} {
		fast := newAssociative(k)
		slow := slowAssociative{k: k, merged: map[tuple.Tuple]int{}}
		for round := range 2 { // the second is after a flush
			for i, x := range biased(uint64(k), 50_000) {
				if i%3 > 0 {
					x = tuple.New(tuple.Load, 1, 1) // occurs often enough to fill its counter
				}
				m := hwsim.Message{Tuple: x, Count: uint64(1 + i%3)}
				var got []hwsim.Message
				if out, ok := fast.step(m); ok {
					got = append(got, out)
				}
				if want := slow.step(m); !slices.Equal(got, want) {
					t.Fatalf("A%d, round %d, message %d: got %v, want %v", k, round, i, got, want)
				}
			}
			want := slices.DeleteFunc(slow.entries, func(m hwsim.Message) bool { return m.Count == 0 })
			if got := fast.flush(nil); !slices.Equal(got, want) {
				t.Errorf("A%d: flush sent %v, want %v", k, got, want)
			}
			slow.entries = nil
		}
	}
}
