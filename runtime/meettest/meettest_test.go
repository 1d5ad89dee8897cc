package meettest

import (
	"sync/atomic"
	"testing"
)

// Each thread does each round, in order, and none does before both have come to it.
func TestThreads(t *testing.T) {
	const rounds = 10_000
	var next [2]int
	var done atomic.Int64
	Threads(rounds, func(thread, round int) {
		if n := done.Add(1); round != next[thread] || n <= int64(2*round-1) || n > int64(2*round+2) {
			t.Errorf("thread %d is in round %d, the %d-th call", thread, round, n)
		}
		next[thread]++
	})
	if next != [2]int{rounds, rounds} {
		t.Errorf("%d rounds, want %d of both", next, rounds)
	}
}
