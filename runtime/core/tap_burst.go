package core

// This file records taps in bursts: after a tick it records SAMPLES of them, with
// STRIDE as for paths (package sampler), and then none until the next burst.
//
// It then does not know how many events there were in all, because nobody counts them
// between bursts. It estimates that number. A window of CPU time begins with every
// burst, with a length that is fixed before the window begins. Ticks do not depend on
// what the program does, so the share of CPU time that is in windows is also the share
// of events that are. For example, 3,000 events in windows of 1 ms each, 100 of them
// in 10 s, are 3,000 events in 0.1 s, so about 300,000 in 10 s. The time that the taps
// themselves take in a window, a few ns for each event, is measured when the program
// starts, and subtracted.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/sampler"
	"github.com/pepgo/pep/runtime/tuple"
)

func startBursts(opts options.Options) {
	bursts = pepfile.Burst{Sampler: sampler.Sampler{Samples: opts.Samples, Stride: opts.Stride, Form: opts.Form}, Length: pepfile.MinWindow, Cost: tapCost()}
}

// recordInBurst records those of the tuples that the sampler takes. A goroutine
// delivers its tuples a chunk at a time, and they all count as events of that time.
// So a window has some events too many, which were tapped before it began, and
// misses some that are still in chunks when it ends. On average these are as many.
func recordInBurst(goroutine uint64, tuples []tuple.Tuple) {
	now, began := burstTime(&bursts), golink.Load64(&bursts.Began)
	open := began != 0 && now-began < bursts.Length
	if open {
		golink.Add64(&bursts.Here, int64(len(tuples)))
	}
	for len(tuples) > 0 && !bursts.Idle() {
		n := tuple.SampleLen(tuples)
		if tuples[0].PC == goroutinePC {
			goroutine = tuples[0].W
		} else if take, _ := bursts.Poll(); take {
			record(goroutine, tuples[:n], nil)
		}
		tuples = tuples[n:]
	}
	if open {
		return
	}
	bursts.EndWindow(began, bursts.Length)
	if bursts.Idle() {
		golink.Store32(&Taps, options.TapsOff)
		if !bursts.Idle() || golink.Load64(&bursts.Began) != 0 { // a tick has just come
			golink.Store32(&Taps, options.TapsBurst)
		}
	}
	golink.Store64(&bursts.CPU, now)
	if wordTable.WordsHeader != nil {
		wordTable.Burst = bursts
	}
}

// burstTime returns the CPU time, which may be clockInterval old: a system call for
// every chunk would take longer than to fill the chunk.
func burstTime(b *pepfile.Burst) uint64 {
	const clockInterval = pepfile.MinWindow / 16
	if t := uint64(golink.Nanotime()); t-golink.Load64(&b.Looked) >= clockInterval {
		golink.Store64(&b.Now, cpuTime())
		golink.Store64(&b.Looked, t)
	}
	return golink.Load64(&b.Now)
}

func stopBursts() {
	if tapOptions.Taps != options.TapsBurst {
		return
	}
	golink.Store32(&bursts.Stopped, 1)
	now, began := cpuTime(), golink.Load64(&bursts.Began)
	bursts.EndWindow(began, min(now-began, bursts.Length))
	golink.Store64(&bursts.CPU, now)
	if wordTable.WordsHeader != nil {
		wordTable.Burst = bursts
	}
}

// tapCost measures how long a tap takes in a window, in ps, with its share of the
// work for a full chunk.
func tapCost() uint64 {
	const rounds, repetitions = 64, 8
	c := pepfile.ChunkAt(scratchEnd() - pepfile.ChunkSize)
	next := new(uintptr)
	least := ^uint64(0)
	for range repetitions {
		start := golink.Nanotime()
		for range rounds {
			*next = c.Start()
			for i := range uint64(pepfile.ChunkTuples) {
				if p := *next; !lacksRoom(p, 1) {
					store(next, p, 0, i)
				}
			}
			c.Clear(pepfile.ChunkTuples)
			golink.Nanotime()
		}
		least = min(least, uint64(golink.Nanotime()-start))
	}
	return least * 1000 / (rounds * uint64(pepfile.ChunkTuples))
}
