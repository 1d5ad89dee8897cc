package cop

// This file holds what an engine counts: the results of the model of time.

import (
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/host"
)

// Meters returns the counts since the engine was made or last flushed. Stalls, drops and
// all cycles are results of the model: of package clock for the main processor, and of
// the machine's pipeline and of the parameters handler, access and record for the rest. The
// counts of the host follow.
func (e *engine) Meters() []hwsim.Meter {
	now, stalled := e.clock.Cycles()
	s := e.m.Stats()
	samples := s.Done + s.Killed
	list := []hwsim.Meter{
		{Name: "processor to an event", Unit: "cycles/event", Count: now, Of: s.Accepted + s.Filtered + s.Dropped},
		{Name: "processor stalled", Unit: "ratio", Count: stalled, Of: now},
		{Name: "interrupts", Unit: "interrupts", Count: s.Interrupts},
		{Name: "samples", Unit: "events", Count: s.Accepted},
		{Name: "engine to a sample", Unit: "cycles/sample", Count: s.Instrs + s.Lost, Of: samples},
		{Name: "instructions to a sample", Unit: "instructions/sample", Count: s.Instrs, Of: samples},
		{Name: "engine busy", Unit: "ratio", Count: s.Instrs + s.Lost, Of: s.Instrs + s.Lost + s.Idle + s.Halted},
		{Name: "branch slots used", Unit: "ratio", Count: s.Branches, Of: s.Instrs},
		{Name: "branches predicted wrongly", Unit: "ratio", Count: s.Mispredicted, Of: s.Branches},
		{Name: "lost: filtered", Unit: "events", Count: s.Filtered},
		{Name: "lost: buffer full", Unit: "events", Count: s.Dropped},
		{Name: "lost: watchdog", Unit: "events", Count: s.Killed},
		{Name: "stores refused", Unit: "stores", Count: s.BadStores},
	}
	if m, ok := e.memory.(host.Metered); ok {
		list = append(list, m.Meters()...)
	}
	return list
}
