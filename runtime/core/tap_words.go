package core

// This file counts tuples if there is no engine: every tuple goes into the table of
// words. In front of the table is a cache per stream, for the words that come again
// and again, because every count in the table costs an atomic addition. There is a
// second cache for taps whose words have found no room.
//
// A count of the cache goes into the table when it reaches CacheMost, or when another
// word needs its entry. The cached count is cleared before the table's is raised. So a
// program that is killed in between loses that count, but never counts it twice.

import "github.com/pepgo/pep/runtime/pepfile"

// wordTable is the table of words of this program. It has no header if taps report
// nothing.
var wordTable pepfile.Words

// countWord counts a tuple of a stream once, in the cache if possible.
func countWord(s *pepfile.Stream, pc, w uint64) {
	c := &s.Cache[pepfile.Mix(pc, w)>>20%pepfile.CacheSize]
	if c.PC == pc && c.W == w {
		if c.Count++; c.Count < pepfile.CacheMost {
			return
		}
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

// tabulate moves a count of the cache into the table.
//
//go:noinline
func tabulate(s *pepfile.Stream, pc, w, count uint64) {
	if !wordTable.AddWord(pc, w, 0, count, count) {
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
		wordTable.AddOther(pc, count, count)
		return
	}
	old := *c
	c.PC = 0
	if old.PC != 0 && old.Count > 0 {
		wordTable.AddOther(old.PC, old.Count, old.Count)
	}
	c.Count = count
	c.PC = pc
}
