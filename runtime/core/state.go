package core

// This file holds the variables that several rooms share.

import (
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/taps"
)

// withoutProfile is true if the program runs as if it were not instrumented.
var withoutProfile bool

// unprofiledTaps tells the user why taps report nothing.
func unprofiledTaps(problem string) {
	print("pep: ", problem, "; taps report nothing\n")
}

// unprofiled tells the user why the program runs as if it were not instrumented.
func unprofiled(problem string) {
	withoutProfile = true
	print("pep: ", problem, "; running without a profile\n")
}

// Taps says what becomes of the tuples that taps report: options.TapsOff, TapsFull or
// TapsBurst. A tap stores its tuple in any case; package taps looks at Taps when the chunk
// is full.
var Taps uint32

// held has the words that engines hold and have not sent, while a profile is written that
// includes them. Nothing else may write profiles at that time (execing).
var held []report.Word

// ticking reports whether anything is sampled at ticks.
func ticking() bool { return poll.Mode != poll.Exact || taps.InBursts() }
