package taps

// This file counts tuples if there is no engine: every tuple goes into the table of
// words. In front of the table is a cache per stream, for the words that come again
// and again, because every count in the table costs an atomic addition. There is a
// second cache for taps whose words have found no space. Equal words of goroutines with different
// labels are different words.
//
// A count of the cache goes into the table when it reaches CacheMost, or when another
// word needs its entry. The cached count is cleared before the table's is raised. So a
// program that is killed in between loses that count, but never counts it twice.

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
)

// countWords counts tuples of a stream, in the cache if possible. Most are counted by
// the first lines of the loop, without a call.
func countWords(s *pepfile.Stream, tuples []tuple.Tuple, labels uint16) {
	none := uint64(labels) << pepfile.CachedLabels // no events with these labels
	for i := range tuples {
		pc, w := tuples[i].PC, tuples[i].W
		if options.TellGoroutines && pc == tuple.GoroutinePC {
			continue
		}
		c := &s.Cache[pepfile.Mix(pc, w)>>20%pepfile.CacheSize]
		if c.PC == pc && c.W == w && c.Count-none < pepfile.CacheMost-1 {
			c.Count++
			continue
		}
		countMissed(s, c, pc, w, none)
	}
}

// countMissed counts a tuple that its entry of the cache is not about, or whose count
// there is to go into the table.
//
//go:noinline
func countMissed(s *pepfile.Stream, c *pepfile.Cached, pc, w, none uint64) {
	if c.PC == pc && c.W == w && c.Count-none < pepfile.CacheMost {
		c.Count = none
		tabulate(s, pepfile.Cached{PC: pc, W: w, Count: none + pepfile.CacheMost})
		return
	}
	old := *c
	c.PC = 0
	tabulate(s, old)
	c.Count, c.W = none+1, w
	c.PC = pc
}

// tabulate moves a count of the cache into the table. It counts no messages: without
// an engine every event is one.
func tabulate(s *pepfile.Stream, old pepfile.Cached) {
	if k, n := old.Events(); n > 0 && !wordTable.AddWord(k, n, 0) {
		countOther(s, k, n)
	}
}

func countOther(s *pepfile.Stream, k pepfile.WordKey, n uint64) {
	c := &s.Others[pepfile.Mix(0, k.PC)>>20%pepfile.OthersSize]
	none := uint64(k.Labels) << pepfile.CachedLabels
	if before, m := c.Events(); c.PC == k.PC && before.Labels == k.Labels {
		if n += m; n < pepfile.CacheMost {
			c.Count = none + n
			return
		}
		c.Count = none
		wordTable.AddOther(k, n, 0)
		return
	}
	old := *c
	c.PC = 0
	if before, m := old.Events(); m > 0 {
		wordTable.AddOther(before, m, 0)
	}
	c.Count = none + n
	c.PC = k.PC
}
