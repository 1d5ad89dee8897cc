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

// The samples of a burst are in the log, with their entries, until there are more bursts than slots. Then the bursts in
// the log are a random sample of all, from the first to the last, and each of them is whole.
func TestLogOfBursts(t *testing.T) {
	tab := newTable()
	tab.Samples, tab.Stride, tab.Form, tab.Start = 4, 3, sampler.AgSimplified, 1
	slots := tab.LogSlots()
	if slots != 1<<15 {
		t.Fatalf("%d slots of 8 records, want 32768", slots)
	}
	numberOf := func(slot uint64) uint64 { return *tab.record(slot, 0) >> 32 }
	check := func(slot, number uint64) {
		t.Helper()
		entries := tab.Burst(slot, nil)
		if len(entries) != 4 || numberOf(slot) != number {
			t.Fatalf("slot %d has burst %d with %d samples, want burst %d with 4", slot, numberOf(slot), len(entries), number)
		}
		for i, e := range entries {
			if want := uint32((4*(number-1) + uint64(i) + 1) % 1000); tab.Entry(e).Path != want {
				t.Fatalf("burst %d: sample %d is of path %d, want %d", number, i, tab.Entry(e).Path, want)
			}
		}
	}
	for n := range 4 * slots {
		burst(tab)
		if n+1 == 3 || n+1 == slots {
			for slot := range n + 1 {
				check(slot, slot+1)
			}
		}
	}
	quarter := make([]float64, 4)
	for slot := range slots {
		check(slot, numberOf(slot))
		quarter[(numberOf(slot)-1)/slots]++
	}
	// Each quarter of the run should have 8192 slots; the standard deviation is 78. The numbers are drawn from the start
	// of the program, which is 1 here, so there are no false alarms.
	for i, n := range quarter {
		if n < 8192-5*78 || n > 8192+5*78 {
			t.Errorf("quarter %d of the run has %v of %d slots, want about %d", i, n, slots, slots/4)
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
	if first, second := tab.Burst(0, nil), tab.Burst(1, nil); len(first) != 4 || len(second) != 3 ||
		tab.Entry(second[0]).Path != 2000 {
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
		if tab.LogSlots() < 32 || uint64(len(tab.Burst(0, nil))+1)*tab.LogSlots() != 1<<logBits {
			t.Errorf("%d samples: %d slots of %d records", samples, tab.LogSlots(), len(tab.Burst(0, nil))+1)
		}
		if next := tab.Burst(1, nil); len(next) != 0 {
			t.Errorf("%d samples: the next slot has %d", samples, len(next))
		}
	}
}
