package core

// This file empties full buffers. There are two ways in section 2.2 of Sastry, Bodik
// and Smith, "Rapid Profiling via Stratified Sampling", ISCA 2001, and a third one:
//
//	interrupt  the P feeds its buffer to its engine, and adds the messages to
//	           the table, as the handler of an interrupt would
//	service    the buffer goes into a queue; a goroutine does the rest
//	ring       the buffer goes into a ring that another process reads
//
// Every stream has an engine of its own, which sees the stream's tuples in order,
// whichever way they take. So the messages are the same.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/trace"
	"github.com/pepgo/pep/runtime/tuple"
)

// A sink is a stream, and what its tuples go to. It is apart from the stream
// because engines are on the heap.
type sink struct {
	id     uint32
	used   bool // something was recorded
	stream *pepfile.Stream
	engine *engine // nil if every tuple is counted
	trace  []byte  // memory for an encoded block
}

// sinks are those of the Ps, with all the memory that they will ever need.
var sinks []sink

// step is how many tuples are counted at a time: a program that is killed while
// it counts them may have counted some of them and not say so.
const step = 64

// openSinks makes the engines.
func openSinks() {
	area = counts.Words()
	if area.WordsHeader == nil {
		return
	}
	a := area
	a.Deliver, a.Full, a.Taps = tapOptions.Deliver, tapOptions.Full, tapOptions.Taps
	if tapOptions.Engine == options.EngineExact {
		a.Exact = 1
	}
	a.EngineLen = uint32(copy(a.Engine[:], tapOptions.Engine))
	sinks = make([]sink, counts.Streams)
	for i := range sinks {
		k := &sinks[i]
		k.id, k.stream = uint32(i), counts.Stream(uint32(i))
		k.engine = newEngine(k.id)
		if tapOptions.Trace != "" {
			k.trace = make([]byte, 0, trace.BlockBytes(pepfile.BufTuples))
		}
	}
}

// deliver empties the buffer. It reports whether it did: it does not if the
// buffer is to be kept until there is room for it, for which the caller has
// waited that many ns so far. The P is pinned.
func (k *sink) deliver(waited uint64) bool {
	s := k.stream
	for !golink.Cas32(&s.Lock, pepfile.StreamFree, pepfile.StreamTaken) {
		if golink.Load32(&s.Lock) == pepfile.StreamTaken {
			s.Empty() // the program has ended
			return true
		}
		golink.Pause() // another thread takes a snapshot, pinned
	}
	done := true
	switch tuples := s.Buffered(); area.Deliver {
	case options.DeliverInterrupt:
		k.feed(tuples, &s.Done)
	case options.DeliverService:
		k.enqueue(tuples)
	case options.DeliverRing:
		done = k.send(tuples, waited, golink.MayWait())
	}
	if done {
		s.Empty()
	}
	golink.Store32(&s.Lock, pepfile.StreamFree)
	return done
}

// feed gives tuples to the engine and its messages to the table, and returns how
// many messages there were. It counts the tuples it is done with in done, if that
// is not nil.
func (k *sink) feed(tuples []tuple.Tuple, done *uint32) (messages int) {
	s := k.stream
	k.traceBlock(tuples)
	if k.engine == nil {
		messages = len(tuples)
	}
	for len(tuples) > 0 {
		n := len(tuples)
		if k.engine == nil {
			n = min(n, step)
			for i := range tuples[:n] {
				if !options.TellGoroutines || tuples[i].PC != goroutinePC {
					countWord(s, tuples[i].PC, tuples[i].W)
				}
			}
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

// startTaps lets taps report, as the options say.
func startTaps(opts options.Options) (problem string) {
	if tapOptions.Taps == options.TapsOff {
		return ""
	}
	if options.TellGoroutines {
		golink.TellGoroutines(goroutinePC)
	}
	openSinks()
	if problem := openTrace(); problem != "" {
		return problem
	}
	switch tapOptions.Deliver {
	case options.DeliverService:
		openQueue()
		go serve()
	case options.DeliverRing:
		if problem := openRing(); problem != "" {
			return problem
		}
	}
	switch tapOptions.Taps {
	case options.TapsFull:
		golink.Store32(&Taps, options.TapsFull)
	case options.TapsBurst:
		startBursts(opts)
	}
	return ""
}

// finishTaps feeds what is in buffers and lets engines send what they have kept.
// Other goroutines may go on; what they report from now on is not counted.
func finishTaps() {
	if area.WordsHeader != nil && golink.Load32(&detached) == 0 {
		emptyChunks()
		golink.Store32(&Taps, options.TapsOff)
		stopBursts()
		deadline := golink.Nanotime() + finishWait
		if area.Deliver == options.DeliverService {
			stopService(deadline)
		}
		var left []*engine
		for i := range sinks {
			if k := &sinks[i]; k.used && k.close(deadline) && k.engine != nil && area.Deliver != options.DeliverRing {
				left = append(left, k.engine)
			}
		}
		flushEngines(left)
	}
}

// maxWait is how long is waited for somebody who should be about to do what he
// does not.
const maxWait = 1e9 // ns

// finishWait is how long the end of the program is put off for threads that
// should be about to do something. They are pinned, and so wait for nothing but a
// processor; on a machine with ten times as many threads that run as processors
// that took more than 100 ms.
const finishWait = 1e9 // ns

// close delivers what is left and keeps the lock. It is not ok if another thread
// has it until the deadline.
func (k *sink) close(deadline int64) (ok bool) {
	s := k.stream
	for !golink.Cas32(&s.Lock, pepfile.StreamFree, pepfile.StreamTaken) {
		if golink.Nanotime() > deadline {
			return false
		}
		golink.Pause()
	}
	if tuples := s.Buffered(); area.Deliver == options.DeliverRing {
		for start := golink.Nanotime(); !k.send(tuples, uint64(golink.Nanotime()-start), true); {
			golink.Pause()
		}
	} else {
		k.feed(tuples, nil)
	}
	s.Empty()
	return true
}
