package core

// This file holds what becomes of full buffers: the two ways of section 2.2 of
// Sastry, Bodik and Smith, "Rapid Profiling via Stratified Sampling", ISCA 2001.
//
//	interrupt  the P feeds its buffer to its engine, and adds the messages to
//	           the table, as the handler of an interrupt would
//	service    the buffer goes into a queue; a goroutine does the rest
//	ring       the buffer goes into a ring that another process reads
//
// Every stream has an engine of its own, which sees the stream's tuples in order
// whichever way they take: so the messages are the same.

import "github.com/pepgo/pep/runtime/tuple"

// Ways of delivery.
const (
	deliverInterrupt = iota
	deliverService
	deliverRing
)

// What is done when a queue or ring is full.
const (
	fullBlock = iota // wait
	fullDrop         // drop the buffer and count what was in it
)

// engineExact is the engine that is none: every tuple is counted.
const engineExact = "exact"

// A sink is what a stream's tuples go to. It is apart from the stream because
// engines are on the heap.
type sink struct {
	engine *engine // nil if every tuple is counted
	trace  []byte  // memory for encoded blocks
}

var sinks [maxStreams]*sink

// openArea makes the table of words. The caller has lockMemory.
func openArea() {
	p := newSection(sectionWords, areaSize)
	if p == nil {
		return
	}
	a := areaAt(p)
	a.Slots = wordSlots
	a.Deliver, a.Full, a.Taps = tapOptions.deliver, tapOptions.full, tapOptions.taps
	if tapOptions.engine == engineExact {
		a.Exact = 1
	}
	a.EngineLen = uint32(copy(a.Engine[:], tapOptions.engine))
	area = a
}

// newStream returns the stream of a P, or nil. The caller has lockMemory.
func newStream(id uint32) *stream {
	if area.areaHeader == nil {
		return nil
	}
	p := newSection(sectionStream, streamSize)
	if p == nil {
		return nil
	}
	s := (*stream)(p)
	s.ID = id
	sinks[id] = &sink{engine: newEngine(id)}
	return s
}

// deliver empties the buffer. It reports whether it did: it does not if the
// buffer is to be kept until there is room for it, for which the caller has
// waited that many ns so far. The P is pinned.
func (s *stream) deliver(waited uint64) bool {
	if !cas32(&s.Lock, 0, 1) {
		s.N = 0 // the program has ended
		return true
	}
	done := true
	switch tuples := s.Buf[:s.N]; area.Deliver {
	case deliverInterrupt:
		s.feed(tuples)
	case deliverService:
		s.enqueue(tuples)
	case deliverRing:
		done = s.send(tuples, waited)
	}
	if done {
		s.N = 0
	}
	store32(&s.Lock, 0)
	return done
}

// feed gives tuples to the engine and its messages to the table, and returns how
// many messages there were.
func (s *stream) feed(tuples []tuple.Tuple) (messages int) {
	k := sinks[s.ID]
	k.traceBlock(s.ID, tuples)
	s.Fed += uint64(len(tuples))
	if k.engine == nil {
		for i := range tuples {
			s.count(tuples[i].PC, tuples[i].W)
		}
		return len(tuples)
	}
	return k.engine.push(tuples)
}

// startTaps lets taps report, as the options say.
func startTaps(opts options) (problem string) {
	if tapOptions.taps == tapsOff {
		return ""
	}
	for i := range streams {
		streams[i] = &noStream
	}
	store32(&tapsEnded, 0)
	if problem := openTrace(); problem != "" {
		return problem
	}
	switch tapOptions.deliver {
	case deliverService:
		openQueue()
		go serve()
	case deliverRing:
		if problem := openRing(); problem != "" {
			return problem
		}
	}
	switch tapOptions.taps {
	case tapsFull:
		store32(&Taps, tapsFull)
	case tapsBurst:
		startBursts(opts)
	}
	return ""
}

// finishTaps feeds what is in buffers and lets engines send what they have kept.
// Other goroutines may go on; what they report from now on is not counted.
func finishTaps() {
	emptyChunks()
	store32(&Taps, tapsOff)
	store32(&tapsEnded, 1)
	stopBursts()
	if area.areaHeader == nil {
		closeTrace()
		return
	}
	if area.Deliver == deliverService {
		stopService()
	}
	for _, s := range streams {
		if s != &noStream && s.close() && area.Deliver != deliverRing {
			if e := sinks[s.ID].engine; e != nil {
				e.flush()
			}
		}
	}
	closeTrace()
	closeRing()
}

// maxWait is how long is waited for somebody who should be about to do what he
// does not.
const maxWait = 1e9 // ns

// close delivers what is left and keeps the lock. It is not ok if another thread
// has it for good.
func (s *stream) close() (ok bool) {
	for waited := uint64(0); !cas32(&s.Lock, 0, 1); waited += pauseTime {
		if waited > maxWait {
			return false
		}
		pause()
	}
	tuples := s.Buf[:min(load32(&s.N), bufTuples)]
	if area.Deliver == deliverRing {
		for waited := uint64(0); !s.send(tuples, waited); waited += pauseTime {
			pause()
		}
	} else {
		s.feed(tuples)
	}
	store32(&s.N, 0)
	return true
}
