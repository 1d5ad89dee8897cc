package pepfile

import (
	"testing"

	"github.com/pepgo/pep/runtime/sampler"
)

// burst takes all samples of a burst in t, each of a path of its own below 1000.
func burst(t Table) {
	t.BeginBurst()
	for !t.Idle() {
		if take, _ := t.Poll(); take {
			t.LogSample(t.Add(&Key{Path: uint32(t.Taken % 1000), PC: 7}))
		}
	}
}

// The samples of a burst are in the log, with their entries, until there are more bursts than rooms. Then the bursts in the
// log are a random sample of all, from the first to the last, and each of them is whole.
func TestLogOfBursts(t *testing.T) {
	tab := newTable()
	tab.Samples, tab.Stride, tab.Form, tab.Start = 4, 3, sampler.AgSimplified, 1
	rooms := tab.Rooms()
	if rooms != 1<<15 {
		t.Fatalf("%d rooms of 8 records, want 32768", rooms)
	}
	numberOf := func(room uint64) uint64 { return *tab.record(room, 0) >> 32 }
	check := func(room, number uint64) {
		t.Helper()
		entries := tab.Burst(room, nil)
		if len(entries) != 4 || numberOf(room) != number {
			t.Fatalf("room %d has burst %d with %d samples, want burst %d with 4", room, numberOf(room), len(entries), number)
		}
		for i, e := range entries {
			if want := uint32((4*(number-1) + uint64(i) + 1) % 1000); tab.Entry(e).Path != want {
				t.Fatalf("burst %d: sample %d is of path %d, want %d", number, i, tab.Entry(e).Path, want)
			}
		}
	}
	for n := range 4 * rooms {
		burst(tab)
		if n+1 == 3 || n+1 == rooms {
			for room := range n + 1 {
				check(room, room+1)
			}
		}
	}
	quarter := make([]float64, 4)
	for room := range rooms {
		check(room, numberOf(room))
		quarter[(numberOf(room)-1)/rooms]++
	}
	// Each quarter of the run should have 8192 rooms; the standard deviation is 78. The numbers are drawn from the start of the
	// program, which is 1 here, so there are no false alarms.
	for i, n := range quarter {
		if n < 8192-5*78 || n > 8192+5*78 {
			t.Errorf("quarter %d of the run has %v of %d rooms, want about %d", i, n, rooms, rooms/4)
		}
	}
}

// Samples that come behind ticks of the same burst are the burst's, and those of another burst are not.
func TestOverrunsOfABurst(t *testing.T) {
	tab := newTable()
	tab.Samples, tab.Stride = 4, 3
	burst(tab)
	for range 3 {
		tab.BeginBurst()
		tab.LogSample(tab.Add(&Key{Path: 2000, PC: 7}))
	}
	if first, second := tab.Burst(0, nil), tab.Burst(1, nil); len(first) != 4 || len(second) != 3 || tab.Entry(second[0]).Path != 2000 {
		t.Errorf("bursts of %d and %d samples, want 4 and 3", len(first), len(second))
	}
}

// Bursts of any size stay within the log.
func TestLogOfLongBursts(t *testing.T) {
	for _, samples := range []uint32{1, 64, 1024, 1<<31 - 1} {
		tab := newTable()
		tab.Samples, tab.Stride = samples, 17
		tab.BeginBurst()
		e := tab.Add(&Key{Path: 1, PC: 7})
		for range 10_000 {
			tab.LogSample(e)
		}
		if tab.Rooms() < 32 || uint64(len(tab.Burst(0, nil))+1)*tab.Rooms() != 1<<logBits {
			t.Errorf("%d samples: %d rooms of %d records", samples, tab.Rooms(), len(tab.Burst(0, nil))+1)
		}
		if next := tab.Burst(1, nil); len(next) != 0 {
			t.Errorf("%d samples: the next room has %d", samples, len(next))
		}
	}
}
