package taps

// This file holds the numbers of goroutines in streams. If they are asked for
// (options.TellGoroutines), a tuple with the tag Goroutine is before the first tuple of another
// goroutine in a stream:
//
//	goroutine 7
//	load main+3 42     these are of goroutine 7
//	load main+3 43
//	goroutine 9
//	load main+3 42     and this of goroutine 9
//
// There is one for each chunk at most, written where chunks are copied to the stream,
// and one more where a goroutine begins in the chunk of one that has ended: package
// runtime writes that into the chunk when it makes the goroutine, since a tap cannot
// know (gobuild/internal/goruntime).

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/pepfile"
)

// lastGoroutine returns the goroutine of what follows tuples, the first of which is of
// the given one.
func lastGoroutine(goroutine uint64, tuples []tuple.Tuple) uint64 {
	for i := range tuples {
		if tuples[i].PC == tuple.GoroutinePC {
			goroutine = tuples[i].W
		}
	}
	return goroutine
}

// announce puts the number of a goroutine into the buffer, if the last tuple before was
// of another. There is space for it.
func announce(s *pepfile.Stream, goroutine uint64) {
	if s.Goroutine == goroutine+1 {
		return
	}
	s.Buf[s.N] = tuple.Tuple{PC: tuple.GoroutinePC, W: goroutine}
	s.N++
	s.Goroutine = goroutine + 1
}
