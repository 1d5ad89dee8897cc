package core

// This file holds taps in bursts: after a tick SAMPLES of them are recorded, with
// STRIDE as for paths (sampler.go), and none until the next burst.
//
// How many events there were in all is not known then, for nobody counts those
// between bursts. It is estimated: with every burst begins a window of CPU time, of
// a length that is settled before. Ticks have nothing to do with what the program
// does, so the share of CPU time that is in windows is the share of events that
// are. What tapping itself takes of a window, a few ns for each event, is measured
// when the program starts, and left out.

import "github.com/pepgo/pep/runtime/tuple"

// A burst is what is known of the events in bursts.
type burst struct {
	sampler
	Seen   uint64 // events in windows
	Inside uint64 // ns of CPU time in windows
	CPU    uint64 // ns of CPU time from the start of the program to the last window's end
	Cost   uint64 // ps that an event takes because it is tapped

	Now    uint64 // CPU time when it was last looked at
	Looked uint64 // time of that, 0 to look again
	Began  uint64 // CPU time when this window began; 0 outside
	Length uint64 // ns of CPU time of this window
	Here   uint64 // events in this window
}

// Windows are as long as they must be to have events in them: where taps are rare,
// a window goes on over many ticks.
const (
	minWindow = 100_000       // ns
	maxWindow = 1_000_000_000 // ns
	enough    = 64 * uint64(chunkTuples)
)

// bursts is that of this program; its counts become area's at the end of each
// burst. It is apart because the tick comes before the first tap.
var bursts burst

// tapsTurn reports whether the tick that has come is for taps. Bursts of taps and
// of paths take turns: the time that a burst of paths takes, nearly all of it in
// faults, would be taken for time of a burst of taps.
func tapsTurn() bool {
	return tapOptions.taps == tapsBurst && (mode == modeExact || load64(&bursts.Ticks) < load64(&counts.Ticks))
}

func startBursts(opts options) {
	bursts = burst{sampler: sampler{Samples: opts.samples, Stride: opts.stride, Form: opts.form}, Length: minWindow, Cost: tapCost()}
}

// tickTaps starts a burst, at a CPU time. It is called in a signal handler, where
// there are some.
func tickTaps(now uint64) {
	action := bursts.tick()
	if began := load64(&bursts.Began); began == 0 || now-began >= bursts.Length {
		bursts.endWindow(began, bursts.Length)
		store64(&bursts.Began, now)
		store64(&bursts.Looked, 0)
	}
	if action == actArm {
		store32(&Taps, tapsBurst)
	}
}

// recordInBurst records those of the tuples that are due. A goroutine passes its
// tuples on a chunk at a time, and they count as events of that time: on average
// what it has tapped before the window began makes up for what is in its chunk
// when the window ends.
func recordInBurst(goroutine uint64, tuples []tuple.Tuple) {
	now, began := bursts.now(), load64(&bursts.Began)
	open := began != 0 && now-began < bursts.Length
	if open {
		add64(&bursts.Here, int64(len(tuples)))
	}
	for len(tuples) > 0 && !bursts.idle() {
		n := sampleLen(tuples)
		if tuples[0].PC == goroutinePC {
			goroutine = tuples[0].W
		} else if take, _ := bursts.poll(); take {
			record(goroutine, tuples[:n], nil)
		}
		tuples = tuples[n:]
	}
	if open {
		return
	}
	bursts.endWindow(began, bursts.Length)
	if bursts.idle() {
		store32(&Taps, tapsOff)
		if !bursts.idle() || load64(&bursts.Began) != 0 { // a tick has just come
			store32(&Taps, tapsBurst)
		}
	}
	store64(&bursts.CPU, now)
	if area.areaHeader != nil {
		area.Burst = bursts
	}
}

// now returns the CPU time. To look at it for every chunk would take longer than to
// fill one.
func (b *burst) now() uint64 {
	const often = minWindow / 16
	if t := uint64(nanotime()); t-load64(&b.Looked) >= often {
		store64(&b.Now, cpuTime())
		store64(&b.Looked, t)
	}
	return load64(&b.Now)
}

// endWindow ends the window that began at a time, after some ns, if there is one.
func (b *burst) endWindow(began, length uint64) {
	if began == 0 || !cas64(&b.Began, began, 0) {
		return
	}
	here := load64(&b.Here)
	store64(&b.Here, 0)
	add64(&b.Seen, int64(here))
	add64(&b.Inside, int64(length))
	switch {
	case here == 0 && b.Length < maxWindow:
		b.Length *= 2
	case here > enough && b.Length > minWindow:
		b.Length /= 2
	}
}

func stopBursts() {
	if tapOptions.taps != tapsBurst {
		return
	}
	store32(&bursts.Stopped, 1)
	now, began := cpuTime(), load64(&bursts.Began)
	bursts.endWindow(began, min(now-began, bursts.Length))
	store64(&bursts.CPU, now)
	if area.areaHeader != nil {
		area.Burst = bursts
	}
}

// events returns about how many events there were in all.
func (b *burst) events() float64 {
	if b.Inside == 0 {
		return 0
	}
	inside := float64(b.Inside)
	plain := max(inside-float64(b.Seen)*float64(b.Cost)/1000, inside/20)
	return float64(b.Seen) * max(float64(b.CPU)/plain, 1)
}

// scale returns what counts are to be multiplied by.
func (b *burst) scale() float64 {
	if b.Taken == 0 {
		return 1
	}
	return max(b.events()/float64(b.Taken), 1)
}

// tapCost measures how long a tap takes in a window, in ps, with its part of what
// is done for a full chunk.
func tapCost() uint64 {
	const rounds, repetitions = 64, 8
	c := chunkAt(scratchEnd() - chunkSize)
	next := new(uintptr)
	least := ^uint64(0)
	for range repetitions {
		start := nanotime()
		for range rounds {
			*next = c.start()
			for i := range uint64(chunkTuples) {
				tap(next, 0, i)
			}
			c.clear()
			nanotime()
		}
		least = min(least, uint64(nanotime()-start))
	}
	return least * 1000 / (rounds * uint64(chunkTuples))
}
