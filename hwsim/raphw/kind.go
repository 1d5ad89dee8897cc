package raphw

// This file parses and writes descriptions of the hardware.

import (
	"math/bits"

	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/clock"
	"github.com/pepgo/pep/hwsim/rap"
)

// Kind is the hardware as an engine:
//
//	raphw(eps=1%,over=words,buffer=1024,entries=4096)
//
// The parameters eps, b, over, universe, first, q, height, start and buffer are those
// of package rap. A buffer of 0 entries combines nothing: it only holds the events of
// the pipeline. The other parameters are those of the hardware:
//
//	entries  words of the TCAM, and counters
//	bits     of a counter; what exceeds it is lost and counted
//	counts   whole: the count of a buffer entry goes to one counter, as in the paper
//	         parts: a counter takes what it can up to the threshold, and the rest is
//	         replayed after the split, so that the ranges are those of single events
//	scan     tree: merges go through the ranges as package rap does, from left to right
//	         length: in the order of the TCAM, longest prefixes first
//	full     stall: the processor waits while the buffer is full; drop: events are lost
//	keep     entries that wait in the buffer to be combined, although the pipeline is free
//	cycles   between two events of the pipeline
//	refill   cycles from the end of a split to the next result
//	move     cycles for each entry that makes space for a new one in the sorted TCAM
//	rate     entries that a merge scans in a cycle
//	clock    cycles of the processor in a cycle of the engine
//	near, far, retire, burst, pause  how the processor retires events, as in package clock
var Kind = &hwsim.Kind{
	Name: "raphw",
	Params: append([]string{
		"eps", "b", "over", "universe", "first", "q", "height", "start", "buffer",
		"entries", "bits", "counts", "scan", "full", "keep", "cycles", "refill", "move", "rate", "clock",
	}, clock.Params...),
	Parse:  parse,
	Ranges: true,
	Examples: []string{
		"raphw", "raphw(5%,over=words,buffer=64)", "raphw(10%,over=sites,buffer=1024,keep=0,full=drop,clock=20)",
		"raphw(1%,b=2,over=words,buffer=16,counts=parts,cycles=1,entries=200)",
		"raphw(20%,b=16,buffer=4,keep=3,scan=length,bits=8,move=0,far=1,near=1,retire=2,burst=8,pause=30)",
	},
}

const (
	stages = 5 // stages of the pipeline, 0 to 4

	defaultEntries = 4096 // section 3.4
	defaultBits    = 32   // section 3.4: 16 KB for 4096 counters
	defaultCycles  = 4    // section 3.4: 2 for the TCAM and 2 for the counters
	maxEntries     = 1 << 16

	maxCycles = 1 << 20 // the limit of each parameter that counts cycles
)

// The values of the parameters that are words. The first value is the default.
var (
	countsNames = []string{"whole", "parts"}
	scanNames   = []string{"tree", "length"}
	fullNames   = []string{"stall", "drop"}
)

// spec describes the hardware.
type spec struct {
	base interface { // the description of package rap
		hwsim.Spec
		hwsim.Viewer
		Hardware() (rap.Options, uint64)
	}
	buffer, entries, width, keep             uint64
	parts, byLength, drop                    bool
	cycles, refill, move, rate               uint64
	clock                                    uint64 // cycles of the processor in a cycle of the engine
	processor                                clock.Config
	bits, step                               int // bits of a point, and bits of it that one split uses
	start, first, q, billionths, denominator uint64
}

const billion = 1_000_000_000

