// Package ring reads what a program that runs with PEPOPTS=deliver=ring taps,
// while it runs, from another process:
//
//	r, err := ring.Open("app.71.ring")
//	…
//	defer r.Close()
//	for {
//		stream, tuples, err := r.Next()
//		if err == io.EOF {
//			break // the program has ended
//		}
//		engines[stream].Push(tuples, out) // made by engines.Parse(…) and New(stream)
//	}
//
// There is one reader at a time. A program that is not to drop tuples waits for
// it (full=block), for up to a second if it does not stir.
//
// The layout of the ring is that of package runtime/ring. Traces, which can be
// read later and elsewhere, are package hwsim/trace's.
package ring

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	layout "github.com/pepgo/pep/runtime/ring"
	"github.com/pepgo/pep/runtime/tuple"
)

// A Reader takes blocks of tuples out of a ring.
type Reader struct {
	Exe   string  // the program's file
	Pid   int     // its process
	Build [8]byte // hash of its site tables

	ring   layout.Ring
	pos    uint64
	tuples []tuple.Tuple // that Next returned
	unmap  func() error
	alive  func(pid int) bool
}

// ErrNotSupported is wrapped by the errors of Open where files cannot be mapped.
var ErrNotSupported = errors.New("rings are read on Unix systems only")

// Open maps a ring. It goes on where a reader before it left off.
func Open(name string) (*Reader, error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file (a program that runs with PEPOPTS=deliver=ring has one, and removes it when it ends)", name)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if uint64(info.Size()) != layout.Size {
		return nil, fmt.Errorf("%s: not a ring: %d bytes, want %d", name, info.Size(), layout.Size)
	}
	p, unmap, err := mapFile(f)
	if err != nil {
		return nil, fmt.Errorf("mapping %s: %w", name, err)
	}
	r, err := newReader(p)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), unmap())
	}
	r.unmap, r.alive = unmap, alive
	return r, nil
}

func newReader(p unsafe.Pointer) (*Reader, error) {
	ring := layout.At(p)
	switch {
	case string(ring.Magic[:]) != layout.Magic:
		return nil, errors.New("not a ring, or one that has just been created")
	case ring.Version != layout.Version || ring.Header.Blocks != layout.Blocks:
		return nil, fmt.Errorf("ring of version %d with %d blocks, this program reads version %d with %d", ring.Version, ring.Header.Blocks, layout.Version, layout.Blocks)
	}
	atomic.StoreUint32(&ring.Attached, 1)
	return &Reader{
		Exe:    string(ring.Exe[:min(ring.ExeLen, uint32(len(ring.Exe)))]),
		Pid:    int(ring.Pid),
		Build:  ring.Build,
		ring:   ring,
		pos:    atomic.LoadUint64(&ring.Head),
		tuples: make([]tuple.Tuple, 0, layout.BlockTuples),
	}, nil
}

// poll is how long Next sleeps while there is nothing to read: a tenth of the
// time in which eight threads that tap every 4 ns fill a ring.
const poll = 100 * time.Microsecond

// Next returns the next block: tuples of one stream, until the next call. It
// waits for one. The error is io.EOF when the program has ended and all has been
// read.
func (r *Reader) Next() (stream uint32, tuples []tuple.Tuple, err error) {
	for idle := 0; ; idle++ {
		ended := atomic.LoadUint32(&r.ring.Closed) != 0 || idle%100 == 99 && !r.alive(r.Pid)
		atomic.AddUint64(&r.ring.Beat, 1)
		b := r.ring.Block(r.pos)
		if atomic.LoadUint64(&b.Seq) == r.pos+1 {
			stream, r.tuples = b.Stream, append(r.tuples[:0], b.Tuples[:min(b.N, layout.BlockTuples)]...)
			atomic.StoreUint64(&b.Seq, r.pos+layout.Blocks)
			r.pos++
			atomic.StoreUint64(&r.ring.Head, r.pos)
			return stream, r.tuples, nil
		}
		if ended {
			return 0, nil, io.EOF
		}
		time.Sleep(poll)
	}
}

// Dropped returns how many events the program has found no room for.
func (r *Reader) Dropped() uint64 { return atomic.LoadUint64(&r.ring.Dropped) }

// Close unmaps the ring. What has not been read stays in it.
func (r *Reader) Close() error { return r.unmap() }
