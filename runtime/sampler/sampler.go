package sampler

// This file holds the state of a sampler and its two transitions.

import "github.com/pepgo/pep/runtime/golink"

// Forms of sampling.
const (
	AgSimplified = iota // SAMPLES in a row after the first gap: PEP(SAMPLES,STRIDE)
	AgRegular           // STRIDE before every sample
	AgJikes             // regular, with the first gaps of Jikes RVM: 0, 1, … STRIDE-2, 0
)

// MaxStride is what the state word has space for.
const MaxStride = 1<<16 - 1

// A Sampler is the state of Arnold-Grove sampling. It consists of integers, because
// signal handlers write it and other processes read it. Any number of threads may
// call its methods at once: they change State, which holds the whole decision, by
// compare-and-swap.
type Sampler struct {
	Samples uint32 // samples per tick
	Stride  uint32 // polls per sample; 1 … MaxStride
	Form    uint32 // AgSimplified, AgRegular or AgJikes
	Stopped uint32 // ticks no longer start bursts

	State    uint64 // samples left<<32 | polls to skip<<16 | rotation
	Ticks    uint64
	Taken    uint64 // samples
	Overruns uint64 // ticks that came during a burst
}

// An Action says what to do to the flag that polls test, after a tick or a poll.
type Action uintptr

const (
	ActNone   Action = iota
	ActArm           // make polls report
	ActDisarm        // make polls silent
)

// BeginBurst starts a burst at a tick. A tick during a burst changes nothing, but
// arms again. Otherwise this could happen:
//
//	thread A  takes the last sample of a burst: State has no samples left
//	thread B  tick: starts the next burst, arms
//	thread A  disarms, as its Poll has told it
//
// Now a burst is on and no poll reports, so nobody would ever end it. The next tick
// finds it, and arms again.
func (s *Sampler) BeginBurst() Action {
	golink.Add64(&s.Ticks, 1)
	for {
		if golink.Load32(&s.Stopped) != 0 {
			return ActDisarm
		}
		old := golink.Load64(&s.State)
		if old>>32 != 0 {
			golink.Add64(&s.Overruns, 1)
			return ActArm
		}
		rot, skip := s.rotate(uint32(old & 0xffff))
		if golink.Cas64(&s.State, old, uint64(s.Samples)<<32|uint64(skip)<<16|uint64(rot)) {
			return ActArm
		}
	}
}

// Idle reports whether all samples of the last burst are taken.
func (s *Sampler) Idle() bool { return golink.Load64(&s.State)>>32 == 0 }

// rotate returns the next rotation and the polls to skip before the first
// sample: 0 … STRIDE-1 over successive ticks.
func (s *Sampler) rotate(rot uint32) (next, skip uint32) {
	if s.Form == AgJikes {
		if rot++; rot >= s.Stride {
			return 0, 0
		}
		return rot, rot - 1
	}
	if rot >= s.Stride {
		rot = 0
	}
	return rot + 1, rot
}

// Poll decides on a poll that reports: whether it is a sample, and what to do then. A
// poll that reports after the last sample of a burst disarms once more, because a
// tick may have armed after the last sample's thread has disarmed, and nobody else
// would undo that.
func (s *Sampler) Poll() (take bool, act Action) {
	for {
		old := golink.Load64(&s.State)
		left, skip, rot := old>>32, old>>16&0xffff, old&0xffff
		switch {
		case left == 0:
			return false, ActDisarm
		case skip > 0:
			if golink.Cas64(&s.State, old, old-1<<16) {
				return false, ActNone
			}
			continue
		}
		left--
		if s.Form != AgSimplified && left > 0 {
			skip = uint64(s.Stride) - 1
		}
		if !golink.Cas64(&s.State, old, left<<32|skip<<16|rot) {
			continue
		}
		golink.Add64(&s.Taken, 1)
		if left == 0 {
			return true, ActDisarm
		}
		return true, ActNone
	}
}
