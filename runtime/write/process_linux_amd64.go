package write

// This file finds out whether the program of a .pep file still runs.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/sys"
)

// Whether a process still runs.
const (
	processUnknown = iota
	processRuns
	processEnded
)

// processOf finds out about the program that the header is of.
func processOf(h *pepfile.Header) int {
	if golink.Load32(&h.Stopped) != 0 {
		return processEnded
	}
	if h.Born == 0 || h.Namespaces == 0 || h.Namespaces != sys.Namespaces() || sys.Born() == 0 {
		return processUnknown
	}
	if _, e := sys.Call(sys.NrKill, uintptr(h.Pid), 0, 0, 0, 0, 0); e == sys.ESRCH {
		return processEnded
	}
	p, ok := sys.ProcessAt(digits.Uint(uint64(h.Pid)))
	switch {
	case !ok:
		return processUnknown
	case p.Born != h.Born, p.Dead:
		return processEnded
	}
	return processRuns
}
