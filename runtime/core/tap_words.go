package core

// This file counts tuples if there is no engine: every tuple goes into the table of
// words. In front of the table is a cache per stream, for the words that come again
// and again, because every count in the table costs an atomic addition. There is a
// second cache for taps whose words have found no room.
//
// A count of the cache goes into the table when it reaches CacheMost, or when another
// word needs its entry. The cached count is cleared before the table's is raised. So a
// program that is killed in between loses that count, but never counts it twice.

import (
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/tuple"
)

// countWords counts tuples of a stream, in the cache if possible. Most are counted by
// the first lines of the loop, without a call.
func countWords(s *pepfile.Stream, tuples []tuple.Tuple) {
	for i := range tuples {
		pc, w := tuples[i].PC, tuples[i].W
		if options.TellGoroutines && pc == goroutinePC {
			continue
		}
		c := &s.Cache[pepfile.Mix(pc, w)>>20%pepfile.CacheSize]
		if c.PC == pc && c.W == w && c.Count < pepfile.CacheMost-1 {
			c.Count++
			continue
		}
		countMissed(s, c, pc, w)
	}
}

// countMissed counts a tuple that its entry of the cache is not about, or whose count
// there is to go into the table.
//
//go:noinline
func countMissed(s *pepfile.Stream, c *pepfile.Cached, pc, w uint64) {
	if c.PC == pc && c.W == w {
		c.Count = 0
		tabulate(s, pc, w, pepfile.CacheMost)
		return
	}
	old := *c
	c.PC = 0
	if old.PC != 0 && old.Count > 0 {
		tabulate(s, old.PC, old.W, old.Count)
	}
	c.Count, c.W = 1, w
	c.PC = pc
}

// tabulate moves a count of the cache into the table. It counts no messages: without
// an engine every event is one.
func tabulate(s *pepfile.Stream, pc, w, count uint64) {
	if !wordTable.AddWord(pc, w, 0, count, 0) {
		countOther(s, pc, count)
	}
}

func countOther(s *pepfile.Stream, pc, count uint64) {
	c := &s.Others[pepfile.Mix(0, pc)>>20%pepfile.OthersSize]
	if c.PC == pc {
		if count += c.Count; count < pepfile.CacheMost {
			c.Count = count
			return
		}
		c.Count = 0
		wordTable.AddOther(pc, count, 0)
		return
	}
	old := *c
	c.PC = 0
	if old.PC != 0 && old.Count > 0 {
		wordTable.AddOther(old.PC, old.Count, 0)
	}
	c.Count = count
	c.PC = pc
}
