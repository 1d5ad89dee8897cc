package asm

// This file holds the disassembler.

import (
	"fmt"
	"strings"

	"github.com/pepgo/pep/hwsim/cop/machine"
)

// Instr returns an instruction as text that Assemble accepts.
func Instr(in machine.Instr) string {
	var ops []string
	add := func(format string, args ...any) { ops = append(ops, fmt.Sprintf(format, args...)) }
	result := "" // the text behind operations that use the result
	if in.Main == machine.MainNop {
		result = ", " + sourceName(in.A)
	} else {
		ops = append(ops, mainText(in))
	}
	switch in.Index {
	case machine.IndexNop:
	case machine.IndexClr:
		add("clr I%d", in.IndexDst)
	case machine.IndexSet:
		add("set I%d%s", in.IndexDst, result)
	default:
		add("%s I%d, I%d", indexNames[in.Index], in.IndexDst, in.IndexSrc)
	}
	if in.Data != machine.DataNop {
		field, stored := "", ""
		if in.Field != machine.FieldWord {
			field = "." + partNames[in.Field]
		}
		if in.Data == machine.DataWrite {
			stored = result
		}
		add("%s B%d|I%d%s%s", dataNames[in.Data], in.Base, in.DataIndex, field, stored)
	}
	if in.Cam != machine.CamNop {
		key := ""
		if in.CamResult {
			key = result
			if key == "" {
				key = ", result"
			}
		}
		add("%s I%d%s", camNames[in.Cam], in.CamIndex, key)
	}
	if in.Branches() {
		ops = append(ops, branchText(in))
	}
	if ops == nil {
		return "nop"
	}
	return strings.Join(ops, " ; ")
}

func mainText(in machine.Instr) string {
	s := mainNames[in.Main] + " "
	if in.Dst != 0 {
		s += fmt.Sprintf("V%d, ", in.Dst&7)
	}
	s += sourceName(in.A)
	if in.Main.Operands() == 2 {
		s += ", " + sourceName(in.B)
	}
	return s
}

func sourceName(s machine.Source) string {
	switch {
	case s < 8:
		return fmt.Sprintf("V%d", s)
	case s < machine.SourceI:
		return fmt.Sprintf("K%d", s-machine.SourceK)
	case s < machine.SourcePC:
		return fmt.Sprintf("I%d", s-machine.SourceI)
	case s == machine.SourceM:
		return "M"
	}
	return sourceFields[s-machine.SourcePC]
}

func branchText(in machine.Instr) string {
	s := ""
	if !in.Always() {
		s = "if "
		if in.Not {
			s += "!"
		}
		s += predNames[in.Pred] + " "
	}
	switch in.Branch {
	case machine.BranchOffset:
		s += fmt.Sprintf("goto %+d", in.Offset)
	case machine.BranchTarget:
		s += fmt.Sprintf("goto T%d", in.Offset)
	case machine.BranchDone:
		s += "goto done"
	case machine.BranchInterrupt:
		s += "goto interrupt"
	}
	switch {
	case in.Hint && !in.Always():
		s += " likely"
	case !in.Hint && in.Always():
		s += " unlikely"
	}
	return s
}

// Disassemble returns the source of an image that is given as text. If Assemble has
// made the image, it makes the same stores from this source.
func Disassemble(text string) (string, error) {
	image, err := machine.ParseImage(text)
	if err != nil {
		return "", err
	}
	d := &disassembler{labels: map[uint64]bool{}, entries: map[uint64]uint32{}}
	if image.Host != "" {
		d.directive(".host %s", image.Host)
	}
	for _, s := range image.Stores {
		if err := d.store(s); err != nil {
			return "", err
		}
	}
	return d.source(), nil
}

type disassembler struct {
	text    strings.Builder
	code    []machine.Instr
	labels  map[uint64]bool   // the addresses that need a label
	entries map[uint64]uint32 // classes by the address of their routine
	order   []uint64          // the order of these addresses
	hash    uint64
}

func (d *disassembler) directive(format string, args ...any) {
	fmt.Fprintf(&d.text, format+"\n", args...)
}

func (d *disassembler) store(s machine.Store) error {
	window, i := s.Register&^0xffff, s.Register&0xffff
	switch window {
	case machine.MicrocodeWindow:
		if i != len(d.code) {
			break
		}
		in, err := machine.Decode(s.Value)
		if err != nil {
			return err
		}
		d.code = append(d.code, in)
		return nil
	case machine.ConstWindow:
		d.directive(".const K%d %d", i, s.Value)
		return nil
	case machine.ValueWindow:
		d.directive(".value V%d %d", i, s.Value)
		return nil
	case machine.IndexWindow:
		d.directive(".index I%d %d", i, s.Value)
		return nil
	case machine.WidthWindow:
		d.directive(".width I%d %d", i, s.Value)
		return nil
	case machine.BaseWindow:
		d.directive(".base B%d %d %d", i, s.Value&0xffff, s.Value>>16)
		return nil
	case machine.TargetWindow:
		d.labels[s.Value] = true
		d.directive(".target T%d L%d", i, s.Value)
		return nil
	case machine.EntryWindow:
		d.labels[s.Value] = true
		if d.entries[s.Value] == 0 {
			d.order = append(d.order, s.Value)
		}
		d.entries[s.Value] |= 1 << (i & 31)
		return nil
	case machine.SampleWindow:
		if d.sample(i, s.Value) {
			return nil
		}
	}
	d.directive(".store %#x %#x", s.Register, s.Value)
	return nil
}

// sample writes the directive for a word in cop.SampleWindow, if there is one for it.
func (d *disassembler) sample(i int, value uint64) bool {
	switch i {
	case machine.SelectFields:
		var names []string
		for i, n := range fieldNames {
			if value>>i&1 == 1 {
				names = append(names, n)
			}
		}
		if names == nil {
			return false
		}
		d.directive(".sample %s", strings.Join(names, " "))
	case machine.FilterClasses:
		if value == 0 {
			return false
		}
		d.directive(".filter %s", strings.Join(classNames(uint32(value)), " "))
	case machine.FilterMask:
		d.hash = value // FilterMatch writes the .match
	case machine.FilterMatch:
		d.directive(".match %d %#x %#x", d.hash>>32, d.hash&0xffffffff, value)
	case machine.FilterHash:
		d.directive(".mask %d", value)
	case machine.ShiftRegister:
		d.directive(".seed %d", value)
	default:
		return false
	}
	return true
}

func (d *disassembler) source() string {
	for _, at := range d.order {
		d.directive(".entry %s L%d", strings.Join(classNames(d.entries[at]), " "), at)
	}
	for i, in := range d.code {
		if d.labels[uint64(i)] {
			fmt.Fprintf(&d.text, "L%d:", i)
		}
		fmt.Fprintf(&d.text, "\t%s\n", Instr(in))
	}
	return d.text.String()
}
