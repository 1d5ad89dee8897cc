package convert

// This file makes parts of profiles in two threads, so that a program ends sooner.

import "github.com/pepgo/pep/runtime/golink"

// both runs a and b, which share nothing that either changes, and returns when both have returned. A goroutine runs b
// if a P is idle.
//
// A program may have many goroutines that never wait, so that the new goroutine does not run for seconds. So the
// goroutine that calls both runs b itself if nobody has begun when a has ended. Whoever begins is pinned to the P. So
// no goroutine is preempted that the other one waits for: core pins the caller, too.
//
// In programs built with -race there is no second goroutine: the race detector sees the maps that a and b use, but not
// how the goroutines wait for each other, so it would report races.
func both(a, b func()) {
	if golink.Race {
		a()
		b()
		return
	}
	var begun, ended uint32
	go func() {
		golink.ProcPin()
		if golink.Cas32(&begun, 0, 1) {
			b()
			golink.Store32(&ended, 1)
		}
		golink.ProcUnpin()
	}()
	a()
	if golink.Cas32(&begun, 0, 1) {
		b()
		return
	}
	for golink.Load32(&ended) == 0 {
		golink.Pause()
	}
}
