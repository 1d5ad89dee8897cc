package core

// This file measures the gaps between the polls of a thread, in signal handlers and in flag
// polls.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
)

// A lastPoll is the last poll of a thread in a burst.
type lastPoll struct {
	thread uintptr // 0 if the slot is free
	burst  uint64
	exit   uint64 // when the thread went on, in cycles
	repeat uint64 // 1 + the address of the poll that the thread makes again, 0 if none
}

const threadSlots = 256

var lastPolls [threadSlots]lastPoll

// lastPollOf returns the slot of a thread, given any number that tells it from others.
// Threads without a slot share one; then gaps are not known.
func lastPollOf(thread uintptr) (l *lastPoll, slot uint32) {
	h := uint32(uint64(thread) * 0x9e3779b97f4a7c15 >> 56)
	for i := range uint32(16) {
		slot = (h + i) % threadSlots
		l = &lastPolls[slot]
		switch golink.LoadPtr(&l.thread) {
		case thread:
			return l, slot
		case 0:
			golink.StorePtr(&l.thread, thread)
			return l, slot
		}
	}
	l.burst = 0
	return l, slot
}

// note notes a poll in the log of bursts. The time when the thread goes on belongs into exit. If repeats is
// true, the poll should be made again: see lastPoll.again.
func note(k *pepfile.Key, thread uintptr, now uint64, e *pepfile.Entry) (l *lastPoll, repeats bool) {
	burst, i, p := counts.NextPoll()
	l, slot := lastPollOf(thread)
	var gap uint64
	if l.burst == burst && now > l.exit {
		gap = now - l.exit
	}
	l.burst = burst
	if p != nil {
		counts.Note(p, k, gap, slot, e)
	}
	l.repeat = 0
	return l, p != nil && pepfile.Repeats(i) && golink.LoadPtr(&l.thread) == thread
}

// again reports whether the thread makes a poll for the second time, and notes how long that took:
// what a fault costs, if the program does nothing in between.
//
// The poll comes again at once, unless another thread has opened the poll region. Then it is silent, and if the
// thread ever faults there again, that is in a later burst: a poll like others.
func (l *lastPoll) again(pc uintptr, now uint64) bool {
	if l.repeat != uint64(pc)+1 || l.burst != golink.Load64(&counts.Log)>>32 {
		return false
	}
	l.repeat = 0
	counts.Repeated(l.burst, now-l.exit)
	return true
}
