package convert

// This file describes damage of a .pep file in the profile's comment.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/runtime/golink"
)

// damage has the numbers of entries and samples in a .pep file that contradict the rest.
type damage struct {
	entries, counters int   // that are left out
	labels            int   // entries whose labels are left out
	taken             int64 // samples that were taken, but are in no entry and not among the dropped; negative: more are there
}

// ofSamples compares the samples in entries with those that were taken. A handler
// counts a sample as taken first, and in its entry later. So a few samples may be on
// their way if the program was killed or still runs.
func (d *damage) ofSamples(c Counts, sum uint64) {
	dropped := golink.Load64(&c.Dropped)
	d.taken = int64(golink.Load64(&c.Taken) - sum - dropped)
}

// comment describes the damage for the profile's comment, "" if there is none.
func (d *damage) comment() (s string) {
	for _, more := range [...]struct {
		n    int
		what string
	}{
		{d.entries, " entries with a wrong hash"},
		{d.labels, " entries whose labels have a wrong hash"},
		{d.counters, " counters are too large to be right"},
	} {
		if more.n > 0 {
			s += ", damaged: " + digits.Uint(uint64(more.n)) + more.what
		}
	}
	switch {
	case d.taken > 0:
		s += ", " + digits.Int(d.taken) + " taken but not counted"
	case d.taken < 0:
		s += ", damaged: " + digits.Uint(uint64(-d.taken)) + " counted but not taken"
	}
	return s
}
