package core

import (
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
)

// startTapping lets the test tap in its own process until the test calls finish. finish
// returns the counts.
func startTapping(t testing.TB, o string) (finish func() *taps) {
	t.Helper()
	wordTable, sinks, serviceStopped, bursts = pepfile.Words{}, nil, 0, pepfile.Burst{}
	chunkRooms = nil
	chunkBase, nchunks = 0, 0
	opts, problem := options.Parse(o, parseEngine)
	if problem == "" {
		problem = createTable(t.TempDir(), opts)
	}
	tapOptions = opts.Tapping
	if problem == "" {
		problem = startTaps(opts)
	}
	if problem != "" {
		t.Fatal(problem)
	}
	return func() *taps {
		finishTaps()
		return counted{pepfile.File{Table: counts}}.taps()
	}
}

// A tapper stands for the data that the runtime of a program with taps has of a goroutine.
type tapper struct{ next uintptr }

func (g *tapper) tap(pc, w uint64) {
	t := (*tuple.Tuple)(golink.At(g.room(1)))
	t.W = w
	t.PC = pc
	g.next += pepfile.TupleSize
}

// room returns an address where n tuples have room.
func (g *tapper) room(n uintptr) uintptr {
	if lacksRoom(g.next, n) {
		makeRoom(&g.next, n)
	}
	return g.next
}

// Whatever the goroutines do, every event is counted, or counted as dropped.
func TestTapsAreConserved(t *testing.T) {
	const goroutines, each = 16, 200_000
	for _, opts := range []string{
		"engine=exact",
		"engine=exact,deliver=service",
		"engine=exact,deliver=service,full=drop",
		"engine=P1",
		"engine=H[P16]64",
	} {
		finish := startTapping(t, opts)
		var wg sync.WaitGroup
		for g := range uint64(goroutines) {
			wg.Go(func() {
				var this tapper
				for i := range uint64(each) {
					this.tap(tuple.New(tuple.Load, g, 0).PC, i%1000)
				}
			})
		}
		wg.Wait()
		c := finish()
		if c.fed+c.dropped != goroutines*each {
			t.Errorf("%s: %d events and %d dropped, want %d", opts, c.fed, c.dropped, goroutines*each)
		}
		if c.dropped > 0 && c.area.Full != options.FullDrop {
			t.Errorf("%s: %d dropped", opts, c.dropped)
		}
		switch opts {
		case "engine=H[P16]64":
			if kept := c.fed - c.counted; int64(kept) < 0 || kept > 15*64*uint64(len(sinks)) {
				t.Errorf("%s: %d counted of %d", opts, c.counted, c.fed)
			}
		default:
			if c.counted != c.fed {
				t.Errorf("%s: %d counted of %d", opts, c.counted, c.fed)
			}
		}
		if c.area.Exact != 0 && c.dropped == 0 {
			for _, w := range c.words {
				if w.Count != each/1000 || w.Messages != w.Count {
					t.Fatalf("%s: %v %d times in %d messages, want %d in as many", opts, w.Tuple, w.Count, w.Messages, each/1000)
				}
			}
		}
	}
}

// Memory is bounded: goroutines for which there are no chunks drop what they tap.
func TestGoroutinesWithoutChunks(t *testing.T) {
	const further, each = 1000, 70
	finish := startTapping(t, "engine=exact")
	tappers := make([]tapper, pepfile.MaxChunks+further)
	for range each {
		for i := range tappers {
			tappers[i].tap(1<<56, 0)
		}
	}
	c := finish()
	if c.fed != pepfile.MaxChunks*each || c.dropped != further*each {
		t.Errorf("%d events and %d dropped, want %d and %d", c.fed, c.dropped, pepfile.MaxChunks*each, further*each)
	}
}

// emptyCounts returns the counts of a program with taps that has tapped nothing.
func emptyCounts() counted {
	words := make([]uint64, pepfile.LayoutOf(0, 1).Size/8)
	c := counted{pepfile.File{Table: pepfile.TableAt(unsafe.Pointer(&words[0]))}}
	c.Streams = 1
	return c
}

