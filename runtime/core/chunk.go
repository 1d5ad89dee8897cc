package core

// This file holds the chunks that taps write to. Every goroutine that taps has
// one, and has it for good: the runtime keeps its g when it ends, and gives it to
// another. No other goroutine writes there, so a tap may be preempted anywhere.

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

	// maxChunks bounds their memory to 64 MB. What further goroutines report is
	// dropped, and counted.
	maxChunks = 1 << 15

	// chunkBlock is how many are made at a time.
	chunkBlock = 64
)

// A chunk holds tuples of a goroutine. It lives where streams do.
type chunk struct {
	Lock   uint32 // held while its tuples are moved on; for good once the program ends
	N      uint32 // tuples in it, as far as is known: only the goroutine knows
	_      uint64
	Tuples [chunkTuples]tuple.Tuple
}

// Chunk i is in block i/chunkBlock. Where its next tuple goes is at *chunkOwners[i].
var (
	chunkBlocks [maxChunks / chunkBlock]*[chunkBlock]chunk
	chunkOwners [maxChunks]*uintptr
	nchunks     uint32
)

// scratch is for goroutines that are to have no chunk: room for one tuple, which
// nobody reads, before an address that is a multiple of chunkSize.
var scratch [chunkSize + tupleSize]byte

func scratchEnd() uintptr {
	return (uintptr(unsafe.Pointer(&scratch)) + chunkSize + tupleSize) &^ (chunkSize - 1)
}

// dropOne counts the tuple that comes next as dropped, and returns where it goes.
func dropOne() uintptr {
	if area.areaHeader != nil {
		add64(&area.NoStream, 1)
	}
	return scratchEnd() - tupleSize
}

// tap stores a tuple at *next.
func tap(next *uintptr, pc, w uint64) none {
	if *next%chunkSize == 0 {
		free[0] = makeRoom(next)
	}
	p := *next
	*(*tuple.Tuple)(at(p)) = tuple.Tuple{PC: pc, W: w}
	*next = p + tupleSize
	return none{}
}

// makeRoom passes the tuples before *next on, if any, and has the next one go to
// where there is room.
//
//go:noinline
func makeRoom(next *uintptr) none {
	switch p := *next; p {
	case 0:
		if *next = newChunk(next); *next == 0 {
			*next = dropOne()
		}
	case scratchEnd():
		*next = dropOne()
	default:
		c := chunkAt(p - chunkSize)
		if cas32(&c.Lock, 0, 1) {
			moveOn(c.Tuples[:])
			store32(&c.Lock, 0)
		}
		*next = c.start()
	}
	return none{}
}

// moveOn does with tuples what is to be done with them at present.
func moveOn(tuples []tuple.Tuple) {
	switch Taps {
	case tapsFull:
		record(tuples)
	case tapsBurst:
		recordInBurst(tuples)
	}
}

func chunkAt(p uintptr) *chunk { return (*chunk)(at(p)) }

func chunkNumber(i uint32) *chunk { return &chunkBlocks[i/chunkBlock][i%chunkBlock] }

func (c *chunk) start() uintptr { return uintptr(unsafe.Pointer(&c.Tuples)) }

// newChunk returns where the first tuple of a goroutine goes, 0 if there are as
// many chunks as there may be.
func newChunk(owner *uintptr) uintptr {
	lockMemory()
	defer unlockMemory()
	n := nchunks
	if n == maxChunks {
		return 0
	}
	block := &chunkBlocks[n/chunkBlock]
	if *block == nil && load32(&tapsEnded) == 0 {
		if area.areaHeader == nil {
			openArea() // it counts what is dropped
		}
		*block = (*[chunkBlock]chunk)(newSection(sectionChunks, chunkBlock*chunkSize))
	}
	if *block == nil { // nobody is going to read them
		*block = new([chunkBlock]chunk) // so large, it begins on a page
	}
	chunkOwners[n] = owner
	store32(&nchunks, n+1)
	return chunkNumber(n).start()
}

// measureChunks finds out how many tuples there are in chunks. It may be called
// when the program dies, in a signal handler.
func measureChunks() {
	for i := range min(load32(&nchunks), maxChunks) { // a handler can check no bounds
		c := chunkNumber(i)
		if c.N = 0; load32(&c.Lock) == 0 {
			c.N = uint32((loadPtr(chunkOwners[i]) - c.start()) / tupleSize)
		}
	}
}

// emptyChunks passes on what is in chunks at the end of the program. From now on
// goroutines drop what they report.
func emptyChunks() {
	measureChunks()
	for i := range load32(&nchunks) {
		c := chunkNumber(i)
		if cas32(&c.Lock, 0, 1) { // if not, its goroutine is just doing so
			moveOn(c.Tuples[:c.N])
		}
		c.N = 0
	}
}
