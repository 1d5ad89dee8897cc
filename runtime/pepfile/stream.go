package pepfile

// This file holds the buffer of a P.

import (
	"unsafe"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
)

const (
	// BufTuples is how many tuples a buffer holds: 16 KB. A buffer is read as
	// soon as it is full, so it should be in the first-level cache then.
	BufTuples = 1024

	// MinStreams and MaxStreams bound the number of streams. Each may have an engine,
	// of 40 KB or so.
	MinStreams = 16
	MaxStreams = 1024
)

// FeedStep is how many tuples are counted before that is noted: a program that is
// killed may have counted up to FeedStep tuples that it has not noted.
const FeedStep = 64

// The caches of a stream: taps/words.go explains them.
const (
	CacheSize  = 2048 // words; 48 KB
	OthersSize = 64   // taps whose words have found no space
	CacheMost  = 256  // a count that reaches this goes into the table
)

// A Cached word is one with events that are not in the table. PC is 0 if the entry is
// free. Count has the events, and the number of their labels from bit CachedLabels on.
type Cached struct{ PC, W, Count uint64 }

const CachedLabels = 32

// Events returns the word, and how many events of it there are.
func (c *Cached) Events() (k WordKey, n uint64) {
	if c.PC != 0 {
		n = c.Count & (1<<CachedLabels - 1)
	}
	return WordKey{PC: c.PC, W: c.W, Labels: uint16(c.Count >> CachedLabels)}, n
}

// A Stream is the buffer of one P, with counts of its tuples. It lives in memory that is
// not moved or freed: in the .pep file if there is one.
//
// N and Buf belong to the P, the rest belongs to the holder of Lock. The holder is the same
// P, with two exceptions: another thread while it takes a snapshot of the engine, and the
// exit hook, which takes all locks for good when the program has ended.
type Stream struct {
	N      uint32 // tuples in Buf
	Done   uint32 // of these, the first so many have been counted
	Lock   uint32 // StreamFree, …
	Labels uint32 // the number of the labels that the tuples in Buf have, as in WordKey

	// Goroutine is 1 + the number of the goroutine that the last tuple was of, 0 if
	// whoever reads the stream does not know it.
	Goroutine uint64

	Fed     uint64 // events that the engine has seen
	Dropped uint64 // events that the queue had no space for
	Cache   [CacheSize]Cached
	Others  [OthersSize]Cached
	Buf     [BufTuples]tuple.Tuple
}

// Values of a stream's Lock.
const (
	StreamFree     = iota
	StreamTaken    // by the P that feeds the engine, or for good by the end of the program
	StreamSnapshot // for a moment: a thread that is pinned takes a snapshot of the engine
)

const streamSize = (uint64(unsafe.Sizeof(Stream{})) + PageSize - 1) &^ (PageSize - 1)

// Put copies tuples into the buffer and returns how many, but no sample in part. Their
// number is stored after they are.
func (s *Stream) Put(tuples []tuple.Tuple) int {
	old := min(golink.Load32(&s.N), BufTuples)
	n := copy(s.Buf[old:], tuples[:tuple.Whole(tuples, BufTuples-int(old))])
	s.N = old + uint32(n)
	return n
}

// Empty forgets the buffer.
func (s *Stream) Empty() {
	s.N = 0
	s.Done = 0
}

// Buffered returns the tuples in the buffer that have not been counted.
func (s *Stream) Buffered() []tuple.Tuple {
	n := min(golink.Load32(&s.N), BufTuples)
	return s.Buf[min(golink.Load32(&s.Done), n):n]
}
