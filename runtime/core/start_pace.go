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
	tickCost = measureTick()
	spent, settled = 0, 0
	began = sys.CPUTime()
	tickLength, owed = opts.Tick, 0
	tickPace = pace.New(opts.Tick, opts.Budget, began)
}

// measureCycles returns the length of a cycle of golink.Cycles, in ns << cycleShift.
func measureCycles() uint64 {
	return measure(func() (before, ns, after int64) {
		before = golink.Cycles()
		ns = golink.Nanotime()
		return before, ns, golink.Cycles()
	})
}

// measure measures for 20 µs with clocks that read cycles, ns, and cycles again. If the thread loses its
// processor or waits for a page in one of the two readings that count, the cycles belong to another time
// than the ns, and a cycle would seem a hundred times as long as it is. Then it measures again.
func measure(clocks func() (before, ns, after int64)) uint64 {
	const long = 20_000 // ns
	for range 8 {
		cycles, begin, read := clocks()
		before, end, after := cycles, begin, read
		for end < begin+long {
			before, end, after = clocks()
		}
		if n := before - cycles; n > 0 && (read-cycles)+(after-before) < n/16 && end < begin+2*long {
			return uint64(end-begin) << cycleShift / uint64(n)
		}
	}
	return 1 << cycleShift / 3 // a common frequency, of 3 GHz
}