// Memory is bounded: when the table is full, words are counted together, per
// tap, and no event is lost.
func TestWordsWithoutRoomAreOthers(t *testing.T) {
	c := emptyCounts()
	a := c.Words()
	const sites, each = 10, pepfile.WordSlots / 10
	for range each {
		for s := range uint64(sites) {
			a.Add(pepfile.WordKey{PC: tuple.New(tuple.Store, s, 0).PC, W: rand.Uint64()}, 3, 1)
		}
	}
	sums := map[uint64]int64{}
	others := map[uint64]int64{}
	for _, w := range c.taps().words {
		sums[w.Tuple.Site()] += w.Count
		if w.Other {
			others[w.Tuple.Site()] += w.Count
		}
	}
	var other uint64
	for s := range uint64(sites) {
		if sums[s] != 3*each {
			t.Errorf("site %d: %d events, want %d", s, sums[s], 3*each)
		}
		other += uint64(others[s])
	}
	// A few words meet a crowded part of the table before the table is full.
	if least := uint64(3 * (sites*each - pepfile.WordSlots/2)); a.Lost != 0 || other < least || other > least+least/100 {
		t.Errorf("%d lost, %d others, want about %d", a.Lost, other, least)
	}
	if a.Used > pepfile.WordSlots/2+sites {
		t.Errorf("%d of %d slots used", a.Used, pepfile.WordSlots)
	}
}

func TestThreadsAddWordsWithoutLoss(t *testing.T) {
	c := emptyCounts()
	a := c.Words()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range uint64(50_000) {
				a.Add(pepfile.WordKey{PC: 1 << 56, W: i % 500}, 1, 1)
			}
		})
	}
	wg.Wait()
	list := c.taps().words
	if len(list) != 500 {
		t.Errorf("%d words, want 500", len(list))
	}
	for _, w := range list {
		if w.Count != 800 {
			t.Errorf("%v %d times, want 800", w.Tuple, w.Count)
		}
	}
}

// Nothing that taps call allocates. This includes the first tap of a goroutine or of a P,
// because it can be anywhere.
func TestTapsDoNotAllocate(t *testing.T) {
	for _, opts := range []string{
		"engine=exact", "engine=H[P16]64+A16", "engine=F64+H[P16]64", "engine=P1:CP3:A16", "deliver=service", "taps=burst",
	} {
		finish := startTapping(t, opts)
		tappers := make([]tapper, 11)
		n, runs := uint64(0), 0
		if got := testing.AllocsPerRun(len(tappers)-1, func() {
			tickTaps(cpuTime())
			this := &tappers[runs]
			runs++
			for range 3 * pepfile.BufTuples {
				this.tap(1<<56, pepfile.Mix(n, n))
				n++
			}
		}); got > 0 {
			t.Errorf("%s: %v allocations for three buffers", opts, got)
		}
		if finish(); tappers[len(tappers)-1].next == 0 {
			t.Errorf("%s: nothing was tapped", opts)
		}
	}
}

func TestTapsThatAreOff(t *testing.T) {
	startTapping(t, "taps=off")
	var this tapper
	for range 2 * pepfile.ChunkTuples {
		this.tap(1<<56, 0)
	}
	if Taps != options.TapsOff || wordTable.WordsHeader != nil {
		t.Error("a tap that is off was recorded")
	}
	finishTaps()
}

func TestGapsOfTheService(t *testing.T) {
	var g pepfile.Gauge
	at := uint64(1)
	g.Note(10, 10, at, 50)
	for range 98 {
		at += 10_000
		g.Note(10, 1, at, 5)
	}
	at += 30
	g.Note(10, 3, at, 15)
	if g.MinGap != 10 {
		t.Errorf("minimum %d, want 10", g.MinGap)
	}
	if p := g.P1(); p != 10 {
		t.Errorf("p1 %d, want 10: 3 of 101 messages", p)
	}
	for gap := uint64(1); gap < 1e12; gap = gap*9/8 + 1 {
		low, high := pepfile.BucketGap(pepfile.GapBucket(gap)), pepfile.BucketGap(pepfile.GapBucket(gap)+1)
		if gap < low || gap >= high {
			t.Fatalf("gap %d is in the bucket from %d to %d", gap, low, high)
		}
	}
}
