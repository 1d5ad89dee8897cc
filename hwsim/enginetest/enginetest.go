//go:build !peplinked

// Package enginetest tests that engines keep the promises of package hwsim:
//
//	func TestContract(t *testing.T) {
//		spec := …
//		enginetest.Test(t, spec.New, enginetest.Options{})
//	}
//
// The tests of package hwsim/engines call it for all registered engines, with the examples
// of their kinds. The package also has two small engines, Cells and Gate, which together
// use every interface of package hwsim.
package enginetest

// The build tag keeps package testing out of the programs that tests link with Cells
// and Gate (tag peptestengines of package engines).

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/tracetest"
)

// Options say what is known of an engine.
type Options struct {
	Random bool // it draws random numbers as it goes
	// sends the events that messages are about, as engines.Spec.Exact says; nil, or a nil engine: those of the stream
	Exact func(stream uint32) hwsim.Engine
}

// Test tests the engines that new makes, one for each stream.
func Test(t *testing.T, new func(stream uint32) hwsim.Engine, o Options) {
	s := suite{new, o, stream(1, 20_000)}
	t.Run("cuts", s.cuts)
	t.Run("conservation", s.conservation)
	t.Run("messages", s.messages)
	t.Run("streams", s.streams)
	t.Run("flush", s.flush)
	t.Run("allocation", s.allocation)
	e := new(0)
	if _, ok := e.(hwsim.Snapshotter); ok {
		t.Run("snapshot", s.snapshot)
	}
	if _, ok := e.(hwsim.Merger); ok {
		t.Run("merge", s.merge)
	}
	if _, ok := e.(hwsim.Timed); ok {
		t.Run("time", s.time)
	}
}

// stream returns n tuples, the same for the same seed. Those of some sites have a second
// word, which looks like an address, and some of these a third.
func stream(seed uint64, n int) (list []tuple.Tuple) {
	for _, t := range tracetest.New(seed, 20).Events(make([]tuple.Tuple, n)) {
		list = append(list, t)
		if t.Site()%4 < 2 {
			list = append(list, tuple.New(tuple.More, t.Site(), 0xc000000000+8*(t.W%4096)))
		}
		if t.Site()%4 == 0 {
			list = append(list, tuple.New(tuple.Third, t.Site(), t.W%7))
		}
	}
	return list[:n]
}

type suite struct {
	new func(stream uint32) hwsim.Engine
	Options
	in []tuple.Tuple
}

// A result is what an engine did with a stream.
type result struct {
	pushed, flushed []hwsim.Message
	balance         hwsim.Balance // before the flush
	time            hwsim.Time    // likewise
	meters          []hwsim.Meter // likewise
}

func (r *result) equal(o *result) bool {
	return slices.Equal(r.pushed, o.pushed) && slices.Equal(r.flushed, o.flushed) && r.balance == o.balance &&
		r.time == o.time &&
		slices.Equal(r.meters, o.meters)
}

// run pushes in, cut into parts of cut tuples, 2·cut+1, 4·cut+3 and so on, through a
// buffer of size messages.
func run(e hwsim.Engine, in []tuple.Tuple, cut, size int) *result {
	r := &result{}
	r.pushed = collect(size, func(out *hwsim.Out) {
		for n := cut; len(in) > 0; n = 2*n + 1 {
			n = min(n, len(in))
			e.Push(in[:n], out)
			in = in[n:]
		}
	})
	r.balance = e.Balance()
	if e, ok := e.(hwsim.Timed); ok {
		r.time = e.Time()
	}
	if e, ok := e.(hwsim.Metered); ok {
		r.meters = e.Meters()
	}
	r.flushed = collect(size, e.Flush)
	return r
}

// Sum returns how many events messages stand for.
func Sum(msgs []hwsim.Message) (n uint64) {
	for _, m := range msgs {
		n += m.Count
	}
	return n
}

