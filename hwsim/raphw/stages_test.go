package raphw

// This file tests the buffer, the counters, the cycles, and losses.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// Stage 0 combines equal events that wait. The counts add up to the events, and there
// is one count for each different point.
func TestRAP16_EqualEventsAreCombined(t *testing.T) {
	points := make([]uint64, 0, 4000)
	for range 100 {
		for x := range uint64(40) {
			points = append(points, x)
		}
	}
	combining, single := made(t, "universe=64,over=words,buffer=64,start=100000"),
		made(t, "universe=64,over=words,start=100000")
	for _, e := range []*engine{combining, single} {
		push(e, points...)
		if b := e.Balance(); b.Held != 4000 || b.Dropped != 0 {
			t.Errorf("%s: %+v, want 4000 events held", e.String(), b)
		}
		e.drain()
		if e.events != 4000 || e.n != 4000 {
			t.Errorf("%s: %d events retired, %d counted, want 4000", e.String(), e.events, e.n)
		}
	}
	if combining.counts != 40 || single.counts != 4000 {
		t.Errorf("%d counts with the buffer, want 40; %d without, want 4000", combining.counts, single.counts)
	}
	full := made(t, "universe=64,over=words,buffer=64,start=100000")
	push(full, slices.Repeat([]uint64{9}, 600)...)
	full.drain()
	if full.counts != 3 || full.events != 600 {
		t.Errorf("%d counts for %d equal events, want 3 of 255, 255 and 90", full.counts, full.events)
	}
}

// If the buffer is full, the processor waits, or events are lost and counted.
func TestRAP16_FullBuffer(t *testing.T) {
	points := stream(rand.New(rand.NewPCG(1, 1)), 5000, 40)
	stall := made(t, "10%,over=words,buffer=16,clock=10,near=1,far=1")
	push(stall, points...)
	if b, now := stall.Balance(), stall.Time(); b.Held != 5000 || now.Stalled == 0 || now.Cycles-now.Stalled != 5000 {
		t.Errorf("with full=stall: %+v, %+v, want all events and 5000 cycles without stalls", b, now)
	}
	drop := made(t, "10%,over=words,buffer=16,clock=10,near=1,far=1,full=drop")
	push(drop, points...)
	if b, now := drop.Balance(), drop.Time(); b.Dropped == 0 || b.Held+int64(b.Dropped) != 5000 || now.Stalled != 0 ||
		now.Cycles != 5000 {
		t.Errorf("with full=drop: %+v, %+v, want no stalls", b, now)
	}
}

// A snapshot has all events, in whatever stage they are: also a count that is on its way
// to the write port.
func TestSnapshotHasAllEvents(t *testing.T) {
	for near := 1; near < 40; near++ {
		e := made(t, fmt.Sprintf("eps=50%%,universe=16,start=16,over=words,buffer=4,keep=1,near=%d,far=%d", near, near))
		for i := range uint64(30) {
			push(e, i%3, i%16)
			sum := uint64(0)
			out := hwsim.NewOut(4, func(msgs []hwsim.Message) {
				for _, m := range msgs {
					sum += m.Count
				}
			})
			e.Snapshot(out)
			out.Drain()
			if sum != 2*i+2 || e.Balance().Held != int64(sum) {
				t.Fatalf("near=%d: a snapshot of %d events, %+v, want %d", near, sum, e.Balance(), 2*i+2)
			}
		}
	}
}

// Cycles are those of the model: 4 for an event; 5, and one for each new entry, until
// the first result after a split; and one for each entry in a merge.
func TestRAP19_Cycles(t *testing.T) {
	busy := func(parameters string, points ...uint64) uint64 {
		e := made(t, "eps=50%,universe=16,over=words,near=1,far=1,"+parameters)
		push(e, points...)
		e.drain()
		return e.busy
	}
	const none = "start=100000"
	// The place's first event takes 5 cycles, one for the new entry, and its cycles
	// again for the replay.
	first := busy(none, 1)
	if first != 5+1+5 {
		t.Errorf("the first event takes %d cycles, want 11", first)
	}
	if got := busy(none, 1, 2, 3, 4, 5) - first; got != 4*4 {
		t.Errorf("four more events take %d cycles, want 16", got)
	}
	if got := busy(none+",cycles=7", 1, 2, 3, 4, 5) - busy(none+",cycles=7", 1); got != 4*7 {
		t.Errorf("four more events take %d cycles, want 28", got)
	}
	// The third of five events splits the root into 4: the fourth has its result 5+4
	// cycles after it, and not 4.
	if got := busy("start=16", 0, 5, 10, 1, 6) - first; got != 2*4+(5+4)+4 {
		t.Errorf("four more events and a split take %d cycles, want 21", got)
	}
	if got := busy("start=16,refill=9", 0, 5, 10, 1, 6) - busy("start=16,refill=9", 0); got != 2*4+(9+4)+4 {
		t.Errorf("four more events and a split with refill=9 take %d cycles, want 25", got)
	}
	// A merge of one entry, after the second of three events.
	if got := busy(none+",first=2", 0, 5, 10) - first; got != 4+(5+1) {
		t.Errorf("two more events and a merge take %d cycles, want 10", got)
	}
	// A merge of the root and its 4 parts, two entries in a cycle, after the fourth event.
	if got := busy("start=16,first=4,rate=2", 0, 5, 10, 1, 6) - busy("start=16,rate=2", 0, 5, 10, 1); got != 5+3 {
		t.Errorf("an event behind a merge takes %d cycles, want 8", got)
	}
}

