package pepfile

import (
	"testing"

	"github.com/pepgo/pep/runtime/sampler"
)

// burst begins a burst in t and takes all its polls; paths have numbers below 1000, and a gap is
// the number of the burst.
func burst(t Table, number uint64) {
	t.BeginBurst(10)
	for !t.Idle() {
		_, p := t.NextPoll()
		take, _ := t.Poll()
		k := &Key{Path: uint32(t.Taken % 1000), PC: 7}
		var e *Entry
		if take {
			e = t.Add(k)
		}
		if p != nil {
			t.Note(p, k, number, 5, e)
		}
	}
}

// Every poll of a burst is in the log, samples with their entries, until there are more
// bursts than rooms. Then the bursts in the log are a random sample of all, from the first to
// the last, and each of them is whole.
func TestLogOfBursts(t *testing.T) {
	tab := newTable()
	tab.Samples, tab.Stride, tab.Form, tab.Start = 4, 3, sampler.AgSimplified, 1
	rooms := tab.Rooms()
	if rooms != 1<<14 {
		t.Fatalf("%d rooms of 8 records, want 16384", rooms)
	}
	for n := range 4 * rooms {
		burst(tab, n+1)
		if n+1 == 3 || n+1 == rooms {
			for room := range n + 1 {
				checkRoom(t, tab, room, room+1)
			}
		}
	}
	quarter := make([]int, 4)
	for room := range rooms {
		h, _ := tab.Burst(room)
		checkRoom(t, tab, room, h.Number)
		quarter[(h.Number-1)/rooms]++
	}
	// Each quarter of the run should have 4096 rooms; the standard deviation is 55.
	for i, n := range quarter {
		if n < 4096-5*55 || n > 4096+5*55 {
			t.Errorf("quarter %d of the run has %d of %d rooms, want about %d", i, n, rooms, rooms/4)
		}
	}
}

// checkRoom checks that a room has a burst as burst makes it.
func checkRoom(t *testing.T, tab Table, room, number uint64) {
	t.Helper()
	h, polls := tab.Burst(room)
	skip := int(number-1) % 3
	samples := 0
	for i := range polls {
		p := &polls[i]
		if p.Ready() != (i < skip+4) {
			t.Fatalf("burst %d: poll %d is ready: %v", number, i, p.Ready())
		}
		if !p.Ready() {
			continue
		}
		if p.Gap != uint32(number) || p.PC != 7 || p.Thread()&0x7fff != 5 {
			t.Fatalf("burst %d: poll %d is %+v", number, i, *p)
		}
		e, ok := p.Entry()
		if ok != (i >= skip) {
			t.Fatalf("burst %d: poll %d is a sample: %v", number, i, ok)
		}
		if ok && tab.Entry(e).Path != p.Path {
			t.Fatalf("burst %d: poll %d is of path %d, its entry of %d", number, i, p.Path, tab.Entry(e).Path)
		}
		if ok {
			samples++
		}
	}
	if h.Number != number || h.Time != 10 || samples != 4 {
		t.Fatalf("room %d has burst %d of %d ns with %d samples, want burst %d of 10 ns", room, h.Number, h.Time, samples, number)
	}
}

// A burst stands for the time of the ticks that come while it lasts, too.
func TestOverrunsOfABurst(t *testing.T) {
	tab := newTable()
	tab.Samples, tab.Stride = 4, 3
	burst(tab, 1)
	for range 6 {
		tab.BeginBurst(7)
	}
	if h, _ := tab.Burst(1); h.Number != 2 || h.Time != 42 {
		t.Errorf("burst %d of %d ns, want 2 of 42 ns", h.Number, h.Time)
	}
	if h, _ := tab.Burst(0); h.Time != 10 {
		t.Errorf("the first is of %d ns, want 10", h.Time)
	}
}

// Bursts of any size stay within the log.
func TestLogOfLongBursts(t *testing.T) {
	for _, s := range []sampler.Sampler{{Samples: 1, Stride: 1}, {Samples: 1024, Stride: 17}, {Samples: 100, Stride: 65535, Form: sampler.AgRegular}, {Samples: 1<<31 - 1, Stride: 65535, Form: sampler.AgJikes}} {
		tab := newTable()
		tab.Samples, tab.Stride, tab.Form = s.Samples, s.Stride, s.Form
		tab.BeginBurst(1)
		for range 10_000 {
			if _, p := tab.NextPoll(); p != nil {
				p.Who = 1
			}
		}
		h, polls := tab.Burst(0)
		if h.Number != 1 || tab.Rooms() < 16 || tab.Rooms()*uint64(len(polls)+1) != 1<<logBits {
			t.Errorf("%+v: burst %d, %d rooms of %d polls", s, h.Number, tab.Rooms(), len(polls))
		}
		if next, _ := tab.Burst(1); next.Number != 0 || next.Time != 0 {
			t.Errorf("%+v: the next room has burst %d", s, next.Number)
		}
	}
}
