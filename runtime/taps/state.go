package taps

// This file holds the variables that ticks and taps share.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
)

// Linked says whether the program may have taps. Tests of this module have some. In other programs the linker drops what the functions of
// this package call behind a look at the constant, and what makes profiles of taps.
const Linked = golink.TapsLinked || !golink.Linked

// A Program is what taps must know of the program that they are in.
type Program struct {
	Counts pepfile.Table // of the .pep file
	File   string        // its name, with the whole path

	// Mode says what becomes of the tuples that taps report: options.TapsOff, TapsFull or
	// TapsBurst. Instrumented code looks at it, and core sets it to TapsOff when the file loses
	// its room. It is a variable of core, as all variables that instrumented code names.
	Mode *uint32
}

var (
	counts pepfile.Table
	file   string
	mode   = &unused // of Program; *mode is 0 before Configure
	unused uint32
)

// settings are the options of taps of this program.
var settings options.Tapping

// wordTable is the table of words of this program. It has no header if taps report
// nothing.
var wordTable pepfile.Words

// Configure says what program this is, before the first tick and before Start.
func Configure(p Program, o options.Tapping) {
	counts, file, mode, settings = p.Counts, p.File, p.Mode, o
}

// InBursts reports whether taps report in bursts.
func InBursts() bool { return Linked && settings.Taps == options.TapsBurst }
