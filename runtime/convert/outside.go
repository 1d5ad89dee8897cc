package convert

// This file says in which code ticks were outside of instrumented functions, or of functions
// with taps: what a profile does not show.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/symbol"
)

// outside adds the ticks of a profile to at.
func (c Counts) outside(symbols *symbol.Table, at *report.Outside) {
	add := func(pc uint32, n uint64) {
		if pc == pepfile.InCall {
			at.AddTicksInCalls(n)
			return
		}
		var frames []report.Frame
		if pc != pepfile.NoText {
			frames = symbols.At(pc)
		}
		at.AddTicks(frames, n)
	}
	for i := range c.Filled() {
		e := c.Entry(i)
		if golink.Load32(&e.State) == pepfile.EntryReady && e.Path == pepfile.TickPath && e.Intact() {
			add(e.PC, golink.Load64(&e.Count))
		}
	}
	if a := c.Words(); a.WordsHeader != nil && poll.Mode == poll.Exact {
		a.Ticks(add)
	}
}
