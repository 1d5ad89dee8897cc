package taps

// This file delivers tuples to the service, a goroutine of this program.

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
)

// queueBlocks is how many blocks the queue has: 4 MB.
const queueBlocks = 256

// A queue is a bounded queue of full buffers with many writers and one reader (D. Vyukov's,
// with a sequence number in each block). Positions count blocks from 0 on; the block of
// position p is the one with the index p % queueBlocks. It may be
//
//	written for p  when its seq is p: a writer that has taken p, by adding 1 to
//	               tail where it found p, fills it and then sets seq to p+1
//	read for p     when its seq is p+1: then seq becomes p+queueBlocks and head p+1
//
// For example, with 256 blocks, a writer finds tail 300. Block 300 % 256 = 44 has seq
// 300, so it is free. The writer sets tail to 301, fills the block, and sets its seq to
// 301. The reader, whose head is 300, sees 301 = 300+1, reads the block, and sets its
// seq to 556 = 300+256, the position of the next block that goes there.
type queue struct {
	tail   uint64 // position of the next block to be written
	_      [56]byte
	head   uint64 // position of the next block to be read
	_      [56]byte
	blocks [queueBlocks]queueBlock
}

// A queueBlock is a buffer of one stream. Blocks of a stream are in order.
type queueBlock struct {
	seq    uint64
	time   uint64 // ns of the monotonic clock when it was written
	stream uint16
	labels uint16 // the number of the labels of the tuples
	n      uint32
	tuples [pepfile.BufTuples]tuple.Tuple
}

func newQueue() *queue {
	q := new(queue)
	for i := range q.blocks {
		q.blocks[i].seq = uint64(i)
	}
	return q
}

func (q *queue) block(pos uint64) *queueBlock { return &q.blocks[pos%queueBlocks] }

// put adds a block of tuples, which have some labels. It reports false if there is no space.
func (q *queue) put(stream uint32, tuples []tuple.Tuple, labels uint32) (ok bool) {
	for {
		pos := golink.Load64(&q.tail)
		b := q.block(pos)
		switch seq := golink.Load64(&b.seq); {
		case seq < pos:
			return false
		case seq == pos && golink.Cas64(&q.tail, pos, pos+1):
			b.stream, b.labels, b.n = uint16(stream), uint16(labels), uint32(copy(b.tuples[:], tuples))
			b.time = uint64(golink.Nanotime())
			golink.Add64(&b.seq, 1)
			return true
		}
	}
}

var (
	serviceQueue   *queue // nil if there is no service
	serviceLock    uint32 // lock: held by the one who takes blocks out
	serviceStopped uint32 // the service is to end
)

// enqueue passes tuples to the service. If the queue is full and nothing may be
// dropped, it does the service's work itself until there is space. It must not wait
// for the service, a goroutine that may need this P.
func (k *sink) enqueue(tuples []tuple.Tuple) {
	if len(tuples) == 0 {
		return
	}
	for waiting := (wait{}); !serviceQueue.put(k.id, tuples, k.stream.Labels); {
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

// drop counts tuples that there is no space for. Those that told the goroutine may be
// among them.
func (k *sink) drop(tuples []tuple.Tuple) {
	k.stream.Dropped += uint64(len(tuples))
	k.stream.Goroutine = 0
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
	pos := serviceQueue.head
	b := serviceQueue.block(pos)
	if ok = golink.Load64(&b.seq) == pos+1; ok {
		start := golink.Nanotime()
		messages := sinks[b.stream].feed(b.tuples[:b.n], b.labels, nil)
		wordTable.Queue.Note(uint64(b.n), uint64(messages), b.time, uint64(golink.Nanotime()-start))
		golink.Store64(&serviceQueue.head, pos+1)
		golink.Add64(&b.seq, queueBlocks-1)
	}
	golink.Store32(&serviceLock, 0)
	golink.ProcUnpin()
	return ok
}

// stopService does the rest of the service's work. If another thread serves, it waits
// until the deadline.
func stopService(deadline int64) {
	golink.Store32(&serviceStopped, 1)
	for golink.Load64(&serviceQueue.head) != golink.Load64(&serviceQueue.tail) {
		if !serveOne() {
			if golink.Nanotime() > deadline {
				return
			}
			golink.Pause()
		}
	}
}

// A wait is a thread that waits. It looks at the clock, because a pause may take several times
// as long as it should.
type wait struct{ began int64 }

// time returns how long the wait has lasted, in ns; 0 before the first pause.
func (w *wait) time() uint64 {
	if w.began == 0 {
		return 0
	}
	return uint64(golink.Nanotime() - w.began)
}

func (w *wait) pause() {
	if w.began == 0 {
		w.began = golink.Nanotime()
	}
	golink.Pause()
}
