// Package phase finds the phases of a program: intervals in which it executes the same code.
//
//	d := phase.New(phase.Config{Interval: 100_000})
//	for _, t := range loads {
//		if d.Event(t.PC) {
//			d.Phase() // 0, 1, 2, 1, …: 1 again if the second phase comes back
//		}
//	}
//
// Hardware makes a signature of each interval: it hashes the address of each event to one
// of 1024 bits, and sets the bit. At the end of the interval software reads the signature
// and compares it with others. Two signatures are of the same phase if few of their bits
// differ. A phase begins at an interval that is like the one before and unlike the
// current phase. So an interval in which the program goes from one phase to the next is no
// phase of its own.
//
// The detector knows addresses and no values. It does not notice that a program computes
// with other values while it executes the same code.
//
// Source: Dhodapkar and Smith, "Managing Multi-Configuration Hardware via Dynamic Working
// Set Analysis", ISCA 2002, sections 3 and 4. There the elements of a working set are
// blocks of instructions; here they are the addresses of the events.
package phase

import "math/bits"

// A Signature has a bit for each hash of an address that was executed in an interval.
type Signature [16]uint64

// Add adds an address.
func (s *Signature) Add(pc uint64) {
	h := pc * 0x9e3779b97f4a7c15 >> 54
	s[h>>6] |= 1 << (h & 63)
}

// Distance returns the number of bits that are in one of two signatures alone, relative to
// the number of bits in either: 0 for the same signature, 1 for signatures without a common
// bit.
func (s *Signature) Distance(t *Signature) float64 {
	differ, either := 0, 0
	for i := range s {
		differ += bits.OnesCount64(s[i] ^ t[i])
		either += bits.OnesCount64(s[i] | t[i])
	}
	if either == 0 {
		return 0
	}
	return float64(differ) / float64(either)
}

// A Config says when two intervals are of the same phase. A field that is 0 means the
// default.
type Config struct {
	Interval uint64 // events; 100,000, as the paper has instructions

	// Distance is the greatest distance between signatures of the same phase; 0.15. The
	// paper has 0.5 for blocks of instructions. Loads are fewer than blocks, and phases
	// share more of them: of the test program filters, which goes through six loops
	// around shared code, 0.15 finds all six, 0.25 five, and 0.5 goes to and fro.
	Distance float64
}

// maxPhases is how many phases a detector remembers.
const maxPhases = 64

// A Detector finds phases. It allocates nothing after New.
type Detector struct {
	Config
	phases  []Signature // that are known, in the order of their first intervals
	lengths []uint64    // of these, in intervals
	now     int         // the current phase, -1 before the first
	last    Signature   // of the interval before
	current Signature
	events  uint64 // in the current interval
	whole   uint64 // number of intervals
}

// New returns a detector that knows no phase.
func New(c Config) *Detector {
	if c.Interval == 0 {
		c.Interval = 100_000
	}
	if c.Distance == 0 {
		c.Distance = 0.15
	}
	return &Detector{Config: c, now: -1, phases: make([]Signature, 0, maxPhases), lengths: make([]uint64, 0, maxPhases)}
}

// Event adds an event at an address. It reports whether a phase has begun, a new one or one
// that comes back.
func (d *Detector) Event(pc uint64) (change bool) {
	d.current.Add(pc)
	if d.events++; d.events < d.Interval {
		return false
	}
	change = d.end()
	d.last, d.current, d.events = d.current, Signature{}, 0
	d.whole++
	return change
}

// end ends an interval.
func (d *Detector) end() (change bool) {
	same := func(s *Signature) bool { return d.current.Distance(s) <= d.Distance }
	if d.now >= 0 && !same(&d.phases[d.now]) && same(&d.last) {
		d.now, change = d.find(), true
	}
	if d.now < 0 && d.whole > 0 && same(&d.last) {
		d.now, change = d.find(), true
	}
	if d.now >= 0 {
		d.lengths[d.now]++
	}
	return change
}

// find returns the known phase that is nearest to the current interval, or a new one. If
// there are too many phases, the nearest is the one.
func (d *Detector) find() int {
	nearest, least := -1, 2.0
	for i := range d.phases {
		if x := d.current.Distance(&d.phases[i]); x < least {
			nearest, least = i, x
		}
	}
	if least <= d.Distance || len(d.phases) == maxPhases {
		return nearest
	}
	d.phases, d.lengths = append(d.phases, d.current), append(d.lengths, 0)
	return len(d.phases) - 1
}

// Phase returns the number of the current phase, from 0; -1 before the first.
func (d *Detector) Phase() int { return d.now }

// Lengths returns the number of intervals of each phase.
func (d *Detector) Lengths() []uint64 { return d.lengths }

// Intervals returns the number of intervals that have ended. At the end of each, software
// reads a signature and compares it.
func (d *Detector) Intervals() uint64 { return d.whole }
