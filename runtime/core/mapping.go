package core

// This file says what a program needs its memory of counts for.

// tapped says that instrumented code can tap; in the package's own module tests do.
const tapped = tapsLinked || !linked

// unpin ends what pin began.
func unpin() { procUnpin() }

// roomWanted returns the layout of the .pep file of a program with some options,
// and notes the places of exact counters in it.
func roomWanted(opts options) (counters uint64, streams uint32, problem string) {
	if mode == modeExact {
		tables, _, err := rawTables()
		if err == nil {
			places, counters, err = placesOf(tables)
		}
		if err != nil {
			return 0, 0, err.Error()
		}
	}
	if tapped && opts.taps != tapsOff {
		streams = streamsWanted()
	}
	return counters, streams, ""
}

// countIn begins to count in the memory of table t.
func countIn(t table, counters uint64, streams uint32) {
	t.Counters, t.Streams = counters, streams
	counts = t
	if streams > 0 {
		chunkBase = uintptr(t.at(t.layout().chunks))
	}
}
