package pepfile

// This file holds the table of words: how often each tap has reported each word.
//
// The table has a fixed size. It is open-addressed, as the table of paths is, and any
// number of threads add to it without locks. When half of it is full, words that are
// not in it yet are counted together, per tap, so that taps keep their totals.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
)

const (
	WordSlots     = 1 << 17 // 6 MB
	maxWordProbes = 32

	// OtherBit, in the PC of a word, says that it stands for all words of its tap
	// that found no slot of their own. No tag has it.
	OtherBit = 1 << 63
)

// TooManyLabels is the number of labels that are too long or too many, above those of the table of label sets.
const TooManyLabels = LabelSets + 1

// A WordKey is what a slot counts.
type WordKey struct {
	PC, W  uint64
	Free   uint8  // so many low bits of W may be anything: see hwsim.Message. With 0 of them the slot is of one word
	Labels uint16 // 1 + the number of the goroutine's label set, 0 for none, or TooManyLabels
}

// A WordsHeader has the numbers that all streams share. It takes a page of the .pep file;
// the words follow it.
type WordsHeader struct {
	Chunks   uint64 // goroutines that have asked for a chunk
	Used     uint64 // slots
	Lost     uint64 // events that were sent by an engine and found no slot at all
	NoStream uint64 // events dropped for want of a chunk, or where no engine may run
	Deliver  uint32 // options.DeliverInterrupt, …
	Full     uint32 // options.FullBlock or options.FullDrop
	Exact    uint32 // 1: there is no engine
	Untold   uint32 // 1: goroutines have labels, and words are not counted by them

	// At the end of the program, engines of several streams are merged into one if
	// they can be merged. These are the numbers of engines that were merged into
	// another one: Merged if the result is that of one engine for all streams, and
	// MergedRoughly if it is only about that.
	Merged, MergedRoughly uint32

	Queue Gauge

	Rate      uint64 // of how many events a sample of the engine is one; 0 if that is not known
	EngineLen uint32
	Engine    [256]byte
}

// Words is a header and its slots, in memory that is not moved or freed.
type Words struct {
	*WordsHeader
	words unsafe.Pointer // WordSlots of type word
}

const WordsSize = PageSize + WordSlots*uint64(unsafe.Sizeof(Word{}))

func WordsAt(p unsafe.Pointer) Words { return Words{(*WordsHeader)(p), unsafe.Add(p, PageSize)} }

// A Word is a slot.
type Word struct {
	Hash  uint64 // 0 = free; even while the key is being written
	PC, W uint64 // of the key
	Count uint64 // events
	// Messages below bit labelsShift, and the rest of the key above: a slot of 48 bytes would miss the cache more often
	Sent uint64
}

const (
	labelsShift = 46 // an engine that sends a message each us sends as many in two years
	freeShift   = 57
)

// sent returns the key's part of Word.Sent.
func (k *WordKey) sent() uint64 { return uint64(k.Labels)<<labelsShift | uint64(k.Free)<<freeShift }

// Messages returns how many messages of the engine the slot has, 0 if there is no
// engine: then every event is a message.
func (e *Word) Messages() uint64 { return golink.Load64(&e.Sent) & (1<<labelsShift - 1) }

// Key returns the slot's key.
func (e *Word) Key() WordKey {
	sent := golink.Load64(&e.Sent)
	return WordKey{PC: e.PC, W: e.W, Free: uint8(sent >> freeShift),
		Labels: uint16(sent >> labelsShift & (1<<(freeShift-labelsShift) - 1))}
}

func (a Words) Word(i uint64) *Word {
	return (*Word)(unsafe.Add(a.words, uintptr(i)*unsafe.Sizeof(Word{})))
}

// Add counts a word, or with free bits a range of words.
func (a Words) Add(k WordKey, count, messages uint64) {
	if !a.AddWord(k, count, messages) {
		a.AddOther(k, count, messages)
	}
}

// AddWord does what Add does if there is space for the word or range.
func (a Words) AddWord(k WordKey, count, messages uint64) (ok bool) {
	e := a.find(k, golink.Load64(&a.Used) < WordSlots/2)
	if e == nil {
		return false
	}
	e.add(count, messages)
	return true
}

// add counts events. Programs without an engine count no messages, and so have one
// atomic addition less.
func (e *Word) add(count, messages uint64) {
	golink.Add64(&e.Count, int64(count))
	if messages > 0 {
		golink.Add64(&e.Sent, int64(messages))
	}
}

// AddOther counts a word that has found no slot, as one of the other words of its
// tap.
func (a Words) AddOther(k WordKey, count, messages uint64) {
	e := a.find(k.Other(), true)
	if e == nil {
		golink.Add64(&a.Lost, int64(count))
		return
	}
	e.add(count, messages)
}

// Other returns the key of the other words of the tap: those without a slot of their own.
func (k *WordKey) Other() WordKey { return WordKey{PC: k.PC | OtherBit, Labels: k.Labels} }

// Hash is the hash of a word whose key is complete. Its lowest bit is 1; a word
// whose key is being written has the same hash with 0 there.
func (k *WordKey) Hash() uint64 {
	return Mix(Mix(uint64(k.Free)|uint64(k.Labels)<<8, k.PC), k.W) | 1<<63 | 1
}

// find returns the slot of a key. If there is none it returns a new slot if make
// is true and one is free, else nil. Two threads that come upon a new key at the same
// time may give it two slots: readers add slots of the same key up.
func (a Words) find(k WordKey, make bool) *Word {
	h := k.Hash()
	i := h >> 46 // the upper bits depend on all bits of the key, also of wide ranges, whose words end in zeros
	for range maxWordProbes {
		e := a.Word(i & (WordSlots - 1))
		switch golink.Load64(&e.Hash) {
		case h:
			if e.Key() == k {
				return e
			}
		case 0:
			if !make {
				return nil
			}
			if golink.Cas64(&e.Hash, 0, h&^1) {
				golink.Add64(&a.Used, 1)
				e.PC, e.W, e.Sent = k.PC, k.W, k.sent()
				golink.Add64(&e.Hash, 1)
				return e
			}
		}
		i++
	}
	return nil
}
