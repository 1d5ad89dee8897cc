package convert

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// Both functions run once each and have ended when both returns: with one P, with two, and while
// goroutines that never wait keep all of them.
func TestBothRunOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var stop atomic.Bool
	defer stop.Store(true)
	for _, busy := range []int{0, 8} {
		for range busy {
			go func() {
				for !stop.Load() {
				}
			}()
		}
		for _, procs := range []int{1, 2} {
			runtime.GOMAXPROCS(procs)
			for range 20 {
				var a, b int // the race detector sees if both returns too early
				both(func() { a++ }, func() { b++ })
				if a != 1 || b != 1 {
					t.Fatalf("%d goroutines on %d Ps: a ran %d times, b %d times", busy, procs, a, b)
				}
			}
		}
	}
}
