package taps

// This file is the part of bursts of taps that runs at a tick: the tick says that a burst
// begins, or that the time of one is over. burst.go has the rest. Without polls, the tick also counts
// where it has interrupted the program.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
)

// bursts is the state of bursts in this program. burst.go copies it to the header
// of the table of words at the end of each burst. It is not in that header itself
// because ticks come before there is a table.
var bursts pepfile.Burst

// Turn reports whether this tick starts a burst of taps. Bursts of taps and of
// paths take turns, because the time that a burst of paths takes would
// otherwise count as time in a window of taps.
func Turn() bool {
	return Linked && settings.Taps == options.TapsBurst && (poll.Mode == poll.Exact || golink.Load64(&bursts.Ticks) < golink.Load64(&counts.Ticks))
}

// BeginBurst starts a burst of taps, given the CPU time. On linux/amd64 it runs in a
// signal handler.
func BeginBurst(now uint64) {
	golink.Store64(&bursts.Before, golink.Load64(&bursts.Tick))
	golink.Store64(&bursts.Tick, now)
	golink.Add64(&bursts.Ticks, 1)
	golink.Store32(mode, options.TapsBurst)
}

// EndBurst ends the burst that is on, if any: no burst is longer than a tick, whatever
// the program does.
func EndBurst(now uint64) {
	if !Linked || settings.Taps != options.TapsBurst {
		return
	}
	golink.Store64(&bursts.Until, now)
	golink.Store32(mode, options.TapsOff)
}

// HasWords reports whether there is a table of words.
func HasWords() bool { return Linked && wordTable.WordsHeader != nil }

// CountTick counts a tick in the table of words: see [pepfile.Words.AddTick].
func CountTick(at uint32) { wordTable.AddTick(at) }
