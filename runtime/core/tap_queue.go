package core

// This file delivers tuples to a service: a goroutine of this program, or a reader in
// another process. Both take blocks out of a ring (package ring).

import (
	"unsafe"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/ring"
)

// tupleRing takes full buffers. It has no header if there is no ring. The ring of
// the service is on the heap, where tupleRingMemory keeps it.
var (
	tupleRing       ring.Ring
	tupleRingMemory []uint64

	serviceLock    uint32 // lock: held by the one who takes blocks out
	serviceStopped uint32 // the service is to end
)

// put adds a block of tuples, which have some labels, to a ring. It reports false if there is no
// room.
func put(r ring.Ring, stream uint32, tuples []tuple.Tuple, labels uint32) (ok bool) {
	for {
		pos := golink.Load64(&r.Tail)
		b := r.Block(pos)
		switch seq := golink.Load64(&b.Seq); {
		case seq < pos:
			return false
		case seq == pos && golink.Cas64(&r.Tail, pos, pos+1):
			b.Stream, b.Labels, b.N = uint16(stream), uint16(labels), uint32(copy(b.Tuples[:], tuples))
			b.Time = uint64(golink.Nanotime())
			golink.Add64(&b.Seq, 1)
			return true
		}
	}
}

// enqueue passes tuples to the service. If the queue is full and nothing may be
// dropped, it does the service's work itself until there is room. It must not wait
// for the service, a goroutine that may need this P.
func (k *sink) enqueue(tuples []tuple.Tuple) {
	if len(tuples) == 0 {
		return
	}
	for waiting := (wait{}); !put(tupleRing, k.id, tuples, k.stream.Labels); {
		if wordTable.Full == options.FullDrop || waiting.time() >= maxWait {
			k.drop(tuples)
			return
		}
		if serveOne() {
			waiting = wait{}
			continue
		}
		// Another thread serves, pinned to its P. Even if the collector waits to stop the
		// world, that thread first finishes its block, so waiting for it is safe
		// anywhere. Once the world is stopped, no thread serves.
		waiting.pause()
	}
	golink.Add64(&wordTable.Queue.Queued, int64(len(tuples)))
}

// drop counts tuples that there is no room for. Those that told the goroutine may be
// among them.
func (k *sink) drop(tuples []tuple.Tuple) {
	k.stream.Dropped += uint64(len(tuples))
	k.stream.Goroutine = 0
}

func openQueue() {
	tupleRingMemory = make([]uint64, ring.Size/8)
	tupleRing = ring.At(unsafe.Pointer(&tupleRingMemory[0]))
	tupleRing.Init()
}

// serviceSleep is how long the service sleeps when the queue is empty: a tenth of the
// time in which four threads that tap every 4 ns fill the queue.
const serviceSleep = 100_000 // ns

// serve is the service.
func serve() {
	for golink.Load32(&serviceStopped) == 0 {
		for serveOne() {
		}
		golink.Sleep(serviceSleep)
	}
}

// serveOne takes a block out of the queue and feeds it to its stream's engine. It
// reports false if there is no block, or if another thread serves. It is pinned, so
// a thread that waits for the queue waits for one that runs.
func serveOne() (ok bool) {
	golink.ProcPin()
	if !golink.Cas32(&serviceLock, 0, 1) {
		golink.ProcUnpin()
		return false
	}
	pos := tupleRing.Head
	b := tupleRing.Block(pos)
	if ok = golink.Load64(&b.Seq) == pos+1; ok {
		start := golink.Nanotime()
		messages := sinks[b.Stream].feed(b.Tuples[:b.N], b.Labels, nil)
		wordTable.Queue.Note(uint64(b.N), uint64(messages), b.Time, uint64(golink.Nanotime()-start))
		golink.Store64(&tupleRing.Head, pos+1)
		golink.Add64(&b.Seq, ring.Blocks-1)
	}
	golink.Store32(&serviceLock, 0)
	golink.ProcUnpin()
	return ok
}

// stopService does the rest of the service's work. If another thread serves, it waits
// until the deadline.
func stopService(deadline int64) {
	golink.Store32(&serviceStopped, 1)
	for golink.Load64(&tupleRing.Head) != golink.Load64(&tupleRing.Tail) {
		if !serveOne() {
			if golink.Nanotime() > deadline {
				return
			}
			golink.Pause()
		}
	}
}

// send writes tuples to the ring. It reports false if there is no room and the
// caller, which has waited that many ns already, should wait longer: the reader has
// maxWait to make room. If nobody reads, or the caller may not wait, send drops the
// tuples and counts them.
func (k *sink) send(tuples []tuple.Tuple, waited uint64, mayWait bool) (ok bool) {
	if len(tuples) == 0 {
		return true
	}
	if put(tupleRing, k.id, tuples, k.stream.Labels) {
		k.stream.Fed += uint64(len(tuples))
		return true
	}
	if wordTable.Full == options.FullBlock && mayWait && !readerGone() {
		if waited < maxWait {
			return false
		}
		golink.Store64(&lastBeat, golink.Load64(&tupleRing.Beat)+1)
	}
	k.drop(tuples)
	golink.Add64(&tupleRing.Dropped, int64(len(tuples)))
	return true
}

// lastBeat is 1 + the beat of the reader at the end of the last wait for it that was in
// vain, or 0 if no wait was.
var lastBeat uint64

// readerGone reports whether the reader has done nothing since a thread waited for
// it in vain. Then no thread waits for it again.
func readerGone() bool { return golink.Load64(&lastBeat) == golink.Load64(&tupleRing.Beat)+1 }
