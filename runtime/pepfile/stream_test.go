package pepfile

import (
	"testing"
	"unsafe"

	"github.com/pepgo/pep/format/tuple"
)

// A sample that does not fit as a whole waits for the next buffer, which may be another
// P's.
func TestPutTakesWholeSamples(t *testing.T) {
	sample := []tuple.Tuple{tuple.New(tuple.Op, 1, 0), tuple.New(tuple.More, 1, 1), tuple.New(tuple.Third, 1, 2)}
	tuples := append(append([]tuple.Tuple{tuple.New(tuple.Arg, 2, 0)}, sample...), sample...)
	for left, want := range []int{0, 1, 1, 1, 4, 4, 4, 7, 7} {
		s := &Stream{N: uint32(BufTuples - left)}
		if n := s.Put(tuples); n != want || s.N != uint32(BufTuples-left+want) {
			t.Errorf("with space for %d tuples %d are taken, %d in all, want %d", left, n, s.N, want)
		}
	}
}

// A chunk has the size that its alignment has, so the address of the next tuple says whether there is space for it.
func TestChunksFillTheirSize(t *testing.T) {
	if n := unsafe.Sizeof(Chunk{}); n != ChunkSize || n&(n-1) != 0 {
		t.Errorf("a chunk takes %d bytes of %d", n, ChunkSize)
	}
}
