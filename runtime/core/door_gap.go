package core

// This file measures the gaps between the polls of a P.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
)

// A lastPoll is the last poll of a thread in a burst.
type lastPoll struct {
	thread uintptr // 0 if the slot is free
	burst  uint64
	exit   uint64 // when the thread went on, in cycles
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

// note notes a poll in the log of bursts. The time when the thread goes on belongs into exit.
func note(k *pepfile.Key, thread uintptr, now uint64, e *pepfile.Entry) *lastPoll {
	burst, _, p := counts.NextPoll()
	l, slot := lastPollOf(thread)
	var gap uint64
	if l.burst == burst && now > l.exit {
		gap = now - l.exit
	}
	l.burst = burst
	if p != nil {
		counts.Note(p, k, gap, slot, e)
	}
	return l
}
