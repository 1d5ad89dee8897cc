package raphw

// This file holds the counters that the hardware keeps about itself.

import "github.com/pepgo/pep/hwsim"

// A meter counts events and cycles of the hardware.
type meter struct {
	busy           uint64 // cycles in which a stage had an event, or in which the stages waited
	counts, events uint64 // entries of the buffer that stage 4 has retired, and the events in them
	forwarded      uint64 // counts that were forwarded
	replayed       uint64 // counts, or remainders of counts, that were replayed

	splits, denied, merges uint64
	merged                 uint64 // entries that merges removed
	splitCycles            uint64 // cycles for splits and new places, and to fill the pipeline again
	mergeCycles            uint64
	moved                  uint64 // entries that moved to make space for others
	adopted                uint64 // entries that got another parent
	most                   uint64 // the most entries in use

	saturated, noEntry, overflowed, outside uint64 // events that were lost
}

// Meters returns the counts since the engine was made or last flushed.
func (e *engine) Meters() []hwsim.Meter {
	now, stalled := e.processor.Cycles()
	waiting := e.queue.events()
	return []hwsim.Meter{
		{Name: "events to a count", Unit: "events/count", Count: e.events + waiting,
			Of: e.counts + e.queue.tail - e.queue.head},
		{Name: "engine to a count", Unit: "cycles/count", Count: e.busy, Of: e.counts},
		{Name: "engine to an event", Unit: "cycles/event", Count: e.busy, Of: e.events},
		{Name: "engine stalled by splits", Unit: "ratio", Count: e.splitCycles, Of: e.busy},
		{Name: "engine stalled by merges", Unit: "ratio", Count: e.mergeCycles, Of: e.busy},
		{Name: "processor to an event", Unit: "cycles/event", Count: now,
			Of: e.n + waiting + e.noEntry + e.overflowed + e.outside},
		{Name: "processor stalled", Unit: "ratio", Count: stalled, Of: now},
		{Name: "splits", Unit: "splits", Count: e.splits},
		{Name: "splits denied", Unit: "splits", Count: e.denied},
		{Name: "merges", Unit: "merges", Count: e.merges},
		{Name: "entries merged", Unit: "entries", Count: e.merged},
		{Name: "entries at most", Unit: "entries", Count: e.most},
		{Name: "entries moved", Unit: "entries", Count: e.moved},
		{Name: "parents changed", Unit: "entries", Count: e.adopted},
		{Name: "counts forwarded", Unit: "counts", Count: e.forwarded},
		{Name: "counts replayed", Unit: "counts", Count: e.replayed},
		{Name: "lost: buffer full", Unit: "events", Count: e.overflowed},
		{Name: "lost: counter full", Unit: "events", Count: e.saturated},
		{Name: "lost: no entry", Unit: "events", Count: e.noEntry},
		{Name: "lost: no such point", Unit: "events", Count: e.outside},
	}
}