// New entries go behind those of their length, and the first entry of each greater
// length makes space. The moves take cycles, and no entry is lost.
func TestRAP19_MovedEntries(t *testing.T) {
	r := newTCAM(100, 8)
	for _, x := range []struct{ value, length, moved int }{{0, 0, 0}, {0x40, 2, 0}, {0x80, 2, 0}, {0x48, 6, 0},
		{0x40, 4, 1}, {0x00, 2, 2}, {0xc0, 2, 2}} {
		if got := r.insert(7, uint64(x.value), x.length, 0); got != x.moved {
			t.Errorf("%#x/%d: %d entries move, want %d", x.value, x.length, got, x.moved)
		}
	}
	var lengths []uint8
	seen := map[uint64]bool{}
	for i := range r.len() {
		lengths = append(lengths, r.length[i])
		seen[r.value[i]<<8|uint64(r.length[i])] = true
	}
	if !slices.Equal(lengths, []uint8{0, 2, 2, 2, 2, 4, 6}) || len(seen) != 7 {
		t.Errorf("lengths %v, %d different entries", lengths, len(seen))
	}
}

// If there is no space for a split, the range goes on counting. If there is no space for
// a place, its events are lost and counted.
func TestRAP21_FullTCAM(t *testing.T) {
	e := made(t, "1%,over=words,entries=400,buffer=64")
	points := stream(rand.New(rand.NewPCG(5, 5)), 50_000, 64)
	push(e, points...)
	e.drain()
	sum := uint64(0)
	for _, n := range spans(t, e) {
		sum += n
	}
	if e.denied == 0 || sum != 50_000 || e.ranges.len() > 400 || e.most > 400 {
		t.Errorf("%d splits denied, counts of %d, %d entries, %d at most", e.denied, sum, e.ranges.len(), e.most)
	}
	checkTCAM(t, e)
	e = made(t, "10%,entries=5")
	for site := range uint64(10) {
		e.Push([]tuple.Tuple{tuple.New(tuple.Load, site, 0)}, nil)
	}
	e.drain()
	if b := e.Balance(); b.Held != 5 || b.Dropped != 5 {
		t.Errorf("%+v, want 5 of 10 events", b)
	}
	e = made(t, "10%,entries=5,start=100000,buffer=8,near=1000,far=1000,keep=7")
	for i := range uint64(30) {
		e.Push([]tuple.Tuple{tuple.New(tuple.Load, i%6, 0)}, nil) // 5 events of each place, and space for 5 places
	}
	e.drain()
	if b := e.Balance(); b.Held != 25 || b.Dropped != 5 || e.counts != 5 || e.noEntry != 5 {
		t.Errorf("%+v in %d counts, want 25 of 30 events in 5", b, e.counts)
	}
	e = made(t, "10%,universe=16")
	push(e, 15, 16, 3)
	if b := e.Balance(); b.Held != 2 || b.Dropped != 1 {
		t.Errorf("%+v, want 2 events and one outside of the universe", b)
	}
}

// The sum of the counts in the ranges inside a range is never more than the events in
// that range. It is too low by at most the bound of the tree, whatever the order of
// merges. A count that goes to one counter as a whole adds up to 254 events for each
// range around.
func TestRAP16_ErrorOfWholeCounts(t *testing.T) {
	const n, bits, start = 40_000, 32, 1024
	r := rand.New(rand.NewPCG(8, 8))
	points := stream(r, n, bits)
	exact := map[uint64]uint64{}
	for i, x := range points {
		if i >= n/2 && i%3 != 0 { // long runs of one point, so that counts are large
			x = 0xdeadbeef
			points[i] = x
		}
		exact[x]++
	}
	for _, x := range []struct {
		parameters string
		more       uint64 // events for each range around
	}{
		{"buffer=0", 0}, {"buffer=1024,counts=parts", 0}, {"buffer=1024", 254}, {"buffer=0,scan=length", 0},
		{"buffer=1024,scan=length,counts=parts", 0},
	} {
		e := made(t, "2%,universe=2^32,over=words,entries=20000,"+x.parameters)
		push(e, points...)
		e.drain()
		worst := uint64(0)
		counts := spans(t, e)
		for s := range counts {
			truth, inside := uint64(0), uint64(0)
			for p, times := range exact {
				if p>>(bits-s.length) == s.lo>>(bits-s.length) {
					truth += times
				}
			}
			for k, count := range counts {
				if k.length >= s.length && k.lo>>(bits-s.length) == s.lo>>(bits-s.length) {
					inside += count
				}
			}
			if inside > truth {
				t.Fatalf("%s: %#x/%d has %d events, the entries inside say %d", x.parameters, s.lo, s.length, truth, inside)
			}
			worst = max(worst, truth-inside)
		}
		const depth = bits / 2 // of splits into 4
		bound := n/50/2 + depth*(start/50/bits+1+x.more)
		t.Logf("%s: %d entries, worst error %d events, %.3f %% (bound %d)", x.parameters, len(counts), worst,
			100*float64(worst)/n, bound)
		if worst > bound || worst == 0 {
			t.Errorf("%s: an error of %d events, want at most %d, and some", x.parameters, worst, bound)
		}
		if sum := e.n; sum != n || e.denied > 0 {
			t.Errorf("%s: %d events of %d, %d splits denied", x.parameters, sum, n, e.denied)
		}
	}
}

// A counter loses the events that exceed it, and reports them.
func TestFullCounters(t *testing.T) {
	e := made(t, "10%,universe=2,start=1000000,over=words,bits=8,buffer=4,keep=3")
	push(e, slices.Repeat([]uint64{1}, 1000)...)
	e.drain()
	if b := e.Balance(); e.ranges.count[0] != 255 || b.Held != 255 || b.Dropped != 745 || e.saturated != 745 {
		t.Errorf("a count of %d, %+v, want 255 and 745 dropped", e.ranges.count[0], b)
	}
}
