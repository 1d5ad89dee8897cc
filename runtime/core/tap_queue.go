package core

// This file delivers tuples to a service: a goroutine of this program, or a reader in
// another process. Both take blocks out of a ring (package ring).

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/ring"
	"github.com/pepgo/pep/runtime/tuple"
)

// handoff is where full buffers go: without a header if they go nowhere. The
// service's is on the heap, kept by handoffMemory.
var (
	handoff       ring.Ring
	handoffMemory []uint64

	serving uint32 // lock: held by the one who takes blocks out
	stopped uint32 // the service is to end
)

// put adds a block. It is not ok if there is no room.
func put(r ring.Ring, stream uint32, tuples []tuple.Tuple) (ok bool) {
	for {
		pos := golink.Load64(&r.Tail)
		b := r.Block(pos)
		switch seq := golink.Load64(&b.Seq); {
		case seq < pos:
			return false
		case seq == pos && golink.Cas64(&r.Tail, pos, pos+1):
			b.Stream, b.N = stream, uint32(copy(b.Tuples[:], tuples))
			b.Time = uint64(golink.Nanotime())
			golink.Add64(&b.Seq, 1)
			return true
		}
	}
}

// enqueue passes tuples to the service. If the queue is full and nothing is to
// be dropped, it does the service's work until it is not: to wait would be to
// wait for a goroutine that may need this P.
func (k *sink) enqueue(tuples []tuple.Tuple) {
	if len(tuples) == 0 {
		return
	}
	for waited := uint64(0); !put(handoff, k.id, tuples); {
		if area.Full == options.FullDrop || waited >= maxWait {
			k.drop(tuples)
			return
		}
		if serveOne() {
			waited = 0
			continue
		}
		// Another thread is at it, pinned to its P. It does not stop before it is done,
		// even if the collector is waiting to stop the world, so we may wait for it
		// anywhere. Once the world is stopped no thread is at it.
		golink.Pause()
		waited += golink.PauseTime
	}
	golink.Add64(&area.Queue.Queued, int64(len(tuples)))
}

// drop counts tuples that there is no room for. Those that told the goroutine may be
// among them.
func (k *sink) drop(tuples []tuple.Tuple) {
	k.stream.Dropped += uint64(len(tuples))
	k.stream.Goroutine = 0
}

func openQueue() {
	handoffMemory = make([]uint64, ring.Size/8)
	handoff = ring.At(unsafe.Pointer(&handoffMemory[0]))
	handoff.Init()
}

// idle is how long the service sleeps when there is nothing to do: a tenth of
// what the queue takes in, from four threads that tap every 4 ns.
const idle = 100_000 // ns

// serve is the service.
func serve() {
	for golink.Load32(&stopped) == 0 {
		for serveOne() {
		}
		golink.Sleep(idle)
	}
}

// serveOne takes a block out of the queue and feeds it to its stream's engine.
// It is not ok if there is none, or somebody else is serving. It is pinned, so
// that whoever waits for the queue waits for one who runs.
func serveOne() (ok bool) {
	golink.ProcPin()
	if !golink.Cas32(&serving, 0, 1) {
		golink.ProcUnpin()
		return false
	}
	pos := handoff.Head
	b := handoff.Block(pos)
	if ok = golink.Load64(&b.Seq) == pos+1; ok {
		start := golink.Nanotime()
		messages := sinks[b.Stream].feed(b.Tuples[:b.N], nil)
		area.Queue.Note(uint64(b.N), uint64(messages), b.Time, uint64(golink.Nanotime()-start))
		golink.Store64(&handoff.Head, pos+1)
		golink.Add64(&b.Seq, ring.Blocks-1)
	}
	golink.Store32(&serving, 0)
	golink.ProcUnpin()
	return ok
}

// stopService does what is left of the service's work. If somebody else is at it,
// it waits until the deadline.
func stopService(deadline int64) {
	golink.Store32(&stopped, 1)
	for golink.Load64(&handoff.Head) != golink.Load64(&handoff.Tail) {
		if !serveOne() {
			if golink.Nanotime() > deadline {
				return
			}
			golink.Pause()
		}
	}
}

// send writes tuples to the ring. It is not ok if there is no room and the caller,
// who has waited so long already, is to wait: a reader is given maxWait to make
// some, unless none has ever come. If the caller may not wait, tuples without
// room are dropped.
func (k *sink) send(tuples []tuple.Tuple, waited uint64, mayWait bool) (ok bool) {
	if len(tuples) == 0 {
		return true
	}
	if put(handoff, k.id, tuples) {
		k.stream.Fed += uint64(len(tuples))
		return true
	}
	if area.Full == options.FullBlock && mayWait && !readerGone() {
		if waited < maxWait {
			return false
		}
		golink.Store64(&lastBeat, golink.Load64(&handoff.Beat)+1)
	}
	k.drop(tuples)
	golink.Add64(&handoff.Dropped, int64(len(tuples)))
	return true
}

// lastBeat is 1 + the reader's beat when it was waited for in vain, or 0.
var lastBeat uint64

// readerGone reports whether the reader has not stirred since it was waited for
// in vain: it is not waited for again.
func readerGone() bool { return golink.Load64(&lastBeat) == golink.Load64(&handoff.Beat)+1 }
