package taps

import (
	"testing"
	"time"

	"github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/meettest"
	"github.com/pepgo/pep/runtime/pepfile"
)

// While another thread holds the lock of a stream, nobody else feeds its tuples; a snapshot waits.
func TestStreamsThatAreLocked(t *testing.T) {
	finish := startTapping(t, "engine=exact")
	k := &sinks[0]
	s := k.stream
	one := []tuple.Tuple{tuple.New(tuple.Load, 1, 5)}
	s.Lock = pepfile.StreamTaken
	s.Put(one)
	if k.close(0) || len(s.Buffered()) != 1 || s.Fed != 0 || s.Lock != pepfile.StreamTaken {
		t.Errorf("closed: %d tuples are left, %d fed, lock %d", len(s.Buffered()), s.Fed, s.Lock)
	}
	if k.deliver(); s.Fed != 0 || s.Lock != pepfile.StreamTaken {
		t.Errorf("delivered: %d tuples fed, lock %d", s.Fed, s.Lock)
	}
	holdWaits(t, k, &s.Lock)
	var this tapper
	this.tap(1<<56, 7)
	c := counts.Chunk(0)
	c.Lock = 1 // its goroutine is delivering it
	if emptyChunks(); len(c.Left()) != 1 || s.Fed != 0 {
		t.Errorf("%d tuples are left in a chunk that is locked, %d fed", len(c.Left()), s.Fed)
	}
	for range pepfile.ChunkTuples {
		this.tap(1<<56, 7) // the last one finds the chunk full
	}
	if s.Fed != 0 {
		t.Errorf("%d tuples of a full chunk that is locked are fed", s.Fed)
	}
	c.Lock = 0
	if got := finish(); got.Fed != uint64(pepfile.ChunkTuples) {
		t.Errorf("%d tuples fed when all locks are free, want those of a chunk, %d", got.Fed, pepfile.ChunkTuples)
	}
}

// holdWaits checks that a snapshot waits for a lock that is held, and goes on when the lock is free.
func holdWaits(t *testing.T, k *sink, lock *uint32) {
	t.Helper()
	held := false
	waits(t, lock, func() { held = k.hold() })
	if !held || golink.Load32(&k.stream.Lock) != pepfile.StreamSnapshot {
		t.Error("the lock was free, and the snapshot does not hold the stream")
	}
	k.release()
}

// waits checks that do waits for a lock that is held, and frees it.
func waits(t *testing.T, lock *uint32, do func()) {
	t.Helper()
	done := make(chan bool)
	go func() {
		do()
		close(done)
	}()
	select {
	case <-done:
		t.Error("a thread did not wait for the lock")
	case <-time.After(20 * time.Millisecond):
	}
	golink.Store32(lock, 0)
	<-done
}

// While another thread serves, nobody else takes blocks out of the queue.
func TestServiceThatIsLocked(t *testing.T) {
	finish := startTapping(t, "engine=exact,deliver=service")
	golink.Store32(&serviceLock, 1)
	head := golink.Load64(&serviceQueue.head)
	if !serviceQueue.put(0, []tuple.Tuple{tuple.New(tuple.Load, 1, 5)}, 0) {
		t.Fatal("the queue is full")
	}
	if serveOne() || golink.Load64(&serviceQueue.head) != head {
		t.Error("two threads serve")
	}
	holdWaits(t, &sinks[0], &serviceLock)
	if c := finish(); c.Fed != 1 {
		t.Errorf("%d tuples fed, want 1", c.Fed)
	}
}

// A trace is closed once.
func TestTraceThatIsClosed(t *testing.T) {
	tracing = traceFile{}
	CloseTrace(func() (trace.End, []trace.Symbol) {
		t.Error("a trace that is not open is ended")
		return trace.End{}, nil
	})
}

// Goroutines that begin at once have chunks of their own.
func TestThreadsThatMeetAtAChunk(t *testing.T) {
	const rounds = pepfile.MaxChunks / 2
	finish := startTapping(t, "engine=exact")
	for range 10 {
		nchunks = 0
		var chunks [2][rounds]uintptr
		meettest.Threads(rounds, func(thread, i int) { chunks[thread][i] = newChunk() })
		taken := make(map[uintptr]bool)
		for _, c := range append(chunks[0][:], chunks[1][:]...) {
			if c == 0 || taken[c] {
				t.Fatalf("chunk %#x is given out twice, or there is none", c)
			}
			taken[c] = true
		}
		if newChunk() != 0 {
			t.Fatal("there are more chunks than all")
		}
	}
	finish()
}
