package branches

// This file tells functions of one name apart by where their machine code has branches.

import "slices"

// An Executable has the functions of a program. Package machine/executable reads one.
type Executable struct {
	Functions []Symbol
	Text      uint64 // the address of runtime.text
	// Begins says what begins at each byte of a function's code and behind it. It is nil, or returns nil, where nobody
	// knows the code.
	Begins func(Symbol) []Beginning
}

// A Beginning is what begins at a byte of machine code.
type Beginning uint8

const (
	Nothing Beginning = iota
	Instruction
	Conditional // an instruction that jumps, moves or sets something on a condition
)

// fitting returns those of several functions that may be the one of the executable: see fits. One of them is, so a
// function that fits alone is that one. If nobody knows the code, all are returned.
func (x *Executable) fitting(funcs []*Func, s Symbol) []*Func {
	var at []Beginning
	if x.Begins != nil {
		at = x.Begins(s)
	}
	if at == nil {
		return funcs
	}
	return slices.DeleteFunc(slices.Clone(funcs), func(f *Func) bool { return !f.fits(at) })
}

// fits reports whether all rows are where they can be: those of ways of a branch at instructions with a condition, and
// others at the beginning of an instruction.
func (f *Func) fits(at []Beginning) bool {
	return !slices.ContainsFunc(f.Rows, func(r Row) bool {
		least := Instruction
		if r.Way == Taken || r.Way == NotTaken {
			least = Conditional
		}
		return r.PC >= uint64(len(at)) || at[r.PC] < least
	})
}
