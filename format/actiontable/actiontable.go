// Package actiontable reads the table of actions that is in a program: at which of its instructions outcomes of the
// source happen, and what they do to path registers. Package actions makes it.
//
//	t, err := actiontable.Open(data)
//	fn := t.Find(pc - text)                    // text is the address of runtime.text
//	n, ok := t.Decode(fn, rows, ops)           // rows[:n.Rows], in order, with operations in ops[:n.Ops]
//
// Open allocates memory, 8 bytes for each function, and 4 for each symbol of an alphabet and each function of the source. Find and
// Decode allocate nothing, cannot panic and call nothing of the Go runtime, so a signal handler can use them. What is
// damaged they refuse.
//
// # Format
//
// A number is an unsigned varint of at most 32 bits. A signed number is zigzag coded. Bits are read from the lowest of
// each byte on, and numbers among them are of 8 bits each. A value is a symbol of an alphabet: it has a Huffman code, a
// canonical one. Those that are used once follow where they are used, behind the code of the symbol 0.
//
//	table        Magic, length of what follows and its CRC-32 (4 bytes each, lowest first), unit of addresses,
//	             most registers, rows and operations of a function, what is told of functions of the source (3 numbers),
//	             number of paths, number of functions, paths, alphabets of instructions, of distances, of counts and of registers,
//	             functions, places
//	path         number of path 0 of a function of the source, less that of the one before
//	alphabet     longest code in bits, how many codes have 1 bit, 2 bits and so on, symbols, those with short codes first
//	symbol       of instructions: an instruction; of others: the value + 1
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
	"github.com/pepgo/pep/format/crc32"
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

// Untold is a bit in the numbers of paths at a place of the program that does not tell how all branches of the function go:
// there, those in wire.Func.Untold have no outcome. Other places of the same function, such as other calls that are inlined,
// may tell all branches.
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

// Told says how many functions of the source are in a program, by themselves or inlined, of how many of these some paths
// cannot be told in some place of the program, and of how many no path can in any.
type Told struct{ Functions, Unclear, Blind int }

// A Table is that of a program. Only one at a time may decode of it.
type Table struct {
	Most Size // of a function
	Told Told

	data      []byte
	firsts    []uint32 // numbers of path 0
	funcs     []function
	end       int      // of the last function's places, in bits
	registers []uint32 // of the function that is decoded: their numbers of path 0

	instructions, distances, counts, steps alphabet
}

// A function has its places from a bit on.
type function struct{ addr, places uint32 }

// MaxCode is how many bits a code has at most.
const MaxCode = 24

// An alphabet has the symbols of a code.
type alphabet struct {
	lengths [MaxCode + 1]uint32 // how many codes have so many bits
	symbols []uint32            // of instructions: the bits at which they are described, or 0
}

// An Error says why a table is refused.
type Error string

// Error returns the reason.
func (e Error) Error() string { return string(e) }

const damaged Error = "the table of actions is damaged, or another version of pepbuild has written it"

// Open prepares a table for use, which begins at the first byte of data and may be followed by something else.
func Open(data []byte) (*Table, error) {
	if !Begins(data) || length(data) > len(data)-headerSize {
		return nil, damaged
	}
	data = data[:headerSize+length(data)]
	r := reader{b: data, at: 8 * headerSize}
	t := &Table{data: data}
	unit := r.number()
	t.Most = Size{int(r.number()), int(r.number()), int(r.number())}
	t.Told = Told{int(r.number()), int(r.number()), int(r.number())}
	firsts, funcs := r.count(), r.count()
	if r.bad || t.Most.Registers > 1<<16-1 || len(data) > 1<<28 {
		return nil, damaged
	}
	t.firsts, t.funcs, t.registers = make([]uint32, firsts), make([]function, funcs), make([]uint32, t.Most.Registers)
	first := uint32(0)
	for i := range t.firsts {
		first += r.number()
		t.firsts[i] = first
	}
	r.alphabet(&t.instructions)
	for i := range t.instructions.symbols {
		at := r.at
		if r.instruction() > 0 {
			t.instructions.symbols[i] = uint32(at)
		}
	}
	for _, a := range [...]*alphabet{&t.distances, &t.counts, &t.steps} {
		r.alphabet(a)
		for i := range a.symbols {
			a.symbols[i] = r.number()
		}
	}
	addr, places := uint32(0), uint64(0)
	for i := range t.funcs {
		addr += r.number() * unit
		t.funcs[i] = function{addr, uint32(places)}
		places += uint64(r.number())
	}
	if r.bad || (uint64(r.at)+places+7)/8 != uint64(len(data)) {
		return nil, damaged
	}
	for i := range t.funcs {
		t.funcs[i].places += uint32(r.at)
	}
	t.end = r.at + int(places)
	return t, nil
}

// headerSize is that of Magic, the length and the checksum.
const headerSize = len(Magic) + 8

