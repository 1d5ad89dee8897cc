//go:build !linux || !amd64

package taps

// This file stands in for the trace on systems where core handles no
// signals, and reads the files that the description of an engine names. It uses
// package os, so os and what it imports is not instrumented there.

import (
	"os"

	"github.com/pepgo/pep/format/tuple"
)

// readSetting returns what is in a file that the description of an engine names.
func readSetting(name string) ([]byte, error) { return os.ReadFile(name) }

// There are no files to which threads could write while they are pinned.

func openTrace() (problem string) {
	if settings.Trace != "" {
		return "PEPOPTS: trace= is available only on linux/amd64"
	}
	return ""
}

func (k *sink) traceBlock([]tuple.Tuple) {}
