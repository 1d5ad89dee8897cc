package core

// This file prepares what keeps ticks within the budget: see handler_pace.go.

import (
	"math/bits"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pace"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/sys"
)

// startPace measures what it must know, and begins the first interval.
func startPace(opts options.Options) {
	pace.NsPerCycle = measureCycles()
	tickCost = measureTick()
	spent, settled = 0, 0
	began = sys.CPUTime() - beginning(opts.Tick)
	tickLength, owed = opts.Tick, 0
	tickPace = pace.New(opts.Tick, opts.Budget, began)
}

// beginning returns how much of the first interval is over when sampling begins: a random part, so that short runs of a
// program do not all meet the same moments. The first tick of a tick of hours, which is to take no samples, is not
// earlier for that than by a second.
func beginning(tick uint64) uint64 {
	const most = 1e9
	part, _ := bits.Mul64(pepfile.Mix(counts.Start, uint64(golink.Cycles())), min(tick, most))
	return part
}

// measureCycles returns the length of a cycle of golink.Cycles, in ns << pace.CycleShift.
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
			return uint64(end-begin) << pace.CycleShift / uint64(n)
		}
	}
	return 1 << pace.CycleShift / 3 // a common frequency, of 3 GHz
}
