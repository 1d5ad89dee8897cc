package cost

// This file computes how many cycles messages take (section 5.3.2).

// An Overhead is a model of what messages cost a program.
type Overhead struct {
	PerMessage float64 // cycles for a message, its share of an interrupt included
	PerEvent   float64 // cycles that the program itself takes for an event that is profiled
}

// Default is the paper's worst case of 30 cycles a message. The paper simulated
// the program's cycles; 3.35 per event is what follows from its 3.5 % for gcc
// and H[P256]2048: 30 / 256 / 0.035.
var Default = Overhead{PerMessage: 30, PerEvent: 3.35}

// Cycles returns what messages cost.
func (o Overhead) Cycles(messages uint64) float64 { return o.PerMessage * float64(messages) }

// Percent returns what messages cost in percent of the program's cycles, which it
// estimates from the number of events. If the cycles are known, compute 100 times
// Cycles divided by them instead.
func (o Overhead) Percent(messages, events uint64) float64 {
	return 100 * o.Cycles(messages) / (o.PerEvent * float64(events))
}
