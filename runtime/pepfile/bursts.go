package pepfile

// This file holds the log of bursts: every poll of the last bursts, with the time since the
// poll before. Like counting it happens in signal handlers: see add.go.

import (
	"math/bits"
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/sampler"
)

const (
	logBits   = 17
	LogSize   = 16 << logBits // bytes
	maxInLog  = 13            // a burst has at most 1<<13 polls in the log
	threadBit = 1 << 31       // set in a Poll that is complete
)

// A Poll is a poll in a burst. What is 0 is not there.
type Poll struct {
	Path, PC uint32 // as in Key
	Gap      uint32 // cycles since the thread's poll before, in the same burst; 0 if there is none
	Who      uint32 // threadBit | the thread, 15 bits << 16 | entry+1, or 0 if the poll is no sample
}

// Ready reports whether the poll is complete.
func (p *Poll) Ready() bool { return p.Who&threadBit != 0 }

// Thread tells threads from each other.
func (p *Poll) Thread() uint32 { return p.Who >> 16 }

// Entry returns the entry that a sample counts in.
func (p *Poll) Entry() (i uint32, ok bool) { return p.Who&0xffff - 1, p.Who&0xffff != 0 }

// BurstBits is the logarithm of how many polls of a burst there is room for.
func (t Table) BurstBits() uint32 {
	polls := uint64(t.Samples) + uint64(t.Stride)
	if t.Form != sampler.AgSimplified {
		polls = uint64(t.Samples+1) * uint64(t.Stride)
	}
	return min(uint32(bits.Len64(polls)), maxInLog)
}

// Bursts returns how many bursts the log has room for.
func (t Table) Bursts() uint64 { return 1 << (logBits - t.BurstBits()) }

// LoggedPoll returns a poll of a burst. Numbers of bursts begin at 1.
func (t Table) LoggedPoll(burst, i uint64) *Poll {
	i = (burst<<t.BurstBits() + i) & (1<<logBits - 1)
	return (*Poll)(unsafe.Add(t.slots, uintptr(Slots)*unsafe.Sizeof(Entry{})+uintptr(i)*unsafe.Sizeof(Poll{})))
}

// BeginBurst begins a burst, unless the last one has not ended.
func (t Table) BeginBurst() sampler.Action {
	before := golink.Load64(&t.Overruns)
	act := t.Sampler.BeginBurst()
	if act != sampler.ActArm || golink.Load64(&t.Overruns) != before {
		return act
	}
	burst := golink.Load64(&t.Log)>>32 + 1
	for i := range uint64(1) << t.BurstBits() {
		p := t.LoggedPoll(burst, i)
		p.Who, p.Gap = 0, 0
	}
	golink.Store64(&t.Log, burst<<32)
	return act
}

// NextPoll returns a place for a poll in the log, nil if there is none, and the number of
// its burst.
func (t Table) NextPoll() (burst uint64, p *Poll) {
	at := golink.Add64(&t.Log, 1) - 1
	burst = at >> 32
	if i := at & (1<<32 - 1); i>>t.BurstBits() == 0 {
		p = t.LoggedPoll(burst, i)
	}
	return burst, p
}

// Note completes a poll of the log. The entry e is nil if the poll is no sample.
func (t Table) Note(p *Poll, k *Key, gap uint64, thread uint32, e *Entry) {
	who := threadBit | thread&0x7fff<<16
	if e != nil {
		who |= uint32((uintptr(unsafe.Pointer(e))-uintptr(t.slots))/unsafe.Sizeof(Entry{})) + 1
	}
	p.Path, p.PC = k.Path, k.PC
	p.Gap = uint32(min(gap, 1<<32-1))
	golink.Store32(&p.Who, who)
}
