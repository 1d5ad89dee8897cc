package convert

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/pepfile/pepfiletest"
	"github.com/pepgo/pep/runtime/report"
)

// Memory is bounded: when the table is full, words are counted together, per
// tap, and no event is lost.
func TestWordsWithoutRoomAreOthers(t *testing.T) {
	c := countsOf(pepfiletest.Tapped(1))
	a := c.Words()
	const sites, each = 10, pepfile.WordSlots / 10
	for range each {
		for s := range uint64(sites) {
			a.Add(pepfile.WordKey{PC: tuple.New(tuple.Store, s, 0).PC, W: rand.Uint64()}, 3, 1)
		}
	}
	sums := map[uint64]int64{}
	others := map[uint64]int64{}
	for _, w := range c.Taps().Words {
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
	c := countsOf(pepfiletest.Tapped(1))
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
	list := c.Taps().Words
	if len(list) != 500 {
		t.Errorf("%d words, want 500", len(list))
	}
	for _, w := range list {
		if w.Count != 800 {
			t.Errorf("%v %d times, want 800", w.Tuple, w.Count)
		}
	}
}

// With an engine, the words of a tap add up to what the windows say of the tap.
func TestEnginesInBurstsAreWeighed(t *testing.T) {
	sums := &tapTotals{taps: map[tapKey]*tapTotal{}}
	sums.of(1, 0).Size, sums.of(2, 0).Size = 1000, 10
	c := &Taps{}
	for _, x := range []tuple.Tuple{{PC: 1, W: 3}, {PC: 1, W: 4}, {PC: 2, W: 5}, {PC: 9, W: 5}} {
		c.Words = append(c.Words, report.Word{Tuple: x, Count: 64, Messages: 64})
	}
	c.scaleEngine(sums)
	for i, want := range []int64{500, 500, 10, 253} {
		if c.Words[i].Count != want {
			t.Errorf("%+v, want %d", c.Words[i], want)
		}
	}
}

// Windows stand for the time until the last tick. The counts of a profile are estimates for the whole run, so they are as much
// greater as the run is longer.
func TestProfilesAreOfTheWholeRun(t *testing.T) {
	pkg := &wire.Package{Path: "p", Files: []string{"x.go"}, Taps: []wire.Tap{{Tag: uint8(tuple.Load), Func: "p.f", Expr: "n", Type: "int", Kind: wire.Signed, Bits: 64}}}
	c := countsOf(pepfiletest.Tapped(1))
	a := c.Words()
	a.Taps, a.Exact = options.TapsBurst, 1
	a.Add(pepfile.WordKey{PC: tuple.New(tuple.Load, tuple.SiteBase("p"), 0).PC, W: 7}, 1000, 3)
	for _, x := range []struct {
		tick, cpu uint64
		want      int64
	}{{4e9, 4e9, 1000}, {4e9, 10e9, 2500}, {0, 10e9, 1000}} {
		a.Burst = pepfile.Burst{Ticks: 100, Tick: x.tick, CPU: x.cpu}
		files := c.TapFiles(&report.Profile{Packages: wire.Whole(pkg)})
		if len(files) != 1 {
			t.Fatalf("%d files", len(files))
		}
		p, err := profile.ParseData(files[0].Data)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Sample) != 1 || p.Sample[0].Value[0] != x.want || p.Sample[0].Value[1] != 3 {
			t.Errorf("last tick at %d of %d ns: want %d events in 3 messages:\n%v", x.tick, x.cpu, x.want, p)
		}
	}
}

// Words of a program that has died are in the table, in caches, and, without an engine, in buffers. Without an engine each event
// is a message of its own, however the table has come by it.
func TestWordsOfAProgramThatHasDied(t *testing.T) {
	load := func(w uint64) tuple.Tuple { return tuple.New(tuple.Load, tuple.SiteBase("p"), w) }
	for _, exact := range []uint32{0, 1} {
		c := countsOf(pepfiletest.Tapped(1))
		a := c.Words()
		a.Exact, a.Deliver = exact, options.DeliverInterrupt
		key := pepfile.WordKey{PC: load(7).PC, W: 7}
		a.Add(key, 50, 3)
		a.Add(key.Other(), 8, 2)
		s := c.Stream(0)
		s.Cache[5] = pepfile.Cached{PC: key.PC, W: 7, Count: 100}
		s.Others[5] = pepfile.Cached{PC: key.PC, Count: 1000}
		s.Fed, s.Dropped = 10_000, 20
		s.Put([]tuple.Tuple{load(7), load(9), load(9), {PC: tuple.GoroutinePC, W: 1}})
		s.Done = 1
		type word struct {
			w               uint64
			other           bool
			count, messages int64
		}
		got := map[word]bool{}
		taps := c.Taps()
		for _, w := range taps.Words {
			got[word{w.Tuple.W, w.Other, w.Count, w.Messages}] = true
		}
		want := map[word]bool{{7, false, 150, 103}: true, {0, true, 1008, 1002}: true}
		numbers := [5]uint64{10_000, 20, 1008, 3, 10_000 - 150 - 1008} // fed, dropped, of others, in buffers, and in engines, which counted the rest
		if exact != 0 {
			want = map[word]bool{{7, false, 150, 150}: true, {0, true, 1008, 1008}: true, {9, false, 2, 2}: true}
			numbers = [5]uint64{10_003, 20, 1008, 0, 0}
		}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(word{})); d != "" {
			t.Errorf("exact %d: words (-want +got):\n%s", exact, d)
		}
		if now := [5]uint64{taps.Fed, taps.Dropped, taps.other, taps.buffered, taps.Facts().Number(facts.InEngines)}; now != numbers {
			t.Errorf("exact %d: fed, dropped, others, in buffers and in engines are %d, want %d", exact, now, numbers)
		}
	}
}

