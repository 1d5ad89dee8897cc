package core

// This file holds the chunks that taps write to. Every goroutine that taps has
// one, and has it for good: the runtime keeps its g when it ends, and gives it to
// another. No other goroutine writes there, so a tap may be preempted anywhere.
//
// How full a chunk is is known to its goroutine alone. Others, and whoever reads
// the .pep file of a program that was killed, find it out by the PCs: a chunk is
// zeros before it is written to, and a tap stores the PC last. So the tuples of
// a chunk are those before the first PC that is 0.
//
// What is written down for that, such as Done, needs no atomic instructions: the
// processor makes stores visible in the order of the program, the compiler keeps
// their order, and nobody looks at them before the thread is dead, or holds Lock.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/tuple"
)

// scratch has room for a chunk that nobody reads. Goroutines without a chunk store
// to its end, where there is room for one tuple.
var scratch [2 * pepfile.ChunkSize]byte

func scratchEnd() uintptr {
	return (uintptr(unsafe.Pointer(&scratch)) + 2*pepfile.ChunkSize) &^ (pepfile.ChunkSize - 1)
}

// dropNext counts the n tuples that come next as dropped, and returns where they go.
func dropNext(n uintptr) uintptr {
	drop(int(n))
	return scratchEnd() - n*pepfile.TupleSize
}

// drop counts n events that no engine sees.
func drop(n int) {
	if area.WordsHeader != nil {
		golink.Add64(&area.NoStream, int64(n))
	}
}

// tap stores a tuple at *next, its PC last.
func tap(next *uintptr, pc, w uint64) none {
	if *next%pepfile.ChunkSize == 0 {
		free[0] = makeRoom(next, 1)
	}
	p := *next
	t := (*tuple.Tuple)(golink.At(p))
	t.W = w
	t.PC = pc
	*next = p + pepfile.TupleSize
	return none{}
}

// tap2 stores a sample of two words. It becomes visible to others at once, with the
// first PC.
func tap2(next *uintptr, pc, w, more uint64) none {
	if p := *next % pepfile.ChunkSize; p == 0 || p > pepfile.ChunkSize-2*pepfile.TupleSize {
		free[0] = makeRoom(next, 2)
	}
	p := *next
	t := (*[2]tuple.Tuple)(golink.At(p))
	t[1] = tuple.New(tuple.More, siteOf(pc), more)
	t[0].W = w
	t[0].PC = pc
	*next = p + 2*pepfile.TupleSize
	return none{}
}

// tap3 stores a sample of three words.
func tap3(next *uintptr, pc, w, more, third uint64) none {
	if p := *next % pepfile.ChunkSize; p == 0 || p > pepfile.ChunkSize-3*pepfile.TupleSize {
		free[0] = makeRoom(next, 3)
	}
	p := *next
	t := (*[3]tuple.Tuple)(golink.At(p))
	t[2] = tuple.New(tuple.Third, siteOf(pc), third)
	t[1] = tuple.New(tuple.More, siteOf(pc), more)
	t[0].W = w
	t[0].PC = pc
	*next = p + 3*pepfile.TupleSize
	return none{}
}

func siteOf(pc uint64) uint64 { return tuple.Tuple{PC: pc}.Site() }

// makeRoom passes the tuples before *next on, if any, and has the next n go to
// where there is room for all of them. Like all that it calls it may run anywhere that
// instrumented code runs: while the world is stopped, on the stack of a thread,
// while the runtime's locks are held. It allocates nothing, and waits only where
// mayWait says so.
//
//go:noinline
func makeRoom(next *uintptr, n uintptr) none {
	switch p := *next; p {
	case 0:
		if *next = newChunk(); *next == 0 {
			*next = dropNext(n)
		}
	case scratchEnd():
		*next = dropNext(n)
	default:
		c := pepfile.ChunkAt((p - 1) &^ (pepfile.ChunkSize - 1))
		if golink.Cas32(&c.Lock, 0, 1) {
			used := (p - c.Start()) / pepfile.TupleSize
			clear(c.Tuples[used:]) // a sample of several words did not fit; what is there may be old
			moveOn(c.Goroutine, c.Tuples[:used], &c.Done)
			if Taps == options.TapsOff {
				c.Done = uint32(pepfile.ChunkTuples) // instead of clearing, which takes longer than to fill it
			} else {
				c.Clear()
			}
			golink.Store32(&c.Lock, 0)
		}
		c.Goroutine = golink.Goroutine()
		*next = c.Start()
	}
	return none{}
}

// moveOn records, subsamples or drops tuples of a chunk, the first of which is of the
// given goroutine, as Taps says. It adds the number of
// those that it has dealt with to *done, so that a program that is killed halfway
// does not count them twice.
func moveOn(goroutine uint64, tuples []tuple.Tuple, done *uint32) {
	switch Taps {
	case options.TapsFull:
		record(goroutine, tuples, done)
	case options.TapsBurst:
		recordInBurst(goroutine, tuples)
	}
}

// newChunk returns where the first tuple of a goroutine goes, 0 if there are as
// many chunks as there may be.
func newChunk() uintptr {
	if chunkBase == 0 {
		return 0
	}
	if area.WordsHeader != nil {
		golink.Add64(&area.Chunks, 1) // first: whoever reads the file must not miss one
	}
	for {
		n := golink.Load32(&nchunks)
		if n == pepfile.MaxChunks {
			return 0
		}
		if golink.Cas32(&nchunks, n, n+1) {
			c := pepfile.ChunkAt(chunkBase + uintptr(n)*pepfile.ChunkSize)
			c.Goroutine = golink.Goroutine()
			return c.Start()
		}
	}
}

// emptyChunks passes on what is in chunks at the end of the program. From now on
// goroutines drop what they report.
func emptyChunks() {
	if area.WordsHeader == nil {
		return
	}
	for i := range golink.Load32(&nchunks) {
		c := counts.Chunk(i)
		if golink.Cas32(&c.Lock, 0, 1) { // if not, its goroutine is just doing so
			moveOn(c.Goroutine, c.Left(), &c.Done)
			golink.Store32(&c.Done, uint32(pepfile.ChunkTuples))
		}
	}
}
