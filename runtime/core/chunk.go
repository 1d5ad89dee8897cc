package core

// This file holds the chunks that taps write to. Every goroutine that taps has
// one, and has it for good: the runtime keeps its g when it ends, and gives it to
// another. Where the next tuple goes is in a field of the g (goroutine.go), so
// that a tap needs to know nothing else, and may be preempted anywhere.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/tuple"
)

const (
	tupleSize = unsafe.Sizeof(tuple.Tuple{})

	// chunkSize is how large a chunk is, and the alignment of chunks, a power of
	// two: so the address of the next tuple says whether there is room for it.
	// It is 0 as long as there is no chunk.
	chunkSize = 1 << 10

	chunkTuples = (chunkSize - chunkHeader) / tupleSize
	chunkHeader = 2 * 8

	// maxChunks bounds their memory to 16 MB. Further goroutines write to the
	// streams of the Ps tuple by tuple.
	maxChunks = 1 << 14

	// chunkBlock is how many are made at a time.
	chunkBlock = 64
)

// A chunk holds tuples of a goroutine, those from the first up to the number that
// says where the next goes.
type chunk struct {
	Next   uintptr // the address of that number
	Lock   uint32  // held while its tuples are moved on; for good once the program ends
	_      uint32
	Tuples [chunkTuples]tuple.Tuple
}

// chunks are all there are. What points to them are numbers, which take no write
// barrier to store; chunkMemory keeps them.
var (
	chunks      [maxChunks]*chunk
	nchunks     uint32 // in use
	chunkMemory [maxChunks / chunkBlock][]uint64
)

func (c *chunk) start() uintptr { return uintptr(unsafe.Pointer(&c.Tuples)) }

// refill records a tuple of the goroutine whose next tuple goes to *next, where
// there is no room for it.
//
//go:noinline
func refill(next *uintptr, pc, w uint64) {
	t := tuple.Tuple{PC: pc, W: w}
	p := *next
	if p == 0 {
		if p = newChunk(next); p == 0 {
			record([]tuple.Tuple{t})
			return
		}
	} else {
		c := (*chunk)(at(p - chunkSize))
		if cas32(&c.Lock, 0, 1) {
			record(c.Tuples[:])
			store32(&c.Lock, 0)
		}
		p = c.start()
	}
	*(*tuple.Tuple)(at(p)) = t
	*next = p + tupleSize
}

// newChunk returns where the first tuple of a new chunk goes, 0 if there is to
// be none.
func newChunk(next *uintptr) uintptr {
	if !ownsChunk(next) || load32(&nchunks) == maxChunks {
		return 0
	}
	lockMemory()
	defer unlockMemory()
	n := nchunks
	if n == maxChunks {
		return 0
	}
	if n%chunkBlock == 0 {
		chunkMemory[n/chunkBlock] = make([]uint64, (chunkBlock+1)*chunkSize/8)
	}
	first := uintptr(unsafe.Pointer(&chunkMemory[n/chunkBlock][0]))
	c := (*chunk)(at((first+chunkSize-1)&^(chunkSize-1) + uintptr(n%chunkBlock)*chunkSize))
	c.Next = uintptr(unsafe.Pointer(next))
	chunks[n] = c
	store32(&nchunks, n+1)
	return c.start()
}

// emptyChunks moves on what is in chunks at the end of the program. Goroutines
// that go on drop what they report.
func emptyChunks() {
	for _, c := range chunks[:load32(&nchunks)] {
		if !cas32(&c.Lock, 0, 1) {
			continue // its goroutine is just doing so
		}
		next := *(*uintptr)(at(c.Next))
		record(c.Tuples[:(next-c.start())/tupleSize])
	}
}
