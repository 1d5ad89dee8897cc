package convert

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/pepgo/pep/format/tuple"
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
