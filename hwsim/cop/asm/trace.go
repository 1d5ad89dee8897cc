package asm

// This file traces a program while it runs.

import (
	"fmt"
	"io"
	"strings"

	"github.com/pepgo/pep/hwsim/cop/machine"
)

// A Tracer runs a machine and writes a line for each microinstruction: the cycle, the
// address, the instruction, the values that it has changed, and where its branch went.
// Instructions without a branch have nothing in the last column. Cycles without an
// instruction get lines of their own.
//
//	cycle  addr
//	    2     0  take      add V0, V0, K1                    V0=0x1
//	    3     1  take+1    cmp V0, K0                        flags=lt
//	    4     2  take+2    if !eq goto done unlikely         taken, predicted wrongly
//	    5        2 cycles lost: the branch was predicted wrongly
//	    7        13 cycles without an event
type Tracer struct {
	W       io.Writer
	M       *machine.Machine
	Program *Program // for labels and source lines; without it the lines have the disassembly

	last    machine.Stats
	started bool
}

// Run does the same as cop.Machine.Run, and writes the lines.
func (t *Tracer) Run(until uint64) machine.State {
	t.Catch()
	for {
		state, now := t.M.State()
		if state != machine.Running || now >= until {
			return state
		}
		t.Step()
	}
}

// Catch writes lines about the cycles without instructions since the last line.
func (t *Tracer) Catch() {
	if !t.started {
		fmt.Fprintf(t.W, "cycle  addr\n")
		t.started = true
	}
	_, now := t.M.State()
	s := t.M.Stats()
	idle := s.Idle - t.last.Idle
	t.missing(now-idle, s.Halted-t.last.Halted, "halted by an interrupt")
	t.missing(now, idle, "without an event")
	t.last = s
}

// Line writes a line about something else that happens in a cycle.
func (t *Tracer) Line(cycle uint64, format string, args ...any) {
	fmt.Fprintf(t.W, "%5d        %s\n", cycle, fmt.Sprintf(format, args...))
}

// missing writes a line about the n cycles before now.
func (t *Tracer) missing(now, n uint64, why string) {
	if n > 0 {
		t.Line(now-n, "%d %s %s", n, plural(n, "cycle"), why)
	}
}

