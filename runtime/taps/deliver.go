package taps

// This file empties full buffers. There are two ways in section 2.2 of Sastry, Bodik
// and Smith, "Rapid Profiling via Stratified Sampling", ISCA 2001:
//
//	interrupt  the P feeds its buffer to its engine, and adds the messages to
//	           the table, as the handler of an interrupt would
//	service    the buffer goes into a queue; a goroutine does the rest
//
// Every stream has an engine of its own, which sees the stream's tuples in order,
// whichever way they take. So the messages are the same.

import (
	"github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
)

// A sink is a stream and the engine that its tuples go to. The stream is in the .pep
// file, and the engine on the heap.
type sink struct {
	id     uint32
	used   bool // something was recorded
	stream *pepfile.Stream
	engine *engine // nil if every tuple is counted
	trace  []byte  // memory for an encoded block
}

// sinks are those of the Ps, with all the memory that they will ever need.
var sinks []sink

// openSinks makes the engines.
func openSinks() {
	wordTable = counts.Words()
	if wordTable.WordsHeader == nil {
		return
	}
	a := wordTable
	a.Deliver, a.Full = settings.Deliver, settings.Full
	if settings.Engine == options.EngineExact {
		a.Exact = 1
	}
	tellLabels = a.Exact != 0 && offsetFits
	a.Rate = engineRate()
	a.EngineLen = uint32(copy(a.Engine[:], settings.Engine))
	sinks = make([]sink, counts.Streams)
	for i := range sinks {
		k := &sinks[i]
		k.id, k.stream = uint32(i), counts.Stream(uint32(i))
		k.engine = newEngine(k.id)
		if settings.Trace != "" {
			k.trace = make([]byte, 0, trace.BlockBytes(pepfile.BufTuples))
		}
	}
}

// deliver empties the buffer. The P is pinned.
func (k *sink) deliver() {
	s := k.stream
	for !golink.Cas32(&s.Lock, pepfile.StreamFree, pepfile.StreamTaken) {
		if golink.Load32(&s.Lock) == pepfile.StreamTaken {
			s.Empty() // the program has ended
			return
		}
		golink.Pause() // another thread takes a snapshot, pinned
	}
	if tuples := s.Buffered(); wordTable.Deliver == options.DeliverService {
		k.enqueue(tuples)
	} else {
		k.feed(tuples, uint16(s.Labels), &s.Done)
	}
	s.Empty()
	golink.Store32(&s.Lock, pepfile.StreamFree)
}

// feed gives tuples, which have some labels, to the engine and the engine's messages to the
// table, and returns the number of messages. It adds the number of tuples that it is done with to
// *done, if done is not nil.
func (k *sink) feed(tuples []tuple.Tuple, labels uint16, done *uint32) (messages int) {
	s := k.stream
	k.traceBlock(tuples)
	if k.engine == nil {
		messages = len(tuples)
	}
	for len(tuples) > 0 {
		n := len(tuples)
		if k.engine == nil {
			n = min(n, pepfile.FeedStep)
			countWords(s, tuples[:n], labels)
		} else {
			messages = k.engine.push(tuples)
		}
		tuples = tuples[n:]
		s.Fed += uint64(n)
		if done != nil {
			*done += uint32(n)
		}
	}
	return messages
}

// maxWait is how long a thread waits for another thread to make space.
const maxWait = 1e9 // ns

// finishWait is how long the end of the program waits for threads that are in the
// middle of delivering. They are pinned, so they wait for nothing but a processor. On
// a machine with ten times as many running threads as processors that took more than
// 100 ms.
const finishWait = 1e9 // ns

// close delivers the rest of the buffer and keeps the lock. It reports false if
// another thread holds the lock until the deadline.
func (k *sink) close(deadline int64) (ok bool) {
	s := k.stream
	for !golink.Cas32(&s.Lock, pepfile.StreamFree, pepfile.StreamTaken) {
		if golink.Nanotime() > deadline {
			return false
		}
		golink.Pause()
	}
	k.feed(s.Buffered(), uint16(s.Labels), nil)
	s.Empty()
	return true
}
