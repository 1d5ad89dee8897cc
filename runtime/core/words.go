package core

// This file holds the profile of words: how often each word was seen at each
// tap, in a table of fixed size.
//
// It is open-addressed, as the table of paths is, and added to by any number of
// threads without locks. When three quarters of it are full, words that are not
// in it yet are counted together, per tap, so that taps keep their totals.

import "unsafe"

const (
	wordSlots     = 1 << 16 // 2.5 MB
	maxWordProbes = 64

	// otherBit, in the PC of a word, says that it stands for all words of its tap
	// that found no slot of their own. No tag has it.
	otherBit = 1 << 63
)

// An areaHeader is what all streams have in common. It and the words make up a
// section of the .pep file.
type areaHeader struct {
	Slots    uint64
	Used     uint64 // slots
	Other    uint64 // events counted under otherBit
	Lost     uint64 // events that were sent by an engine and found no slot at all
	NoStream uint64 // events dropped for want of a stream
	Deliver  uint32 // deliverInterrupt, …
	Full     uint32 // fullBlock or fullDrop
	Taps     uint32 // tapsFull or tapsBurst
	Exact    uint32 // 1: there is no engine

	Burst burst
	Queue gauge

	EngineLen uint32
	Engine    [256]byte
}

// An areaOf words is a header and its slots, in memory that is not moved or
// freed.
type areaOf struct {
	*areaHeader
	words unsafe.Pointer // Slots of type word
}

// area is that of this program, without a header until the first tap.
var area areaOf

const areaSize = pageSize + wordSlots*uint64(unsafe.Sizeof(word{}))

func areaAt(p unsafe.Pointer) areaOf { return areaOf{(*areaHeader)(p), unsafe.Add(p, pageSize)} }

// A word is a slot.
type word struct {
	Hash     uint64 // 0 = free; even while the key is being written
	PC, W    uint64 // the key
	Count    uint64 // events
	Messages uint64 // of the engine
}

func (a areaOf) word(i uint64) *word {
	return (*word)(unsafe.Add(a.words, uintptr(i)*unsafe.Sizeof(word{})))
}

// add counts the tuple (pc, w).
func (a areaOf) add(pc, w, count, messages uint64) {
	e := a.find(pc, w, load64(&a.Used) < a.Slots/4*3)
	if e == nil {
		add64(&a.Other, int64(count))
		e = a.find(pc|otherBit, 0, true)
	}
	if e == nil {
		add64(&a.Lost, int64(count))
		return
	}
	add64(&e.Count, int64(count))
	add64(&e.Messages, int64(messages))
}

// find returns the slot of (pc, w), a new one if there is none and make is true,
// or nil. Several slots may have the same key, when threads came upon it at the
// same time: readers add them up.
func (a areaOf) find(pc, w uint64, make bool) *word {
	h := mix(mix(0, pc), w) | 1<<63 | 1
	i := h >> 8
	for range maxWordProbes {
		e := a.word(i & (a.Slots - 1))
		switch load64(&e.Hash) {
		case h:
			if e.PC == pc && e.W == w {
				return e
			}
		case 0:
			if !make {
				return nil
			}
			if cas64(&e.Hash, 0, h&^1) {
				add64(&a.Used, 1)
				e.PC, e.W = pc, w
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
// an atomic addition each.
const cacheSize = 512

// A cached word is one with events that are not in the table. PC is 0 if free.
type cached struct{ PC, W, Count uint64 }

// count counts a tuple once.
func (s *stream) count(pc, w uint64) {
	c := &s.Cache[mix(pc, w)>>20%cacheSize]
	if c.PC == pc && c.W == w {
		c.Count++
		return
	}
	if c.PC != 0 {
		area.add(c.PC, c.W, c.Count, c.Count)
	}
	*c = cached{pc, w, 1}
}
