// Package host has the software on the main processor that answers the interrupts of a co-processor.
// A [Host] is the software for one kind of program; it sees the machine through a [Window], which counts
// what the accesses cost.
package host

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// A Host is the software for one kind of program. The program names its host with the
// directive .host.
type Host struct {
	Name  string
	Check func(m *machine.Machine) error // checks that the program has what the host needs

	// Read reads the results of the machine and sends them. Afterwards the machine is
	// ready to go on. ended means that the stream ends and that no interrupt has called
	// Read.
	Read func(w *Window, ended bool, out *hwsim.Out)

	// Params are the names of the parameters that only programs for this host have, and Parse reads
	// them. It is nil for hosts that have none, and that keep nothing from one interrupt to the next.
	Params []string
	Parse  func(a *hwsim.Args) Params

	// View returns the tuple that the host's messages are about, for an event; nil: the
	// event itself.
	View func(t tuple.Tuple) tuple.Tuple

	// Exact returns an engine in plain Go that sends, one by one, the events that the
	// host's messages are about, as if the machine had any amount of memory. It is nil
	// if messages are about the events of the stream, as View shows them.
	Exact func(m *machine.Machine) hwsim.Engine

	Estimates bool // the counts of messages are estimates
	Ranges    bool // some messages have Free bits
}

// FirstRegister is behind the windows of the machine: its registers are those of the host, which
// are variables of software. Hosts that have registers define what they mean.
const FirstRegister = machine.NumWindows << 16

// Params are the parameters of a host in a description.
type Params interface {
	Write(add func(name, value string)) // calls add with those that do not have their defaults
	Setup(m *machine.Machine) error     // sets registers after a program is loaded

	// Memory returns what the host keeps in main memory from one interrupt to the next.
	Memory(m *machine.Machine) Memory
}

// A Memory is the state of a host. A host allocates its memory once, when the engine is
// made.
type Memory interface {
	Reset()           // makes the memory as new
	Copy(from Memory) // copies a memory of the same engine; it does not allocate

	// Lost returns the number of accepted events that are in no message, and that neither
	// the machine nor the memory holds any more.
	Lost() uint64
}

// A Registered memory has registers of the host, from FirstRegister on, which are numbered from 0
// here. Store and Load return false if there is no such register.
type Registered interface {
	Store(w *Window, i int, value uint64) (ok bool)
	Load(i int) (value uint64, ok bool)
}

// A Timed memory has the timer of the main processor.
type Timed interface {
	FirstAlarm() uint64 // the cycle in which the timer is due first

	// Timer answers the timer. The machine waits for an event then.
	Timer(w *Window, out *hwsim.Out)
}

// A Metered memory counts what its host does.
type Metered interface {
	Meters() []hwsim.Meter
}

// A Window is a host's access to a machine. It counts the cycles of the accesses.
type Window struct {
	Machine *machine.Machine
	Memory  Memory // of the host, or nil
	Access  uint64 // cycles of one access
	Record  uint64 // cycles of one record
	Cycles  uint64
	Events  uint64 // events in messages
	Now     uint64 // the cycle of the main processor in which the handler begins
	Alarm   uint64 // the host sets it: the timer is due so many cycles after the handler; 0: as it was set before
}

// Load loads a register of the machine.
func (w *Window) Load(register int) uint64 {
	w.Cycles += w.Access
	v, err := w.Machine.Get(register)
	if err != nil {
		panic(err) // the host was checked
	}
	return v
}

// Store stores to a register of the machine.
func (w *Window) Store(register int, value uint64) {
	w.Cycles += w.Access
	if err := w.Machine.Set(register, value); err != nil {
		panic(err)
	}
}

// send sends the message of a record.
func (w *Window) send(m hwsim.Message, out *hwsim.Out) {
	w.Cycles += w.Record
	w.Events += m.Count
	out.Send(m)
}

// next returns the number that follows the last slot in use. An index register has it: of
// that many bits, and 0 if all slots are in use.
func (w *Window) next(index int, ended bool) int {
	n := int(w.Load(machine.IndexWindow + index))
	if n == 0 && !ended {
		n = 1 << w.Machine.IndexWidth(index)
	}
	return n
}

// word loads a word of a sub-array.
func (w *Window) word(base, i int) uint64 { return w.Load(w.Machine.SubArray(base, i)) }

// count sends a message if there were events.
func (w *Window) count(pc, word, count uint64, out *hwsim.Out) {
	if count > 0 {
		w.send(hwsim.Message{Tuple: tuple.Tuple{PC: pc, W: word}, Count: count}, out)
	}
}

// empty makes a table empty.
func (w *Window) empty() {
	w.Store(machine.CommandWindow+machine.InvalidateAll, 0)
	w.Store(machine.CommandWindow+machine.ClearData, 0)
	w.Store(machine.IndexWindow, 0)
}

// CheckFields checks that samples have fields.
func CheckFields(m *machine.Machine, host string, fields machine.Fields) error {
	for i, name := range [...]string{"pc", "value", "addr"} {
		if bit := machine.Fields(1 << i); fields&bit != 0 && m.Fields()&bit == 0 {
			return machine.Error("the fields of a sample: the host " + host + " wants " + name + " among them")
		}
	}
	return nil
}

// Samples is the host of samples. It reads PCs from the sub-array B0 and words from B1. I0 is the
// index of the next sample in both; it has wrapped to 0 when the program interrupts.
// Each sample stands for K0 events.
var Samples = &Host{Name: "samples", Check: checkSamples, Read: readSamples}

func checkSamples(m *machine.Machine) error {
	width := m.IndexWidth(0)
	if m.BaseBits(0) != width || m.BaseBits(1) != width {
		return machine.Error("sub-arrays of " + digits.Uint(1<<m.BaseBits(0)) + " and " + digits.Uint(1<<m.BaseBits(1)) +
			" words: the host samples wants as many in both as I0 can count, " + digits.Uint(1<<width))
	}
	if m.Read(machine.SourceK) == 0 {
		return machine.Error("K0 is 0: the host samples wants the number of events there that a sample stands for")
	}
	return CheckFields(m, "samples", machine.SelectPC|machine.SelectValue)
}

func readSamples(w *Window, ended bool, out *hwsim.Out) {
	n := 1 << w.Machine.IndexWidth(0)
	if ended {
		n = int(w.Load(machine.IndexWindow))
	}
	pcs, words := machine.DataWindow+w.Machine.Base(0), machine.DataWindow+w.Machine.Base(1)
	for i := range n {
		t := tuple.Tuple{PC: w.Load(pcs + i), W: w.Load(words + i)}
		w.send(hwsim.Message{Tuple: t, Count: w.Machine.Read(machine.SourceK)}, out)
	}
}
