// Package sample collects the words of a sample, for engines that need several words of
// one event: the value of a load and its address, or the result of an operation and its
// operands.
//
//	load main+3 42          one sample: site main+3, first word 42,
//	more main+3 0xc000010   second word 0xc000010
//	load main+4 7           the next sample
//
// New makes an engine from a function. The engine calls the function with each sample:
//
//	e := sample.New(func(s *sample.Sample, out *hwsim.Out) (sent uint64) {
//		if v, ok := s.Word(sample.First); !ok || v != 0 {
//			return 0 // dropped, and counted
//		}
//		return s.Send(out, s.Count)
//	}, nil)
//
// The package has no streams and no descriptions: hwsim/where, hwsim/cache and
// hwsim/morton use it. hwsim/cop collects samples by itself, with Begin and Add.
package sample

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// A Sample is what a tap reported at once: N tuples of the same site. The tap reported
// it Count times.
type Sample struct {
	Tuples [tuple.MaxWords]tuple.Tuple
	N      int
	Count  uint64
}

// A Field is a number of a sample.
type Field uint8

const (
	Site   Field = iota // the place in the program
	First               // the first word: a value, the result of an operation, or an address
	Second              // the second word: the address of a load, the left operand
	Third               // the third word: the right operand
	NumFields
)

// Names are the names of the fields in descriptions of engines.
var Names = [NumFields]string{"site", "first", "second", "third"}

// Word returns a field of s. It returns false if s does not have the field.
func (s *Sample) Word(f Field) (w uint64, ok bool) {
	switch i := int(f) - int(First); {
	case s.torn():
		return 0, false
	case f == Site:
		return s.Tuples[0].Site(), true
	default:
		return s.Tuples[i].W, i < s.N
	}
}

// torn reports whether s is the rest of a sample whose first word is missing. This
// happens if an engine in front sends only some of the words.
func (s *Sample) torn() bool { return s.Tuples[0].Tag().Further() > 0 }

// Address returns the address that s read or wrote: the word of an addr tap, or the
// second word of a load or store. It returns false if s has none.
func (s *Sample) Address() (addr uint64, ok bool) {
	switch s.Tuples[0].Tag() {
	case tuple.Addr:
		return s.Word(First)
	case tuple.Load, tuple.Store:
		return s.Word(Second)
	}
	return 0, false
}

// Begin makes s a sample of one tuple that was reported count times.
func (s *Sample) Begin(t tuple.Tuple, count uint64) { s.Tuples[0], s.N, s.Count = t, 1, count }

// Add adds a tuple to s if the tuple is the next word of s, and reports whether it is. A
// sample with N = 0 has no next word.
func (s *Sample) Add(t tuple.Tuple, count uint64) (next bool) {
	n := t.Tag().Further()
	if n == 0 || n != s.N || count != s.Count || t.Site() != s.Tuples[0].Site() || s.torn() {
		return false
	}
	s.Tuples[n] = t
	s.N++
	return true
}

// Send sends all words of s with a count. It returns the number of events that the
// messages stand for.
func (s *Sample) Send(out *hwsim.Out, count uint64) (sent uint64) {
	for _, t := range s.Tuples[:s.N] {
		out.Send(hwsim.Message{Tuple: t, Count: count})
	}
	return uint64(s.N) * count
}

// Events returns the number of events of s: each word is one event.
func (s *Sample) Events() uint64 { return uint64(s.N) * s.Count }

// An engine calls take with each sample.
type engine struct {
	take    func(s *Sample, out *hwsim.Out) (sent uint64)
	reset   func()
	s       Sample // the sample whose end has not come yet; N is 0 if there is none
	dropped uint64
}

// New returns an engine that calls take with each sample, in order. take sends the
// messages that it wants to send, and returns the number of events that they stand for.
// The other events of the sample are dropped. If reset is not nil, Flush calls it after
// the last sample.
//
// A sample ends where the next one begins, so the engine holds the last sample until
// then.
func New(take func(s *Sample, out *hwsim.Out) (sent uint64), reset func()) hwsim.Weighted {
	return &engine{take: take, reset: reset}
}

func (e *engine) Push(in []tuple.Tuple, out *hwsim.Out) {
	for _, t := range in {
		e.add(t, 1, out)
	}
}

// PushWeighted takes messages as tuples that were seen several times. All words of a
// sample have the same count.
func (e *engine) PushWeighted(in []hwsim.Message, out *hwsim.Out) {
	for _, m := range in {
		e.add(m.Tuple, m.Count, out)
	}
}

// add adds a tuple to the sample if it is the next word of the sample. Otherwise the
// tuple begins a new sample.
func (e *engine) add(t tuple.Tuple, count uint64, out *hwsim.Out) {
	if !e.s.Add(t, count) {
		e.end(out)
		e.s.Begin(t, count)
	}
}

// end passes the sample to take.
func (e *engine) end(out *hwsim.Out) {
	if e.s.N > 0 {
		e.dropped += e.s.Events() - e.take(&e.s, out)
		e.s.N = 0
	}
}

func (e *engine) Flush(out *hwsim.Out) {
	e.end(out)
	e.dropped = 0
	if e.reset != nil {
		e.reset()
	}
}

func (e *engine) Balance() hwsim.Balance {
	return hwsim.Balance{Held: int64(e.s.Events()), Dropped: e.dropped}
}
