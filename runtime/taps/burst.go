package taps

// This file records taps in bursts: after a tick, all events of a window of time are
// counted, and SAMPLES of them, drawn at random, are recorded. Then taps are silent until
// the next burst.
//
// Nobody counts events between bursts, so their number is estimated. Ticks come at equal
// distances of CPU time, whatever the program does. So each window stands for the time
// between its tick and the tick of the window before, and events are as frequent in that time as
// they are in the window. For example, 500 events in a window of 100 us that stands for
// 20 ms count for 100,000, and each of its 50 samples for 2,000. In another window
// 10,000 events count for 2,000,000, and each of its 50 samples for 40,000. So frequent
// events and rare ones have the right proportion, although there are as many samples of
// both.
//
// What the time in a window is:
//
//   - A burst begins with warmUp, whose events do not count. In programs built for bursts
//     a thread executes clones only when it next enters a function or loop, and then with
//     cold caches and predictors of branches: code that is executed for 0.1 ms every 20 ms. docs/decisions/0009-full-duplication.md
//     has what windows see after 50 us and after 500 us.
//   - The window ends after a time that is fixed before it begins, or earlier if it has
//     maxEvents events. It never lasts longer than a tick.
//   - Only time counts that the program would need without the burst. What MakeRoom takes in
//     the window is measured. What it does not measure itself, and what taps take in
//     programs that have none outside of bursts, a loop measures after each window
//     (cost.go). A tap in the program may take twice as long as one in the loop, because
//     the compiler stores and loads registers around it, or nothing at all, because the
//     processor executes it beside what surrounds it. In five programs it took 0.3 to 1.5 times
//     as long. The estimate takes tapTime times the loop's time. So a count has slack: how
//     much it changes if taps take nothing, or mostTapTime times the loop's time. The slack is
//     large if the program takes less than some ns between two taps.
//
// Events come a chunk at a time. If the chunks of the window's threads are delivered often,
// the window begins and ends with a delivery. If they are not, it begins and ends by the clock,
// and chunks that are delivered in it count. They have events from before the
// window, as the chunks that are delivered after it have some of the window. On average these are
// as many. So that there are few, a chunk has room for the events of chunkTime
// only (roomFor).
//
// The variance of an estimate comes from the differences between windows: see package
// weigh. It is too high rather than too low for programs that do one thing after another,
// for windows are spread evenly over time.

import (
	"math/bits"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/sys"
)

const (
	warmUp        = 500_000   // ns of CPU time
	minWindow     = 100_000   // ns
	maxWindow     = 4_000_000 // ns
	fewEvents     = 32        // a window with fewer makes the next one twice as long
	manyEvents    = 1024      // one with more makes the next one half as long
	maxEvents     = 1 << 14   // of a window
	maxSamples    = 4096      // of a window
	clockInterval = 8_000     // ns: a system call for every chunk would take longer than to fill the chunk
	often         = 2 * clockInterval
	chunkTime     = 4_000   // ns
	longRoom      = 200_000 // ns: if MakeRoom takes longer, something else had the processor
	usualRoom     = 1_000   // ns: MakeRoom takes about that
	roomDoubt     = 1. / 3  // how wrong perRoom may be, as a part of it
	tapTime       = 1.25    // a tap in the program, as a multiple of one in the loop that measures taps
	mostTapTime   = 2       // at most
	leastShare    = 16      // a window is taken to have at least this part of its time as program time
)

// Phases of a window.
const (
	windowWarm = iota
	windowOpen
	windowClosed
)

// A sample is what a tap has reported at once.
type sample struct {
	n      int
	labels uint16 // as in pepfile.WordKey
	tuples [tuple.MaxWords]tuple.Tuple
}

