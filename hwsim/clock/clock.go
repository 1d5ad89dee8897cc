// Package clock models the processor core that events come from: it tells in which cycle
// each event of a stream happens.
//
//	c := clock.New(clock.Config{Near: 2, Far: 8})
//	c.Event(t1) // 8
//	c.Event(t2) // 10: t2 is a tap just behind that of t1
//	c.Stall(100)
//	c.Event(t1) // 118
//
// The cycles depend on the stream alone. So the buffers of engines overflow and stall at
// the same events in a program and in a replay of its trace.
//
// The model is coarse: two events are near in time if their taps are near in the source.
// That gives bursts and gaps, which matter for buffers. Equal distances would have
// neither.
package clock

import "github.com/pepgo/pep/runtime/tuple"

// A Config says how many cycles events are apart.
type Config struct {
	Near uint64 // if the tap is one of the next few behind the one before, as in straight-line code
	Far  uint64 // otherwise: there was a jump, a call, or a round of a loop
}

// window is how many taps further on is near.
const window = 8

// A Clock has the current cycle of a stream.
type Clock struct {
	Config
	last    uint64 // PC of the last event
	now     uint64
	stalled uint64
}

// New returns a clock at cycle 0.
func New(c Config) Clock { return Clock{Config: c} }

// Event returns the cycle in which the next event of the stream happens.
func (c *Clock) Event(t tuple.Tuple) (cycle uint64) {
	site, last := t.Site(), tuple.Tuple{PC: c.last}.Site()
	if site-last-1 < window { // and not less than last, which would wrap around
		c.now += c.Near
	} else {
		c.now += c.Far
	}
	c.last = t.PC
	return c.now
}

// Stall makes the processor wait: it delays all further events.
func (c *Clock) Stall(cycles uint64) {
	c.now += cycles
	c.stalled += cycles
}

// Cycles returns the cycle of the last event, with the stalls after it, and how
// many cycles were stalls.
func (c *Clock) Cycles() (now, stalled uint64) { return c.now, c.stalled }
