package core

// This file holds the variables that several rooms share.

import (
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/write"
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

// tapping is 1 while tuples that taps report go on. A tap stores its tuple in any case; package taps looks
// at tapping when the chunk is full.
var tapping uint32

// program is this program for what writes its profiles.
var program write.Program

// ticking reports whether anything is sampled at ticks.
const ticking = !poll.Counts
