package taps

// This file takes tuples out of the goroutines that report them.
//
// A tap stores its tuple into a chunk of memory that belongs to its goroutine
// alone: no lock, no map, no allocation, and no cache line that another thread
// writes. When the chunk is full, its tuples go on to the stream of the P. There is
// one stream per P, as hardware has one buffer per core.

import (
	"runtime"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
)

// Streams returns the number of streams that a program needs, 0 if taps report nothing. All are
// made when the program starts. If it raises GOMAXPROCS later, the tuples of the further Ps are
// dropped, and counted as dropped.
func Streams(o options.Tapping) uint32 {
	if !Linked || o.Taps == options.TapsOff {
		return 0
	}
	n := max(runtime.NumCPU(), runtime.GOMAXPROCS(0), pepfile.MinStreams)
	return uint32(min(n, pepfile.MaxStreams))
}

// record puts tuples into the stream of the P, and adds their number to *done. The words of a
// sample stay together.
//
//go:noinline
func record(origin pepfile.Origin, tuples []tuple.Tuple, done *uint32) {
	goroutine, labels := origin.Goroutine(), uint32(origin.Labels())
	for len(tuples) > 0 {
		p := golink.Pin()
		if uint(p) >= uint(len(sinks)) { // no P, or too many
			golink.Unpin()
			drop(len(tuples))
			return
		}
		k := &sinks[p]
		k.used = true
		if !k.takes(labels, need(tuples)) {
			k.deliver()
		}
		k.stream.Labels = labels
		if options.TellGoroutines {
			announce(k.stream, goroutine)
		}
		n := k.stream.Put(tuples)
		if options.TellGoroutines {
			goroutine = lastGoroutine(goroutine, tuples[:n])
			k.stream.Goroutine = goroutine + 1
		}
		*done += uint32(n)
		tuples = tuples[n:]
		golink.Unpin()
	}
}

// takes reports whether the buffer has space for n more tuples, which have some labels.
func (k *sink) takes(labels, n uint32) bool {
	buffered := golink.Load32(&k.stream.N)
	return buffered+n <= pepfile.BufTuples && (buffered == 0 || k.stream.Labels == labels)
}

// need returns how much space there must be for the first of tuples: for all words of
// its sample, and for the number of its goroutine.
func need(tuples []tuple.Tuple) uint32 {
	n := uint32(tuple.SampleLen(tuples))
	if options.TellGoroutines {
		n++
	}
	return n
}
