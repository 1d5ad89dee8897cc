// Package meettest has two threads do the same thing at the same time, so that each of them finds that the other one
// has changed what it has just read. It is for tests of compare-and-swaps that may be lost:
//
//	var n uint32
//	meettest.Threads(200_000, func(thread, round int) {
//		for old := golink.Load32(&n); !golink.Cas32(&n, old, old+1); old = golink.Load32(&n) {
//		}
//	})
//	// n is 400,000. If the loop took a lost swap for a won one, n would be less.
//
// How often threads meet depends on the machine. On one with two CPUs for them it is about once in a hundred rounds. So
// a test that fails where they meet does not notice a fault in 200,000 rounds with a chance far below 1 in 100,000.
// While five busy threads shared two CPUs with them, threads did not meet at all in 8 of 30 tests, and with one CPU
// they hardly ever do. There are no false alarms.
package meettest

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Threads calls do in two goroutines, thread 0 and thread 1, for each of so many rounds, and returns when both are
// done. Neither begins a round before the other one does, and neither is always the first.
func Threads(rounds int, do func(thread, round int)) {
	var begun atomic.Int64
	var wg sync.WaitGroup
	for thread := range 2 {
		wg.Go(func() {
			for round := range rounds {
				begun.Add(1)
				for spins := 0; begun.Load() < int64(2*(round+1)); spins++ {
					if spins > 1000 {
						runtime.Gosched() // the other one may have no CPU
					}
				}
				if round%2 == thread {
					for range round / 2 % 64 {
						begun.Load() // takes about a nanosecond
					}
				}
				do(thread, round)
			}
		})
	}
	wg.Wait()
}
