package pepfile

// This file holds the log of bursts: for each burst, which entries its samples count in. The samples of a burst are
// often from the same loop, so bounds come from the differences between bursts (package weigh).
//
// If there have been more bursts than the log has slots, it has a random sample of them, in which each burst of the run
// is with the same probability (Vitter, "Random sampling with a reservoir", 1985, algorithm R): burst b takes a random
// one of b slots, if the log has that slot, and whatever was in it is lost.
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
	maxBurst  = 13           // logarithm of the most records of a slot
)

// A record of a slot is the number of a burst, from 1, in the upper half, and in the lower half 1 + the entry that one
// of its samples counts in. The first record of a slot is the number of its burst alone. Other records with another
// number are of bursts that had the slot before.

// slotBits is the logarithm of the number of records that a burst takes.
func (t Table) slotBits() uint32 { return min(uint32(bits.Len32(t.Samples)), maxBurst) }

// LogSlots returns how many bursts the log has space for.
func (t Table) LogSlots() uint64 { return 1 << (logBits - t.slotBits()) }

// record returns a record of a slot.
func (t Table) record(slot, i uint64) *uint64 {
	i = (slot<<t.slotBits() + i) & (1<<logBits - 1)
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
	slot := burst - 1
	if slot >= t.LogSlots() {
		// The upper half of the product is a random number below burst.
		slot, _ = bits.Mul64(Mix(Mix(0, burst), t.Start), burst)
	}
	if slot < t.LogSlots() {
		golink.Store64(t.record(slot, 0), burst<<32)
	}
	golink.Store64(&t.Slot, slot)
	golink.Store64(&t.Log, burst<<32)
	return act
}

// LogSample notes in the log that a sample of the burst counts in an entry. A burst that has more samples than its slot
// has records for, because ticks came while it lasted, is logged in part.
func (t Table) LogSample(e *Entry) {
	at := golink.Add64(&t.Log, 1)
	burst, i, slot := at>>32, at&(1<<32-1), golink.Load64(&t.Slot)
	if burst != 0 && i>>t.slotBits() == 0 && slot < t.LogSlots() {
		golink.Store64(t.record(slot, i), burst<<32|uint64(t.number(e)+1))
	}
}

// Burst appends the entries that the samples of the burst in a slot count in, one for each sample, to list.
func (t Table) Burst(slot uint64, list []uint32) []uint32 {
	burst := golink.Load64(t.record(slot, 0)) >> 32
	for i := uint64(1); burst != 0 && i < 1<<t.slotBits(); i++ {
		r := golink.Load64(t.record(slot, i))
		if e := uint32(r); r>>32 == burst && e != 0 {
			list = append(list, e-1)
		}
	}
	return list
}
