// Package clock models the processor core that events come from: it tells in which cycle
// each event of a stream retires.
//
//	c := clock.New(clock.Config{Near: 2, Far: 8})
//	c.Event(t1) // 8
//	c.Event(t2) // 10: t2 is a tap just behind that of t1
//	c.Stall(100)
//	c.Event(t1) // 118
//
// The model is one of retirement. An event is an instruction of the stream, and a number
// of other instructions are before it: few if its tap is near the tap of the event
// before, more if there was a jump between the two. The processor retires up to Retire
// instructions in a cycle, all in order. With Burst and Pause it retires in bursts, as
// an out-of-order processor does: instructions pile up behind one that waits for memory,
// then retire at full width.
//
//	clock.Config{Near: 2, Far: 8, Retire: 4, Burst: 64, Pause: 20}
//
// retires two near events in a cycle, and 64 instructions in 16 cycles, then nothing for
// 20 cycles: 36 cycles for 64 instructions, which are 8 to 32 events.
//
// The cycles depend on the stream alone. So the buffers of engines overflow and stall at
// the same events in a program and in a replay of its trace. Drops and stalls of an
// engine are results of this model. They are no measurements of a processor: the model
// has no caches, no branch predictor and no dependences between instructions.
package clock

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// A Config says how instructions retire.
type Config struct {
	// Near and Far are the distance of an event from the one before, in instructions.
	// The instruction of the event itself counts: 1 means that the two follow each
	// other.
	Near uint64 // if the tap is at most 8 numbers behind that of the event before, as in straight-line code
	Far  uint64 // otherwise: there was a jump, a call, or a round of a loop

	Retire uint64 // instructions that retire in a cycle at most; 0 means 1

	// After each Burst instructions no instruction retires for Pause cycles, and the
	// next burst begins in a new cycle. If Burst is 0, there are no pauses.
	Burst uint64
	Pause uint64 // cycles
}

// Params are the names of the parameters of engines that Parse reads.
var Params = []string{"near", "far", "retire", "burst", "pause"}

const (
	defaultNear, defaultFar = 2, 8 // ours

	most      = 1 << 20 // of a distance, a burst or a pause
	mostWidth = 64      // of Retire
)

// Parse reads the parameters near, far, retire, burst and pause of an engine.
func Parse(a *hwsim.Args) Config {
	c := Config{
		Near:   a.Uint("near", defaultNear, 1, most),
		Far:    a.Uint("far", defaultFar, 1, most),
		Retire: a.Uint("retire", 1, 1, mostWidth),
		Burst:  a.Uint("burst", 0, 1, most),
		Pause:  a.Uint("pause", 0, 1, most),
	}
	switch {
	case c.Burst > 0 && c.Pause == 0:
		a.WantFor("burst", "pause=N with it, the cycles between two bursts")
	case c.Pause > 0 && c.Burst == 0:
		a.WantFor("pause", "burst=N with it, the instructions between two pauses")
	}
	return c
}

// Text returns the parameters that do not have their defaults, each as ",near=3".
func (c Config) Text() (text string) {
	for i, x := range [...]struct{ n, otherwise uint64 }{
		{c.Near, defaultNear}, {c.Far, defaultFar}, {max(c.Retire, 1), 1}, {c.Burst, 0}, {c.Pause, 0},
	} {
		if x.n != x.otherwise {
			text += "," + Params[i] + "=" + digits.Uint(x.n)
		}
	}
	return text
}

// nearTaps is how many taps further on is near.
const nearTaps = 8

// A Clock has the current cycle of a stream.
type Clock struct {
	Config
	near, far distance
	slots     uint64 // instructions that have retired in the current cycle
	left      uint64 // instructions left in the burst
	burst     uint64 // cycles of a burst with its pause
	last      uint64 // PC of the last event
	now       uint64
	stalled   uint64
}

// A distance is a number of instructions, as whole cycles and a rest.
type distance struct{ n, cycles, rest uint64 }

// New returns a clock at cycle 0.
func New(config Config) Clock {
	c := Clock{Config: config}
	c.Retire = max(c.Retire, 1)
	c.near, c.far = c.distance(c.Near), c.distance(c.Far)
	c.slots = c.Retire // the first instruction retires in cycle 1
	c.left = 1<<64 - 1
	if c.Burst > 0 {
		c.left = c.Burst
		c.burst = (c.Burst+c.Retire-1)/c.Retire + c.Pause
	}
	return c
}

func (c *Clock) distance(n uint64) distance { return distance{n, n / c.Retire, n % c.Retire} }

// Event returns the cycle in which the next event of the stream retires. A further word
// of a sample belongs to the same instruction as the word before, and the tuple that names
// a goroutine is no instruction: they have the cycle of the event before. A further word
// alone, in a stream without first words, stands for its instruction.
func (c *Clock) Event(t tuple.Tuple) (cycle uint64) {
	before := tuple.Tuple{PC: c.last}
	site, last := t.Site(), before.Site()
	further := t.Tag().Further()
	switch {
	case t.Tag() == tuple.Goroutine:
		return c.now
	case further > 0 && site == last && before.Tag().Further() == further-1:
		c.last = t.PC
		return c.now
	}
	d := c.far
	if site-last-1 < nearTaps { // and not less than last, which would wrap around
		d = c.near
	}
	c.last = t.PC
	if d.n <= c.left {
		c.left -= d.n
		c.retire(d)
	} else {
		c.pause(d.n)
	}
	return c.now
}

// retire retires the instructions of a distance without a pause between them.
func (c *Clock) retire(d distance) {
	c.now += d.cycles
	if c.slots += d.rest; c.slots > c.Retire {
		c.slots -= c.Retire
		c.now++
	}
}

// pause retires n instructions that exceed the current burst. A pause follows this burst
// and each whole burst after it.
func (c *Clock) pause(n uint64) {
	c.retire(c.distance(c.left))
	n -= c.left
	whole := (n - 1) / c.Burst
	n -= whole * c.Burst
	c.now += c.Pause + whole*c.burst
	c.slots = c.Retire
	c.left = c.Burst - n
	c.retire(c.distance(n))
}

// Stall makes the processor wait: it delays the last event and all further ones.
func (c *Clock) Stall(cycles uint64) {
	c.now += cycles
	c.stalled += cycles
}

// Cycles returns the cycle of the last event, with the stalls after it, and how
// many cycles were stalls.
func (c *Clock) Cycles() (now, stalled uint64) { return c.now, c.stalled }
