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
		_, _, p := t.NextPoll()
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
		checkRoom(t, tab, room, uint64(h.Number))
		quarter[(uint64(h.Number)-1)/rooms]++
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
	if uint64(h.Number) != number || h.Time != 10 || samples != 4 {
		t.Fatalf("room %d has burst %d of %d ns with %d samples, want burst %d of 10 ns", room, uint64(h.Number), h.Time, samples, number)
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
	if h, _ := tab.Burst(1); uint64(h.Number) != 2 || h.Time != 42 {
		t.Errorf("burst %d of %d ns, want 2 of 42 ns", uint64(h.Number), h.Time)
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
			if _, _, p := tab.NextPoll(); p != nil {
				p.Who = 1
			}
		}
		h, polls := tab.Burst(0)
		if uint64(h.Number) != 1 || tab.Rooms() < 16 || tab.Rooms()*uint64(len(polls)+1) != 1<<logBits {
			t.Errorf("%+v: burst %d, %d rooms of %d polls", s, uint64(h.Number), tab.Rooms(), len(polls))
		}
		if next, _ := tab.Burst(1); next.Number != 0 || next.Time != 0 {
			t.Errorf("%+v: the next room has burst %d", s, next.Number)
		}
	}
}

// A tick that comes between the polls of a burst has a record between theirs, several in a row share
// one, and if there are more than there is room for, they count for the first polls. No time is lost.
func TestTicksBetweenPolls(t *testing.T) {
	const tick = 4096
	for _, s := range []sampler.Sampler{{Samples: 4, Stride: 3}, {Samples: 4, Stride: 4}, {Samples: 64, Stride: 17}} {
		for every := 1; every < 30; every++ {
			tab := newTable()
			tab.Samples, tab.Stride = s.Samples, s.Stride
			tab.BeginBurst(tick)
			ticks, polled := 1, uint32(0)
			var at []uint32 // the polls before each tick
			for !tab.Idle() {
				_, _, p := tab.NextPoll()
				take, _ := tab.Poll()
				var e *Entry
				polled++
				k := &Key{Path: polled, PC: 7}
				if take {
					e = tab.Add(k)
				}
				if p == nil {
					t.Fatalf("%d samples, ticks after %d polls: no record for poll %d", s.Samples, every, polled)
				}
				tab.Note(p, k, 1, 5, e)
				if int(polled)%every == 0 && !tab.Idle() {
					for range 1 + polled%2 {
						tab.BeginBurst(tick)
						ticks++
					}
					at = append(at, polled)
				}
			}
			h, polls := tab.Burst(0)
			time, last := h.Time, uint32(0)
			var found []uint32
			for i := range polls {
				p := &polls[i]
				if p.Ticks() > 0 {
					time += p.Ticks()
					found = append(found, last)
				}
				if p.Ready() {
					if last++; p.Path != last {
						t.Fatalf("%d samples, ticks after %d polls: path %d where poll %d is", s.Samples, every, p.Path, last)
					}
				}
			}
			if want := uint64(ticks * tick); time != want || last != polled {
				t.Errorf("%d samples, ticks after %d polls: %d polls and %d ns, want %d and %d", s.Samples, every, last, time, polled, want)
			}
			if len(found) > len(at) || s.Samples == 64 && every > 2 && len(found) < len(at) {
				t.Errorf("%d samples, ticks after %d polls: %d of %d ticks have a record", s.Samples, every, len(found), len(at))
			}
			for i := range found {
				if found[i] != at[i] {
					t.Errorf("%d samples, ticks after %d polls: the record of tick %d stands after poll %d, want %d", s.Samples, every, i, found[i], at[i])
				}
			}
		}
	}
}
