// Package cop makes a programmable profiling co-processor an engine. The engine of [Kind]
// has a machine, a model of the main processor, and a host: the software that answers the
// interrupts of a program.
//
// Package machine, below this one, has the machine. Package host says what a host is and has those
// of the small programs; package values has the host of value profiling, with parameters of its
// own; package images has the programs. A debugger watches engines as [Watched].
//
// For value profiling, see [Profiler]:
//
//	spec, err := engines.Parse("cop(program=values)", nil) // package hwsim/engines
//	e := engines.Stages(spec.New(0))[0].(cop.Profiler)
//	e.Push(tuples, out)
//	for _, load := range e.Loads() { // values of each load, with their shares
//		…
//	}
package cop
