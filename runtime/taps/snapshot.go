package taps

// This file reads engines while they are in use. The profile that is written before
// syscall.Exec needs this: it must have the events that engines hold, but the call may
// fail, and then the engines must be unchanged.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
)

// Snapshot returns the words that engines hold and have not sent, for all engines that can tell
// them without a change.
func Snapshot() (words []report.Word) {
	if !Linked || wordTable.WordsHeader == nil {
		return nil
	}
	for i := range sinks {
		k := &sinks[i]
		if k.engine == nil || !k.used {
			continue
		}
		golink.ProcPin() // so that nobody waits for a thread that does not run
		if k.hold() {
			words = append(words, k.engine.snapshot()...)
			k.release()
		}
		golink.ProcUnpin()
	}
	return words
}

// hold locks the engine. It reports false if the program has ended, or if another thread
// has the lock and does not release it in time.
func (k *sink) hold() (ok bool) {
	deadline := golink.Nanotime() + maxWait
	for !golink.Cas32(&k.stream.Lock, pepfile.StreamFree, pepfile.StreamSnapshot) {
		if golink.Nanotime() > deadline {
			return false
		}
		golink.Pause()
	}
	if wordTable.Deliver != options.DeliverService {
		return true
	}
	for !golink.Cas32(&serviceLock, 0, 1) {
		if golink.Nanotime() > deadline {
			golink.Store32(&k.stream.Lock, pepfile.StreamFree)
			return false
		}
		golink.Pause()
	}
	return true
}

// release is the inverse of hold.
func (k *sink) release() {
	if wordTable.Deliver == options.DeliverService {
		golink.Store32(&serviceLock, 0)
	}
	golink.Store32(&k.stream.Lock, pepfile.StreamFree)
}
