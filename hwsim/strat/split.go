package strat

// This file has the hash splitter. One form of it has a fast loop of its own:
// H[P_r]_n, the design that the paper recommends.

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// splitter is H[X]_n. It splits the stream into n disjoint substreams, each of which
// has its own X (section 3.2).
type splitter struct {
	hash   hasher
	strata []component
}

func (s *splitter) step(m hwsim.Message) (hwsim.Message, bool) {
	return s.strata[s.hash.index(m.Tuple)].step(m)
}

func (s *splitter) flush(out []hwsim.Message) []hwsim.Message {
	for _, x := range s.strata {
		out = x.flush(out)
	}
	return out
}

func (s *splitter) retained() (n int64) {
	for _, x := range s.strata {
		n += x.retained()
	}
	return n
}

func (s *splitter) stratum(t tuple.Tuple) int { return int(s.hash.index(t)) }

// stratified is H[P_r]_n: a table of counters and nothing else (section 3.5,
// figure 5).
type stratified struct {
	hash   hasher
	rate   uint32
	counts []uint32
	phase  phase
	from   int64               // the sum of counts when the stream began
	unit   uint64              // the count of the last element
	index  [blockTuples]uint32 // the strata of the block that byIndex counts
}

func newStratified(h hasher, rate uint32, p phase) *stratified {
	s := &stratified{hash: h, rate: rate, counts: make([]uint32, h.n), phase: p}
	s.flush(nil)
	return s
}

func (s *stratified) step(m hwsim.Message) (hwsim.Message, bool) {
	s.unit = m.Count
	n := &s.counts[s.hash.index(m.Tuple)]
	if *n++; *n < s.rate {
		return m, false
	}
	*n = 0
	m.Count *= uint64(s.rate)
	return m, true
}

func (s *stratified) tuples(in []tuple.Tuple, out []hwsim.Message) []hwsim.Message {
	s.unit = 1
	for len(in) > 0 {
		block := in[:min(len(in), blockTuples)]
		in = in[len(block):]
		if s.hash.tables != nil && s.hash.direct {
			out = s.byTable(block, out)
		} else {
			out = s.byIndex(block, out)
		}
	}
	return out
}

// byTable counts a block whose strata the paper's hash gives.
func (s *stratified) byTable(block []tuple.Tuple, out []hwsim.Message) []hwsim.Message {
	t := s.hash.tables
	for {
		n := t.count(block, s.counts, s.rate)
		if n == len(block) {
			break
		}
		s.counts[t.index(block[n].PC, block[n].W)] = 0
		out = append(out, hwsim.Message{Tuple: block[n], Count: uint64(s.rate)})
		block = block[n+1:]
	}
	t.nextBlock()
	return out
}

// byIndex first hashes all tuples of a block, and then counts them. So the hash
// functions have loops without calls, and the processor can hash a tuple before it
// has updated the counter of the tuple before.
func (s *stratified) byIndex(block []tuple.Tuple, out []hwsim.Message) []hwsim.Message {
	counts, rate := s.counts, s.rate
	index := s.index[:len(block)]
	s.hash.indices(block, index)
	for i, j := range index {
		n := counts[j] + 1
		if n == rate {
			n = 0
			out = append(out, hwsim.Message{Tuple: block[i], Count: uint64(rate)})
		}
		counts[j] = n
	}
	return out
}

func (s *stratified) flush(out []hwsim.Message) []hwsim.Message {
	s.from = 0
	for i := range s.counts {
		s.counts[i] = s.phase.draw(s.rate)
		s.from += int64(s.counts[i])
	}
	return out
}

func (s *stratified) retained() int64 {
	n := -s.from
	for _, c := range s.counts {
		n += int64(c)
	}
	return n * int64(s.unit)
}

func (s *stratified) stratum(t tuple.Tuple) int { return int(s.hash.index(t)) }
