package taps

// This file holds the tap itself: it stores a tuple into the chunk of its goroutine.
// Every goroutine that taps has a chunk of its own, for good: when the goroutine
// ends, the runtime keeps its g and gives it, with the chunk, to another goroutine.
// No two goroutines write to a chunk at the same time, so a tap may be preempted
// anywhere.
//
// Only the goroutine knows how full its chunk is. Other threads, and readers of the .pep
// file of a program that was killed, find out by the PCs: a chunk is all zeros before
// the goroutine writes to it, and a tap stores the PC last. So the tuples of a chunk
// are those before the first PC that is 0. For example, a program that is killed
// between the two stores of its third tap leaves
//
//	{W: 7, PC: a} {W: 9, PC: b} {W: 5, PC: 0} {0, 0} …
//
// which is two tuples; the third never happened.
//
// The stores need no atomic instructions. An amd64 processor makes stores visible
// in the order of the program, and the compiler keeps the order of these. Another
// thread reads a chunk only while it holds Lock (emptyChunks, at the end of the
// program), and another process only when the thread is dead.

import (
	"unsafe"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
)

var (
	chunkBase uintptr // address of the first chunk; 0 if there is no memory for them
	nchunks   uint32  // how many have been given to goroutines
)

// scratch has space for a chunk that nobody reads. Goroutines without a chunk store
// to its end, where there is space for one tuple.
var scratch [2 * pepfile.ChunkSize]byte

func scratchEnd() uintptr {
	return (uintptr(unsafe.Pointer(&scratch)) + 2*pepfile.ChunkSize) &^ (pepfile.ChunkSize - 1)
}

// dropNext counts the next n tuples as dropped, and returns where the tap stores them.
func dropNext(n uintptr) uintptr {
	drop(int(n))
	return scratchEnd() - n*pepfile.TupleSize
}

// drop counts n events that no engine will see.
func drop(n int) {
	if wordTable.WordsHeader != nil {
		golink.Add64(&wordTable.NoStream, int64(n))
	}
}

// LacksRoom reports whether n tuples have no space at p. A p that is a multiple of
// pepfile.ChunkSize is the end of a chunk, or 0 if the goroutine has none yet.
func LacksRoom(p, n uintptr) bool {
	if n == 1 {
		return p%pepfile.ChunkSize == 0
	}
	return (p-1)%pepfile.ChunkSize >= pepfile.ChunkSize-n*pepfile.TupleSize
}

// Store2 stores a sample of two words at p, which is *next. It becomes visible to others at once, with the
// first PC.
func Store2(next *uintptr, p uintptr, pc, w, more uint64) struct{} {
	t := (*[2]tuple.Tuple)(golink.At(p))
	t[1] = tuple.New(tuple.More, siteOf(pc), more)
	t[0].W = w
	t[0].PC = pc
	*next = p + 2*pepfile.TupleSize
	return struct{}{}
}

// Store3 stores a sample of three words.
func Store3(next *uintptr, p uintptr, pc, w, more, third uint64) struct{} {
	t := (*[3]tuple.Tuple)(golink.At(p))
	t[2] = tuple.New(tuple.Third, siteOf(pc), third)
	t[1] = tuple.New(tuple.More, siteOf(pc), more)
	t[0].W = w
	t[0].PC = pc
	*next = p + 3*pepfile.TupleSize
	return struct{}{}
}

func siteOf(pc uint64) uint64 { return tuple.Tuple{PC: pc}.Site() }

// MakeRoom delivers the tuples of a full chunk and sets *next to an address where the
// next n tuples have space. Like all that it calls, it may run wherever instrumented code
// runs: while the world is stopped, on the stack of a thread, while the runtime holds
// its locks. So it allocates nothing, and waits for nothing but threads that run.
//
//go:noinline
func MakeRoom(next *uintptr, n uintptr) struct{} {
	switch p, split := unsplit(*next); p {
	case 0:
		if *next = newChunk(); *next == 0 {
			*next = dropNext(n)
		}
	case scratchEnd():
		*next = dropNext(n)
	default:
		c := pepfile.ChunkAt((p - 1) &^ (pepfile.ChunkSize - 1))
		origin := originNow(c, split)
		if joins(c, origin, p, n) {
			*next = p
			break
		}
		if golink.Cas32(&c.Lock, 0, 1) {
			used := (p - c.Start()) / pepfile.TupleSize
			if used < pepfile.ChunkTuples { // a sample of several words did not fit; what is there may be old
				clear(c.Tuples[used:])
			}
			consume(c.Origin, c.Tuples[:used], &c.Done)
			if *on == 0 {
				c.Done = uint32(pepfile.ChunkTuples) // clearing would take longer than filling it
			} else {
				c.Clear(used)
			}
			golink.Store32(&c.Lock, 0)
		}
		c.Origin = origin
		*next = c.Start()
	}
	return struct{}{}
}

// consume records tuples of a chunk, unless taps are off. It adds the number of tuples
// that it is done with to *done, so that the writer of a program that is killed halfway does
// not count them a second time.
func consume(origin pepfile.Origin, tuples []tuple.Tuple, done *uint32) {
	if *on != 0 {
		record(origin, tuples, done)
	}
}

// newChunk returns the address for the first tuple of a goroutine, 0 if all chunks
// are taken.
func newChunk() uintptr {
	if chunkBase == 0 {
		return 0
	}
	if wordTable.WordsHeader != nil {
		golink.Add64(&wordTable.Chunks, 1) // before it is taken: a reader of the file must not miss a chunk
	}
	for {
		n := golink.Load32(&nchunks)
		if n == pepfile.MaxChunks {
			return 0
		}
		if golink.Cas32(&nchunks, n, n+1) {
			c := pepfile.ChunkAt(chunkBase + uintptr(n)*pepfile.ChunkSize)
			c.Origin = pepfile.OriginOf(golink.Goroutine(), labelsNow())
			return c.Start()
		}
	}
}

// emptyChunks delivers the tuples in the chunks at the end of the program. It keeps the
// locks of the chunks, so goroutines that still run drop their tuples.
func emptyChunks() {
	if wordTable.WordsHeader == nil {
		return
	}
	for i := range golink.Load32(&nchunks) {
		c := counts.Chunk(i)
		if golink.Cas32(&c.Lock, 0, 1) { // if not, its goroutine is just delivering it
			consume(c.Origin, c.Left(), &c.Done)
			golink.Store32(&c.Done, uint32(pepfile.ChunkTuples))
		}
	}
}
