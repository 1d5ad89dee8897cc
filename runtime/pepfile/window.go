package pepfile

// This file holds the numbers of bursts of taps. core/tap_burst.go explains bursts.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/sampler"
)

// A Burst has the numbers of events and times in bursts.
type Burst struct {
	sampler.Sampler
	Seen   uint64 // events in windows
	Inside uint64 // ns of CPU time in windows
	CPU    uint64 // ns of CPU time from the start of the program to the last window's end
	Cost   uint64 // ps that an event takes because it is tapped

	Now    uint64 // CPU time when it was last looked at
	Looked uint64 // time of that, 0 to look again
	Began  uint64 // CPU time when this window began; 0 outside
	Length uint64 // ns of CPU time of this window
	Here   uint64 // events in this window
}

// EndWindow doubles the length of windows that have no event, and halves that of
// windows with more than manyEvents. So where taps are rare a window lasts for many
// ticks.
const (
	MinWindow  = 100_000       // ns
	maxWindow  = 1_000_000_000 // ns
	manyEvents = 64 * uint64(ChunkTuples)
)

// EndWindow ends the window that began at a time, after length ns, unless another
// thread has ended it.
func (b *Burst) EndWindow(began, length uint64) {
	if began == 0 || !golink.Cas64(&b.Began, began, 0) {
		return
	}
	here := golink.Load64(&b.Here)
	golink.Store64(&b.Here, 0)
	golink.Add64(&b.Seen, int64(here))
	golink.Add64(&b.Inside, int64(length))
	switch {
	case here == 0 && b.Length < maxWindow:
		b.Length *= 2
	case here > manyEvents && b.Length > MinWindow:
		b.Length /= 2
	}
}
