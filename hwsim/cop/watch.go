package cop

// This file holds what debuggers need of engines.

import (
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// A Watched is an engine that a debugger can watch. All engines of Kind are.
type Watched interface {
	hwsim.Engine

	// Machine returns the machine of the engine. The engine runs it by Machine.Run.
	Machine() *machine.Machine

	// Offered makes the engine call f with each sample that it has given to the machine, and
	// what became of it. The sample has all words of the event.
	Offered(f func(s machine.Sample, o machine.Outcome))

	// Settle runs the machine until it waits for an event, as if the next event came
	// much later. Software handles the interrupts meanwhile.
	Settle(out *hwsim.Out)
}

// Machine implements Watched.
func (e *engine) Machine() *machine.Machine { return e.m }

// Offered implements Watched.
func (e *engine) Offered(f func(s machine.Sample, o machine.Outcome)) { e.offered = f }

// Settle implements Watched.
func (e *engine) Settle(out *hwsim.Out) {
	e.offer(out, true)
	e.settle(out, true)
}