func plural(n uint64, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// registers are the registers whose changes a line shows. The arrays are shown apart.
var registers = func() (list []machine.Source) {
	for i := range machine.Source(8) {
		list = append(list, machine.SourceV+i)
	}
	for i := range machine.Source(8) {
		list = append(list, machine.SourceI+i)
	}
	return append(list, machine.SourceM)
}()

// Step makes one step of the machine, which must be running, and writes its line.
func (t *Tracer) Step() {
	t.Catch()
	m := t.M
	_, now := m.State()
	address := m.PC()
	word, _ := m.Get(machine.MicrocodeWindow + address)
	in, _ := machine.Decode(word) // the machine has only valid words
	var before [57]uint64
	for _, r := range registers {
		before[r] = m.Read(r)
	}
	data, slot := t.data(in), int(m.Read(machine.SourceI+machine.Source(in.CamIndex)))&(m.Config().Slots-1)
	flags := Flags(m)

	m.Step()

	var changes []string
	for _, r := range registers {
		if x := m.Read(r); x != before[r] {
			changes = append(changes, fmt.Sprintf("%s=%#x", sourceName(r), x))
		}
	}
	if in.Data > machine.DataRead {
		x, _ := m.Get(machine.DataWindow + data)
		changes = append(changes, fmt.Sprintf("data[%d]=%#x", data, x))
	}
	switch in.Cam {
	case machine.CamWrite:
		x, _ := m.Get(machine.KeyWindow + slot)
		changes = append(changes, fmt.Sprintf("slot[%d]=%#x", slot, x))
	case machine.CamInval:
		changes = append(changes, fmt.Sprintf("slot[%d] invalid", slot))
	}
	if after := Flags(m); after != flags {
		changes = append(changes, "flags="+after)
	}
	s := m.Stats()
	if in.Branches() {
		branch := "not taken, "
		if s.Taken > t.last.Taken {
			branch = "taken, "
		}
		if s.Mispredicted > t.last.Mispredicted {
			branch += "predicted wrongly"
		} else {
			branch += "predicted"
		}
		changes = append(changes, branch)
	}
	fmt.Fprintf(t.W, "%s\n", strings.TrimRight(fmt.Sprintf("%5d %s %s", now, t.instruction(address, in),
		strings.Join(changes, " ")), " "))
	end := now + 1
	if n := (s.Mispredicted - t.last.Mispredicted) * m.Config().Penalty; n > 0 {
		t.missing(end+n, n, "lost: the branch was predicted wrongly")
		end += n
	}
	if s.Killed > t.last.Killed {
		t.Line(end, "the watchdog ends the routine")
	}
}

// instruction returns an address and what is there.
func (t *Tracer) instruction(address int, in machine.Instr) string {
	if t.Program == nil {
		return fmt.Sprintf("%5d  %-40s", address, Instr(in))
	}
	return fmt.Sprintf("%5d  %-9s %-40s", address, t.Program.Name(address), t.Program.Source(address))
}

// Next returns the address of the next microinstruction and what is there.
func (t *Tracer) Next() string {
	word, _ := t.M.Get(machine.MicrocodeWindow + t.M.PC())
	in, _ := machine.Decode(word)
	return strings.TrimSpace(t.instruction(t.M.PC(), in))
}

// Name returns an address as the last label before it and the distance: loop+2.
func (p *Program) Name(address int) string {
	name, at := "", -1
	for label, a := range p.Label {
		if a <= address && (a > at || a == at && label < name) {
			name, at = label, a
		}
	}
	switch {
	case at < 0:
		return fmt.Sprint(address)
	case at == address:
		return name
	}
	return fmt.Sprintf("%s+%d", name, address-at)
}

// Source returns the operations of the source line of an address, without labels and the
// comment.
func (p *Program) Source(address int) string {
	if address >= len(p.Code) {
		return "nop"
	}
	text, _, _ := strings.Cut(p.Code[address].Text, "#")
	if i := strings.LastIndex(text, ":"); i >= 0 {
		text = text[i+1:]
	}
	return strings.Join(strings.Fields(text), " ")
}

// Summary writes what the machine has counted.
func (t *Tracer) Summary() {
	s := t.M.Stats()
	fmt.Fprintf(t.W, "\n%d %s: %d done, %d ended by the watchdog; %d events filtered, %d dropped\n", s.Accepted,
		plural(s.Accepted, "sample"), s.Done, s.Killed, s.Filtered, s.Dropped)
	busy := s.Instrs + s.Lost
	fmt.Fprintf(t.W, "%d cycles: %d instructions, %d lost by wrong predictions, %d without an event, %d halted by %d %s\n",
		busy+s.Idle+s.Halted, s.Instrs, s.Lost, s.Idle, s.Halted, s.Interrupts, plural(s.Interrupts, "interrupt"))
	fmt.Fprintf(t.W, "%s cycles per instruction, %s instructions per sample\n", ratio(busy, s.Instrs),
		ratio(s.Instrs, s.Done+s.Killed))
	fmt.Fprintf(t.W, "%d of %d branch slots used (%s%%): %d taken, %d predicted wrongly\n", s.Branches, s.Instrs,
		ratio(100*s.Branches, s.Instrs), s.Taken, s.Mispredicted)
}

// ratio returns a/b with two decimals, "-" if b is 0.
func ratio(a, b uint64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}

// data returns the word of the data array that an instruction uses.
func (t *Tracer) data(in machine.Instr) int {
	base, _ := t.M.Get(machine.BaseWindow + int(in.Base))
	return int(base&0xffff|t.M.Read(machine.SourceI+machine.Source(in.DataIndex))) & (t.M.Config().Data - 1)
}

// Flags returns the names of the predicates that are true, except for empty.
func Flags(m *machine.Machine) string {
	var names []string
	for p := machine.PredEQ; p < machine.PredEmpty; p++ {
		if m.Flag(p) {
			names = append(names, predNames[p])
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, "+")
}
