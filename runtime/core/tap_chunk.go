package core

// This file is what a tap does: it stores a tuple into the chunk of its goroutine.
// Every goroutine that taps has a chunk of its own, for good: when the goroutine
// ends, the runtime keeps its g and gives it, with the chunk, to another goroutine.
// No two goroutines write to a chunk at the same time, so a tap may be preempted
// anywhere.
//
// Only the goroutine knows how full its chunk is. Others, and whoever reads the .pep
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

// dropOne counts the next tuple as dropped, and returns where the tap stores it.
func dropOne() uintptr {
	drop(1)
	return scratchEnd() - pepfile.TupleSize
}

// drop counts n events that no engine will see.
func drop(n int) {
	if wordTable.WordsHeader != nil {
		golink.Add64(&wordTable.NoStream, int64(n))
	}
}

// tap stores a tuple at *next, its PC last. An address that is a multiple of
// pepfile.ChunkSize is the end of a chunk, or 0 if the goroutine has none yet.
func tap(next *uintptr, pc, w uint64) none {
	if *next%pepfile.ChunkSize == 0 {
		uncharged[0] = makeRoom(next)
	}
	p := *next
	t := (*tuple.Tuple)(golink.At(p))
	t.W = w
	t.PC = pc
	*next = p + pepfile.TupleSize
	return none{}
}

// makeRoom delivers the tuples of a full chunk and sets *next to an address where the
// next tuple has room. Like all that it calls, it may run wherever instrumented code
// runs: while the world is stopped, on the stack of a thread, while the runtime holds
// its locks. So it allocates nothing, and waits only if golink.MayWait permits it.
//
//go:noinline
func makeRoom(next *uintptr) none {
	switch p := *next; p {
	case 0:
		if *next = newChunk(); *next == 0 {
			*next = dropOne()
		}
	case scratchEnd():
		*next = dropOne()
	default:
		c := pepfile.ChunkAt(p - pepfile.ChunkSize)
		if golink.Cas32(&c.Lock, 0, 1) {
			consume(c.Tuples[:], &c.Done)
			if Taps == options.TapsOff {
				c.Done = uint32(pepfile.ChunkTuples) // clearing would take longer than filling it
			} else {
				c.Clear()
			}
			golink.Store32(&c.Lock, 0)
		}
		*next = c.Start()
	}
	return none{}
}

// consume records, samples or drops tuples, as Taps says. It adds the number of
// tuples that it is done with to *done, so that the writer of a program that is
// killed halfway does not count them a second time.
func consume(tuples []tuple.Tuple, done *uint32) {
	switch Taps {
	case options.TapsFull:
		record(tuples, done)
	case options.TapsBurst:
		recordInBurst(tuples)
	}
}

// newChunk returns the address for the first tuple of a goroutine, 0 if all chunks
// are taken.
func newChunk() uintptr {
	if chunkBase == 0 {
		return 0
	}
	if wordTable.WordsHeader != nil {
		golink.Add64(&wordTable.Chunks, 1) // before it is taken: whoever reads the file must not miss one
	}
	for {
		n := golink.Load32(&nchunks)
		if n == pepfile.MaxChunks {
			return 0
		}
		if golink.Cas32(&nchunks, n, n+1) {
			return pepfile.ChunkAt(chunkBase + uintptr(n)*pepfile.ChunkSize).Start()
		}
	}
}

// emptyChunks delivers what is in the chunks at the end of the program. It keeps
// their locks, so goroutines that still run drop what they report.
func emptyChunks() {
	if wordTable.WordsHeader == nil {
		return
	}
	for i := range golink.Load32(&nchunks) {
		c := counts.Chunk(i)
		if golink.Cas32(&c.Lock, 0, 1) { // if not, its goroutine is just delivering it
			consume(c.Left(), &c.Done)
			golink.Store32(&c.Done, uint32(pepfile.ChunkTuples))
		}
	}
}
