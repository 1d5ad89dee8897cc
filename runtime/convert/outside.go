package convert

// This file says in which code ticks were outside of instrumented functions, or of functions
// with taps: what a profile does not show.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/symbol"
)

// outside adds the ticks of a profile to at.
func (c Counts) outside(symbols *symbol.Table, at *report.Outside) {
	c.eachTick(func(e *pepfile.Entry, n uint64) {
		switch {
		case e.Path == pepfile.CallPath:
			at.AddTicksInCalls(n)
		case e.PC == pepfile.NoText:
			at.AddTicks(nil, n)
		default:
			at.AddTicks(symbols.At(e.PC+1), n) // as if it were a return address
		}
	})
}

// eachTick calls do for each entry of ticks, with their number.
func (c Counts) eachTick(do func(e *pepfile.Entry, n uint64)) {
	for i := range c.Filled() {
		e := c.Entry(i)
		if golink.Load32(&e.State) == pepfile.EntryReady && e.OfTicks() && e.Intact() {
			do(e, golink.Load64(&e.Count))
		}
	}
}

// ticks returns the ticks of a profile with their stacks, as numbers of frames of symbols.
func (c Counts) ticks(symbols *symbol.Table) (list []report.Tick) {
	c.eachTick(func(e *pepfile.Entry, n uint64) {
		x := report.Tick{Time: float64(n) * float64(c.Tick)}
		if e.Path == pepfile.CallPath {
			x.In = report.SystemCalls
		}
		if e.PC == pepfile.NoText {
			x.In = report.NotGo
		} else {
			k := e.Key
			symbols.SettleLeaf(&k)
			k.PC++ // as if it were a return address
			x.Stack = symbols.Stack(&k)
		}
		list = append(list, x)
	})
	return list
}
