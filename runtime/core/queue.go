package core

// This file holds delivery to a service: a goroutine of this program, or a
// reader in another process. Both take blocks out of a ring.

import (
	"unsafe"

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
		pos := load64(&r.Tail)
		b := r.Block(pos)
		switch seq := load64(&b.Seq); {
		case seq < pos:
			return false
		case seq == pos && cas64(&r.Tail, pos, pos+1):
			b.Stream, b.N = stream, uint32(copy(b.Tuples[:], tuples))
			b.Time = uint64(nanotime())
			add64(&b.Seq, 1)
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
		if area.Full == fullDrop || waited >= maxWait {
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
		pause()
		waited += pauseTime
	}
	add64(&area.Queue.Queued, int64(len(tuples)))
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
	for load32(&stopped) == 0 {
		for serveOne() {
		}
		sleep(idle)
	}
}

// serveOne takes a block out of the queue and feeds it to its stream's engine.
// It is not ok if there is none, or somebody else is serving. It is pinned, so
// that whoever waits for the queue waits for one who runs.
func serveOne() (ok bool) {
	procPin()
	if !cas32(&serving, 0, 1) {
		procUnpin()
		return false
	}
	pos := handoff.Head
	b := handoff.Block(pos)
	if ok = load64(&b.Seq) == pos+1; ok {
		start := nanotime()
		messages := sinks[b.Stream].feed(b.Tuples[:b.N], nil)
		area.Queue.served(uint64(b.N), uint64(messages), b.Time, uint64(nanotime()-start))
		store64(&handoff.Head, pos+1)
		add64(&b.Seq, ring.Blocks-1)
	}
	store32(&serving, 0)
	procUnpin()
	return ok
}

// stopService does what is left of the service's work. If somebody else is at it,
// it waits until the deadline.
func stopService(deadline int64) {
	store32(&stopped, 1)
	for load64(&handoff.Head) != load64(&handoff.Tail) {
		if !serveOne() {
			if nanotime() > deadline {
				return
			}
			pause()
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
	if area.Full == fullBlock && mayWait && !readerGone() {
		if waited < maxWait {
			return false
		}
		store64(&lastBeat, load64(&handoff.Beat)+1)
	}
	k.drop(tuples)
	add64(&handoff.Dropped, int64(len(tuples)))
	return true
}

// lastBeat is 1 + the reader's beat when it was waited for in vain, or 0.
var lastBeat uint64

// readerGone reports whether the reader has not stirred since it was waited for
// in vain: it is not waited for again.
func readerGone() bool { return load64(&lastBeat) == load64(&handoff.Beat)+1 }

// A gauge measures the service: times between messages, which must exceed the
// time that one takes (section 2.2 of the paper). The messages of a block count
// as spread evenly over the time since the block before.
type gauge struct {
	Queued   uint64 // events that went into the queue
	Served   uint64 // and came out
	Messages uint64
	Busy     uint64 // ns spent on them
	Last     uint64 // time of the last block
	MinGap   uint64 // ns; 0 if there is none yet
	Gaps     [gapBuckets]uint64
}

// served notes a block. The gaps are counted by the octave and quarter that they
// are in; a bucket is so 19 to 25 % wide.
func (g *gauge) served(events, messages, at, busy uint64) {
	g.Served += events
	g.Messages += messages
	g.Busy += busy
	if g.Last != 0 && messages > 0 && at > g.Last {
		gap := max((at-g.Last)/messages, 1)
		if g.MinGap == 0 || gap < g.MinGap {
			g.MinGap = gap
		}
		g.Gaps[gapBucket(gap)] += messages
	}
	g.Last = max(g.Last, at)
}

const gapBuckets = 4 * 48

func gapBucket(gap uint64) int {
	octave := 0
	for gap>>octave >= 8 {
		octave++
	}
	return min(4*octave+int(gap>>octave), gapBuckets-1) // gap>>octave is 4 … 7 but for small gaps
}

// bucketGap returns the least gap in a bucket.
func bucketGap(i int) uint64 {
	if i < 8 {
		return uint64(i)
	}
	octave := (i - 4) / 4
	return uint64(i-4*octave) << octave
}

// p1 returns the gap that one message in a hundred was below.
func (g *gauge) p1() uint64 {
	var all, below uint64
	for _, n := range g.Gaps {
		all += n
	}
	for i, n := range g.Gaps {
		if below += n; below*100 >= all {
			return bucketGap(i)
		}
	}
	return 0
}
