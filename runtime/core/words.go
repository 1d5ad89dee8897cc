package core

// This file holds the profile of words: how often each word was seen at each
// tap, in a table of fixed size.
//
// It is open-addressed, as the table of paths is, and added to by any number of
// threads without locks. When half of it is full, words that are not in it yet
// are counted together, per tap, so that taps keep their totals.

import "unsafe"

const (
	wordSlots     = 1 << 17 // 6 MB
	maxWordProbes = 32

	// otherBit, in the PC of a word, says that it stands for all words of its tap
	// that found no slot of their own. No tag has it.
	otherBit = 1 << 63
)

// An areaHeader is what all streams have in common. It has a page of the .pep
// file; behind it are the words.
type areaHeader struct {
	Chunks   uint64 // goroutines that have asked for a chunk
	Used     uint64 // slots
	Lost     uint64 // events that were sent by an engine and found no slot at all
	NoStream uint64 // events dropped for want of a chunk, or where no engine may run
	Deliver  uint32 // deliverInterrupt, …
	Full     uint32 // fullBlock or fullDrop
	Taps     uint32 // tapsFull or tapsBurst
	Exact    uint32 // 1: there is no engine

	// At the end of the program, engines of several streams become one if they
	// can: so many engines went into others, and the result is what one engine
	// would have had (Merged) or not quite that (MergedRoughly).
	Merged, MergedRoughly uint32

	Burst burst
	Queue gauge

	EngineLen uint32
	Engine    [256]byte
}

// An areaOf words is a header and its slots, in memory that is not moved or
// freed.
type areaOf struct {
	*areaHeader
	words unsafe.Pointer // wordSlots of type word
}

// area is that of this program, without a header if taps report nothing.
var area areaOf

const areaSize = pageSize + wordSlots*uint64(unsafe.Sizeof(word{}))

func areaAt(p unsafe.Pointer) areaOf { return areaOf{(*areaHeader)(p), unsafe.Add(p, pageSize)} }

// A word is a slot.
type word struct {
	Hash     uint64 // 0 = free; even while the key is being written
	PC, W    uint64 // the key, with Free
	Free     uint64 // so many low bits of W may be anything: see hwsim.Message. 0: one word
	Count    uint64 // events
	Messages uint64 // of the engine
}

func (a areaOf) word(i uint64) *word {
	return (*word)(unsafe.Add(a.words, uintptr(i)*unsafe.Sizeof(word{})))
}

// add counts the tuple (pc, w), or with free bits a range of words.
func (a areaOf) add(pc, w, free, count, messages uint64) {
	if !a.addWord(pc, w, free, count, messages) {
		a.addOther(pc, count, messages)
	}
}

// addWord does what add does if there is room for the word or range.
func (a areaOf) addWord(pc, w, free, count, messages uint64) (ok bool) {
	e := a.find(pc, w, free, load64(&a.Used) < wordSlots/2)
	if e == nil {
		return false
	}
	add64(&e.Count, int64(count))
	add64(&e.Messages, int64(messages))
	return true
}

// addOther counts a tuple for which there is no room.
func (a areaOf) addOther(pc, count, messages uint64) {
	e := a.find(pc|otherBit, 0, 0, true)
	if e == nil {
		add64(&a.Lost, int64(count))
		return
	}
	add64(&e.Count, int64(count))
	add64(&e.Messages, int64(messages))
}

// wordHash is the hash of a word whose key can be read.
func wordHash(pc, w, free uint64) uint64 { return mix(mix(free, pc), w) | 1<<63 | 1 }

// find returns the slot of (pc, w, free), a new one if there is none and make is true,
// or nil. Several slots may have the same key, when threads came upon it at the
// same time: readers add them up.
func (a areaOf) find(pc, w, free uint64, make bool) *word {
	h := wordHash(pc, w, free)
	i := h >> 8
	for range maxWordProbes {
		e := a.word(i & (wordSlots - 1))
		switch load64(&e.Hash) {
		case h:
			if e.PC == pc && e.W == w && e.Free == free {
				return e
			}
		case 0:
			if !make {
				return nil
			}
			if cas64(&e.Hash, 0, h&^1) {
				add64(&a.Used, 1)
				e.PC, e.W, e.Free = pc, w, free
				add64(&e.Hash, 1)
				return e
			}
		}
		i++
	}
	return nil
}

// Without an engine, every tuple goes into the table. In front of it is a cache
// per stream, for the words that come again and again: the table's counts cost
// an atomic addition each. There is another for the taps whose words there is no
// room for.
//
// A count of the cache goes into the table when it is cacheMost, or when its place
// is wanted. It is cleared before that: a program that is killed in between
// loses it, but it is never counted twice.
const (
	cacheSize  = 2048 // 48 KB
	othersSize = 64
	cacheMost  = 256
)

// A cached word is one with events that are not in the table. PC is 0 if free.
type cached struct{ PC, W, Count uint64 }

// count counts a tuple once.
func (s *stream) count(pc, w uint64) {
	c := &s.Cache[mix(pc, w)>>20%cacheSize]
	if c.PC == pc && c.W == w {
		if c.Count++; c.Count < cacheMost {
			return
		}
		c.Count = 0
		s.tabulate(pc, w, cacheMost)
		return
	}
	old := *c
	c.PC = 0
	if old.PC != 0 && old.Count > 0 {
		s.tabulate(old.PC, old.W, old.Count)
	}
	c.Count, c.W = 1, w
	c.PC = pc
}

// tabulate puts counts of the cache into the table.
//
//go:noinline
func (s *stream) tabulate(pc, w, count uint64) {
	if !area.addWord(pc, w, 0, count, count) {
		s.countOther(pc, count)
	}
}

func (s *stream) countOther(pc, count uint64) {
	c := &s.Others[mix(0, pc)>>20%othersSize]
	if c.PC == pc {
		if count += c.Count; count < cacheMost {
			c.Count = count
			return
		}
		c.Count = 0
		area.addOther(pc, count, count)
		return
	}
	old := *c
	c.PC = 0
	if old.PC != 0 && old.Count > 0 {
		area.addOther(old.PC, old.Count, old.Count)
	}
	c.Count = count
	c.PC = pc
}
