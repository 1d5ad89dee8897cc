package engines

// This file connects engines to a chain.

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// A Spec is a parsed description: one engine or a chain.
type Spec struct {
	stages []hwsim.Spec
	ranges bool
}

// String returns the description without what is default.
func (s *Spec) String() (text string) {
	for i, x := range s.stages {
		if i > 0 {
			text += ":"
		}
		text += x.String()
	}
	return text
}

// WithSeed returns s with other random numbers in all engines of the chain.
func (s *Spec) WithSeed(seed uint64) *Spec {
	c := &Spec{ranges: s.ranges}
	for _, x := range s.stages {
		c.stages = append(c.stages, x.WithSeed(seed))
	}
	return c
}

// Ranges reports whether messages can have Free bits.
func (s *Spec) Ranges() bool { return s.ranges }

// View returns the tuple that an event is for the last engine of the chain, as far as the
// engines of the chain are a hwsim.Viewer. View does not know which events other engines
// drop or join; Exact does.
func (s *Spec) View(t tuple.Tuple) tuple.Tuple {
	for _, x := range s.stages {
		if x, ok := x.(hwsim.Viewer); ok {
			t = x.View(t)
		}
	}
	return t
}

// Views reports whether View changes anything.
func (s *Spec) Views() bool {
	for _, x := range s.stages {
		if x, ok := x.(hwsim.Viewer); ok && x.Views() {
			return true
		}
	}
	return false
}

// ForTraces reports whether profiles of programs cannot show what messages are about: see
// hwsim.Rewriter.
func (s *Spec) ForTraces() bool {
	for _, x := range s.stages {
		if x, ok := x.(hwsim.Rewriter); ok && x.ForTraces() {
			return true
		}
	}
	return false
}

// Rate returns of how many events a sample is one, 0 if that is not known: see
// hwsim.Sampler.
func (s *Spec) Rate() uint64 {
	n := uint64(1)
	for _, x := range s.stages {
		x, ok := x.(hwsim.Sampler)
		if !ok {
			return 0
		}
		n *= x.Rate()
	}
	return n
}

// Size returns the storage of those engines of the chain that are Sized.
func (s *Spec) Size(word int) (parts []hwsim.Part) {
	for _, x := range s.stages {
		if x, ok := x.(hwsim.Sized); ok {
			parts = append(parts, x.Size(word)...)
		}
	}
	return parts
}

// Stages returns the descriptions of the engines of the chain.
func (s *Spec) Stages() []hwsim.Spec { return s.stages }

// New returns a new engine for a stream. All memory that it needs between New
// and Flush is allocated here.
func (s *Spec) New(stream uint32) hwsim.Engine {
	if len(s.stages) == 1 {
		return s.stages[0].New(hwsim.NewInstance(stream, 0))
	}
	c := &chain{first: s.stages[0].New(hwsim.NewInstance(stream, 0))}
	for i, x := range s.stages[1:] {
		c.later = append(c.later, newLink(c, i, x.New(hwsim.NewInstance(stream, i+1)).(hwsim.Weighted)))
	}
	return c
}

// Stages returns the engines of a chain, or the engine itself if it is no chain. A chain
// implements hwsim.Engine alone; ask its stages what else they can do.
func Stages(e hwsim.Engine) []hwsim.Engine {
	c, ok := e.(*chain)
	if !ok {
		return []hwsim.Engine{e}
	}
	stages := []hwsim.Engine{c.first}
	for _, l := range c.later {
		stages = append(stages, l.engine)
	}
	return stages
}

// A chain is several engines, each of which takes the messages of the one before.
type chain struct {
	first hwsim.Engine
	later []*link
	out   *hwsim.Out // of the last engine, during a call
}

// A link is an engine of a chain, but not the first, and the Out that leads to it.
type link struct {
	engine hwsim.Weighted
	in     *hwsim.Out // takes the messages of the engine before
}

// linkSize is how many messages are passed on at once.
const linkSize = 256

// newLink returns later[i] of a chain. An interrupt by the engine before it goes on to the
// end of the chain, behind the messages that come with it.
func newLink(c *chain, i int, e hwsim.Weighted) *link {
	in := hwsim.NewOut(linkSize, func(msgs []hwsim.Message) { e.PushWeighted(msgs, c.after(i)) })
	in.OnInterrupt(func() { c.after(i).Interrupt() })
	return &link{e, in}
}

// after returns where the messages of later[i] go; the first engine is later[-1].
func (c *chain) after(i int) *hwsim.Out {
	if i+1 < len(c.later) {
		return c.later[i+1].in
	}
	return c.out
}

func (c *chain) Push(in []tuple.Tuple, out *hwsim.Out) {
	c.out = out
	c.first.Push(in, c.after(-1))
	c.drain()
}

// drain passes on the messages between engines, from the first to the last.
func (c *chain) drain() {
	for _, l := range c.later {
		l.in.Drain()
	}
}

// Flush flushes the engines in order: each takes what the one before still sends.
func (c *chain) Flush(out *hwsim.Out) { c.flush(out, len(c.later)) }

// flush flushes the first engine and n of the later ones. The one behind them takes
// what they send.
func (c *chain) flush(out *hwsim.Out, n int) {
	c.out = out
	c.first.Flush(c.after(-1))
	for i, l := range c.later {
		l.in.Drain()
		if i < n {
			l.engine.Flush(c.after(i))
		}
	}
}

// Balance adds up the balances of all engines, because the events that one engine has sent
// are the events that the next one was given.
func (c *chain) Balance() hwsim.Balance {
	b := c.first.Balance()
	for _, l := range c.later {
		x := l.engine.Balance()
		b.Held += x.Held
		b.Dropped += x.Dropped
		b.Sampled = b.Sampled || x.Sampled
	}
	return b
}
