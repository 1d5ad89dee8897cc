// Package actiontable reads the table of actions that is in a program: at which of its instructions outcomes of the
// source happen, and what they do to path registers. Package actions makes it.
//
//	t, err := actiontable.Open(data)
//	fn := t.Find(pc - text)                    // text is the address of runtime.text
//	n, ok := t.Decode(fn, rows, ops)           // rows[:n.Rows], in order, with operations in ops[:n.Ops]
//
// Open allocates memory, 8 bytes for each function, and 4 for each symbol of an alphabet and each function of the
// source. Find and Decode allocate nothing, cannot panic and call nothing of the Go runtime, so a signal handler can
// use them. What is damaged they refuse.
//
// # Format
//
// Package bitcode says what numbers, values, alphabets and the header of a table are. What follows the header is
//
//	table        unit of addresses, most registers, rows and operations of a function, what is told of functions of the source
//	             (3 numbers), number of paths, number of functions, paths, alphabets of instructions, of distances, of counts
//	             and of registers, functions, places
//	path         number of path 0 of a function of the source, less that of the one before
//	symbol       of instructions: an instruction; of others: as bitcode has it
//	instruction  number of rows, rows; the symbol 0 has no rows
//	row          operation<<2 | way; of a jump by a table its index; further operations
//	operation    register<<3 | last of the row<<2 | what it does; argument: of Set less the register's number of path 0,
//	             of Add signed
//	function     address less that of the function before, in units; length of its places in bits
//	places       count: how many registers; registers: their paths less those of the ones before, signed; places
//	place        distance: PC less that of the place before; instruction
//
// Places fill the bits that the function says, and there is no gap between those of two functions. Addresses are from
// the beginning of the text section.
package actiontable

import (
	"github.com/pepgo/pep/format/bitcode"
	"github.com/pepgo/pep/format/register"
)

// Magic is what a table begins with.
const Magic = "pep actions 3\n"

// A Row says that an action happens when an instruction is executed in a way.
type Row struct {
	PC     uint32 // from the beginning of the function
	Way    Way
	Index  uint16 // of Jump: the entry of the table of jumps
	Action uint32 // index of its first operation
}

// Untold is a bit in the numbers of paths at a place of the program that does not tell how all branches of the function
// go: there, those in wire.Func.Untold have no outcome. Other places of the same function, such as other calls that are
// inlined, may tell all branches.
const Untold = 1 << 31

// A Way is how an instruction is executed.
type Way uint16

// Ways.
const (
	At       Way = iota // in any way
	Taken               // a branch that is taken, or a conditional move or set whose condition holds
	NotTaken            // one that is not, or whose condition does not
	Jump                // a jump by a table, to one of its entries
)

// Key is larger for later rows of a function: they are in order of PC, way and index, and no two have the same.
func (r *Row) Key() uint64 { return Key(r.PC, r.Way, r.Index) }

// Key is that of a row.
func Key(pc uint32, way Way, index uint16) uint64 {
	return uint64(pc)<<18 | uint64(way)<<16 | uint64(index)
}

// A Size is that of a function's actions, or the largest one of a program.
type Size struct{ Registers, Rows, Ops int }

// Told says how many functions of the source are in a program, by themselves or inlined, of how many of these some
// paths cannot be told in some place of the program, and of how many no path can in any.
type Told struct{ Functions, Partly, Untold int }

// A Table is that of a program. Only one at a time may decode of it.
type Table struct {
	Most Size // of a function
	Told Told

	data      []byte
	firsts    []uint32 // numbers of path 0
	funcs     []function
	end       int      // of the last function's places, in bits
	registers []uint32 // of the function that is decoded: their numbers of path 0

	instructions             bitcode.Alphabet // its symbols are the bits at which instructions are described, or 0
	distances, counts, steps bitcode.Alphabet
}

// A function has its places from a bit on.
type function struct{ addr, places uint32 }

// An Error says why a table is refused.
type Error string

// Error returns the reason.
func (e Error) Error() string { return string(e) }

const damaged Error = "the table of actions is damaged, or another version of pepbuild has written it"

// Open prepares a table for use, which begins at the first byte of data and may be followed by something else.
func Open(data []byte) (*Table, error) {
	data, ok := bitcode.Table(data, Magic)
	if !ok {
		return nil, damaged
	}
	r := &bitcode.Reader{Bytes: data, At: 8 * bitcode.HeaderSize(Magic)}
	t := &Table{data: data}
	unit := r.Number()
	t.Most = Size{int(r.Number()), int(r.Number()), int(r.Number())}
	t.Told = Told{int(r.Number()), int(r.Number()), int(r.Number())}
	firsts, funcs := r.Count(), r.Count()
	if r.Bad || t.Most.Registers > 1<<16-1 || len(data) > 1<<28 {
		return nil, damaged
	}
	t.firsts, t.funcs, t.registers = make([]uint32, firsts), make([]function, funcs), make([]uint32, t.Most.Registers)
	first := uint32(0)
	for i := range t.firsts {
		first += r.Number()
		t.firsts[i] = first
	}
	r.Alphabet(&t.instructions)
	for i := range t.instructions.Symbols {
		at := r.At
		if skip(r) > 0 {
			t.instructions.Symbols[i] = uint32(at)
		}
	}
	for _, a := range [...]*bitcode.Alphabet{&t.distances, &t.counts, &t.steps} {
		r.Numbers(a)
	}
	addr, places := uint32(0), uint64(0)
	for i := range t.funcs {
		addr += r.Number() * unit
		t.funcs[i] = function{addr, uint32(places)}
		places += uint64(r.Number())
	}
	if r.Bad || (uint64(r.At)+places+7)/8 != uint64(len(data)) {
		return nil, damaged
	}
	for i := range t.funcs {
		t.funcs[i].places += uint32(r.At)
	}
	t.end = r.At + int(places)
	return t, nil
}