// Messages, balance, time and meters do not depend on how the stream is cut, and not on the size of
// the buffer.
func (s *suite) cuts(t *testing.T) {
	want := run(s.new(0), s.in, len(s.in), 512)
	for _, x := range []struct{ cut, size int }{{1, 1}, {1, 512}, {len(s.in), 1}, {100, 7}, {256, 256}} {
		if got := run(s.new(0), s.in, x.cut, x.size); !got.equal(want) {
			t.Errorf("cut into %d tuples and more, through %d messages: %s, not %s", x.cut, x.size, got, want)
		}
	}
}

func (s *suite) conservation(t *testing.T) {
	e := s.new(0)
	events, sent := 0, uint64(0)
	out := hwsim.NewOut(64, func(msgs []hwsim.Message) { sent += Sum(msgs) })
	for part := range slices.Chunk(s.in, 777) {
		e.Push(part, out)
		out.Drain()
		events += len(part)
		b := e.Balance()
		if !b.Sampled && int64(sent)+b.Held+int64(b.Dropped) != int64(events) {
			t.Fatalf("after %d events: %d sent, %+v", events, sent, b)
		}
	}
	b := e.Balance()
	flushed := Sum(Flush(e))
	// counters that begin with a phase hold less than what is flushed
	if !s.Random && !b.Sampled && int64(flushed) > b.Held {
		t.Errorf("%d events flushed, of %d", flushed, b.Held)
	}
}

// Messages are about tuples and ranges of the stream.
func (s *suite) messages(t *testing.T) {
	r := run(s.new(0), s.in, 256, 512)
	about := s.about()
	seen := map[uint8]map[tuple.Tuple]bool{} // the tuples of the stream without so many bits
	for _, m := range slices.Concat(r.pushed, r.flushed) {
		free := uint64(1)<<m.Free - 1
		if m.Count == 0 || m.Free > 64 || m.Tuple.W&free != 0 {
			t.Fatalf("message %+v", m)
		}
		if seen[m.Free] == nil {
			seen[m.Free] = map[tuple.Tuple]bool{}
			for _, x := range about {
				seen[m.Free][tuple.Tuple{PC: x.PC, W: x.W &^ free}] = true
			}
		}
		if !seen[m.Free][m.Tuple] {
			t.Fatalf("message %+v, and no such event", m)
		}
	}
}

// about returns the events that messages are about.
func (s *suite) about() (list []tuple.Tuple) {
	var e hwsim.Engine
	if s.Exact != nil {
		e = s.Exact(0)
	}
	if e == nil {
		return s.in
	}
	for _, m := range append(Push(e, s.in), Flush(e)...) {
		list = append(list, m.Tuple)
	}
	return list
}

// Two engines that are made for the same stream send the same messages. So a replay of a
// trace sends what the program sent.
func (s *suite) streams(t *testing.T) {
	for _, stream := range []uint32{0, 1, 2, 1000} {
		online, replayed := run(s.new(stream), s.in, 1024, 512), run(s.new(stream), s.in, 4096, 512)
		if !online.equal(replayed) {
			t.Errorf("stream %d: %s and then %s", stream, online, replayed)
		}
	}
}

func (s *suite) flush(t *testing.T) {
	e := s.new(0)
	first := run(e, s.in, 256, 512)
	sampled := e.Balance().Sampled
	if b := e.Balance(); b != (hwsim.Balance{Sampled: sampled}) {
		t.Errorf("after Flush: %+v", b)
	}
	if e, ok := e.(hwsim.Timed); ok && e.Time() != (hwsim.Time{}) {
		t.Errorf("after Flush: %+v", e.Time())
	}
	if e, ok := e.(hwsim.Metered); ok {
		for i, m := range e.Meters() {
			if m.Count != 0 || m.Of != 0 || m.Name != first.meters[i].Name || m.Unit != first.meters[i].Unit {
				t.Errorf("after Flush: %+v, before %+v", m, first.meters[i])
			}
		}
	}
	if again := Flush(e); again != nil {
		t.Errorf("a second Flush sends %d messages", len(again))
	}
	if second := run(e, s.in, 256, 512); !s.Random && !second.equal(first) {
		t.Errorf("%s, and after Flush %s", first, second)
	}
}

