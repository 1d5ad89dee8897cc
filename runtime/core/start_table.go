package core

// This file finds out how much room a program needs in its .pep file.

import (
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sitetables"
	"github.com/pepgo/pep/runtime/taps"
)

var pathIndex pepfile.Index // of counts

// roomWanted returns the layout of the .pep file of a program with some options,
// and notes the ranges of exact counters in it.
func roomWanted(opts options.Options) (counters uint64, streams uint32, problem string) {
	streams = taps.Streams(opts.Tapping)
	if poll.Counts {
		tables, _, err := sitetables.Raw()
		if err == nil {
			counterRanges, counters, err = counterRangesOf(tables, streams)
		}
		if err != nil {
			return 0, 0, err.Error()
		}
	}
	return counters, streams, ""
}

// countIn begins to count in the memory of table t.
func countIn(t pepfile.Table, counters uint64, streams uint32) {
	t.Counters, t.Streams = counters, streams
	counts = t.WithIndex(&pathIndex)
	if streams > 0 {
		taps.UseChunks(uintptr(t.At(t.Layout().Chunks)))
	}
}
