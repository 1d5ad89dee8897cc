package cop

// This file holds the software on the main processor that handles interrupts of the
// machine.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// A host is the software for one kind of program. The program names its host with the
// directive .host.
type host struct {
	name  string
	check func(m *Machine) error // checks that the program has what the host needs

	// read reads the results of the machine and sends them. Afterwards the machine is
	// ready to go on. ended means that the stream ends and that no interrupt has called
	// read.
	read func(w *window, ended bool, out *hwsim.Out)

	// params are the names of the parameters that only programs for this host have, and parse reads
	// them. It is nil for hosts that have none, and that keep nothing from one interrupt to the next.
	params []string
	parse  func(a *hwsim.Args) params

	// view returns the tuple that the host's messages are about, for an event; nil: the
	// event itself.
	view func(t tuple.Tuple) tuple.Tuple

	// exact returns an engine in plain Go that sends, one by one, the events that the
	// host's messages are about, as if the machine had any amount of memory. It is nil
	// if messages are about the events of the stream, as view shows them.
	exact func(m *Machine) hwsim.Engine

	estimates bool // the counts of messages are estimates
	ranges    bool // some messages have Free bits
}

// HostWindow is behind the windows of the machine: its registers are those of the host, which
// are variables of software. Hosts that have registers define what they mean.
const HostWindow = NumWindows << 16

// params are the parameters of a host in a description.
type params interface {
	write(add func(name, value string)) // calls add with those that do not have their defaults
	setup(m *Machine) error             // sets registers after a program is loaded

	// memory returns what the host keeps in main memory from one interrupt to the next.
	memory(m *Machine) memory
}

// A memory is the state of a host. A host allocates its memory once, when the engine is
// made.
type memory interface {
	reset()           // makes the memory as new
	copy(from memory) // copies a memory of the same engine; it does not allocate

	// lost returns the number of accepted events that are in no message, and that neither
	// the machine nor the memory holds any more.
	lost() uint64
}

// A registered memory has registers of the host, from HostWindow on. Store and load return
// false if there is no such register.
type registered interface {
	store(w *window, i int, value uint64) (ok bool)
	load(i int) (value uint64, ok bool)
}

// A timed memory has the timer of the main processor.
type timed interface {
	firstAlarm() uint64 // the cycle in which the timer is due first

	// timer answers the timer. The machine waits for an event then.
	timer(w *window, out *hwsim.Out)
}

// A metered memory counts what its host does.
type metered interface {
	meters() []hwsim.Meter
}

var hosts = [...]*host{
	{name: "samples", check: checkSamples, read: readSamples},
	valuesHost,
	{name: "table", check: checkTable, read: readTable},
	{name: "edges", check: checkEdges, read: readEdges, exact: exactEdges},
	{name: "targets", check: checkTargets, read: readTargets, exact: exactTargets},
	{name: "follow", check: checkFollow, read: readFollow, exact: exactFollow},
	{name: "deps", check: checkDeps, read: readDeps, exact: exactDeps},
	{name: "conflicts", check: checkConflicts, read: readConflicts, exact: exactConflicts},
	{name: "stack", check: checkStack, read: readStack, exact: exactStack},
}

func findHost(name string) *host {
	for _, h := range hosts {
		if h.name == name {
			return h
		}
	}
	return nil
}

func hostNames() (s string) {
	for i, h := range hosts {
		if i > 0 {
			s += ", "
		}
		s += h.name
	}
	return s
}

// A window is a host's access to a machine. It counts the cycles of the accesses.
type window struct {
	m      *Machine
	memory memory // of the host, or nil
	access uint64 // cycles of one access
	record uint64 // cycles of one record
	cycles uint64
	events uint64 // events in messages
	now    uint64 // the cycle of the main processor in which the handler begins
	alarm  uint64 // the host sets it: the timer is due so many cycles after the handler; 0: as it was set before
}

func (w *window) load(register int) uint64 {
	w.cycles += w.access
	v, err := w.m.Get(register)
	if err != nil {
		panic(err) // the host was checked
	}
	return v
}

func (w *window) store(register int, value uint64) {
	w.cycles += w.access
	if err := w.m.Set(register, value); err != nil {
		panic(err)
	}
}

// send sends the message of a record.
func (w *window) send(m hwsim.Message, out *hwsim.Out) {
	w.cycles += w.record
	w.events += m.Count
	out.Send(m)
}

// next returns the number that follows the last slot in use. An index register has it: of
// that many bits, and 0 if all slots are in use.
func (w *window) next(index int, ended bool) int {
	n := int(w.load(IndexWindow + index))
	if n == 0 && !ended {
		n = 1 << w.m.IndexWidth(index)
	}
	return n
}

// word loads a word of a sub-array.
func (w *window) word(base, i int) uint64 {
	return w.load(w.m.SubArray(base, i))
}

// count sends a message if there were events.
func (w *window) count(pc, word, count uint64, out *hwsim.Out) {
	if count > 0 {
		w.send(hwsim.Message{Tuple: tuple.Tuple{PC: pc, W: word}, Count: count}, out)
	}
}

// empty makes a table empty.
func (w *window) empty() {
	w.store(CommandWindow+InvalidateAll, 0)
	w.store(CommandWindow+ClearData, 0)
	w.store(IndexWindow, 0)
}

// checkFields checks that samples have fields.
func checkFields(m *Machine, host string, fields Fields) error {
	for i, name := range [...]string{"pc", "value", "addr"} {
		if bit := Fields(1 << i); fields&bit != 0 && m.Fields()&bit == 0 {
			return Error("the fields of a sample: the host " + host + " wants " + name + " among them")
		}
	}
	return nil
}

// The host of samples reads PCs from the sub-array B0 and words from B1. I0 is the
// index of the next sample in both; it has wrapped to 0 when the program interrupts.
// Each sample stands for K0 events.

func checkSamples(m *Machine) error {
	width := m.IndexWidth(0)
	if m.BaseBits(0) != width || m.BaseBits(1) != width {
		return Error("sub-arrays of " + digits.Uint(1<<m.BaseBits(0)) + " and " + digits.Uint(1<<m.BaseBits(1)) +
			" words: the host samples wants as many in both as I0 can count, " + digits.Uint(1<<width))
	}
	if m.Read(SourceK) == 0 {
		return Error("K0 is 0: the host samples wants the number of events there that a sample stands for")
	}
	return checkFields(m, "samples", SelectPC|SelectValue)
}

func readSamples(w *window, ended bool, out *hwsim.Out) {
	n := 1 << w.m.IndexWidth(0)
	if ended {
		n = int(w.load(IndexWindow))
	}
	pcs, words := DataWindow+w.m.Base(0), DataWindow+w.m.Base(1)
	for i := range n {
		t := tuple.Tuple{PC: w.load(pcs + i), W: w.load(words + i)}
		w.send(hwsim.Message{Tuple: t, Count: w.m.Read(SourceK)}, out)
	}
}