// A window is the current burst, as the threads see it that deliver events. The holder
// of lock may use it; it is pinned.
type window struct {
	lock   uint32
	phase  uint32
	tick   uint64 // CPU time of its tick
	before uint64 // and of the tick of the window before
	opened uint64 // CPU time
	length uint64 // ns: when to end
	last   uint64 // CPU time of the last delivery of the burst, 0 before the first
	own    uint64 // ns that MakeRoom took since opened
	rooms  uint64 // how often MakeRoom was called since opened
	events uint64 // tuples since opened
	now    uint64 // CPU time when it was last looked at
	looked uint64 // time of that, 0 to look again

	samples  []sample // as many as were asked for; the first ones have samples
	reported uint64   // samples since opened
	left     uint32   // how many the engine or the trace still gets
	random   uint64

	found foundWords
}

// current is the window of this program.
var current window

func startBursts(samples uint32) {
	bursts = pepfile.Burst{}
	samples = min(samples, maxSamples)
	current = window{
		phase: windowClosed, length: minWindow, random: golink.Random() | 1,
		samples: make([]sample, samples), found: newFound(int(samples) * tuple.MaxWords),
	}
	trial = window{random: 1, samples: make([]sample, samples)}
	if chunkBase != 0 {
		chunkRooms = make([]chunkRoom, pepfile.MaxChunks)
	}
}

// recordInBurst gives the tuples of a chunk to the current window. Its caller has entered
// core at a time. It returns since when the time that core takes counts as the
// window's, 0 if it does not count.
func recordInBurst(entered uint64, origin pepfile.Origin, tuples []tuple.Tuple) (since uint64) {
	if golink.Pin() < 0 { // no P: the stack of a thread has no room for what follows
		golink.Unpin()
		drop(len(tuples))
		return 0
	}
	w := &current
	for !golink.Cas32(&w.lock, 0, 1) {
		if golink.Load32(mode) == options.TapsOff {
			golink.Unpin()
			return 0
		}
		golink.Pause()
	}
	w.look(entered)
	w.turn()
	counted, stream := tuples, 0
	if w.phase == windowWarm && w.now >= w.warm() {
		w.open()
		if w.opened == w.now {
			counted, entered = nil, w.looked // its first event is yet to come
		}
	}
	if w.phase == windowOpen {
		since = entered
		if streaming() {
			stream = w.streamed(counted)
		}
		if w.deliver(entered, counted, origin.Labels()) {
			w.close()
			since = 0
		}
	}
	w.last = w.now
	golink.Store32(&w.lock, 0)
	golink.Unpin()
	if stream > 0 {
		record(origin, tuples[:stream], nil)
	}
	return since
}

// look looks at the clock, unless it has just done so.
func (w *window) look(now uint64) {
	if now-w.looked >= clockInterval {
		w.now, w.looked = sys.CPUTime(), now
	}
}

// turn closes the window if its burst is over, and begins that of the current burst.
func (w *window) turn() {
	tick, before := golink.Load64(&bursts.Tick), golink.Load64(&bursts.Before)
	if w.tick == tick || before >= tick { // before is tick while a handler changes both
		return
	}
	w.close()
	w.tick, w.before, w.phase, w.last = tick, before, windowWarm, 0
}

// warm returns when the warm-up ends. It takes an eighth of the time between windows at most, so
// that a window has time before the next tick.
func (w *window) warm() uint64 { return w.tick + min(warmUp, (w.tick-w.before)/8) }

// open begins to count: with this delivery if deliveries are frequent, otherwise at the
// end of the warm-up.
func (w *window) open() {
	w.phase = windowOpen
	w.opened = w.warm()
	if w.frequent() {
		w.now, w.looked = sys.CPUTime(), uint64(golink.Nanotime())
		w.opened = w.now
	}
	w.own, w.rooms, w.events, w.reported, w.left = 0, 0, 0, 0, uint32(len(w.samples))
}

// frequent reports whether the delivery before was in the same burst and a short time
// ago.
func (w *window) frequent() bool { return w.last != 0 && w.now-w.last <= often }

// end returns when the window ends at the latest.
func (w *window) end() uint64 {
	end := w.opened + w.length
	if until := golink.Load64(&bursts.Until); until > w.tick {
		end = min(end, until)
	}
	return end
}

