package taps

// This file holds the chunks of programs with bursts. In such a program a goroutine uses the
// end of its chunk only, as much of it as the goroutine fills in a few us. So events are
// delivered soon after they happen, also if they are rare.

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
)

// A chunkRoom says how much of a chunk its goroutine uses.
type chunkRoom struct {
	first uint64 // the first tuple of the chunk that it uses
	begun uint64 // when it got the chunk to fill
}

// chunkRooms has the rooms of all chunks of a program with bursts; nil if there are none.
var chunkRooms []chunkRoom

// makeRoomInBursts does what MakeRoom does in a program with bursts: it delivers the tuples
// before p, and returns an address where the next n tuples have room. Nobody else reads the
// chunk, so it is not cleared. The goroutine may have other labels if split is true.
func makeRoomInBursts(p, n uintptr, split bool) (next uintptr) {
	entered := uint64(golink.Nanotime())
	i := (p - 1 - chunkBase) / pepfile.ChunkSize
	c, r := pepfile.ChunkAt(chunkBase+i*pepfile.ChunkSize), &chunkRooms[i]
	origin := originNow(c, split)
	if joins(c, origin, p, n) {
		return p
	}
	tuples := c.Tuples[r.first : (p-c.Start())/pepfile.TupleSize]
	since := uint64(0)
	if golink.Load32(mode) == options.TapsBurst {
		since = recordInBurst(entered, c.Origin, tuples)
	}
	c.Origin = origin
	now := uint64(golink.Nanotime())
	next = c.Start() + r.resize(now, uintptr(len(tuples)), n)*pepfile.TupleSize
	if since != 0 {
		current.spend(since, now)
	}
	return next
}

// firstRoom returns the address for the first tuple of a goroutine, in its new chunk.
func firstRoom(c *pepfile.Chunk) uintptr {
	r := &chunkRooms[(c.Start()-chunkBase)/pepfile.ChunkSize]
	return c.Start() + r.resize(uint64(golink.Nanotime()), 1, tuple.MaxWords)*pepfile.TupleSize
}

// resize returns which tuple of a chunk the goroutine stores next, after it has stored n
// tuples. It gets room for about as many as it makes in chunkTime, but for a sample
// at least, and for four times as many as before at most.
func (r *chunkRoom) resize(now uint64, n, least uintptr) (first uintptr) {
	size := 4 * n
	if took := now - r.begun; took > 0 {
		size = min(size, uintptr(chunkTime*uint64(n)/took))
	}
	size = max(min(size, pepfile.ChunkTuples), least)
	r.begun, r.first = now, uint64(pepfile.ChunkTuples-size)
	return pepfile.ChunkTuples - size
}
