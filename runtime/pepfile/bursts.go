package pepfile

// This file holds the log of bursts: every poll of some bursts, with the time since the poll
// before. The weights of samples are computed from it when profiles are written.
//
// If there have been more bursts than the log has room for, it has a random sample of them,
// in which each burst of the run is with the same probability (Vitter, "Random sampling with
// a reservoir", 1985, algorithm R): burst b takes a random one of b rooms, if the log has
// that room, and whatever was in it is lost.
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
	logBits   = 17
	logSize   = 16 << logBits // bytes
	maxBurst  = 13            // logarithm of the most records of a burst
	threadBit = 1 << 31       // set in Poll.Who of a record that is complete

	ticksOnly  = threadBit | 0x7fff<<16 // Poll.Who of ticks; no thread has this number
	ticksShift = 10                     // logarithm of the unit of their time
)

// A BurstHeader is the first record of a room.
type BurstHeader struct {
	Number uint32 // of the burst, from 1; 0 if the room is empty
	_      uint32
	Time   uint64 // CPU time that its tick stands for, in ns
}

// A Poll is a record of a burst: a poll, or ticks that came while the burst lasted. What is 0 is not
// there. Ticks have no PC, and Path is the CPU time that they stand for, in units of 1024 ns.
type Poll struct {
	Path, PC uint32 // as in Key
	Gap      uint32 // cycles since the thread's poll before, in the same burst; 0 if there is none
	Who      uint32 // threadBit | the thread, 15 bits << 16 | entry+1, or 0 if the poll is no sample
}

// Ready reports whether the record is a complete poll.
func (p *Poll) Ready() bool { return p.Who&threadBit != 0 && p.PC != 0 }

// Ticks returns the CPU time that ticks stand for, in ns, and 0 for polls.
func (p *Poll) Ticks() uint64 {
	if p.Who != ticksOnly {
		return 0
	}
	return uint64(p.Path) << ticksShift
}

// Thread tells threads from each other.
func (p *Poll) Thread() uint32 { return p.Who >> 16 }

// Entry returns the entry that a sample counts in.
func (p *Poll) Entry() (i uint32, ok bool) { return p.Who&0xffff - 1, p.Who&0xffff != 0 }

// burstBits is the logarithm of the number of records that a burst takes.
func (t Table) burstBits() uint32 {
	return min(uint32(bits.Len64(t.burstPolls())), maxBurst)
}

// burstPolls is how many polls a burst has at most.
func (t Table) burstPolls() uint64 {
	if t.Form != sampler.AgSimplified {
		return (uint64(t.Samples) + 1) * uint64(t.Stride)
	}
	return uint64(t.Samples) + uint64(t.Stride)
}

// Rooms returns how many bursts the log has room for.
func (t Table) Rooms() uint64 { return 1 << (logBits - t.burstBits()) }

// record returns a record of a room.
func (t Table) record(room, i uint64) unsafe.Pointer {
	i = (room<<t.burstBits() + i) & (1<<logBits - 1)
	return t.At(logOffset + i*uint64(unsafe.Sizeof(Poll{})))
}

// Burst returns the header of a room and the polls in it.
func (t Table) Burst(room uint64) (*BurstHeader, []Poll) {
	return (*BurstHeader)(t.record(room, 0)), unsafe.Slice((*Poll)(t.record(room, 1)), 1<<t.burstBits()-1)
}

// BeginBurst begins a burst at a tick, unless the last one has not ended. The tick stands
// for some ns of CPU time.
func (t Table) BeginBurst(stands uint64) sampler.Action {
	before := golink.Load64(&t.Overruns)
	act := t.Sampler.BeginBurst()
	switch {
	case golink.Load64(&t.Overruns) != before:
		t.overrun(stands)
	case act == sampler.ActArm:
		t.enter(golink.Load64(&t.Log)>>32+1, stands)
	}
	return act
}

// overrun notes a tick that came while a burst lasts, and what it stands for. The polls that follow
// say what it has found, as those of a burst would. Ticks without a poll between them share a
// record. If the room has no record to spare, the tick counts for the burst's first polls.
func (t Table) overrun(stands uint64) {
	room, last := golink.Load64(&t.Room), golink.Load64(&t.Log)&(1<<32-1)
	if room >= t.Rooms() {
		return
	}
	time := (stands + 1<<(ticksShift-1)) >> ticksShift
	if last > 0 && last>>t.burstBits() == 0 {
		if p := (*Poll)(t.record(room, last)); golink.Load32(&p.Who) == ticksOnly {
			if sum := uint64(golink.Load32(&p.Path)) + time; sum>>32 == 0 {
				golink.Store32(&p.Path, uint32(sum))
			}
			return
		}
	}
	// The records beyond the polls of a burst are spare. Of two records at most one has ticks, so while
	// fewer than twice as many are used there is one.
	spare := max(1<<t.burstBits()-1, t.burstPolls()) - t.burstPolls()
	if last == 0 || last >= 2*spare {
		golink.Add64(&(*BurstHeader)(t.record(room, 0)).Time, int64(stands))
		return
	}
	if _, _, p := t.NextPoll(); p != nil {
		*p = Poll{Path: uint32(time)}
		golink.Store32(&p.Who, ticksOnly)
	}
}

// enter gives a burst a room, or none.
func (t Table) enter(burst, stands uint64) {
	room := burst - 1
	if rooms := t.Rooms(); room >= rooms {
		// The upper half of the product is a random number below burst.
		room, _ = bits.Mul64(Mix(Mix(0, burst), t.Start), burst)
	}
	if room < t.Rooms() {
		for i := range uint64(1) << t.burstBits() {
			p := (*[2]uint64)(t.record(room, i))
			p[0], p[1] = 0, 0
		}
		*(*BurstHeader)(t.record(room, 0)) = BurstHeader{Number: uint32(burst), Time: stands}
	}
	golink.Store64(&t.Room, room)
	golink.Store64(&t.Log, burst<<32)
}

// NextPoll returns the number of the burst, that of its next record, and that record, nil if there
// is none.
func (t Table) NextPoll() (burst, i uint64, p *Poll) {
	at := golink.Add64(&t.Log, 1)
	i = at & (1<<32 - 1)
	room := golink.Load64(&t.Room)
	if at>>32 != 0 && i>>t.burstBits() == 0 && room < t.Rooms() {
		p = (*Poll)(t.record(room, i))
	}
	return at >> 32, i, p
}

// Note completes the record of a poll. The entry e is nil if the poll is no sample.
func (t Table) Note(p *Poll, k *Key, gap uint64, thread uint32, e *Entry) {
	who := threadBit | thread&0x7fff<<16
	if e != nil {
		who |= uint32((uintptr(unsafe.Pointer(e))-uintptr(t.slots))/unsafe.Sizeof(Entry{})) + 1
	}
	p.Path, p.PC = k.Path, k.PC
	p.Gap = uint32(min(gap, 1<<32-1))
	golink.Store32(&p.Who, who)
}
