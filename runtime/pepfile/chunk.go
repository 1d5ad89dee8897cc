package pepfile

// This file holds the chunks that goroutines write their tuples to.

import (
	"unsafe"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
)

const (
	TupleSize = unsafe.Sizeof(tuple.Tuple{})

	// ChunkSize is how large a chunk is, and the alignment of chunks, a power of
	// two: so the address of the next tuple says whether there is space for it.
	// It is 0 as long as there is no chunk.
	ChunkSize   = 1 << 11
	ChunkTuples = ChunkSize/TupleSize - 1
)

// A Chunk holds tuples of a goroutine.
type Chunk struct {
	Lock   uint32 // held while its tuples are moved on; for good once the program ends
	Done   uint32 // of its tuples, the first so many have been moved on
	Origin Origin
	Tuples [ChunkTuples]tuple.Tuple
}

// An Origin says whose tuples are in a chunk: the number of the goroutine that the first one is of,
// which matters if goroutines are told apart, and in the upper 16 bits, where gobuild/internal/goruntime
// looks for it, the number of the labels that all of them have, as in [WordKey]. (A program that makes
// a goroutine each us has 2^48 of them after nine years.)
type Origin uint64

const originBits = 48

// OriginOf returns the origin of tuples.
func OriginOf(goroutine uint64, labels uint16) Origin {
	return Origin(goroutine&(1<<originBits-1) | uint64(labels)<<originBits)
}

func (o Origin) Goroutine() uint64 { return uint64(o) & (1<<originBits - 1) }

func (o Origin) Labels() uint16 { return uint16(o >> originBits) }

// Clear makes a chunk empty whose first n tuples have been moved on, and that has
// zeros behind them. Done says that nothing is left in it until all PCs are zero.
//
// The compiler clears an array by 16 bytes at a time, and the function that it calls
// for a slice whose length it does not know by 32.
func (c *Chunk) Clear(n uintptr) {
	c.Done = uint32(ChunkTuples)
	clear(c.Tuples[:n])
	c.Done = 0
}

// Left returns the tuples that have not been moved on.
func (c *Chunk) Left() []tuple.Tuple {
	n := uint32(0)
	for n < uint32(ChunkTuples) && golink.Load64(&c.Tuples[n].PC) != 0 {
		n++
	}
	return c.Tuples[min(golink.Load32(&c.Done), n):n]
}

func ChunkAt(p uintptr) *Chunk { return (*Chunk)(golink.At(p)) }

func (c *Chunk) Start() uintptr { return uintptr(unsafe.Pointer(&c.Tuples)) }
