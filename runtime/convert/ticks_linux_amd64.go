package convert

// This file names the clock of ticks, and finds out why sampling stopped before the
// program ended.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/sys"
)

// WhyStopped says why sampling ended before the program did, "" if it has not.
func WhyStopped(h *pepfile.Header) string {
	what := ""
	switch h.Denied >> 16 {
	case 0:
		return ""
	case pepfile.DeniedSleep:
		what = "clock_nanosleep"
	case pepfile.DeniedSignal:
		return "the program has its own handler for signal " + digits.Uint(uint64(h.Denied&0xffff))
	}
	return what + ": " + sys.Errno(h.Denied&0xffff).Error()
}

const tickClock = "cpu"
