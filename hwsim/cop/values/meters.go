package values

// This file counts what the host of value profiling does.

import "github.com/pepgo/pep/hwsim"

type valueCounts struct {
	full, thrash, timer uint64 // interrupts
	copied              uint64 // slots
	splits              uint64 // of partitions
	masked, cleared     uint64 // loads; how often all masks were cleared
	cycles              uint64 // of the main processor, for all of the above
	early               uint64 // records that were sent early

	// Samples that are in no message.
	ignored      uint64 // replacements failed, or other loads replaced them
	thrashed     uint64 // in the slots at THRASH, or before that as above
	unattributed uint64 // the estimate gives them to no value
}

func (v *Profile) Meters() []hwsim.Meter {
	c := &v.counts
	phased := uint64(0)
	for i := range v.loads {
		if v.phased(&v.loads[i]) {
			phased++
		}
	}
	return []hwsim.Meter{
		{Name: "interrupts FULL", Unit: "interrupts", Count: c.full},
		{Name: "interrupts THRASH", Unit: "interrupts", Count: c.thrash},
		{Name: "interrupts of the timer", Unit: "interrupts", Count: c.timer},
		{Name: "slots copied", Unit: "slots", Count: c.copied},
		{Name: "loads profiled", Unit: "loads", Count: uint64(len(v.loads))},
		{Name: "loads with phased values", Unit: "loads", Count: phased},
		{Name: "masks set", Unit: "masks", Count: c.masked},
		{Name: "masks cleared", Unit: "times", Count: c.cleared},
		{Name: "partitions split", Unit: "splits", Count: c.splits},
		{Name: "handler cycles", Unit: "cycles", Count: c.cycles},
		{Name: "samples ignored or replaced", Unit: "samples", Count: c.ignored},
		{Name: "samples thrashed", Unit: "samples", Count: c.thrashed},
		{Name: "samples of no value", Unit: "samples", Count: c.unattributed},
		{Name: "records sent early", Unit: "records", Count: c.early},
	}
}
