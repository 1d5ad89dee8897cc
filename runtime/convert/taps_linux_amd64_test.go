package convert

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/pepfile/pepfiletest"
)

// Memory is bounded: when the table is full, words are counted together, per
// tap, and no event is lost.
func TestTooManyWordsAreOthers(t *testing.T) {
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

// Words of a program that has died are in the table, in caches, and, without an engine, in buffers. Without an engine
// each event is a message of its own, however the table has come by it.
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
		// fed, dropped, of others, in buffers, and in engines, which counted the rest
		numbers := [5]uint64{10_000, 20, 1008, 3, 10_000 - 150 - 1008}
		if exact != 0 {
			want = map[word]bool{{7, false, 150, 150}: true, {0, true, 1008, 1008}: true, {9, false, 2, 2}: true}
			numbers = [5]uint64{10_003, 20, 1008, 0, 0}
		}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(word{})); d != "" {
			t.Errorf("exact %d: words (-want +got):\n%s", exact, d)
		}
		if now := [5]uint64{taps.Fed, taps.Dropped, taps.other, taps.buffered,
			taps.Facts().Number(facts.InEngines)}; now != numbers {
			t.Errorf("exact %d: fed, dropped, others, in buffers and in engines are %d, want %d", exact, now, numbers)
		}
	}
}
