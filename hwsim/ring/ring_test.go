package ring

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/format/tuple"
	layout "github.com/pepgo/pep/runtime/ring"
)

// write does what a program does: it adds a block if there is room.
func write(r layout.Ring, stream uint32, tuples ...tuple.Tuple) bool {
	pos := r.Tail
	b := r.Block(pos)
	if b.Seq != pos {
		return false
	}
	r.Tail++
	b.Stream, b.N = uint16(stream), uint32(copy(b.Tuples[:], tuples))
	b.Seq++
	return true
}

func newRing() layout.Ring {
	r := layout.At(unsafe.Pointer(&make([]uint64, layout.Size/8)[0]))
	r.Init()
	return r
}

func TestBlocksComeInOrderAndGiveRoom(t *testing.T) {
	ring := newRing()
	r, err := newReader(unsafe.Pointer(ring.Header))
	if err != nil {
		t.Fatal(err)
	}
	r.alive = func(int) bool { return true }
	next := uint64(0)
	for round := range 3 {
		n := uint64(0)
		for write(ring, uint32(next+n)%3, tuple.New(tuple.Load, 1, next+n), tuple.New(tuple.Load, 2, 0)) {
			n++
		}
		if n != layout.Blocks {
			t.Fatalf("round %d: room for %d blocks, want %d", round, n, layout.Blocks)
		}
		for range n {
			stream, tuples, err := r.Next()
			if err != nil || stream != uint32(next)%3 || len(tuples) != 2 || tuples[0].W != next {
				t.Fatalf("block %d: stream %d, %v, %v", next, stream, tuples, err)
			}
			next++
		}
	}
	ring.Closed = 1
	if _, _, err := r.Next(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

func TestReaderEndsWithAProgramThatWasKilled(t *testing.T) {
	ring := newRing()
	r, _ := newReader(unsafe.Pointer(ring.Header))
	r.alive = func(int) bool { return false }
	write(ring, 7)
	if stream, _, err := r.Next(); stream != 7 || err != nil {
		t.Errorf("stream %d, %v", stream, err)
	}
	if _, _, err := r.Next(); err != io.EOF {
		t.Error(err)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x.ring")
	if _, err := Open(name); err == nil || err.Error() != name+": no such file (a program that runs with PEPOPTS=deliver=ring has one, and removes it when it ends)" {
		t.Error(err)
	}
	if err := os.WriteFile(name, []byte("short"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(name); err == nil || err.Error() != fmt.Sprintf("%s: not a ring: 5 bytes, want %d", name, layout.Size) {
		t.Error(err)
	}
}

// FuzzReader: whatever a ring holds, reading it comes to an end, with no more
// blocks than it has and no more tuples than fit into one.
func FuzzReader(f *testing.F) {
	ring := newRing()
	write(ring, 7, tuple.New(tuple.Load, 1, 2))
	ring.Closed = 1
	memory := func(r layout.Ring) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(r.Header)), layout.Size) }
	blocks := memory(ring)[layout.Size-layout.Blocks*uint64(unsafe.Sizeof(layout.Block{})):]
	f.Add(memory(ring)[:unsafe.Sizeof(layout.Header{})], blocks[:100])
	f.Add([]byte{}, []byte{1})
	f.Fuzz(func(t *testing.T, header, block []byte) {
		clear(memory(ring)[:unsafe.Sizeof(layout.Header{})])
		copy(memory(ring)[:unsafe.Sizeof(layout.Header{})], header)
		newReader(unsafe.Pointer(ring.Header)) // an error, or a ring that this test does not read
		copy(ring.Magic[:], layout.Magic)
		ring.Version, ring.Header.Blocks, ring.Closed = layout.Version, layout.Blocks, 1
		for p := range uint64(layout.Blocks) {
			ring.Block(ring.Head + p).Seq = ring.Head + p // to be written
		}
		for i := range 3 { // three blocks have been
			b := ring.Block(ring.Head + uint64(i))
			copy(unsafe.Slice((*byte)(unsafe.Pointer(b)), unsafe.Sizeof(*b)), block)
			b.Seq = ring.Head + uint64(i) + 1
		}
		r, err := newReader(unsafe.Pointer(ring.Header))
		if err != nil {
			t.Fatal(err)
		}
		r.alive = func(int) bool { return false }
		for n := 0; ; n++ {
			_, tuples, err := r.Next()
			if err == io.EOF && n == 3 {
				return
			}
			if err != nil || n == 3 || len(tuples) > layout.BlockTuples {
				t.Fatalf("block %d: %d tuples, %v", n, len(tuples), err)
			}
		}
	})
}
