package core

// This file holds the decision which polls are samples: Arnold-Grove sampling
// as PEP uses it (Bond and McKinley, section 4.4; Arnold and Grove, "Collecting
// and Exploiting High-Accuracy Call Graph Profiles", CGO 2005).
//
// The rotation and the budget of a burst belong to the process, not to a thread
// as in Jikes RVM: goroutines move between threads, and the region whose
// protection starts a burst is the process's too. So a burst is SAMPLES polls
// of whichever goroutines run, and the first gap rotates from tick to tick.

// Forms of sampling.
const (
	agSimplified = iota // SAMPLES in a row after the first gap: PEP(SAMPLES,STRIDE)
	agRegular           // STRIDE before every sample
	agJikes             // regular, with the first gaps of Jikes RVM: 0, 1, … STRIDE-2, 0
)

// maxStride is what the state word has room for.
const maxStride = 1<<16 - 1

// A sampler is the state of Arnold-Grove sampling. It consists of integers, for
// it lives in memory that signal handlers and other processes read; every
// method may be called by any number of threads at once.
type sampler struct {
	Samples uint32 // samples per tick
	Stride  uint32 // polls per sample; 1 … maxStride
	Form    uint32 // agSimplified, agRegular or agJikes
	Stopped uint32 // ticks no longer start bursts

	State    uint64 // left<<32 | skip<<16 | rot
	Ticks    uint64
	Taken    uint64 // samples
	Overruns uint64 // ticks that came during a burst
}

// An action is what is to be done to the poll region (or the flag) as the
// outcome of a tick or of a poll.
type action uintptr

const (
	actNone   action = iota
	actArm           // make polls report
	actDisarm        // make polls silent
	actChain         // not our fault: pass it on
)

// tick starts a burst. A tick during a burst changes nothing, but arms again:
// the thread that took the last sample of the burst before may just be
// disarming, and this burst would wait for ever.
func (s *sampler) tick() action {
	add64(&s.Ticks, 1)
	for {
		if load32(&s.Stopped) != 0 {
			return actDisarm
		}
		old := load64(&s.State)
		if old>>32 != 0 {
			add64(&s.Overruns, 1)
			return actArm
		}
		rot, skip := s.rotate(uint32(old & 0xffff))
		if cas64(&s.State, old, uint64(s.Samples)<<32|uint64(skip)<<16|uint64(rot)) {
			return actArm
		}
	}
}

// idle reports whether all samples of the last burst are taken.
func (s *sampler) idle() bool { return load64(&s.State)>>32 == 0 }

// rotate returns the next rotation and the polls to skip before the first
// sample: 0 … STRIDE-1 over successive ticks.
func (s *sampler) rotate(rot uint32) (next, skip uint32) {
	if s.Form == agJikes {
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

// poll decides on one poll that was seen while armed: whether it is a sample,
// and what to do afterwards. A poll seen after the budget is spent disarms once
// more, for a tick may have armed in between and nobody else would undo it.
func (s *sampler) poll() (take bool, act action) {
	for {
		old := load64(&s.State)
		left, skip, rot := old>>32, old>>16&0xffff, old&0xffff
		switch {
		case left == 0:
			return false, actDisarm
		case skip > 0:
			if cas64(&s.State, old, old-1<<16) {
				return false, actNone
			}
			continue
		}
		left--
		if s.Form != agSimplified && left > 0 {
			skip = uint64(s.Stride) - 1
		}
		if !cas64(&s.State, old, left<<32|skip<<16|rot) {
			continue
		}
		add64(&s.Taken, 1)
		if left == 0 {
			return true, actDisarm
		}
		return true, actNone
	}
}
