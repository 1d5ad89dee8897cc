package core

// This file finds out whether a .pep file still has what was written to it. Disks
// and copies lose and flip bits, and a file that is not whole should be noticed
// rather than shown as a profile.
//
// What does not change while the program runs is sealed: the header has a checksum
// of it. Counts change all the time and in signal handlers, where a checksum
// would cost too much, but most of what is there is there twice: the hash of an
// entry follows from its key, and every sample that the sampler took is in the
// count of one entry, or was dropped. What does not fit is left out of the
// profile, and the profile's comment says how much it is.
//
// Not noticed are changes of tallies that only stand in the comment (ticks,
// overruns and the like), and of the counters of exact counts.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/crc32"
	"github.com/pepgo/pep/runtime/digits"
)

// sealOffset is where in the first page the checksum is: at its end, behind
// whatever the header has.
const sealOffset = pageSize - 8

const _ = uint(sealOffset - unsafe.Sizeof(header{})) // does not compile if the header reaches there

// seal stores the checksum of what no longer changes in the header. It comes
// before the magic does, so what has a magic has a checksum.
func (t table) seal() { *t.sealed() = t.checksum() }

func (t table) sealed() *uint32 { return (*uint32)(unsafe.Add(unsafe.Pointer(t.header), sealOffset)) }

// checksum covers what stands between the magic and the sampler's counts.
func (t table) checksum() uint32 {
	h := t.header
	const begin, end = unsafe.Offsetof(h.Version), unsafe.Offsetof(h.sampler) + unsafe.Offsetof(h.sampler.Stopped)
	return crc32.Checksum(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(h), begin)), end-begin))
}

// intact reports whether the entry's key is the one that it was made for. Those
// that are being made have a hash and nothing else: they count nothing, and are
// intact.
func (e *entry) intact() bool {
	state, count := load32(&e.State), load64(&e.Count)
	if state == entryReady {
		return e.N <= maxCallers && e.key.hash() == load64(&e.Hash) && count <= maxPlausible
	}
	return state == 0 && count == 0
}

// intact reports likewise of a word that has been made.
func (e *word) intact() bool {
	return load64(&e.Hash) == wordHash(e.PC, e.W, e.Free) && e.Free <= 64 && load64(&e.Count) <= maxPlausible && load64(&e.Messages) <= maxPlausible
}

// maxPlausible is more than can be counted in two years, once every nanosecond. A
// sum of as many counts as there are slots is below 2^63 only if they are below
// 2^46, but sums are added up without overflow (package report).
const maxPlausible = 1 << 56

// damage is what does not fit in a .pep file.
type damage struct {
	entries, counters int   // that are left out
	taken             int64 // samples that were taken, but are in no entry and not among the dropped; negative: more are there
}

// ofSamples compares the samples in entries with those that were taken. Samples
// are counted as taken before they are counted otherwise. So a few may be on their
// way if the program was killed or still runs.
func (d *damage) ofSamples(c counted, sum uint64) {
	dropped := load64(&c.Dropped)
	d.taken = int64(load64(&c.Taken) - sum - dropped)
}

// comment says what is damaged, "" if nothing is.
func (d *damage) comment() (s string) {
	for _, more := range [...]struct {
		n    int
		what string
	}{
		{d.entries, " entries do not have the hash that they should"},
		{d.counters, " counters are larger than can be"},
	} {
		if more.n > 0 {
			s += ", damaged: " + digits.Uint(uint64(more.n)) + more.what
		}
	}
	switch {
	case d.taken > 0:
		s += ", " + digits.Int(d.taken) + " taken but not counted"
	case d.taken < 0:
		s += ", damaged: " + digits.Uint(uint64(-d.taken)) + " counted but not taken"
	}
	return s
}
