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

	"github.com/pepgo/pep/runtime/tuple"
)

const (
	tupleSize = unsafe.Sizeof(tuple.Tuple{})

	// chunkSize is how large a chunk is, and the alignment of chunks, a power of
	// two: so the address of the next tuple says whether there is room for it.
	// It is 0 as long as there is no chunk.
	chunkSize   = 1 << 11
	chunkTuples = chunkSize/tupleSize - 1
)

// A chunk holds tuples of a goroutine.
type chunk struct {
	Lock   uint32 // held while its tuples are moved on; for good once the program ends
	Done   uint32 // of its tuples, the first so many have been moved on
	_      uint64
	Tuples [chunkTuples]tuple.Tuple
}

var (
	chunkBase uintptr // address of the first chunk; 0 if there is no memory for them
	nchunks   uint32  // how many have been given to goroutines
)

// scratch has room for a chunk that nobody reads. Goroutines without a chunk store
// to its end, where there is room for one tuple.
var scratch [2 * chunkSize]byte

func scratchEnd() uintptr {
	return (uintptr(unsafe.Pointer(&scratch)) + 2*chunkSize) &^ (chunkSize - 1)
}

// dropOne counts the tuple that comes next as dropped, and returns where it goes.
func dropOne() uintptr {
	drop(1)
	return scratchEnd() - tupleSize
}

// drop counts n events that no engine sees.
func drop(n int) {
	if area.areaHeader != nil {
		add64(&area.NoStream, int64(n))
	}
}

// tap stores a tuple at *next, its PC last.
func tap(next *uintptr, pc, w uint64) none {
	if *next%chunkSize == 0 {
		free[0] = makeRoom(next)
	}
	p := *next
	t := (*tuple.Tuple)(at(p))
	t.W = w
	t.PC = pc
	*next = p + tupleSize
	return none{}
}

// makeRoom passes the tuples before *next on, if any, and has the next one go to
// where there is room. Like all that it calls it may run anywhere that
// instrumented code runs: while the world is stopped, on the stack of a thread,
// while the runtime's locks are held. It allocates nothing, and waits only where
// mayWait says so.
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
		c := chunkAt(p - chunkSize)
		if cas32(&c.Lock, 0, 1) {
			moveOn(c.Tuples[:], &c.Done)
			if Taps == tapsOff {
				c.Done = uint32(chunkTuples) // instead of clearing, which takes longer than to fill it
			} else {
				c.clear()
			}
			store32(&c.Lock, 0)
		}
		*next = c.start()
	}
	return none{}
}

// moveOn records, subsamples or drops tuples, as Taps says. It adds the number of
// those that it has dealt with to *done, so that a program that is killed halfway
// does not count them twice.
func moveOn(tuples []tuple.Tuple, done *uint32) {
	switch Taps {
	case tapsFull:
		record(tuples, done)
	case tapsBurst:
		recordInBurst(tuples)
	}
}

// clear makes the chunk empty. Done says that nothing is left in it until all PCs
// are zero.
func (c *chunk) clear() {
	c.Done = uint32(chunkTuples)
	clear(c.Tuples[:])
	c.Done = 0
}

// left returns the tuples that have not been moved on.
func (c *chunk) left() []tuple.Tuple {
	n := uint32(0)
	for n < uint32(chunkTuples) && load64(&c.Tuples[n].PC) != 0 {
		n++
	}
	return c.Tuples[min(load32(&c.Done), n):n]
}

func chunkAt(p uintptr) *chunk { return (*chunk)(at(p)) }

func (c *chunk) start() uintptr { return uintptr(unsafe.Pointer(&c.Tuples)) }

// newChunk returns where the first tuple of a goroutine goes, 0 if there are as
// many chunks as there may be.
func newChunk() uintptr {
	if chunkBase == 0 {
		return 0
	}
	if area.areaHeader != nil {
		add64(&area.Chunks, 1) // first: whoever reads the file must not miss one
	}
	for {
		n := load32(&nchunks)
		if n == maxChunks {
			return 0
		}
		if cas32(&nchunks, n, n+1) {
			return chunkAt(chunkBase + uintptr(n)*chunkSize).start()
		}
	}
}

// emptyChunks passes on what is in chunks at the end of the program. From now on
// goroutines drop what they report.
func emptyChunks() {
	if area.areaHeader == nil {
		return
	}
	for i := range load32(&nchunks) {
		c := counts.chunk(i)
		if cas32(&c.Lock, 0, 1) { // if not, its goroutine is just doing so
			moveOn(c.left(), &c.Done)
			store32(&c.Done, uint32(chunkTuples))
		}
	}
}
