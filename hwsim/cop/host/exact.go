package host

// This file holds exact analyses of streams. For each program that derives events from a
// stream there is one in plain Go, with maps in place of the machine's small arrays. An
// exact profile of what they send is the one to compare the messages of the machine with.
// No profiled program runs them.

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/machine"
	"github.com/pepgo/pep/hwsim/sample"
)

// deriving returns an engine that calls derive with each sample. derive returns the event
// that follows from it, if there is one.
func deriving(derive func(s *sample.Sample) (t tuple.Tuple, ok bool), reset func()) hwsim.Engine {
	return sample.New(func(s *sample.Sample, out *hwsim.Out) (sent uint64) {
		t, ok := derive(s)
		if !ok {
			return 0
		}
		out.Send(hwsim.Message{Tuple: t, Count: 1})
		return 1
	}, reset)
}

// exactEdges sends the outcomes 0 and 1 of branches.
func exactEdges(*machine.Machine) hwsim.Engine {
	return deriving(func(s *sample.Sample) (tuple.Tuple, bool) {
		t := s.Tuples[0]
		return t, t.Tag() == tuple.Edge && t.W <= 1
	}, nil)
}

// exactTargets sends dynamic calls, and the other outcomes of branches.
func exactTargets(*machine.Machine) hwsim.Engine {
	return deriving(func(s *sample.Sample) (tuple.Tuple, bool) {
		t := s.Tuples[0]
		return t, t.Tag() == tuple.Call || t.Tag() == tuple.Edge && t.W > 1
	}, nil)
}

// exactFollow sends each branch with the one before it, unless another goroutine went on,
// or a branch had an outcome above 1, in between.
func exactFollow(*machine.Machine) hwsim.Engine {
	var before tuple.Tuple // PC is 0 if there is none
	return deriving(func(s *sample.Sample) (t tuple.Tuple, ok bool) {
		switch x := s.Tuples[0]; {
		case x.Tag() == tuple.Goroutine, x.Tag() == tuple.Edge && x.W > 1:
			before = tuple.Tuple{}
		case x.Tag() == tuple.Edge:
			t, ok = follow(before.PC, before.W, x.PC, x.W), before.PC != 0
			before = x
		}
		return t, ok
	}, func() { before = tuple.Tuple{} })
}

// exactDeps sends for each load the store that stored to its address before.
func exactDeps(*machine.Machine) hwsim.Engine {
	stores := map[uint64]uint64{} // PCs, by address
	return deriving(func(s *sample.Sample) (t tuple.Tuple, ok bool) {
		addr, known := s.Word(sample.Second)
		if !known || addr == 0 {
			return t, false // no address is known
		}
		switch x := s.Tuples[0]; x.Tag() {
		case tuple.Store:
			stores[addr] = x.PC
		case tuple.Load:
			store, known := stores[addr]
			return tuple.New(tuple.Dep, x.Site(), store), known
		}
		return t, false
	}, func() { clear(stores) })
}

// exactConflicts sends an event for each access to a block that was accessed before, at
// most 64 accesses ago.
func exactConflicts(m *machine.Machine) hwsim.Engine {
	const short = 64
	n := 0
	last := map[uint64]int{} // the number of the last access, by block
	return deriving(func(s *sample.Sample) (t tuple.Tuple, ok bool) {
		addr, known := s.Address()
		if tag := s.Tuples[0].Tag(); !known || addr == 0 || tag != tuple.Load && tag != tuple.Addr {
			return t, false
		}
		n++
		block := addr & m.Read(machine.SourceK+1)
		before, again := last[block]
		last[block] = n
		return conflict(m, s.Tuples[0].Site(), addr), again && n-before <= short
	}, func() { clear(last) })
}

// exactStack sends each entry with the context of the caller, and each other event with
// its context.
func exactStack(*machine.Machine) hwsim.Engine {
	var callers []uint64
	context := uint64(0)
	return deriving(func(s *sample.Sample) (t tuple.Tuple, ok bool) {
		x := s.Tuples[0]
		switch x.Tag() {
		case tuple.Enter:
			t = tuple.New(tuple.Context, x.Site(), context)
			callers = append(callers, context)
			context = tuple.InContext(context, x.Site())
			return t, true
		case tuple.Return:
			context = 0
			if n := len(callers); n > 0 {
				context, callers = callers[n-1], callers[:n-1]
			}
			return t, false
		case tuple.Goroutine:
			context, callers = 0, nil
			return t, false
		case tuple.More, tuple.Third:
			return t, false // the rest of a sample
		}
		return tuple.New(tuple.Within, x.Site(), context), true
	}, func() { context, callers = 0, nil })
}
