package convert

// This file reads the loads that windows have timed.

import (
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/symbol"
)

// loads returns the loads that windows have timed.
func (c Counts) loads(windows []logged, symbols *symbol.Table) *report.Loads {
	l := &report.Loads{Text: c.Text, Near: c.Windows.Near, Memory: c.Windows.Memory}
	l.At = func(pc uint32) []report.Frame { return symbols.At(pc + 1) } // as if it were a return address
	for i := range windows {
		w := &windows[i]
		x := report.LoadWindow{Weight: w.weighed.Time * w.weighed.Weight(), Waiting: w.weighed.Waiting(),
			Paths: w.weighed.Paths}
		for _, r := range w.records[:w.Loads] {
			x.Loads = append(x.Loads, report.TimedLoad{PC: r.Entry, Cycles: r.Count})
		}
		l.Windows = append(l.Windows, x)
	}
	return l
}