func parse(a *hwsim.Args) hwsim.Spec {
	var s spec
	base, ok := rap.Kind.Parse(a).(interface {
		hwsim.Spec
		hwsim.Viewer
		Hardware() (rap.Options, uint64)
	})
	if !ok {
		panic("raphw: package rap has other descriptions")
	}
	s.base = base
	var o rap.Options
	o, s.buffer = base.Hardware()
	if o.B == 0 { // there was an error, and a has it
		return s
	}
	s.step = bits.Len(uint(o.B)) - 1
	s.bits = 64
	if o.Universe != 0 {
		s.bits = bits.Len64(o.Universe) - 1
	}
	height := s.bits
	if o.Height == rap.LogB {
		height = (s.bits + s.step - 1) / s.step
	}
	s.billionths = uint64(o.Eps*billion + 0.5)
	s.denominator = billion * uint64(height)
	s.start, s.first, s.q = o.Start, o.Schedule.First, o.Schedule.Q

	s.entries = a.Uint("entries", defaultEntries, uint64(o.B)+1, maxEntries)
	s.width = a.Uint("bits", defaultBits, 8, 64)
	s.parts = choice(a, "counts", countsNames)
	s.byLength = choice(a, "scan", scanNames)
	s.drop = choice(a, "full", fullNames)
	s.keep = a.Uint("keep", s.defaultKeep(), 0, max(s.buffer, 1)-1)
	s.cycles = a.Uint("cycles", defaultCycles, 1, maxCycles)
	s.refill = a.Uint("refill", stages, stages, maxCycles)
	s.move = a.Uint("move", 1, 0, maxCycles)
	s.rate = a.Uint("rate", 1, 1, maxEntries)
	s.clock = a.Uint("clock", 1, 1, maxCycles)
	s.processor = clock.Parse(a)
	return s
}

// defaultKeep returns the number of entries that wait to be combined: three quarters of
// the buffer. The last quarter is for events that come during splits and merges.
func (s spec) defaultKeep() uint64 { return s.buffer / 4 * 3 }

// choice parses one of two names. It reports whether the name is the second one.
func choice(a *hwsim.Args, name string, names []string) bool {
	text := a.String(name, names[0])
	if text != names[0] && text != names[1] {
		a.WantFor(name, "one of "+names[0]+", "+names[1])
	}
	return text == names[1]
}

// String returns the description. It omits parameters that have their defaults.
func (s spec) String() string {
	text := ""
	if base := s.base.String(); base != rap.Kind.Name {
		text = "," + base[len(rap.Kind.Name)+1:len(base)-1]
	}
	number := func(name string, n, otherwise uint64) {
		if n != otherwise {
			text += "," + name + "=" + digits.Uint(n)
		}
	}
	word := func(name string, second bool, names []string) {
		if second {
			text += "," + name + "=" + names[1]
		}
	}
	number("entries", s.entries, defaultEntries)
	number("bits", s.width, defaultBits)
	word("counts", s.parts, countsNames)
	word("scan", s.byLength, scanNames)
	word("full", s.drop, fullNames)
	number("keep", s.keep, s.defaultKeep())
	number("cycles", s.cycles, defaultCycles)
	number("refill", s.refill, stages)
	number("move", s.move, 1)
	number("rate", s.rate, 1)
	number("clock", s.clock, 1)
	text += s.processor.Text()
	if text == "" {
		return Kind.Name
	}
	return Kind.Name + "(" + text[1:] + ")"
}

// WithSeed returns s, because the engine uses no random numbers.
func (s spec) WithSeed(uint64) hwsim.Spec { return s }

// View returns an event as the engine sees it, in the same way as package rap.
func (s spec) View(t tuple.Tuple) tuple.Tuple { return s.base.View(t) }

// Views reports whether View changes anything.
func (s spec) Views() bool { return s.base.Views() }

// Size returns the storage. Each entry needs a word of ternary memory, which includes
// the place if ranges are of places; a counter; and the length of its parent's prefix,
// which the paper does not have. The entries of the buffer have a count of 8 bits each.
func (s spec) Size(word int) (parts []hwsim.Part) {
	key := word
	if !s.Views() {
		key += word
	}
	if s.buffer > 0 {
		parts = append(parts, hwsim.Part{Name: "raphw buffer", Entries: int(s.buffer), Bits: key + timesBits})
	}
	n := int(s.entries)
	return append(parts,
		hwsim.Part{Name: "raphw TCAM", Entries: n, Bits: key},
		hwsim.Part{Name: "raphw counters", Entries: n, Bits: int(s.width)},
		hwsim.Part{Name: "raphw parents", Entries: n, Bits: bits.Len(uint(word))})
}
