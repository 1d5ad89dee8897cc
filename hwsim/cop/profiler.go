package cop

// This file hands out the results of value profiling.

import (
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/values"
)

// A Profiler is an engine that profiles values. The engines of [Kind] are Profilers; if
// their program has another host, they have no loads.
type Profiler interface {
	hwsim.Engine

	// Loads returns what the engine knows, as if it were flushed, in the order in which
	// loads were first copied. Loads that software has sent early, because there was no
	// space for further records, are missing. The engine goes on as before.
	Loads() []values.Load

	// Complete reports whether the profile is complete: whether no partition of the
	// program led to an interrupt when it last had its turn. Later interrupts or cleared
	// masks make it incomplete again.
	Complete() bool
}

// Loads is a method of Profiler.
func (e *engine) Loads() (list []values.Load) {
	v, ok := e.copy.memory.(*values.Profile)
	if !ok {
		return nil
	}
	e.snapshot(func() {
		nowhere := hwsim.NewOut(1, func([]hwsim.Message) {})
		e.finish(nowhere)
		w := e.newWindow()
		list = v.Loads(&w)
	})
	return list
}

// Complete is a method of Profiler.
func (e *engine) Complete() bool {
	v, ok := e.memory.(*values.Profile)
	return ok && v.Complete()
}
