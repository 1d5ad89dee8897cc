// Package ring is the layout of the ring by which a program passes its tuples on
// to another process: a file, mapped by both.
//
//	offset 0       a Header
//	offset 4096    Header.Blocks blocks
//
// It is a bounded queue of blocks with many writers and one reader (D. Vyukov's,
// with a sequence number in each block). Positions count blocks from 0 on; the
// block of position p is the one with the index p % Blocks. It may be
//
//	written for p  when its Seq is p: a writer that has taken p, by adding 1 to
//	               Tail where it found p, fills it and then sets Seq to p+1
//	read for p     when its Seq is p+1: then Seq becomes p+Blocks and Head p+1
//
// For example, with 256 blocks, a writer finds Tail 300. Block 300 % 256 = 44 has Seq
// 300, so it is free. The writer sets Tail to 301, fills the block, and sets its Seq to
// 301. The reader, whose Head is 300, sees 301 = 300+1, reads the block, and sets its
// Seq to 556 = 300+256, the position of the next block that goes there.
//
// A block belongs to one stream. Blocks of a stream are in order, and so are the
// tuples in a block.
//
// Package hwsim/ring reads it. Writer and reader must be on one machine, and of the version
// that the header names.
package ring

import (
	"unsafe"

	"github.com/pepgo/pep/format/tuple"
)

const (
	Magic   = "pepring\n"
	Version = 1

	// Blocks is how many blocks a program's ring has: 4 MB.
	Blocks = 256

	// BlockTuples is how many tuples a block has room for.
	BlockTuples = 1024

	headerBytes = 4096
)

// A Header is the beginning of a ring. The program writes all of it except Head and Beat.
type Header struct {
	Magic    [8]byte
	Version  uint32
	Blocks   uint32
	Pid      uint32 // of the program
	Closed   uint32 // 1: nothing will be added
	Build    [8]byte
	Dropped  uint64 // events that the ring had no room for
	ExeLen   uint32
	Exe      [1024]byte // the program's file
	_        [4]byte
	_        [64]byte
	Tail     uint64 // position of the next block to be written
	_        [56]byte
	Head     uint64 // position of the next block to be read
	Beat     uint64 // grows as long as there is a reader
	Attached uint32 // 1: there is or was a reader
}

// A Block is a run of tuples of one stream.
type Block struct {
	Seq    uint64
	Time   uint64 // ns of the program's monotonic clock when it was written
	Stream uint16
	Labels uint16 // number of the labels of the tuples, which only a program's own queue has; else 0
	N      uint32
	Tuples [BlockTuples]tuple.Tuple
}

// Size is the size of a ring in bytes.
const Size = headerBytes + Blocks*uint64(unsafe.Sizeof(Block{}))

// A Ring is a ring in memory that is not moved or freed while it is used.
type Ring struct {
	*Header
	blocks unsafe.Pointer
}

// At returns the ring at p. A new one is all zeros: see Init.
func At(p unsafe.Pointer) Ring { return Ring{(*Header)(p), unsafe.Add(p, headerBytes)} }

// Init makes a ring of zeros an empty ring. The magic comes last: a reader may be
// looking.
func (r Ring) Init() {
	r.Version, r.Header.Blocks = Version, Blocks
	for p := range uint64(Blocks) {
		r.Block(p).Seq = p
	}
	copy(r.Magic[:], Magic)
}

// Block returns the block of a position.
func (r Ring) Block(pos uint64) *Block {
	return (*Block)(unsafe.Add(r.blocks, uintptr(pos%Blocks)*unsafe.Sizeof(Block{})))
}