// Check opens a table if its checksum is right. Open does not look, so that programs start fast.
func Check(data []byte) (*Table, error) {
	t, err := Open(data)
	if err == nil && !bitcode.Intact(t.data, Magic) {
		return nil, damaged
	}
	return t, err
}

// Len returns the number of functions that have actions.
func (t *Table) Len() int { return len(t.funcs) }

// Bytes returns the length of the table.
func (t *Table) Bytes() int { return len(t.data) }

// Addr returns the address of a function, from the beginning of the text section.
func (t *Table) Addr(fn int) uint32 {
	if fn < 0 || fn >= len(t.funcs) {
		return 0
	}
	return t.funcs[fn].addr
}

// Find returns the last function that begins at an address or before it, which is -1 if there is none. Functions
// without actions are not in the table, so the address may be that of another function: then no row has it.
func (t *Table) Find(addr uint32) int {
	lo, hi := 0, len(t.funcs)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if m < 0 || m >= len(t.funcs) {
			return -1
		}
		if t.funcs[m].addr <= addr {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo - 1
}

// Decode writes the rows of a function, and what they do, to memory, which has space for t.Most at least if it need not
// fail. Actions are indexes into ops. It reports false if there is not enough space, or the table is damaged.
func (t *Table) Decode(fn int, rows []Row, ops []register.Op) (n Size, ok bool) {
	funcs := t.funcs
	if fn < 0 || fn >= len(funcs) {
		return n, false
	}
	r := bitcode.Reader{Bytes: t.data, At: int(funcs[fn].places)}
	end := t.end
	if next := fn + 1; next >= 0 && next < len(funcs) {
		end = int(funcs[next].places)
	}
	registers, firsts := t.registers, t.firsts
	n.Registers = int(r.Value(&t.counts))
	if n.Registers > len(registers) {
		return n, false
	}
	path := uint32(0)
	for i := 0; i < n.Registers && i < len(registers); i++ {
		path += bitcode.Signed(r.Value(&t.steps))
		if int(path) >= len(firsts) {
			return n, false
		}
		registers[i] = firsts[path]
	}
	d := decoder{t: t, rows: rows, ops: ops, n: n}
	for r.At < end && !r.Bad {
		d.pc += r.Value(&t.distances)
		if at := r.Symbol(&t.instructions); at == 0 {
			if !d.instruction(&r) {
				return d.n, false
			}
		} else if !d.instruction(&bitcode.Reader{Bytes: t.data, At: int(at)}) {
			return d.n, false
		}
	}
	return d.n, !r.Bad && r.At == end
}

type decoder struct {
	t    *Table
	rows []Row
	ops  []register.Op
	n    Size
	pc   uint32
}

// instruction adds the rows of the instruction that r is at.
func (d *decoder) instruction(r *bitcode.Reader) bool {
	for left := r.Number(); left > 0; left-- {
		x := r.Number()
		row := Row{PC: d.pc, Way: Way(x & 3), Action: uint32(d.n.Ops)}
		if x >>= 2; row.Way == Jump {
			row.Index = uint16(r.Number())
		}
		i := d.n.Rows
		if i < 0 || i >= len(d.rows) {
			return false
		}
		d.rows[i] = row
		d.n.Rows++
		for {
			op := register.Op{Do: register.Do(x & 3), Last: x&4 != 0, Slot: uint16(x >> 3)}
			slot, registers := int(x>>3), d.t.registers
			if slot >= d.n.Registers || slot < 0 || slot >= len(registers) {
				return false
			}
			switch first := registers[slot]; op.Do {
			case register.Set:
				op.Arg = r.Number() + first
			case register.Add:
				op.Arg = bitcode.Signed(r.Number())
			}
			i := d.n.Ops
			if i < 0 || i >= len(d.ops) || r.Bad {
				return false
			}
			d.ops[i] = op
			d.n.Ops++
			if op.Last {
				break
			}
			x = r.Number()
		}
	}
	return true
}

// skip reads past an instruction, and returns how many rows it has.
func skip(r *bitcode.Reader) int {
	n := r.Count()
	for left := n; left > 0 && !r.Bad; left-- {
		x := r.Number()
		if way := Way(x & 3); way == Jump {
			r.Number()
		}
		for x >>= 2; ; x = r.Number() {
			if do := register.Do(x & 3); do != register.End {
				r.Number()
			}
			if x&4 != 0 || r.Bad {
				break
			}
		}
	}
	return n
}
