package taps

// This file holds the labels of runtime/pprof (pprof.Do) on events of taps.
//
// A tap does not look at labels. All tuples of a chunk are of goroutines with the same labels, and
// the chunk has their number (pepfile.Origin). When a goroutine gets other labels, or when a goroutine
// begins in the chunk of one that had others, package runtime changes the address of the next tuple
// to one without space (gobuild/internal/goruntime):
//
//	chunk + offset  becomes  chunk | offset<<48
//
// So the next tap calls MakeRoom, which looks at the labels, and delivers the tuples so far if
// these have others. Labels that no tap runs under cost no more than that change of the address:
//
//	pprof.Do(ctx, a, func(ctx) {               the address changes
//		pprof.Do(ctx, b, func(ctx) { … })      it is changed already
//		x = *p                                 MakeRoom: the tuples so far have no labels; what follows has a
//	})
//
// The tuples in the buffer of a P have the same labels, too, and so the caches and the table of words count
// words by labels. Engines and traces take tuples of all goroutines as one stream, which has
// no labels. If a goroutine has some, the profile's comment says so.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
)

// offsetFits says whether an address has space for an offset. If it has 32 bits, package runtime leaves it as it is,
// and tuples have no labels.
const offsetFits = ^uintptr(0)>>32 != 0

// tellLabels says whether words are counted by labels.
var tellLabels bool

// labelsNow returns the number of the goroutine's labels.
func labelsNow() uint16 {
	if !tellLabels {
		if golink.ProfLabels() != nil {
			golink.Store32(&wordTable.Untold, 1)
		}
		return 0
	}
	return counts.WordLabels((*golink.Labels)(golink.ProfLabels()))
}

// unsplit returns the address of the next tuple, and whether package runtime has changed it because
// the labels may be others.
func unsplit(next uintptr) (p uintptr, split bool) {
	offset := uint64(next) >> 48
	return uintptr(uint64(next)&(1<<48-1) + offset), offset != 0
}

// originNow returns the origin of the next tuples of the goroutine whose chunk c is. If split is
// false, its labels are those of the tuples so far.
func originNow(c *pepfile.Chunk, split bool) pepfile.Origin {
	labels := c.Origin.Labels()
	if split {
		labels = labelsNow()
	}
	return pepfile.OriginOf(golink.Goroutine(), labels)
}

// joins reports whether n tuples of an origin may follow those of the chunk before p.
func joins(c *pepfile.Chunk, origin pepfile.Origin, p, n uintptr) bool {
	return origin.Labels() == c.Origin.Labels() && !LacksRoom(p, n) && !options.TellGoroutines
}
