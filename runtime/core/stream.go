package core

// This file holds the stream of tuples: what taps report, on its way out of the
// goroutines that run them.
//
// A tap stores its tuple into a chunk of memory that belongs to its goroutine
// alone: no lock, no map, no allocation, and no cache line that another thread
// writes. When the chunk is full, what is in it goes on to the stream of the P:
// there is one per P, as hardware has one per core.

import (
	"runtime"
	"unsafe"

	"github.com/pepgo/pep/runtime/tuple"
)

// Taps says what becomes of what taps report. They need not look: a chunk that is
// full is the time to do so.
var Taps uint32

// Values of Taps.
const (
	tapsOff   = iota // nothing
	tapsFull         // report
	tapsBurst        // report if the burst says so (burst.go)
)

const (
	// bufTuples is how many tuples a buffer holds: 16 KB. A buffer is read as
	// soon as it is full, so it should be in the first-level cache then.
	bufTuples = 1024

	// minStreams is for how many Ps there are streams at least. An engine is
	// 40 KB or so for each.
	minStreams = 16
	maxStreams = 1024
)

// A stream is the buffer of one P, and what has become of its tuples. It lives
// in memory that is not moved or freed, in the .pep file where there is one.
//
// N and Buf belong to the P, the rest to the holder of Lock. That is the P too,
// except when the program ends, and while a snapshot of the engine is taken.
type stream struct {
	N    uint32 // tuples in Buf
	Done uint32 // of these, the first so many have been counted
	Lock uint32 // streamFree, …
	_    uint32

	// Goroutine is 1 + the number of the goroutine that the last tuple was of, 0 if
	// whoever reads the stream does not know it.
	Goroutine uint64

	Fed     uint64 // events that the engine has seen, or that are in the ring
	Dropped uint64 // events that the queue or ring had no room for
	Cache   [cacheSize]cached
	Others  [othersSize]cached
	Buf     [bufTuples]tuple.Tuple
}

// Values of a stream's Lock.
const (
	streamFree     = iota
	streamTaken    // by the P that feeds the engine, or for good by the end of the program
	streamSnapshot // for a moment: a thread that is pinned takes a snapshot of the engine
)

const streamSize = (uint64(unsafe.Sizeof(stream{})) + pageSize - 1) &^ (pageSize - 1)

// streamsWanted returns for how many Ps there are to be streams. They are made
// when the program starts. If it raises GOMAXPROCS later, what the further Ps
// report is dropped, and counted.
func streamsWanted() uint32 {
	n := max(runtime.NumCPU(), runtime.GOMAXPROCS(0), minStreams)
	return uint32(min(n, maxStreams))
}

// record puts tuples into the stream of the P, the first of which is of the given
// goroutine, and counts in done those that are there. It waits for room if need be and
// if it may. The words of a sample stay together.
//
//go:noinline
func record(goroutine uint64, tuples []tuple.Tuple, done *uint32) {
	for waited := uint64(0); len(tuples) > 0; {
		p := pin()
		if uint(p) >= uint(len(sinks)) { // no P, or too many
			unpin()
			drop(len(tuples))
			return
		}
		k := &sinks[p]
		k.used = true
		if load32(&k.stream.N)+need(tuples) <= bufTuples || k.deliver(waited) {
			if tellGoroutines {
				k.stream.announce(goroutine)
			}
			n := k.stream.put(tuples)
			if tellGoroutines {
				goroutine = lastGoroutine(goroutine, tuples[:n])
				k.stream.Goroutine = goroutine + 1
			}
			if done != nil {
				*done += uint32(n)
			}
			tuples = tuples[n:]
			unpin()
			continue
		}
		unpin() // the collector need not wait for the reader too
		pause()
		waited += pauseTime
	}
}

// need returns how much room there must be for the first of tuples: for all words of
// its sample, and for the number of its goroutine.
func need(tuples []tuple.Tuple) uint32 {
	n := uint32(sampleLen(tuples))
	if tellGoroutines {
		n++
	}
	return n
}

// put copies tuples into the buffer and returns how many, but no sample in part. Their
// number is stored after they are.
func (s *stream) put(tuples []tuple.Tuple) int {
	old := min(load32(&s.N), bufTuples)
	n := copy(s.Buf[old:], tuples[:whole(tuples, bufTuples-int(old))])
	s.N = old + uint32(n)
	return n
}

// empty forgets the buffer.
func (s *stream) empty() {
	s.N = 0
	s.Done = 0
}

// buffered returns the tuples in the buffer that have not been counted.
func (s *stream) buffered() []tuple.Tuple {
	n := min(load32(&s.N), bufTuples)
	return s.Buf[min(load32(&s.Done), n):n]
}
