package strat

// This file has the filter that stops the events of places whose profile has
// converged.
//
// The paper names it as an improvement (section 5.4): a place whose profile is known need
// not be sampled, and then no longer disturbs the strata of others. The hardware is the
// bit array of Zilles and Sohi's co-processor, indexed by a hash of the pc. Software sets
// a bit when the messages tell the place's invariance well enough. Zilles and Sohi mask
// places that are very invariant, very variant, or profiled often enough. One rule here
// implies all three: the standard error of every value's share is at most a tolerance.
//
// A masked place keeps its profile, and the error that it has at that time. A new place
// with the same bit is stopped, too; that is rarer with more bits. After a period the
// filter forgets everything, so that later phases of the program are seen.
//
// Source: Zilles and Sohi, "A Programmable Co-processor for Profiling", HPCA
// 2001, the sections on the PC filter and on confidence.

import (
	"math/bits"

	"github.com/pepgo/pep/hwsim"
)

// filter is F: the bits of the hardware and what software keeps for each.
type filter struct {
	mask     []uint64
	places   []place
	variance float64 // the tolerance, squared
	period   uint64  // events after which all is forgotten; 0 for never
	events   uint64  // of this period
	stopped  uint64
}

// A place is what software knows of a pc. The first pc that is seen at an index
// owns it.
type place struct {
	pc       uint64
	messages uint32
	shared   bool   // two pcs have the index: its bit is never set
	events   uint64 // that the messages stand for
	values   [4]value
}

// A value is one of those that may be frequent, with a lower bound of its
// events.
type value struct{ w, events uint64 }

func newFilter(n int, tolerance float64, period uint64) *filter {
	return &filter{
		mask:     make([]uint64, (n+63)/64),
		places:   make([]place, n),
		variance: tolerance * tolerance,
		period:   period,
	}
}

func (f *filter) index(pc uint64) uint64 {
	hi, _ := bits.Mul64(pc*0x9E3779B97F4A7C15, uint64(len(f.places)))
	return hi
}

func (f *filter) masked(pc uint64) bool {
	i := f.index(pc)
	return f.mask[i/64]>>(i%64)&1 != 0
}

// lets takes an event of pc and reports whether it goes on to the compressor.
func (f *filter) lets(pc uint64) bool {
	if f.events == f.period && f.period != 0 {
		f.clear()
	}
	f.events++
	if f.masked(pc) {
		f.stopped++
		return false
	}
	return true
}

// observe is what software does with a message.
func (f *filter) observe(m hwsim.Message) {
	i := f.index(m.Tuple.PC)
	p := &f.places[i]
	if p.messages == 0 {
		p.pc = m.Tuple.PC
	}
	if p.pc != m.Tuple.PC {
		p.shared = true
		f.mask[i/64] &^= 1 << (i % 64)
	}
	if p.shared {
		return
	}
	p.count(m)
	if p.converged(f.variance) {
		f.mask[i/64] |= 1 << (i % 64)
	}
}

// count adds a message. A value without room cancels as many events of each other value. So
// no value has more events than it should, and values that are rare go to 0.
//
// Source: Misra and Gries, "Finding Repeated Elements", Science of Computer
// Programming 2, 1982, section 3.
func (p *place) count(m hwsim.Message) {
	p.messages++
	p.events += m.Count
	rarest := &p.values[0]
	for i := range p.values {
		v := &p.values[i]
		if v.w == m.Tuple.W && v.events > 0 {
			v.events += m.Count
			return
		}
		if v.events < rarest.events {
			rarest = v
		}
	}
	less := min(m.Count, rarest.events)
	for i := range p.values {
		p.values[i].events -= less
	}
	if m.Count > less {
		*rarest = value{m.Tuple.W, m.Count - less}
	}
}

// converged reports whether the variance of every value's share is at most the given one.
// Shares are computed from counts, but variances from messages, because a message is one
// observation however many events it stands for. Two messages for and two against each
// value are added, so that a handful of equal messages proves nothing.
//
// Source: Agresti and Coull, "Approximate Is Better than 'Exact' for Interval
// Estimation of Binomial Proportions", The American Statistician 52, 1998.
func (p *place) converged(variance float64) bool {
	n := float64(p.messages)
	for _, v := range p.values {
		share := (float64(v.events)/float64(p.events)*n + 2) / (n + 4)
		if share*(1-share) > variance*(n+4) {
			return false
		}
	}
	return true
}

func (f *filter) clear() {
	clear(f.mask)
	clear(f.places)
	f.events = 0
}
