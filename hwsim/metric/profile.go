// Package metric measures how well the messages of an engine describe a stream.
//
// The ideal profile counts all events of the stream. The measured profile adds up the
// messages. Both are of type Profile, and a Selection says at which tuples of the ideal
// profile an optimizer would look:
//
//	ideal, measured := metric.New(), metric.New()
//	ideal.AddTuples(batch)                      // 3000 loads at 1: 2000 times 7, 1000 times 8
//	measured.AddMessages(msgs)                  // of an engine: 7 and 8, six messages each
//	metric.Value.Error(ideal, measured).Mean    // |2/3 - 1/2|·2/3 + |1/3 - 1/2|·1/3 = 0.1667
//
// An error compares shares of a place's events, so it does not depend on the scale of
// either profile. The errors of a growing profile are a Curve, which tells when an engine
// has converged.
//
// Source: Sastry, Bodik and Smith, "Rapid Profiling via Stratified Sampling",
// ISCA 2001, section 5.3.1.
package metric

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// A Profile says how often tuples and places occurred, in events.
type Profile struct {
	places map[uint64]*place // by pc, which has the profile tag in it
	total  uint64
}

// A place has the events of one pc: of one site and tag.
type place struct {
	total uint64
	words map[uint64]uint64
}

// New returns an empty profile.
func New() *Profile { return &Profile{places: map[uint64]*place{}} }

// Add counts n events of t.
func (p *Profile) Add(t tuple.Tuple, n uint64) {
	at := p.place(t.PC)
	at.total += n
	at.words[t.W] += n
	p.total += n
}

// place returns the place with a pc, a new one if there is none.
func (p *Profile) place(pc uint64) *place {
	at := p.places[pc]
	if at == nil {
		at = &place{words: map[uint64]uint64{}}
		p.places[pc] = at
	}
	return at
}

// AddTuples counts one event of each of in.
func (p *Profile) AddTuples(in []tuple.Tuple) {
	for _, t := range in {
		p.Add(t, 1)
	}
}

// AddMessages counts the events that messages stand for. A message about a range counts
// for its place, and for none of the words in the range.
func (p *Profile) AddMessages(msgs []hwsim.Message) {
	for _, m := range msgs {
		if m.Free == 0 {
			p.Add(m.Tuple, m.Count)
			continue
		}
		p.place(m.Tuple.PC).total += m.Count
		p.total += m.Count
	}
}

// Total returns the number of events.
func (p *Profile) Total() uint64 { return p.total }

// Place returns the number of events at pc.
func (p *Profile) Place(pc uint64) uint64 {
	if at := p.places[pc]; at != nil {
		return at.total
	}
	return 0
}

// Tuple returns the number of events of t.
func (p *Profile) Tuple(t tuple.Tuple) uint64 {
	if at := p.places[t.PC]; at != nil {
		return at.words[t.W]
	}
	return 0
}

// Only returns a profile that has these tuples of p and no others. The places of the tuples
// keep all of their events, so Only changes the invariance of none of the tuples.
func (p *Profile) Only(tuples []tuple.Tuple) *Profile {
	q := New()
	for _, t := range tuples {
		at := q.place(t.PC)
		if at.total == 0 {
			at.total = p.Place(t.PC)
			q.total += at.total
		}
		at.words[t.W] = p.Tuple(t)
	}
	return q
}

// Places returns the number of places that have events.
func (p *Profile) Places() int { return len(p.places) }

// Invariance returns the share of t among the events at its place, from 0 to 1. It is 0 at
// a place without events.
func (p *Profile) Invariance(t tuple.Tuple) float64 {
	at := p.places[t.PC]
	if at == nil || at.total == 0 {
		return 0
	}
	return float64(at.words[t.W]) / float64(at.total)
}