func (s *suite) allocation(t *testing.T) {
	e := s.new(0)
	out := hwsim.NewOut(2, func([]hwsim.Message) {})
	if n := testing.AllocsPerRun(3, func() { e.Push(s.in, out) }); n != 0 {
		t.Errorf("Push allocates %v times", n)
	}
	if e, ok := e.(hwsim.Weighted); ok {
		msgs := []hwsim.Message{{Tuple: s.in[0], Count: 3}, {Tuple: s.in[1], Count: 1 << 40}}
		if n := testing.AllocsPerRun(1000, func() { e.PushWeighted(msgs, out) }); n != 0 {
			t.Errorf("PushWeighted allocates %v times", n)
		}
	}
	if e, ok := e.(hwsim.Snapshotter); ok {
		if n := testing.AllocsPerRun(3, func() { e.Snapshot(out) }); n != 0 {
			t.Errorf("Snapshot allocates %v times", n)
		}
	}
}

func (s *suite) snapshot(t *testing.T) {
	e := s.new(0).(hwsim.Snapshotter)
	Push(e, s.in)
	before := e.Balance()
	snapshot, again := collect(512, e.Snapshot), collect(1, e.Snapshot)
	if after := e.Balance(); after != before || !slices.Equal(snapshot, again) {
		t.Errorf("a snapshot changes the engine: %+v and then %+v, %d messages and then %d", before, after, len(snapshot),
			len(again))
	}
	if flushed := Flush(e); !slices.Equal(snapshot, flushed) {
		t.Errorf("a snapshot of %d messages, a flush of %d others", len(snapshot), len(flushed))
	}
}

func (s *suite) merge(t *testing.T) {
	x, y := s.new(0).(hwsim.Merger), s.new(1)
	other := stream(2, 10_000)
	msgs := slices.Concat(Push(x, s.in), Push(y, other))
	a, b := x.Balance(), y.Balance()
	exact := x.Merge(y)
	want := hwsim.Balance{Held: a.Held + b.Held, Dropped: a.Dropped + b.Dropped, Sampled: a.Sampled}
	if got := x.Balance(); got != want {
		t.Errorf("%+v and %+v merged are %+v", a, b, got)
	}
	if left := y.Balance(); left.Held != 0 || left.Dropped != 0 {
		t.Errorf("the other engine is left with %+v", left)
	}
	one := s.new(0)
	single := slices.Concat(Push(one, s.in), Push(one, other), Flush(one))
	if got := append(msgs, Flush(x)...); exact && !slices.Equal(totals(got), totals(single)) {
		t.Errorf("two engines merged know other totals than one: %d and %d messages", len(got), len(single))
	}
}

// totals adds up messages of the same tuple and range, in order.
func totals(msgs []hwsim.Message) (list []hwsim.Message) {
	type key struct {
		t    tuple.Tuple
		free uint8
	}
	index := map[key]int{}
	for _, m := range msgs {
		k := key{m.Tuple, m.Free}
		i, ok := index[k]
		if !ok {
			i = len(list)
			index[k] = i
			list = append(list, hwsim.Message{Tuple: m.Tuple, Free: m.Free})
		}
		list[i].Count += m.Count
	}
	slices.SortFunc(list, func(a, b hwsim.Message) int {
		return cmp.Or(cmp.Compare(a.Tuple.PC, b.Tuple.PC), cmp.Compare(a.Tuple.W, b.Tuple.W), cmp.Compare(a.Free, b.Free))
	})
	return list
}

func (s *suite) time(t *testing.T) {
	e := s.new(0).(hwsim.Timed)
	var last hwsim.Time
	for part := range slices.Chunk(s.in, 500) {
		Push(e, part)
		now := e.Time()
		if now.Cycles <= last.Cycles || now.Stalled < last.Stalled || now.Stalled > now.Cycles {
			t.Fatalf("from %+v to %+v", last, now)
		}
		last = now
	}
}

func (r *result) String() string {
	return fmt.Sprintf("%d messages of %d events, %d flushed of %d, %+v, %+v, %v",
		len(r.pushed), Sum(r.pushed), len(r.flushed), Sum(r.flushed), r.balance, r.time, r.meters)
}
