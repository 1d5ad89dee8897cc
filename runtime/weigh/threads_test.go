package weigh_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/runtime/weigh"
)

// side is the polls that follow a tick where threads run side by side: thread t ends path t each times[t] ns. A poll takes its thread
// cost ns more, and the others go on in the meantime.
func side(rng *rand.Rand, first int32, cost float64, times ...float64) weigh.Burst {
	b := weigh.Burst{Ticks: 1}
	next, last := make([]float64, len(times)), make([]float64, len(times))
	for t := range times {
		next[t], last[t] = rng.Float64()*times[t], -1
	}
	for range 64 {
		t := 0
		for u := range next {
			if next[u] < next[t] {
				t = u
			}
		}
		p := weigh.Poll{Path: first + int32(t), Thread: uint32(t)}
		if last[t] >= 0 {
			p.Gap = uint32(next[t] - last[t])
		}
		b.Polls = append(b.Polls, p)
		last[t] = next[t]
		next[t] += cost + times[t]
	}
	return b
}

// sharesByThread returns the estimated share of each path, with a burst for each thread's polls.
func sharesByThread(bursts []weigh.Burst, paths int) []float64 {
	var list []weigh.Burst
	for i := range bursts {
		parts, _ := weigh.ByThread(&bursts[i])
		list = append(list, parts...)
	}
	weights := weigh.Weights(list, paths)
	for i := range weights { // from here on it is that of a poll
		weights[i] /= float64(len(list[i].Polls))
	}
	share, _ := shares(list, weights, paths)
	return share
}

// Two threads run side by side, one with paths of 10 ns and one with paths of 6 µs. The second ends 1 path in 601. In bursts
// it has one poll in 6, and if a burst has the polls of both, its share is estimated to be as large. The
// random numbers are always the same, so there are no false alarms.
func TestThreadsSideBySide(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	const cost, truth = 1230, 1. / 601
	var bursts []weigh.Burst
	for range 400 {
		bursts = append(bursts, side(rng, 0, cost, 10, 6000))
	}
	together, _ := shares(bursts, weigh.Weights(bursts, 2), 2)
	share := sharesByThread(bursts, 2)
	t.Logf("share %.4f, together %.4f, truth %.4f", share[1], together[1], truth)
	if share[1] < truth/4 || share[1] > truth*4 || together[1] < truth*20 {
		t.Errorf("share %.4f, if bursts have both threads %.4f, in truth %.4f", share[1], together[1], truth)
	}
}

// A program has one thread half of the time and two otherwise, and all paths take 100 ns: each of the three paths has a
// third of the ends. There are twice as many ticks, by CPU time, while there are two threads. Again the random numbers
// are always the same.
func TestThreadsShareTicks(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	var bursts []weigh.Burst
	for range 200 {
		bursts = append(bursts, side(rng, 0, 1230, 100), side(rng, 1, 1230, 100, 100), side(rng, 1, 1230, 100, 100))
	}
	for k, s := range sharesByThread(bursts, 3) {
		if math.Abs(s-1./3) > .03 {
			t.Errorf("path %d: share %.3f, want 0.333", k, s)
		}
	}
}
