package core

// This file measures what taps take in a window, beyond what makeRoom measures itself:
//
//	perTap   a tap that stores into a chunk
//	perRoom  a call of makeRoom, without the time between its two looks at the clock
//
// A loop taps as a program does, into a chunk of its own. It runs after each window,
// because a tap takes twice as long when another thread has the processor's other half.
// In a program whose taps are always there, taps take that time outside of windows,
// too. Then perTap is 0, and perRoom is how much longer makeRoom takes in windows.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/tuple"
)

// trial takes the tuples of the loop.
var trial window

// trialTuples is what the loop stores to: a chunk, and room to align it.
var trialTuples [2*pepfile.ChunkTuples + 2]tuple.Tuple

// trialRounds is how often the loop fills the chunk. The least time counts.
const trialRounds = 4

// tapCosts returns the two times in ns.
func tapCosts() (perTap, perRoom float64) {
	if options.Default.Taps == options.TapsBurst {
		taps := fillTrial(nil)
		room := fillTrial(func(c *pepfile.Chunk, r *chunkRoom) (measured uint64) { return takeTrial(c, r) })
		return float64(taps) / float64(pepfile.ChunkTuples), max(float64(room)-float64(taps), 0)
	}
	silent := fillTrial(func(c *pepfile.Chunk, r *chunkRoom) (measured uint64) {
		golink.Nanotime()
		c.Goroutine = golink.Goroutine()
		r.resize(uint64(golink.Nanotime()), pepfile.ChunkTuples, 1)
		return 0
	})
	room := fillTrial(func(c *pepfile.Chunk, r *chunkRoom) (measured uint64) { return takeTrial(c, r) })
	return 0, float64(room) - float64(silent)
}

// takeTrial does what makeRoom does in a window, and returns how long it took by the same
// measure.
func takeTrial(c *pepfile.Chunk, r *chunkRoom) (measured uint64) {
	entered := uint64(golink.Nanotime())
	trial.reported = maxEvents / 2
	trial.take(c.Tuples[:])
	c.Goroutine = golink.Goroutine()
	now := uint64(golink.Nanotime())
	r.resize(now, pepfile.ChunkTuples, 1)
	return now - entered
}

// fillTrial returns how long it takes to fill the chunk and to call then, less what then
// returns.
func fillTrial(then func(*pepfile.Chunk, *chunkRoom) (measured uint64)) (ns int64) {
	var r chunkRoom
	first := (uintptr(unsafe.Pointer(&trialTuples)) + pepfile.ChunkSize - 1) &^ (pepfile.ChunkSize - 1)
	c := pepfile.ChunkAt(first)
	next := new(uintptr)
	least := int64(1 << 62)
	for range trialRounds {
		*next = c.Start()
		start := golink.Nanotime()
		for i := range uint64(pepfile.ChunkTuples) {
			if p := *next; !lacksRoom(p, 1) {
				store(next, p, uint64(tuple.Load)<<56, i)
			}
		}
		measured := uint64(0)
		if then != nil {
			measured = then(c, &r)
		}
		least = min(least, golink.Nanotime()-start-int64(measured))
	}
	return max(least, 0)
}
