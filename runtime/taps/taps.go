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
// A trace gets all tuples in order (trace_linux_amd64.go).
//
// Package core calls this package at the start and at the end of a program, and taps in between. In a
// program with PEPOPTS=engine=H[P256]2048:
//
//	taps.Configure(taps.Program{Counts: table, File: "/tmp/app.7.99.pep", On: &core.tapping}, options)
//	taps.UseChunks(base)
//	problem := taps.Start()        // makes engines and trace; now *On is 1
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
	"github.com/pepgo/pep/runtime/pepfile"
)

// Linked says whether the program may have taps. Tests of this module have some. In other programs the linker drops
// what the functions of this package call behind a look at the constant, and what makes profiles of taps.
const Linked = golink.TapsLinked || !golink.Linked

// A Program is what taps must know of the program that they are in.
type Program struct {
	Counts pepfile.Table // of the .pep file
	File   string        // its name, with the whole path

	// On is 1 while tuples that taps report go on. It is a variable of core, whose handler of
	// SIGBUS sets it to 0 when the file loses its space.
	On *uint32
}

var (
	counts pepfile.Table
	file   string
	on     = &unused // of Program; *on is 0 before Configure
	unused uint32
)

// settings are the options of taps of this program.
var settings options.Tapping

// wordTable is the table of words of this program. It has no header if taps report
// nothing.
var wordTable pepfile.Words

// Configure says what program this is, before Start.
func Configure(p Program, o options.Tapping) {
	counts, file, on, settings = p.Counts, p.File, p.On, o
}

// UseChunks says where the chunks of goroutines are: MaxChunks chunks of zeros.
func UseChunks(base uintptr) { chunkBase = base }

// HasChunks reports whether there are chunks.
func HasChunks() bool { return chunkBase != 0 }

// Start makes engines, queue and trace, as the options say, and lets taps report. If there is a
// problem, taps report nothing.
func Start() (problem string) {
	if !Linked || settings.Taps == options.TapsOff {
		return ""
	}
	if options.TellGoroutines {
		golink.TellGoroutines(tuple.GoroutinePC)
	}
	openSinks()
	if problem := openTrace(); problem != "" {
		return problem
	}
	if settings.Deliver == options.DeliverService {
		serviceQueue = newQueue()
		go serve()
	}
	golink.Store32(on, 1)
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
	golink.Store32(on, 0)
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
