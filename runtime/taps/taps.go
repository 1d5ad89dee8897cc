// Package taps is the way of the words that taps report, from the code of a program to the
// table of words in its .pep file:
//
//	tap             stores a tuple into the chunk of its goroutine (core.Tap)
//	  chunk.go      MakeRoom, when the chunk is full
//	  stream.go     copies the chunk into the buffer of the P
//	  deliver.go    empties a full buffer: by itself, or by the service (queue.go)
//	  engine.go     the engine of the P compresses the tuples (hwsim/engines)
//	  words.go      or counts them, if there is no engine
//
// In bursts, a tick begins a window of time (tick.go), samples are drawn from the chunks that are
// full in the window (burst.go), and are weighed (fold.go). A trace gets all tuples in order
// (trace_linux_amd64.go).
//
// Package core calls this package at the start and at the end of a program, and taps in between. In a
// program with PEPOPTS=engine=H[P256]2048,taps=full:
//
//	taps.Configure(taps.Program{Counts: table, File: "/tmp/app.7.99.pep", Mode: &core.Taps}, options)
//	taps.UseChunks(base)
//	problem := taps.Start(samples) // makes engines and trace; now *Mode is options.TapsFull
//	taps.MakeRoom(next, 1)         // from a tap: the 127 tuples of a full chunk go on
//	taps.Finish()                  // all that was in chunks, buffers and engines is in the table
//
// MakeRoom and what it calls never allocate or block, and need no P: a test of core follows all calls
// in the compiled code.
package taps

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
)

// UseChunks says where the chunks of goroutines are: MaxChunks chunks of zeros.
func UseChunks(base uintptr) { chunkBase = base }

// HasChunks reports whether there are chunks.
func HasChunks() bool { return chunkBase != 0 }

// Start makes engines, queue and trace, as the options say, and lets taps report. If there is a
// problem, taps report nothing.
func Start(samples uint32) (problem string) {
	if !Linked || settings.Taps == options.TapsOff {
		return ""
	}
	if options.TellGoroutines {
		golink.TellGoroutines(tuple.GoroutinePC)
	}
	openSinks()
	if problem := openTrace(); problem != "" {
		settings.Taps = options.TapsOff
		return problem
	}
	if settings.Deliver == options.DeliverService {
		serviceQueue = newQueue()
		go serve()
	}
	switch settings.Taps {
	case options.TapsFull:
		golink.Store32(mode, options.TapsFull)
	case options.TapsBurst:
		startBursts(samples)
	}
	return ""
}

// Finish feeds the rest of chunks and buffers to the engines, and then flushes the
// engines. Other goroutines may still run; events that they report from now on do not
// count.
func Finish() {
	if !Linked || wordTable.WordsHeader == nil {
		return
	}
	emptyChunks()
	golink.Store32(mode, options.TapsOff)
	stopBursts()
	deadline := golink.Nanotime() + finishWait
	if wordTable.Deliver == options.DeliverService {
		stopService(deadline)
	}
	var left []*engine
	for i := range sinks {
		if k := &sinks[i]; k.used && k.close(deadline) && k.engine != nil {
			left = append(left, k.engine)
		}
	}
	flushEngines(left)
}
