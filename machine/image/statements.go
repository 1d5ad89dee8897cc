package image

// This file finds the instructions at which statements begin.

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A statement is an instruction that the compiler recommends for a breakpoint.
type statement struct {
	pc   uint64
	file string
	line int
}

// Statements returns the addresses in a function at which statements of a line begin, in
// their order; match says which file is meant. The function table does not tell them from
// other instructions of the line, such as those that save a register in another block. It
// returns none if DWARF is missing, or does not describe the function.
func (im *Image) Statements(fn Function, match func(file string) bool, line int) (pcs []uint64, err error) {
	d, err := im.DWARF()
	if errors.Is(err, ErrStripped) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	u, err := im.unitOf(d, fn.Entry)
	if errors.Is(err, ErrNoEntry) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := im.statements(d, u)
	if err != nil {
		return nil, fmt.Errorf("DWARF: lines of the package of %s: %w", fn.Name, err)
	}
	i, _ := slices.BinarySearchFunc(list, fn.Entry, func(s statement, pc uint64) int { return cmp.Compare(s.pc, pc) })
	for ; i < len(list) && list[i].pc < fn.End; i++ {
		if list[i].line == line && match(list[i].file) {
			pcs = append(pcs, list[i].pc)
		}
	}
	return pcs, nil
}

// statements returns all statements of a unit, in the order of their addresses.
func (im *Image) statements(d *dwarf.Data, u *unit) ([]statement, error) {
	im.units.Lock()
	defer im.units.Unlock()
	if u.statements != nil {
		return u.statements, nil
	}
	r, err := d.LineReader(u.entry)
	if err != nil || r == nil {
		return nil, err
	}
	list := []statement{}
	for {
		var e dwarf.LineEntry
		err := r.Next(&e)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if e.IsStmt && !e.EndSequence && e.File != nil {
			list = append(list, statement{e.Address, e.File.Name, e.Line})
		}
	}
	slices.SortStableFunc(list, func(a, b statement) int { return cmp.Compare(a.pc, b.pc) })
	u.statements = list
	return list, nil
}

// AllStatements returns the addresses of all instructions at which statements begin, in their order.
// Without DWARF the error wraps [ErrStripped].
func (im *Image) AllStatements() (pcs []uint64, err error) {
	d, err := im.DWARF()
	if err != nil {
		return nil, err
	}
	for r := d.Reader(); ; r.SkipChildren() {
		entry, err := r.Next()
		if err != nil {
			return nil, fmt.Errorf("DWARF: %w", err)
		}
		if entry == nil {
			slices.Sort(pcs)
			return slices.Compact(pcs), nil
		}
		if entry.Tag != dwarf.TagCompileUnit {
			continue
		}
		lines, err := d.LineReader(entry)
		if err != nil {
			return nil, fmt.Errorf("DWARF: lines: %w", err)
		}
		for lines != nil {
			var e dwarf.LineEntry
			if err := lines.Next(&e); err == io.EOF {
				break
			} else if err != nil {
				return nil, fmt.Errorf("DWARF: lines: %w", err)
			}
			if e.IsStmt && !e.EndSequence {
				pcs = append(pcs, e.Address)
			}
		}
	}
}
