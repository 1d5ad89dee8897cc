package asm

// This file traces a program while it runs.

import (
	"fmt"
	"io"
	"strings"

	"github.com/pepgo/pep/hwsim/cop"
)

// A Tracer runs a machine and writes a line for each microinstruction: the cycle, the
// address, the instruction, the values that it has changed, and whether its branch was
// taken. Cycles without an instruction get lines of their own.
//
//	cycle  addr
//	    2     0  add V0, V0, K1                      V0=0x1
//	    3     1  cmp V0, K0                          lt
//	    4     2  if !eq goto done                    taken
//	    5        2 cycles lost: the branch was predicted wrongly
type Tracer struct {
	W io.Writer
	M *cop.Machine

	last    cop.Stats
	started bool
}

// Run does the same as cop.Machine.Run, and writes the lines.
func (t *Tracer) Run(until uint64) cop.State {
	if !t.started {
		fmt.Fprintf(t.W, "cycle  addr\n")
		t.started = true
	}
	for {
		state, now := t.M.State()
		s := t.M.Stats()
		idle := s.Idle - t.last.Idle
		t.missing(now-idle, s.Halted-t.last.Halted, "halted by an interrupt")
		t.missing(now, idle, "without an event")
		t.last = s
		if state != cop.Running || now >= until {
			return state
		}
		t.step(now)
	}
}

// missing writes a line about the n cycles before now.
func (t *Tracer) missing(now, n uint64, why string) {
	if n > 0 {
		fmt.Fprintf(t.W, "%5d        %d cycles %s\n", now-n, n, why)
	}
}

// registers are the registers whose changes a line shows. The arrays are shown apart.
var registers = func() (list []cop.Source) {
	for i := range cop.Source(8) {
		list = append(list, cop.SourceV+i)
	}
	for i := range cop.Source(8) {
		list = append(list, cop.SourceI+i)
	}
	return append(list, cop.SourceM)
}()

func (t *Tracer) step(now uint64) {
	m := t.M
	address := m.PC()
	word, _ := m.Get(cop.MicrocodeWindow + address)
	in, _ := cop.Decode(word) // the machine has only valid words
	var before [57]uint64
	for _, r := range registers {
		before[r] = m.Read(r)
	}
	data, slot := t.data(in), int(m.Read(cop.SourceI+cop.Source(in.CamIndex)))&(m.Config().Slots-1)
	flags := flagNames(m)

	m.Step()

	var changes []string
	for _, r := range registers {
		if x := m.Read(r); x != before[r] {
			changes = append(changes, fmt.Sprintf("%s=%#x", sourceName(r), x))
		}
	}
	if in.Data > cop.DataRead {
		x, _ := m.Get(cop.DataWindow + data)
		changes = append(changes, fmt.Sprintf("data[%d]=%#x", data, x))
	}
	switch in.Cam {
	case cop.CamWrite:
		x, _ := m.Get(cop.KeyWindow + slot)
		changes = append(changes, fmt.Sprintf("slot[%d]=%#x", slot, x))
	case cop.CamInval:
		changes = append(changes, fmt.Sprintf("slot[%d] invalid", slot))
	}
	if after := flagNames(m); after != flags {
		changes = append(changes, "flags="+after)
	}
	s := m.Stats()
	if in.Branches() {
		taken := "not taken"
		if s.Taken > t.last.Taken {
			taken = "taken"
		}
		changes = append(changes, taken)
	}
	fmt.Fprintf(t.W, "%s\n", strings.TrimRight(fmt.Sprintf("%5d %5d  %-40s %s", now, address, Instr(in), strings.Join(changes, " ")), " "))
	end := now + 1
	if n := (s.Mispredicted - t.last.Mispredicted) * m.Config().Penalty; n > 0 {
		t.missing(end+n, n, "lost: the branch was predicted wrongly")
		end += n
	}
	if s.Killed > t.last.Killed {
		fmt.Fprintf(t.W, "%5d        the watchdog ends the routine\n", end)
	}
}

// data returns the word of the data array that an instruction uses.
func (t *Tracer) data(in cop.Instr) int {
	base, _ := t.M.Get(cop.BaseWindow + int(in.Base))
	return int(base&0xffff|t.M.Read(cop.SourceI+cop.Source(in.DataIndex))) & (t.M.Config().Data - 1)
}

// flagNames returns the names of the predicates that are true, except for empty.
func flagNames(m *cop.Machine) string {
	var names []string
	for p := cop.PredEQ; p < cop.PredEmpty; p++ {
		if m.Flag(p) {
			names = append(names, predNames[p])
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, "+")
}