// deliver counts tuples of goroutines with some labels in the open window, and reports whether the
// window is to be closed.
func (w *window) deliver(entered uint64, tuples []tuple.Tuple, labels uint16) (closing bool) {
	over := w.now >= w.end()
	if over && !w.frequent() {
		return true
	}
	w.take(tuples, labels)
	w.rooms++
	if !over && w.events < maxEvents {
		return false
	}
	// The window ends with this delivery.
	w.spend(entered, uint64(golink.Nanotime()))
	w.now, w.looked = sys.CPUTime(), uint64(golink.Nanotime())
	w.length = w.now - w.opened
	return true
}

// spend counts the time that MakeRoom took. If it took long, something else had the
// processor meanwhile, and MakeRoom took as long as usual.
func (w *window) spend(entered, now uint64) {
	took := now - entered
	if took > longRoom {
		took = usualRoom
	}
	golink.Add64(&w.own, int64(took))
}

// take counts tuples, and keeps SAMPLES of all samples since the window was opened, each
// set of so many with the same probability: the n-th replaces one of them with the
// probability SAMPLES/n. (Vitter, "Random Sampling with a Reservoir", TOMS 1985,
// algorithm R.)
func (w *window) take(tuples []tuple.Tuple, labels uint16) {
	reported, random := w.reported, w.random
	for len(tuples) > 0 {
		n := 1
		for n < len(tuples) && tuples[n].Tag().Further() > 0 {
			n++
		}
		words := tuples[:n]
		tuples = tuples[n:]
		if words[0].PC == tuple.GoroutinePC {
			continue
		}
		w.events += uint64(n)
		i := reported
		reported++
		if i >= uint64(len(w.samples)) {
			random *= multiplier
			if i, _ = bits.Mul64(random, reported); i >= uint64(len(w.samples)) {
				continue
			}
		}
		s := &w.samples[i]
		s.n, s.labels = copy(s.tuples[:], words), labels
	}
	w.reported, w.random = reported, random
}

// multiplier is that of a congruential generator of random numbers, of which the upper bits are
// used. (Steele and Vigna, "Computationally easy, spectrally good multipliers", 2021.)
const multiplier = 0xd1342543de82ef95

// streamed returns how many of the tuples the engine or the trace gets: SAMPLES
// samples of each window.
func (w *window) streamed(tuples []tuple.Tuple) (n int) {
	for n < len(tuples) && w.left > 0 {
		if tuples[n].PC != tuple.GoroutinePC {
			w.left--
		}
		n += tuple.SampleLen(tuples[n:])
	}
	return n
}

// streaming reports whether something takes events in order: an engine or a trace.
func streaming() bool {
	return wordTable.Exact == 0 || settings.Trace != ""
}

// close ends the window and records its samples.
func (w *window) close() {
	if w.phase == windowOpen {
		w.fold(w.end() - w.opened)
		w.resize()
	}
	w.phase = windowClosed
	if golink.Load64(&bursts.Tick) == w.tick {
		golink.Store32(mode, options.TapsOff)
		if golink.Load64(&bursts.Tick) != w.tick { // a tick has just come
			golink.Store32(mode, options.TapsBurst)
		}
	}
}

// resize sets the length of the next window. So where taps are rare, a window lasts longer.
func (w *window) resize() {
	w.length = max(minWindow, w.length)
	switch {
	case w.events < fewEvents:
		w.length = min(2*w.length, maxWindow)
	case w.events > manyEvents:
		w.length = max(w.length/2, minWindow)
	}
}

func stopBursts() {
	if settings.Taps != options.TapsBurst {
		return
	}
	w := &current
	deadline := golink.Nanotime() + finishWait
	for !golink.Cas32(&w.lock, 0, 1) {
		if golink.Nanotime() > deadline {
			return
		}
		golink.Pause()
	}
	now := sys.CPUTime()
	if w.phase == windowOpen && w.now < now && w.end() > now {
		w.length = now - w.opened
	}
	w.close()
	golink.Store64(&bursts.CPU, now)
	noteBursts()
	// The lock is held for good.
}

// noteBursts copies the numbers to where readers of the file find them.
func noteBursts() {
	if wordTable.WordsHeader != nil {
		wordTable.Burst = bursts
	}
}
