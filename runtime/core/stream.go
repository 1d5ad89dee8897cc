package core

// This file holds the stream of tuples: what taps report, on its way out of the
// goroutines that run them.
//
// A tap stores its tuple into a chunk of memory that belongs to its goroutine
// alone: no lock, no map, no allocation, and no cache line that another thread
// writes. When the chunk is full, what is in it goes on to the stream of the P:
// there is one per P, as hardware has one per core.

import (
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

	// maxStreams is for how many Ps there are streams. On further ones taps are
	// dropped, and counted.
	maxStreams = 1024
)

// A stream is the buffer of one P, and what has become of its tuples. It lives
// in memory that is not moved or freed, in the .pep file where there is one.
//
// N and Buf belong to the P, the rest to the holder of Lock. That is the P too,
// but when the program ends.
type stream struct {
	N       uint32 // tuples in Buf
	ID      uint32
	Lock    uint32
	_       uint32
	Fed     uint64 // events that the engine has seen, or that are in the ring
	Dropped uint64 // events that the queue or ring had no room for
	Cache   [cacheSize]cached
	Others  [othersSize]cached
	Buf     [bufTuples]tuple.Tuple
}

const streamSize = uint64(unsafe.Sizeof(stream{}))

// streams has the stream of every P. Those without one have noStream, whose
// buffer is always full.
var (
	streams  [maxStreams]*stream
	noStream = stream{N: bufTuples}
)

// record puts tuples into the stream of a P. It waits for room if need be.
//
//go:noinline
func record(tuples []tuple.Tuple) {
	for waited := uint64(0); len(tuples) > 0; {
		s := streamOf(uint(procPin()))
		if s == nil {
			if area.areaHeader != nil {
				add64(&area.NoStream, int64(len(tuples)))
			}
			procUnpin()
			return
		}
		if s.N < bufTuples || s.deliver(waited) {
			n := copy(s.Buf[s.N:], tuples)
			s.N += uint32(n)
			tuples = tuples[n:]
			procUnpin()
			continue
		}
		procUnpin() // the collector need not wait for the reader too
		pause()
		waited += pauseTime
	}
}

// streamOf returns the stream of the P with the given number, which the caller
// has pinned, and nil if it has none and is not to get one.
func streamOf(id uint) *stream {
	if id >= maxStreams {
		return nil
	}
	s := streams[id]
	if s != &noStream {
		return s
	}
	lockMemory()
	defer unlockMemory()
	if load32(&tapsEnded) != 0 {
		return nil
	}
	if area.areaHeader == nil {
		openArea()
	}
	if s = newStream(uint32(id)); s == nil {
		store32(&tapsEnded, 1)
		store32(&Taps, tapsOff)
		return nil
	}
	streams[id] = s
	return s
}

// tapsEnded is set when no more streams are to be made: before taps are started, at
// the end of the program, and when there is no memory for them.
var tapsEnded uint32 = 1

// lockMemory lets one thread at a time make room for counts. The holder cannot
// be preempted, so those who wait may be pinned too.
func lockMemory() {
	procPin()
	for !cas32(&allocating, 0, 1) {
		pause()
	}
}

func unlockMemory() {
	store32(&allocating, 0)
	procUnpin()
}

var allocating uint32
