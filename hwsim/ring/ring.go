// Package ring reads the events of a program while it runs, from another process. The
// program runs with PEPOPTS=deliver=ring:
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
// There is one reader at a time. With full=block the program waits for the reader, but
// gives up when the reader does nothing for a second; then it drops tuples.
//
// Package runtime/ring has the layout of the ring. To read events later or on another
// machine, record a trace: package hwsim/trace.
package ring

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/pepgo/pep/format/tuple"
	layout "github.com/pepgo/pep/runtime/ring"
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

// Open maps a ring. Reading goes on where the last reader stopped.
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

// poll is how long Next sleeps while there is nothing to read. Eight threads that tap every
// 4 ns fill a ring in ten times that.
const poll = 100 * time.Microsecond

// Next waits for the next block and returns it: tuples of one stream, valid until the next
// call. When the program has ended and everything is read, the error is io.EOF.
func (r *Reader) Next() (stream uint32, tuples []tuple.Tuple, err error) {
	for idle := 0; ; idle++ {
		ended := atomic.LoadUint32(&r.ring.Closed) != 0 || idle%100 == 99 && !r.alive(r.Pid)
		atomic.AddUint64(&r.ring.Beat, 1)
		b := r.ring.Block(r.pos)
		if atomic.LoadUint64(&b.Seq) == r.pos+1 {
			stream, r.tuples = uint32(b.Stream), append(r.tuples[:0], b.Tuples[:min(b.N, layout.BlockTuples)]...)
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

// Dropped returns how many events the program has dropped because the ring was full.
func (r *Reader) Dropped() uint64 { return atomic.LoadUint64(&r.ring.Dropped) }

// Close unmaps the ring. What has not been read stays in it.
func (r *Reader) Close() error { return r.unmap() }
