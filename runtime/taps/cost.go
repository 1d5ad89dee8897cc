package taps

// This file measures what taps take in a window, beyond what MakeRoom measures itself:
//
//	perTap   a tap that stores into a chunk
//	perRoom  a call of MakeRoom, without the time between its two looks at the clock
//
// A loop taps as a program does, into a chunk of its own. It runs after each window,
// because a tap takes twice as long when another thread has the processor's other half.
// In a program whose taps are always there, taps take that time outside of windows,
// too. Then perTap is 0, and perRoom is how much longer MakeRoom takes in windows.

import (
	"unsafe"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
)

// trial takes the tuples of the loop.
var trial window

// trialTuples is what the loop stores to: a chunk, and room to align it.
var trialTuples [2*pepfile.ChunkTuples + 2]tuple.Tuple

// trialNext is where the loop stores next.
var trialNext uintptr

// What the loop does when the chunk is full. (These are no functions that the loop is given,
// because taps may not call what the test of their code cannot see.)
const (
	trialNothing = iota
	trialSilent  // what MakeRoom does outside of windows
	trialWindow  // what MakeRoom does in a window
)

// trialRounds is how often the loop fills the chunk. The least time counts.
const trialRounds = 4

// tapCosts returns the two times in ns.
func tapCosts() (perTap, perRoom float64) {
	if options.Default.Taps == options.TapsBurst {
		taps, room := fillTrial(trialNothing), fillTrial(trialWindow)
		return float64(taps) / float64(pepfile.ChunkTuples), max(float64(room)-float64(taps), 0)
	}
	silent, room := fillTrial(trialSilent), fillTrial(trialWindow)
	return 0, float64(room) - float64(silent)
}

// silentTrial does what MakeRoom does outside of windows.
func silentTrial(c *pepfile.Chunk, r *chunkRoom) {
	golink.Nanotime()
	c.Origin = originNow(c, false)
	r.resize(uint64(golink.Nanotime()), pepfile.ChunkTuples, 1)
}

// takeTrial does what MakeRoom does in a window, and returns how long it took by the same
// measure.
func takeTrial(c *pepfile.Chunk, r *chunkRoom) (measured uint64) {
	entered := uint64(golink.Nanotime())
	trial.reported = maxEvents / 2
	trial.take(c.Tuples[:], 0)
	c.Origin = originNow(c, false)
	now := uint64(golink.Nanotime())
	r.resize(now, pepfile.ChunkTuples, 1)
	return now - entered
}

// fillTrial returns how long it takes to fill the chunk and to do then what full says, less
// what that measures itself.
func fillTrial(full int) (ns int64) {
	var r chunkRoom
	first := (uintptr(unsafe.Pointer(&trialTuples)) + pepfile.ChunkSize - 1) &^ (pepfile.ChunkSize - 1)
	c := pepfile.ChunkAt(first)
	least := int64(1 << 62)
	for range trialRounds {
		trialNext = c.Start()
		start := golink.Nanotime()
		for i := range uint64(pepfile.ChunkTuples) {
			if p := trialNext; !LacksRoom(p, 1) {
				*(*tuple.Tuple)(golink.At(p)) = tuple.Tuple{W: i, PC: uint64(tuple.Load) << 56}
				trialNext = p + pepfile.TupleSize
			}
		}
		measured := uint64(0)
		switch full {
		case trialSilent:
			silentTrial(c, &r)
		case trialWindow:
			measured = takeTrial(c, &r)
		}
		least = min(least, golink.Nanotime()-start-int64(measured))
	}
	return max(least, 0)
}