// AppendHeader appends to b what a table with the given rest begins with.
func AppendHeader(b, rest []byte) []byte {
	b = append(b, Magic...)
	for _, x := range [...]uint32{uint32(len(rest)), crc32.Checksum(rest)} {
		b = append(b, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return b
}

// Begins reports whether a table may begin here.
func Begins(data []byte) bool { return len(data) >= headerSize && string(data[:len(Magic)]) == Magic }

func length(data []byte) int { return int(number(data[len(Magic):])) }

func number(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// Check opens a table if its checksum is right. Open does not look, so that programs start fast.
func Check(data []byte) (*Table, error) {
	t, err := Open(data)
	if err == nil && crc32.Checksum(t.data[headerSize:]) != number(data[len(Magic)+4:]) {
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

// Decode writes the rows of a function, and what they do, to memory, which has room for t.Most at least if it need not
// fail. Actions are indexes into ops. It reports false if there is not enough room, or the table is damaged.
func (t *Table) Decode(fn int, rows []Row, ops []register.Op) (n Size, ok bool) {
	funcs := t.funcs
	if fn < 0 || fn >= len(funcs) {
		return n, false
	}
	r := reader{b: t.data, at: int(funcs[fn].places)}
	end := t.end
	if next := fn + 1; next >= 0 && next < len(funcs) {
		end = int(funcs[next].places)
	}
	registers, firsts := t.registers, t.firsts
	n.Registers = int(r.value(&t.counts))
	if n.Registers > len(registers) {
		return n, false
	}
	path := uint32(0)
	for i := 0; i < n.Registers && i < len(registers); i++ {
		path += signed(r.value(&t.steps))
		if int(path) >= len(firsts) {
			return n, false
		}
		registers[i] = firsts[path]
	}
	d := decoder{t: t, rows: rows, ops: ops, n: n}
	for r.at < end && !r.bad {
		d.pc += r.value(&t.distances)
		if at := r.symbol(&t.instructions); at == 0 {
			if !d.instruction(&r) {
				return d.n, false
			}
		} else if !d.instruction(&reader{b: t.data, at: int(at)}) {
			return d.n, false
		}
	}
	return d.n, !r.bad && r.at == end
}

type decoder struct {
	t    *Table
	rows []Row
	ops  []register.Op
	n    Size
	pc   uint32
}

// instruction adds the rows of the instruction that r is at.
func (d *decoder) instruction(r *reader) bool {
	for left := r.number(); left > 0; left-- {
		x := r.number()
		row := Row{PC: d.pc, Way: Way(x & 3), Action: uint32(d.n.Ops)}
		if x >>= 2; row.Way == Jump {
			row.Index = uint16(r.number())
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
				op.Arg = r.number() + first
			case register.Add:
				op.Arg = signed(r.number())
			}
			i := d.n.Ops
			if i < 0 || i >= len(d.ops) || r.bad {
				return false
			}
			d.ops[i] = op
			d.n.Ops++
			if op.Last {
				break
			}
			x = r.number()
		}
	}
	return true
}

// A reader reads numbers and values. When something is wrong it returns zeros from there on.
type reader struct {
	b   []byte
	at  int // in bits
	bad bool
}

func (r *reader) fail() uint32 {
	r.bad, r.at = true, 8*len(r.b)
	return 0
}

func (r *reader) number() uint32 {
	x := uint32(0)
	for shift := uint(0); shift < 32; shift += 7 {
		i, low := r.at>>3, uint(r.at&7)
		if i < 0 || i >= len(r.b) {
			break
		}
		c := uint32(r.b[i])
		if i++; low > 0 && i >= 0 && i < len(r.b) {
			c |= uint32(r.b[i]) << 8
		}
		c = c >> low & 0xff
		r.at += 8
		x |= c & 0x7f << shift
		if c < 0x80 {
			return x
		}
	}
	return r.fail()
}

func signed(x uint32) uint32 { return x>>1 ^ -(x & 1) }

// symbol reads a code, bit by bit. Of canonical codes those of one length follow each other, and shorter ones come first.
func (r *reader) symbol(a *alphabet) uint32 {
	code, first, index := uint32(0), uint32(0), uint32(0)
	for _, n := range a.lengths[1:] {
		i := r.at >> 3
		if i < 0 || i >= len(r.b) {
			break
		}
		code = code<<1 | uint32(r.b[i])>>(r.at&7)&1
		r.at++
		first <<= 1
		if code-first < n {
			index += code - first
			if int(index) >= len(a.symbols) {
				break
			}
			return a.symbols[index]
		}
		index, first = index+n, first+n
	}
	return r.fail()
}

// value reads a value of an alphabet, which may follow its code.
func (r *reader) value(a *alphabet) uint32 {
	if x := r.symbol(a); x > 0 {
		return x - 1
	}
	return r.number()
}

// count reads a number of things, each of which takes a byte at least of what follows.
func (r *reader) count() int {
	n := int(r.number())
	if n > len(r.b)-r.at/8 {
		return int(r.fail())
	}
	return n
}

// alphabet reads an alphabet without its symbols, for which it makes room.
func (r *reader) alphabet(a *alphabet) {
	longest, all := r.count(), 0
	if longest > MaxCode {
		r.fail()
		return
	}
	for i := range longest {
		n := r.count()
		a.lengths[i+1] = uint32(n)
		all += n
	}
	if all > len(r.b)-r.at/8 {
		r.fail()
		return
	}
	a.symbols = make([]uint32, all)
}

// instruction reads past an instruction, and returns how many rows it has.
func (r *reader) instruction() int {
	n := r.count()
	for left := n; left > 0 && !r.bad; left-- {
		x := r.number()
		if way := Way(x & 3); way == Jump {
			r.number()
		}
		for x >>= 2; ; x = r.number() {
			if do := register.Do(x & 3); do != register.End {
				r.number()
			}
			if x&4 != 0 || r.bad {
				break
			}
		}
	}
	return n
}
