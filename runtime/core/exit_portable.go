//go:build !linux || !amd64

package core

// This file is the end of a program on systems where core handles no signals.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/taps"
)

// finish writes the profile. It runs as an exit hook, while other goroutines
// may go on.
func finish() {
	golink.Store32(&counts.Stopped, 1)
	taps.Finish()
	program.Write(nil)
}

// writeBeforeExec writes the profile, with the words that engines hold, when the program may be about to be replaced
// by another.
func writeBeforeExec(held []report.Word) {
	program.Write(held)
}

// companionAgain does nothing: there is no companion.
func companionAgain() {}
