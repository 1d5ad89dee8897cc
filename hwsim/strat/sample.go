package strat

// This file has the samplers and the counter.

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// random is R_r. Its only state is that of its random numbers (section 3.1).
type random struct {
	rate uint32
	rand pcg
}

func (s *random) step(m hwsim.Message) (hwsim.Message, bool) {
	m.Count *= uint64(s.rate)
	return m, s.rand.below(s.rate) == 0
}

func (s *random) flush(out []hwsim.Message) []hwsim.Message { return out }
func (s *random) retained() int64                           { return 0 }

// countdown is RC_r: a counter that counts down from a random number in the
// interval (1,2r). The paper says that others use it. Here the numbers are the
// integers from 1 to 2r-1, whose mean is r.
type countdown struct {
	rate uint32
	left uint32 // until the next message; 0 before the first event
	rand pcg
}

func (s *countdown) step(m hwsim.Message) (hwsim.Message, bool) {
	if s.left == 0 {
		s.left = 1 + s.rand.below(2*s.rate-1)
	}
	s.left--
	m.Count *= uint64(s.rate)
	return m, s.left == 0
}

func (s *countdown) flush(out []hwsim.Message) []hwsim.Message {
	s.left = 0
	return out
}

func (s *countdown) retained() int64 { return 0 }

// periodic is P_r: it passes every r-th element (section 3.1).
type periodic struct {
	rate  uint32
	n     uint32 // elements since the last one that was passed
	phase phase
	from  uint32 // the value of n when the stream began
	unit  uint64 // the count of the last element
}

// A phase draws the numbers at which counters begin: 0, as in the paper, or any
// number below the rate. If all of many counters begin at 0, a stream has to be long
// before it sends its first messages (section 5.5, on few events and many counters).
type phase struct {
	random bool
	rand   pcg
}

func (p *phase) draw(rate uint32) uint32 {
	if !p.random {
		return 0
	}
	return p.rand.below(rate)
}

func newPeriodic(rate uint32, p phase) *periodic {
	s := &periodic{rate: rate, phase: p}
	s.flush(nil)
	return s
}

func (s *periodic) step(m hwsim.Message) (hwsim.Message, bool) {
	s.unit = m.Count
	if s.n++; s.n < s.rate {
		return m, false
	}
	s.n = 0
	m.Count *= uint64(s.rate)
	return m, true
}

func (s *periodic) tuples(in []tuple.Tuple, out []hwsim.Message) []hwsim.Message {
	s.unit = 1
	next := int(s.rate - s.n)
	for ; len(in) >= next; next = int(s.rate) {
		out = append(out, hwsim.Message{Tuple: in[next-1], Count: uint64(s.rate)})
		in = in[next:]
		s.n = 0
	}
	s.n += uint32(len(in))
	return out
}

func (s *periodic) flush(out []hwsim.Message) []hwsim.Message {
	s.from = s.phase.draw(s.rate)
	s.n = s.from
	return out
}

func (s *periodic) retained() int64 { return (int64(s.n) - int64(s.from)) * int64(s.unit) }

// counted is C beside a sampler. A message has the number of events since the
// message before it, and not the count that the rate implies (section 3.3). The
// events after the last message are not sent, because the sampler has no tuple for
// them.
type counted struct {
	sampler component
	n       uint64
}

func (s *counted) step(m hwsim.Message) (hwsim.Message, bool) {
	s.n += m.Count
	m, ok := s.sampler.step(m)
	if ok {
		m.Count, s.n = s.n, 0
	}
	return m, ok
}

func (s *counted) flush(out []hwsim.Message) []hwsim.Message {
	s.n = 0
	return s.sampler.flush(out)
}

func (s *counted) retained() int64 { return int64(s.n) }

// counter is C alone. Its output is the length of the stream (section 3.3). The
// counter knows the length when the stream ends, and sends it with the last tuple.
type counter struct {
	n    uint64
	last tuple.Tuple
}

func (s *counter) step(m hwsim.Message) (hwsim.Message, bool) {
	s.n += m.Count
	s.last = m.Tuple
	return m, false
}

func (s *counter) flush(out []hwsim.Message) []hwsim.Message {
	if s.n > 0 {
		out = append(out, hwsim.Message{Tuple: s.last, Count: s.n})
	}
	s.n = 0
	return out
}

func (s *counter) retained() int64 { return int64(s.n) }
