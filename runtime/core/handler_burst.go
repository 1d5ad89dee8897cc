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

// bursts is the state of bursts in this program. tap_burst.go copies it to the header
// of the table of words at the end of each burst. It is not in that header itself
// because ticks come before there is a table.
var bursts pepfile.Burst

// tapsTurn reports whether this tick starts a burst of taps. Bursts of taps and of
// paths take turns, because the time that a burst of paths spends in faults would
// otherwise count as time in a window of taps.
func tapsTurn() bool {
	return tapOptions.Taps == options.TapsBurst && (poll.Mode == poll.Exact || golink.Load64(&bursts.Ticks) < golink.Load64(&counts.Ticks))
}

// tickTaps starts a burst of taps, given the CPU time. On linux/amd64 it runs in a
// signal handler.
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