// How much alike the samples of a window are is seen in the words of a tap: it is 1 if each window has one word, and 0 if each has
// both in their proportions, whether goroutines have labels or not.
func TestSamplesOfAWindowAreAlike(t *testing.T) {
	const windows, samples, weight = 200, 10, 100.
	for _, labels := range []uint16{0, 3} {
		for words := 1; words <= 2; words++ { // in a window
			c := countsOf(pepfiletest.Tapped(1))
			a := c.Words()
			a.Burst.Ticks, a.Taps, a.Exact = windows, options.TapsBurst, 1
			x := weight * samples
			for i := range uint64(windows) {
				for j := range words {
					k := pepfile.WordKey{PC: tuple.New(tuple.Load, 5, 0).PC, W: (i + uint64(j)) % 2, Labels: labels}
					y := x / float64(words)
					a.AddWindow(k, uint64(y), samples/uint64(words), pepfile.Moments{Squares: y * y, Cross: x * y})
					if j == 0 {
						a.AddWindow(k.Tap(), uint64(x), samples, pepfile.Moments{Squares: x * x, Cross: weight * x})
					}
				}
			}
			tap := totals(a).of(tuple.New(tuple.Load, 5, 0).PC, labels)
			if want := float64(2 - words); math.Abs(tap.Alike-want) > .01 || tap.Size != windows*samples*weight {
				t.Errorf("labels %d, %d words in a window: %g alike, size %g; want %g, %g", labels, words, tap.Alike, tap.Size, want, windows*samples*weight)
			}
			list := c.Taps().Words
			for _, w := range list { // of a half the bounds are as far below as above
				if w.ShareBelow <= 0 || w.ShareBelow > .5 || math.Abs(w.ShareBelow-w.ShareError) > .01 {
					t.Errorf("labels %d, %d words in a window: a half is up to %g more and %g less", labels, words, w.ShareError, w.ShareBelow)
				}
			}
			if len(list) != 2 {
				t.Errorf("%d words, want 2", len(list))
			}
		}
	}
}

// The bounds of a word in all goroutines do not depend on their labels.
func TestBoundsInAllGoroutines(t *testing.T) {
	words := func(labels ...uint16) []report.Word {
		c := countsOf(pepfiletest.Tapped(1))
		a := c.Words()
		a.Burst.Ticks, a.Taps, a.Exact = 120, options.TapsBurst, 1
		for i := range uint64(120) { // three words, in as many windows with each of two labels
			k := pepfile.WordKey{PC: tuple.New(tuple.Load, 5, 0).PC, W: i / 2 % 3, Labels: labels[i%uint64(len(labels))]}
			x := float64(100 * (1 + k.W))
			a.AddWindow(k, uint64(x), 10, pepfile.Moments{Squares: x * x, Cross: x * x})
			a.AddWindow(k.Tap(), uint64(x), 10, pepfile.Moments{Squares: x * x, Cross: 10 * x})
		}
		list := c.Taps().Words
		slices.SortFunc(list, func(x, y report.Word) int { return int(x.Tuple.W) - int(y.Tuple.W) })
		return list
	}
	alike, labelled := words(0), words(1, 2)
	if len(alike) != 3 || len(labelled) != 3 {
		t.Fatalf("%d and %d words, want 3", len(alike), len(labelled))
	}
	for i, w := range labelled {
		if w.Whole == nil || *w.Whole != alike[i].Bounds || w.Tuple != alike[i].Tuple {
			t.Errorf("word %+v in all goroutines has the bounds %+v, want %+v", w, w.Whole, alike[i].Bounds)
		}
	}
}
