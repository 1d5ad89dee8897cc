package convert

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
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

// Whoever comes second, the goroutine or its maker, does not run b again.
func TestBothRunOnceWhoeverComesSecond(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // the goroutine waits for the P until both has returned, mostly
	var b atomic.Int32
	both(func() {}, func() { b.Add(1) })
	for range 100 {
		runtime.Gosched()
	}
	if n := b.Load(); n != 1 {
		t.Errorf("the goroutine came second, and b ran %d times", n)
	}
	runtime.GOMAXPROCS(2)
	b.Store(0)
	both(func() {
		for end := time.Now().Add(time.Second); b.Load() == 0 && time.Now().Before(end); {
			runtime.Gosched() // the goroutine comes first, or its maker after a second
		}
	}, func() { b.Add(1) })
	if n := b.Load(); n != 1 {
		t.Errorf("the goroutine came first, and b ran %d times", n)
	}
}
