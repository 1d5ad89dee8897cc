package pepfile

// This file holds the log of bursts: for each burst, which entries its samples count in. The samples of a burst are often
// from the same loop, so bounds come from the differences between bursts (package weigh).
//
// If there have been more bursts than the log has rooms, it has a random sample of them, in which each burst of the run is
// with the same probability (Vitter, "Random sampling with a reservoir", 1985, algorithm R): burst b takes a random one of
// b rooms, if the log has that room, and whatever was in it is lost.
//
// Like counting it happens in signal handlers: see add.go.

import (
	"math/bits"
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/sampler"
)

const (
	logOffset = labelsOffset + labelSetsSize
	logBits   = 18
	logSize   = 8 << logBits // bytes
	maxBurst  = 13           // logarithm of the most records of a room
)

// A record of a room is the number of a burst, from 1, in the upper half, and in the lower half 1 + the entry that one of its
// samples counts in. The first record of a room is the number of its burst alone. Other records with another number are of
// bursts that had the room before.

// roomBits is the logarithm of the number of records that a burst takes.
func (t Table) roomBits() uint32 { return min(uint32(bits.Len32(t.Samples)), maxBurst) }

// Rooms returns how many bursts the log has room for.
func (t Table) Rooms() uint64 { return 1 << (logBits - t.roomBits()) }

// record returns a record of a room.
func (t Table) record(room, i uint64) *uint64 {
	i = (room<<t.roomBits() + i) & (1<<logBits - 1)
	return (*uint64)(t.At(logOffset + i*uint64(unsafe.Sizeof(i))))
}

// BeginBurst begins a burst at a tick, unless the last one has not ended: its samples go on.
func (t Table) BeginBurst() sampler.Action {
	before := golink.Load64(&t.Overruns)
	act := t.Sampler.BeginBurst()
	if act != sampler.ActArm || golink.Load64(&t.Overruns) != before {
		return act
	}
	burst := golink.Load64(&t.Log)>>32 + 1
	room := burst - 1
	if room >= t.Rooms() {
		// The upper half of the product is a random number below burst.
		room, _ = bits.Mul64(Mix(Mix(0, burst), t.Start), burst)
	}
	if room < t.Rooms() {
		golink.Store64(t.record(room, 0), burst<<32)
	}
	golink.Store64(&t.Room, room)
	golink.Store64(&t.Log, burst<<32)
	return act
}

// LogSample notes in the log that a sample of the burst counts in an entry. A burst that has more samples than its room has
// records for, because ticks came while it lasted, is logged in part.
func (t Table) LogSample(e *Entry) {
	at := golink.Add64(&t.Log, 1)
	burst, i, room := at>>32, at&(1<<32-1), golink.Load64(&t.Room)
	if burst != 0 && i>>t.roomBits() == 0 && room < t.Rooms() {
		golink.Store64(t.record(room, i), burst<<32|uint64(t.number(e)+1))
	}
}

// Burst appends the entries that the samples of the burst in a room count in, one for each sample, to list.
func (t Table) Burst(room uint64, list []uint32) []uint32 {
	burst := golink.Load64(t.record(room, 0)) >> 32
	for i := uint64(1); burst != 0 && i < 1<<t.roomBits(); i++ {
		r := golink.Load64(t.record(room, i))
		if e := uint32(r); r>>32 == burst && e != 0 {
			list = append(list, e-1)
		}
	}
	return list
}
