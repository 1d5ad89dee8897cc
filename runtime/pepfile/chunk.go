package pepfile

// This file holds the chunks that goroutines write their tuples to.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/tuple"
)

const (
	TupleSize = unsafe.Sizeof(tuple.Tuple{})

	// ChunkSize is how large a chunk is, and the alignment of chunks, a power of
	// two: so the address of the next tuple says whether there is room for it.
	// It is 0 as long as there is no chunk.
	ChunkSize   = 1 << 11
	ChunkTuples = ChunkSize/TupleSize - 1
)

// A chunk holds tuples of a goroutine.
type chunk struct {
	Lock      uint32 // held while its tuples are moved on; for good once the program ends
	Done      uint32 // of its tuples, the first so many have been moved on
	Goroutine uint64 // that the first tuple is of, if goroutines are told apart
	Tuples    [ChunkTuples]tuple.Tuple
}

// Clear makes the chunk empty. Done says that nothing is left in it until all PCs
// are zero.
func (c *chunk) Clear() {
	c.Done = uint32(ChunkTuples)
	clear(c.Tuples[:])
	c.Done = 0
}

// Left returns the tuples that have not been moved on.
func (c *chunk) Left() []tuple.Tuple {
	n := uint32(0)
	for n < uint32(ChunkTuples) && golink.Load64(&c.Tuples[n].PC) != 0 {
		n++
	}
	return c.Tuples[min(golink.Load32(&c.Done), n):n]
}

func ChunkAt(p uintptr) *chunk { return (*chunk)(golink.At(p)) }

func (c *chunk) Start() uintptr { return uintptr(unsafe.Pointer(&c.Tuples)) }
