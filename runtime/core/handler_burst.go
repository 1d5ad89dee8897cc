package core

// This file is the part of bursts of taps that runs at a tick: the tick starts a burst
// and its window of CPU time. tap_burst.go has the rest.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sampler"
)

// bursts is that of this program; its counts become area's at the end of each
// burst. It is apart because the tick comes before the first tap.
var bursts pepfile.Burst

// tapsTurn reports whether the tick that has come is for taps. Bursts of taps and
// of paths take turns: the time that a burst of paths takes, nearly all of it in
// faults, would be taken for time of a burst of taps.
func tapsTurn() bool {
	return tapOptions.Taps == options.TapsBurst && (poll.Mode == poll.Exact || golink.Load64(&bursts.Ticks) < golink.Load64(&counts.Ticks))
}

// tickTaps starts a burst, at a CPU time. It is called in a signal handler, where
// there are some.
func tickTaps(now uint64) {
	action := bursts.BeginBurst()
	if began := golink.Load64(&bursts.Began); began == 0 || now-began >= bursts.Length {
		bursts.EndWindow(began, bursts.Length)
		golink.Store64(&bursts.Began, now)
		golink.Store64(&bursts.Looked, 0)
	}
	if action == sampler.ActArm {
		golink.Store32(&Taps, options.TapsBurst)
	}
}
