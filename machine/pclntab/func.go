package pclntab

// This file reads what a record says about a function.

import (
	"encoding/binary"
	"iter"
)

// Flags say how a function is special.
type Flags uint8

// Flags of functions.
const (
	TopFrame Flags = 1 << iota // the outermost function of a stack
	SPWrite                    // sets SP in ways that tables do not describe
	Asm                        // written in assembly: arguments are on the stack (ABI0), unless it says otherwise
)

// ArgsUnknown is the value of [Func.Args] for functions whose arguments vary.
const ArgsUnknown = -0x80000000

// A Func is a function of a table.
type Func struct {
	t     *Table
	Index int
	// The function begins at Entry, and the next at Next. Between the end of the code
	// and Next there may be padding.
	Entry, Next uint64
	// Args is how many bytes above its return address belong to a call, or ArgsUnknown: the
	// arguments and results on the stack, and room for the arguments in registers.
	Args        int32
	Deferreturn uint32 // offset of the call that runs deferred functions, or 0
	StartLine   int    // line of the func keyword, or 0
	ID          uint8  // kind of special function; the numbers differ from release to release
	Flags       Flags

	name, pcsp, pcfile, pcln, pcinline, unit, tree uint32
}

// Name returns the linker's name of the function, with the shapes of type arguments:
// "main.Map[go.shape.int]".
func (f Func) Name() string { return str(f.t.names, f.name) }

// steps returns the ranges of a pc table of the function, with their values. A damaged
// table ends early. Ranges end at [Func.Next].
func (f Func) steps(off uint32) iter.Seq2[Range, int32] {
	return func(yield func(Range, int32) bool) {
		if off == 0 || uint64(off) >= uint64(len(f.t.pctab)) {
			return
		}
		p := f.t.pctab[off:]
		pc, value := f.Entry, int32(-1)
		for first := true; ; first = false {
			change, n := uvarint(p)
			if n == 0 || change == 0 && !first {
				return
			}
			length, m := uvarint(p[n:])
			if m == 0 {
				return
			}
			p = p[n+m:]
			value += int32(-(change & 1) ^ (change >> 1))
			if length == 0 {
				continue
			}
			r := Range{pc, min(pc+uint64(length), f.Next)}
			if !yield(r, value) || r.End == f.Next {
				return
			}
			pc = r.End
		}
	}
}

// uvarint reads a varint of at most 32 bits. It returns its length, 0 if it is damaged.
func uvarint(p []byte) (v uint32, n int) {
	for i := 0; i < len(p) && i < 5; i++ {
		v |= uint32(p[i]&0x7f) << (7 * i)
		if p[i]&0x80 == 0 {
			return v, i + 1
		}
	}
	return 0, 0
}

// value returns the value that a pc table has for pc.
func (f Func) value(off uint32, pc uint64) (int32, bool) {
	for r, v := range f.steps(off) {
		if r.Contains(pc) {
			return v, true
		}
	}
	return -1, false
}

// A Range is a range of addresses, without End.
type Range struct{ Start, End uint64 }

// Contains reports whether pc is in the range.
func (r Range) Contains(pc uint64) bool { return r.Start <= pc && pc < r.End }

// SPDelta returns how many bytes SP is, before the instruction at pc, below its value at
// the entry of the function. At the entry, SP points to the return address.
func (f Func) SPDelta(pc uint64) (int, bool) {
	v, ok := f.value(f.pcsp, pc)
	return int(v), ok
}

// file returns the name of a file of the function's unit.
func (f Func) file(no int32) string {
	i := 4 * (uint64(f.unit) + uint64(uint32(no)))
	if no < 0 || i+4 > uint64(len(f.t.units)) {
		return ""
	}
	return str(f.t.files, binary.LittleEndian.Uint32(f.t.units[i:]))
}

// A Position is a line of source.
type Position struct {
	File string // as the compiler was told, or as -trimpath made it; empty if unknown
	Line int    // from 1, 0 if unknown
}

// Position returns the line of the instruction at pc. If the instruction is from an
// inlined function, the line is of that function.
func (f Func) Position(pc uint64) Position {
	no, ok1 := f.value(f.pcfile, pc)
	line, ok2 := f.value(f.pcln, pc)
	if !ok1 || !ok2 || line < 0 {
		return Position{}
	}
	return Position{f.file(no), int(line)}
}

// Lines returns the ranges of the function with their lines, in the order of addresses.
func (f Func) Lines() iter.Seq2[Range, Position] {
	return func(yield func(Range, Position) bool) {
		type piece struct {
			Range
			name string
		}
		var files []piece
		for r, no := range f.steps(f.pcfile) {
			files = append(files, piece{r, f.file(no)})
		}
		for r, line := range f.steps(f.pcln) {
			for len(files) > 0 && files[0].End <= r.Start {
				files = files[1:]
			}
			for _, file := range files {
				part := Range{max(r.Start, file.Start), min(r.End, file.End)}
				if part.Start >= part.End {
					break
				}
				if line >= 0 && !yield(part, Position{file.name, int(line)}) {
					return
				}
			}
		}
	}
}

// HasFile reports whether the function has code of a file for whose name match returns
// true. It is much faster than [Func.Lines].
func (f Func) HasFile(match func(name string) bool) bool {
	last := int32(-1)
	for _, no := range f.steps(f.pcfile) {
		if no != last && match(f.file(no)) {
			return true
		}
		last = no
	}
	return false
}
