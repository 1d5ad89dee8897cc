package report

// This file has the listing of values that were just sampled.

import (
	"fmt"

	"github.com/pepgo/pep/internal/listing"
)

// A ValuesTable is a listing of instructions, and what became of the interrupts.
type ValuesTable struct {
	Sampling Sampling   `json:"sampling"` // what became of the interrupts
	List     *ListTable `json:"list"`
}

// A Sampling says what became of the clock interrupts of the sampled processes.
type Sampling struct {
	Interrupts uint64 `json:"interrupts" unit:"interrupts"` // of the sampled processes
	// of these, in the kernel, where nothing is interpreted
	Kernel uint64 `json:"kernel" unit:"interrupts"`
	Passed uint64 `json:"passed" unit:"interrupts"` // not interpreted because of `-every`
	// at code that was not decoded yet, or has changed since
	Missed     uint64 `json:"not_decoded" unit:"interrupts"`
	Ended      uint64 `json:"ending" unit:"interrupts"` // of threads that ended; with `-with interpret`
	Refused    uint64 `json:"refused" unit:"threads"`   // that could not be stopped; likewise
	Runs       uint64 `json:"runs" unit:"runs"`
	Dropped    uint64 `json:"lost" unit:"runs"`       // because the kernel's buffer was full
	Unlabelled uint64 `json:"unlabelled" unit:"runs"` // of goroutines whose labels could not be read
	Stops      []Stop `json:"ended_early"`            // why runs ended before their length
}

// A Stop is a reason why runs ended before their length.
type Stop struct {
	Reason string `json:"reason"`
	Runs   uint64 `json:"runs" unit:"runs"`
}

// String says the same in a line.
func (s Sampling) String() string {
	early := uint64(0)
	for _, stop := range s.Stops {
		early += stop.Runs
	}
	passed := ""
	if s.Passed > 0 {
		passed = fmt.Sprintf("%d not chosen, ", s.Passed)
	}
	if s.Ended > 0 {
		passed += fmt.Sprintf("%d of threads that ended, ", s.Ended)
	}
	refused := ""
	if s.Refused > 0 {
		refused = fmt.Sprintf("; %s could not be stopped", listing.Count(s.Refused, "thread"))
	}
	if s.Unlabelled > 0 {
		refused += fmt.Sprintf("; the labels of %s could not be read", listing.Count(s.Unlabelled, "run"))
	}
	return fmt.Sprintf("%s: %d in the kernel, %s%d at code not decoded yet, %s, of which %d were lost and %d ended early%s",
		listing.Count(s.Interrupts, "interrupt"), s.Kernel, passed, s.Missed, listing.Count(s.Runs, "run"), s.Dropped, early,
		refused)
}

func (t *ValuesTable) Name() string { return "values" }

// Print prints the listing as text.
func (t *ValuesTable) Print(p *listing.Page) {
	p.Line("%s", t.Sampling)
	t.List.Print(p)
}
