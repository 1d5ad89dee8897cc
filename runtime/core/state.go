package core

// This file holds the variables that several rooms share.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
)

var (
	chunkBase uintptr // address of the first chunk; 0 if there is no memory for them
	nchunks   uint32  // how many have been given to goroutines
)

// tapOptions are the options of taps of this program.
var tapOptions options.Tapping

// wordTable is the table of words of this program. It has no header if taps report
// nothing.
var wordTable pepfile.Words

// withoutProfile is true if the program runs as if it were not instrumented.
var withoutProfile bool

// unprofiledTaps tells the user why taps report nothing.
func unprofiledTaps(problem string) {
	tapOptions.Taps = options.TapsOff
	print("pep: ", problem, "; taps report nothing\n")
}

// unprofiled tells the user why the program runs as if it were not instrumented.
func unprofiled(problem string) {
	withoutProfile = true
	print("pep: ", problem, "; running without a profile\n")
}

// tapped says whether the program may have taps. Tests of this module have some.
const tapped = golink.TapsLinked || !golink.Linked

// Taps says what becomes of the tuples that taps report: options.TapsOff, TapsFull or
// TapsBurst. A tap stores its tuple in any case; makeRoom looks at Taps when the chunk
// is full.
var Taps uint32

// ticking reports whether anything is sampled at ticks.
func ticking() bool { return poll.Mode != poll.Exact || tapOptions.Taps == options.TapsBurst }
