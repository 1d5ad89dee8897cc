package core

// This file says in which code ticks were outside of instrumented functions: what a profile
// of paths does not show.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/wire"
)

// outside returns the note about ticks of a profile, "" if no tick was counted.
func (c counted) outside(symbols *symbolizer, pkgs []*wire.Package) string {
	at := report.NewTicks(pkgs)
	for i := range c.Slots {
		e := c.Entry(i)
		if golink.Load32(&e.State) != pepfile.EntryReady || e.Path != pepfile.TickPath || !e.Intact() {
			continue
		}
		n := golink.Load64(&e.Count)
		var frame report.Frame
		if e.PC != pepfile.NoText {
			if list := symbols.lookup(address(e.PC)); len(list) > 0 {
				frame = symbols.frames[list[0]]
			}
		}
		at.Add(frame, n)
	}
	return at.Note()
}
