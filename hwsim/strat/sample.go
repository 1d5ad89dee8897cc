package strat

// This file has the samplers and the counter.

import (
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/runtime/tuple"
)

// random is R_r: it has no state but its random numbers (section 3.1).
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

// countdown is RC_r: a down counter, loaded with a number from the interval
// (1,2r). The paper names it as what others use. Ours are the integers from 1
// to 2r-1, whose mean is r.
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
	n     uint32 // elements since the last that was passed
	phase phase
	from  uint32 // the n that the stream began with
	unit  uint64 // the count of an element
}

// A phase draws what counters begin with: 0, as in the paper, or any number
// below the rate. All counters at 0 means that long streams have sent nothing
// yet (section 5.5, on few events and many counters).
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

// counted is C beside a sampler: a message carries the number of events since
// the one before, in place of the implied count (section 3.3). What is counted
// after the last message is not sent: the sampler has no tuple for it.
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

// counter is C alone. Its output is the length of the stream (section 3.3),
// which is known at the end, and sent with the last tuple.
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
