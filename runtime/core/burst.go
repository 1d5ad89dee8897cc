package core

// This file holds taps in bursts: after a tick SAMPLES of them are recorded, with
// STRIDE as for paths (sampler.go), and none until the next burst.
//
// How many events there were in all is not known then, for nobody counts those
// between bursts. It is estimated: bursts begin at times that have nothing to
// do with what the program does, so the share of CPU time in bursts is about the
// share of events.

import "github.com/pepgo/pep/runtime/tuple"

// A burst is what is known of the events in bursts.
type burst struct {
	sampler
	Seen    uint64 // events in bursts, recorded or passed over
	Inside  uint64 // ns of CPU time in bursts
	CPU     uint64 // ns of CPU time from the start of the program to the last burst's end
	Current uint64 // CPU time when the burst began; 0 outside
}

// bursts is that of this program; its counts become area's at the end of each
// burst. It is apart because the tick comes before the first tap.
var bursts burst

// tapsTurn reports whether the tick that has come is for taps. Bursts of taps and
// of paths take turns: the time that a burst of paths takes, nearly all of it in
// faults, would be taken for time of a burst of taps.
func tapsTurn() bool {
	return tapOptions.taps == tapsBurst && (mode == modeExact || load64(&bursts.Ticks) < load64(&counts.Ticks))
}

// tickTaps starts a burst. It is called in a signal handler, where there are
// some.
func tickTaps() {
	if bursts.tick() != actArm {
		return
	}
	if load64(&bursts.Current) == 0 {
		store64(&bursts.Current, cpuTimeInHandler())
	}
	store32(&Taps, tapsBurst)
}

// recordInBurst records those of the tuples that are due. What a goroutine has
// tapped since it last passed tuples on is taken for part of the burst: that is
// less than a chunk.
func recordInBurst(tuples []tuple.Tuple) {
	for i := range tuples {
		add64(&bursts.Seen, 1)
		take, act := bursts.poll()
		if take {
			record(tuples[i : i+1])
		}
		if act == actDisarm {
			store32(&Taps, tapsOff)
			endBurst()
			return
		}
	}
}

func endBurst() {
	began := load64(&bursts.Current)
	if began == 0 || !cas64(&bursts.Current, began, 0) {
		return
	}
	now := cpuTime()
	add64(&bursts.Inside, int64(max(now, began+1)-began))
	store64(&bursts.CPU, now)
	if area.areaHeader != nil {
		area.Burst = bursts
	}
}

func stopBursts() {
	if tapOptions.taps != tapsBurst {
		return
	}
	store32(&bursts.Stopped, 1)
	endBurst()
	store64(&bursts.CPU, cpuTime())
	if area.areaHeader != nil {
		area.Burst = bursts
	}
}

// scale returns what counts are to be multiplied by: events in bursts for each
// recorded, and CPU time for the time in bursts.
func (b *burst) scale() float64 {
	if b.Taken == 0 || b.Inside == 0 {
		return 1
	}
	return float64(b.Seen) / float64(b.Taken) * max(float64(b.CPU)/float64(b.Inside), 1)
}
