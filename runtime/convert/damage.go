package convert

// This file counts what is damaged in a .pep file, for the profile's facts.

import (
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/runtime/golink"
)

// damage has the numbers of entries and samples in a .pep file that contradict the rest.
type damage struct {
	entries, counters int // that are left out
	labels            int // entries whose labels are left out
	windows           int // that are left out
	// samples that were taken, but are in no entry and not among the dropped; negative: more are there
	taken int64
}

// ofSamples compares the samples in entries with those that were taken. A handler
// counts a sample as taken first, and in its entry later. So a few samples may be on
// their way if the program was killed or still runs.
func (d *damage) ofSamples(c Counts, sum uint64) {
	dropped := golink.Load64(&c.Dropped)
	d.taken = int64(golink.Load64(&c.Taken) - sum - dropped)
}

// tell adds the damage to the profile's facts.
func (d *damage) tell(f *facts.List) {
	f.Set(facts.DamagedEntries, uint64(d.entries))
	f.Set(facts.DamagedLabels, uint64(d.labels))
	f.Set(facts.DamagedCounters, uint64(d.counters))
	f.Set(facts.DamagedWindows, uint64(d.windows))
	if d.taken < 0 {
		f.Set(facts.NotTaken, -uint64(d.taken)) // of the lowest number, too
	} else {
		f.Set(facts.NotCounted, uint64(d.taken))
	}
}
