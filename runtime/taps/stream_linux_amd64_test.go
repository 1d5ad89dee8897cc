package taps

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/convert"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/pepfile/pepfiletest"
	"github.com/pepgo/pep/runtime/symbol"
)

// startTapping lets the test tap in its own process until the test calls finish. finish
// returns the counts.
func startTapping(t testing.TB, o string) (finish func() *convert.Taps) {
	t.Helper()
	wordTable, sinks, serviceStopped = pepfile.Words{}, nil, 0
	chunkBase, nchunks = 0, 0
	opts, problem := options.Parse(o, ParseEngine)
	if problem != "" {
		t.Fatal(problem)
	}
	f := pepfiletest.Tapped(Streams(opts.Tapping))
	f.Fill(opts)
	f.Publish()
	Configure(Program{Counts: f, File: filepath.Join(t.TempDir(), "test.1.2.pep"), On: new(uint32)}, opts.Tapping)
	if f.Streams > 0 {
		UseChunks(uintptr(f.At(f.Layout().Chunks)))
	}
	if problem := Start(); problem != "" {
		t.Fatal(problem)
	}
	return func() *convert.Taps {
		Finish()
		return countsOf(pepfile.File{Table: f}).Taps()
	}
}

// countsOf returns the counts of a file of this process.
func countsOf(f pepfile.File) convert.Counts {
	return convert.Counts{File: f, Here: symbol.Process{Text: golink.TextStart(), Own: counts.Header}}
}

// A tapper stands for the data that the runtime of a program with taps has of a goroutine.
type tapper struct{ next uintptr }

func (g *tapper) tap(pc, w uint64) {
	t := (*tuple.Tuple)(golink.At(g.space(1)))
	t.W = w
	t.PC = pc
	g.next += pepfile.TupleSize
}

// space returns an address where n tuples have space.
func (g *tapper) space(n uintptr) uintptr {
	if LacksRoom(g.next, n) {
		MakeRoom(&g.next, n)
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
		if c.Fed+c.Dropped != goroutines*each {
			t.Errorf("%s: %d events and %d dropped, want %d", opts, c.Fed, c.Dropped, goroutines*each)
		}
		if c.Dropped > 0 && wordTable.Full != options.FullDrop {
			t.Errorf("%s: %d dropped", opts, c.Dropped)
		}
		switch opts {
		case "engine=H[P16]64":
			if kept := c.Fed - c.Counted; int64(kept) < 0 || kept > 15*64*uint64(len(sinks)) {
				t.Errorf("%s: %d counted of %d", opts, c.Counted, c.Fed)
			}
		default:
			if c.Counted != c.Fed {
				t.Errorf("%s: %d counted of %d", opts, c.Counted, c.Fed)
			}
		}
		if wordTable.Exact != 0 && c.Dropped == 0 {
			for _, w := range c.Words {
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
	if c.Fed != pepfile.MaxChunks*each || c.Dropped != further*each {
		t.Errorf("%d events and %d dropped, want %d and %d", c.Fed, c.Dropped, pepfile.MaxChunks*each, further*each)
	}
}

// Nothing that taps call allocates. This includes the first tap of a goroutine or of a P,
// because it can be anywhere.
func TestTapsDoNotAllocate(t *testing.T) {
	for _, opts := range []string{
		"engine=exact", "engine=H[P16]64+A16", "engine=F64+H[P16]64", "engine=P1:CP3:A16", "deliver=service",
	} {
		finish := startTapping(t, opts)
		tappers := make([]tapper, 11)
		n, runs := uint64(0), 0
		if got := testing.AllocsPerRun(len(tappers)-1, func() {
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
	if *on != 0 || wordTable.WordsHeader != nil {
		t.Error("a tap that is off was recorded")
	}
	Finish()
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
