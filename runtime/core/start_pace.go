package core

// This file prepares what keeps ticks within the budget: see handler_pace.go.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pace"
	"github.com/pepgo/pep/runtime/sys"
)

// startPace measures what it must know, and begins the first interval.
func startPace(opts options.Options) {
	nsPerCycle = measureCycles()
	spent, settled = 0, 0
	began = sys.CPUTime()
	tickPace = pace.New(opts.Tick, opts.Budget, began)
}

// measureCycles returns the length of a cycle of golink.Cycles, in ns << cycleShift, from a
// measurement of 20 µs. If the thread loses its processor between the readings of the two
// clocks, it measures again.
func measureCycles() uint64 {
	const long = 20_000 // ns
	for range 8 {
		cycles, begin := readClocks()
		now, end := cycles, begin
		for end < begin+long {
			now, end = readClocks()
		}
		if n := uint64(now - cycles); n > 0 && end < begin+2*long {
			return uint64(end-begin) << cycleShift / n
		}
	}
	return 1 << cycleShift / 3 // a common frequency, of 3 GHz
}

func readClocks() (cycles, ns int64) {
	ns = golink.Nanotime()
	return golink.Cycles(), ns
}
