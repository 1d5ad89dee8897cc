package strat

import "testing"

func TestSTRAT08_CounterBits(t *testing.T) {
	for rate, want := range map[int]int{1: 0, 2: 1, 3: 2, 4: 2, 255: 8, 256: 8, 257: 9, 512: 9} {
		if got := counterBits(rate); got != want {
			t.Errorf("a counter to %d has %d bits, want %d", rate, got, want)
		}
	}
}

// An associative table that stands behind another engine has a sum beside the counter of
// each entry.
func TestSizeBehindAnotherEngine(t *testing.T) {
	s, _ := parse("A16", true)
	if got := s.Size(32)[0].Bits; got != 72+32 {
		t.Errorf("%d bits, want 104", got)
	}
}
