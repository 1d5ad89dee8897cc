package report

// This file says which share of the calls on the paths of a profile goes to functions that are
// not instrumented, or have no taps, and to which.
//
// For example, let f call json.Marshal on one of its two paths and sort.Ints on both of them. If
// the paths were taken 30 and 70 times, there are 130 calls: 30 to json.Marshal, which are 23.1 %,
// and 100 to sort.Ints.
//
// No path has the calls that functions make that are not instrumented. Where paths are sampled the
// same holds for functions with one path, which do not poll.

import "github.com/pepgo/pep/format/wire"

// Calls are how often functions were called on the paths of a profile.
type Calls struct {
	counts  map[string]int64 // by Callee of wire.Call
	names   []string         // of counts
	sampled bool
}

// calls adds up the calls on all paths.
func (w *writer) calls() *Calls {
	perSite := make(map[*wire.Func][]int64) // for each call
	for _, d := range w.decode {
		if d == nil || d.counted == 0 || len(d.fn.Calls) == 0 {
			continue
		}
		sums := perSite[d.fn]
		if sums == nil {
			sums = make([]int64, len(d.fn.Calls))
			perSite[d.fn] = sums
		}
		for _, s := range d.steps {
			first, end := d.fn.CallsOf(s.Node)
			for i := first; i < end; i++ {
				sums[i] = plus(sums[i], d.counted)
			}
		}
	}
	c := &Calls{counts: make(map[string]int64), sampled: w.sampled}
	for fn, sums := range perSite {
		for i, n := range sums {
			if n == 0 {
				continue
			}
			name := fn.Calls[i].Callee
			old, ok := c.counts[name]
			if !ok {
				c.names = append(c.names, name)
			}
			c.counts[name] = plus(old, n)
		}
	}
	return c
}
