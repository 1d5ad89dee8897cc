package strat

// This file has the filter that stops the events of places whose profile has
// converged. A place is one pc: a site with its tag.
//
// The paper names such a filter as an improvement (section 5.4). A sampler need not
// sample a place whose profile is known, and a place that is not sampled no longer
// disturbs the places that share its strata.
//
// The hardware is the bit array of Zilles and Sohi's co-processor, indexed by a hash of
// the pc. Software sets a bit when the messages tell the place's invariance well enough.
// Zilles and Sohi mask places that are very invariant, very variant, or profiled often
// enough. One rule here implies all three: the standard error of every value's share is
// at most a tolerance.
//
// A masked place keeps its profile, with the error that the profile has when the place
// is masked. That is all right for a place that goes on as it began. But real programs have
// phases: a place of an interpreter loads the same word for 6000 events, 24 messages, then
// it is masked, and all that it loads later is missing. So the filter forgets everything after a
// period, and samples all places again, as Zilles and Sohi demand for that reason. The filter
// also stops a new place whose pc has the same bit as a masked one, until the period ends.
//
// With periods, each period counts for a place in proportion to its messages in the period, and
// not to its events. Another rule has no such error: of the events of a masked place one of k
// passes, at random, and stands for k events (F16384/8). So each event of the stream is
// counted once on average, whenever it happens, and the place sends a k-th of the messages.
// Example: a place loads 7 for 1M events and then 8 for 3M events, and is masked early. For
// good, its profile has 7 only. With periods of 1M it has 24 messages of each of four
// periods: a share of 3/4 for 8, but with two periods it would have 1/2. With 1 of 8 it has
// a share of 3/4, ± what 15,000/8 messages leave.
//
// Source: Zilles and Sohi, "A Programmable Co-processor for Profiling", HPCA
// 2001, the sections on the PC filter and on confidence.

import (
	"math/bits"

	"github.com/pepgo/pep/hwsim"
)

// filter is F: the bits of the hardware, and what software keeps for each bit.
type filter struct {
	mask     []uint64
	places   []place
	variance float64 // the tolerance, squared
	period   uint64  // events after which the filter forgets everything; 0 for never
	one      uint32  // of so many events of a masked place one passes; 0 if none passes
	rand     pcg     // which one
	events   uint64  // that came in this period
	stopped  uint64  // events that the filter stopped since the last Flush, and that no other event stands for
}

// A place is what software knows of a pc. The first pc with a message at an index
// owns the index.
type place struct {
	pc       uint64
	messages uint32
	shared   bool   // two pcs have the index, so software never sets its bit
	events   uint64 // that the messages stand for
	values   [4]value
}

// A value is a word that may be frequent, with a lower bound of its events.
type value struct{ w, events uint64 }

func newFilter(f Filter, rand pcg) *filter {
	tolerance := float64(f.Percent) / 100
	return &filter{
		mask:     make([]uint64, (f.N+63)/64),
		places:   make([]place, f.N),
		variance: tolerance * tolerance,
		period:   f.Period,
		one:      uint32(f.One),
		rand:     rand,
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

// weight takes an event of pc. It returns for how many events the compressor has to take it;
// 0 if the filter stops it.
func (f *filter) weight(pc uint64) uint64 {
	if f.events == f.period && f.period != 0 {
		f.clear()
	}
	f.events++
	switch {
	case !f.masked(pc):
		return 1
	case f.one == 0:
		f.stopped++
	case f.rand.below(f.one) == 0:
		return uint64(f.one)
	}
	return 0
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

// count adds a message. If no slot has the message's word, the message and the four values
// all lose the same number of events: as many as the rarest value has, or as many as the
// message has if these are fewer. Events of the message that remain take the slot of the
// rarest value, which has none left. So no value has more events here than it really has,
// and the events of rare values fall to 0.
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
// observation however many events it stands for. For each value, converged adds two
// messages with the value and two without it, so that a handful of equal messages proves
// nothing.
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
