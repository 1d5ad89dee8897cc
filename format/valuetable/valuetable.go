// Package valuetable reads the table of values that is in a program: at which of its instructions a register or the
// memory has a value of the source. Package values makes it.
//
//	func sum(list []shape) (total float64) {
//		for _, s := range list {
//			total += s.area()          CALL CX     a row at this PC: Call, site "s.area", line 3, column 18
//		}
//		return total                   RET         Result, register X0, 8 bytes, site "total"
//	}
//
//	t, err := valuetable.Open(data)
//	fn := t.Find(pc - text)           // text is the address of runtime.text
//	n, ok := t.Decode(fn, rows)       // rows[:n], in order of PC
//	site, ok := t.Site(rows[0].Site)  // when values are written
//
// Open allocates memory, 12 bytes for each function, and 4 for each symbol of an alphabet. Find and Decode allocate
// nothing, cannot panic and call nothing of the Go runtime, so a signal handler can use them. What is damaged they
// refuse. Site allocates, and decodes all sites when it is first called.
//
// # Format
//
// Package bitcode says what numbers, values, alphabets and the header of a table are. What follows the header is
//
//	table     unit of addresses, most rows of a function, number of functions, alphabets of distances, whats, lines, columns, of
//	          references to files, functions, types and expressions, of bytes and of common bytes, functions, rows, sites
//	function  address less that of the function before, in units; number of rows; length of its rows in bits
//	row       distance: PC less that of the row before; what: kind + 8 * register + 256 * width
//	site      of each row of each function, in order: reference to a file, line less that of the site before (signed), column,
//	          references to a function, a type and an expression
//	reference 0: a new text, which follows; 1: that of the site before; n + 2: text n of its kind
//	text      common bytes: how many it begins with of the new text before it of its kind; further bytes; byte 0
//
// Rows fill the bits that their function says, and there is no gap between those of two functions, nor in front of
// sites. Addresses are from the beginning of the text section. A type begins with a byte, which is 1 + the form.
package valuetable

import (
	"github.com/pepgo/pep/format/bitcode"
	"github.com/pepgo/pep/format/wire"
)

// Magic is what a table begins with.
const Magic = "pep values 1\n"

// A Row says that an instruction has a value of the source.
type Row struct {
	PC    uint32 // from the beginning of the function
	Kind  Kind
	Reg   uint8 // in the order of instruction codes: AX, CX, DX, BX, SP, BP, SI, DI, R8; from FirstX on: X0
	Width uint8 // in bytes: registers may have anything above it; 0 if the value is a word
	Site  uint32
}

// FirstX is the number of register X0. In place of a register, InMemory stands for what the instruction reads from
// memory.
const (
	FirstX   = 16
	InMemory = 31
)

// AddressOf is a bit that a note has beside the number of a load's site if it is not of what the instruction loads, but
// of the address. Numbers are less: a table has at most 1<<28 bytes, and a row takes a bit at least.
const AddressOf = 1 << 31

// A Kind says where the value is.
type Kind uint8

// Kinds.
const (
	Call   Kind = iota // where the instruction, which is a call through a register or memory, goes
	Type               // Reg is the address of a type before the instruction, or nil
	Itab               // Reg is the address of an itab before the instruction, or nil
	Load               // what the instruction reads from memory
	Arg                // Reg is an argument before the instruction
	Result             // Reg is a result before the instruction
	kinds
)

var kindNames = [kinds]string{"call", "type", "itab", "load", "arg", "result"}

// String returns the name of k.
func (k Kind) String() string {
	if k >= kinds {
		return "unknown"
	}
	return kindNames[k]
}

// A Site says what the value of a row is in the source.
type Site struct {
	PC        uint32 // from the beginning of the text section
	File      string
	Line, Col int
	Func      string    // the innermost function; empty: the one that the symbols of the program say for PC
	Expr      string    // "s.area"; what is called, whose type it is, what is loaded, or the name of an argument or result
	Type      string    // of Expr
	Form      wire.Kind // how to read the value
}

// A Table is that of a program. Only one thread at a time may call Site.
type Table struct {
	Most int // rows of a function

	data  []byte
	funcs []function
	rows  int // of all functions
	end   int // of the last function's rows, in bits

	distances, whats, lines, cols bitcode.Alphabet
	refs                          [texts]bitcode.Alphabet
	bytes, common                 bitcode.Alphabet

	sites []site
	texts [texts][]string
}

// A function has its rows from a bit on.
type function struct{ addr, first, at uint32 }

// Texts of a site.
const (
	files = iota
	funcs
	types
	exprs
	texts
)

type site struct {
	pc, line, col uint32
	text          [texts]uint32
}

// An Error says why a table is refused.
type Error string

// Error returns the reason.
func (e Error) Error() string { return string(e) }

const damaged Error = "the table of values is damaged, or another version of pepbuild has written it"

// Open prepares a table for use, which begins at the first byte of data and may be followed by something else.
func Open(data []byte) (*Table, error) {
	data, ok := bitcode.Table(data, Magic)
	if !ok || len(data) > 1<<28 {
		return nil, damaged
	}
	r := &bitcode.Reader{Bytes: data, At: 8 * bitcode.HeaderSize(Magic)}
	t := &Table{data: data}
	unit := r.Number()
	t.Most = int(r.Number())
	n := r.Count()
	for _, a := range [...]*bitcode.Alphabet{&t.distances, &t.whats, &t.lines, &t.cols,
		&t.refs[files], &t.refs[funcs], &t.refs[types], &t.refs[exprs], &t.bytes, &t.common} {
		r.Numbers(a)
	}
	if r.Bad {
		return nil, damaged
	}
	t.funcs = make([]function, n)
	addr, first, at := uint32(0), uint64(0), uint64(0)
	for i := range t.funcs {
		addr += r.Number() * unit
		t.funcs[i] = function{addr, uint32(first), uint32(at)}
		first += uint64(r.Number())
		at += uint64(r.Number())
	}
	if r.Bad || first > uint64(8*len(data)) || uint64(t.Most) > first || uint64(r.At)+at > uint64(8*len(data)) {
		return nil, damaged
	}
	for i := range t.funcs {
		t.funcs[i].at += uint32(r.At)
	}
	t.rows, t.end = int(first), r.At+int(at)
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

// Len returns the number of functions that have rows.
func (t *Table) Len() int { return len(t.funcs) }

// Bytes returns the length of the table.
func (t *Table) Bytes() int { return len(t.data) }

// Sites returns the number of sites.
func (t *Table) Sites() int { return t.rows }

// Addr returns the address of a function, from the beginning of the text section.
func (t *Table) Addr(fn int) uint32 {
	if fn < 0 || fn >= len(t.funcs) {
		return 0
	}
	return t.funcs[fn].addr
}

// Find returns the last function that begins at an address or before it, which is -1 if there is none. Functions
// without rows are not in the table, so the address may be that of another function: then no row has it.
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

// Decode writes the rows of a function to memory, which has space for t.Most of them if it need not fail. It reports
// false if there is not enough space, or the table is damaged.
func (t *Table) Decode(fn int, rows []Row) (n int, ok bool) {
	all := t.funcs
	if fn < 0 || fn >= len(all) {
		return 0, false
	}
	r := bitcode.Reader{Bytes: t.data, At: int(all[fn].at)}
	first, end, next := all[fn].first, t.end, uint32(t.rows)
	if i := fn + 1; i >= 0 && i < len(all) {
		end, next = int(all[i].at), all[i].first
	}
	want := int(next - first)
	if want < 0 || want > len(rows) {
		return 0, false
	}
	pc := uint32(0)
	for n < want && n < len(rows) && !r.Bad {
		pc += r.Value(&t.distances)
		what := r.Value(&t.whats)
		row := Row{pc, Kind(what & 7), uint8(what >> 3 & 31), uint8(what >> 8), first + uint32(n)}
		if row.Kind >= kinds {
			return 0, false
		}
		rows[n] = row
		n++
	}
	return n, !r.Bad && r.At == end
}

// Site returns the site of a row. It reports false if there is none with the number, or the table is damaged.
func (t *Table) Site(i uint32) (s Site, ok bool) {
	if t.sites == nil && !t.readSites() || uint64(i) >= uint64(len(t.sites)) {
		return s, false
	}
	x := &t.sites[i]
	form := t.texts[types][x.text[types]]
	return Site{x.pc, t.texts[files][x.text[files]], int(x.line), int(x.col), t.texts[funcs][x.text[funcs]],
		t.texts[exprs][x.text[exprs]], form[1:], wire.Kind(form[0] - 1)}, true
}

func (t *Table) readSites() bool {
	sites, rows := make([]site, 0, t.rows), make([]Row, t.Most)
	r := &bitcode.Reader{Bytes: t.data, At: t.end}
	d := textReader{Table: t, Reader: r}
	last := site{}
	for fn := range t.funcs {
		n, ok := t.Decode(fn, rows)
		if !ok {
			return false
		}
		for _, row := range rows[:n] {
			s := site{pc: t.funcs[fn].addr + row.PC}
			s.text[files] = d.ref(files, last.text[files])
			s.line = last.line + bitcode.Signed(r.Value(&t.lines))
			s.col = r.Value(&t.cols)
			for k := funcs; k < texts; k++ {
				s.text[k] = d.ref(k, last.text[k])
			}
			if r.Bad || d.texts[types][s.text[types]] == "" {
				return false
			}
			sites = append(sites, s)
			last = s
		}
	}
	if (r.At+7)/8 != len(t.data) {
		return false
	}
	t.sites, t.texts = sites, d.texts
	return true
}

type textReader struct {
	*Table
	*bitcode.Reader
	texts [texts][]string
}

// ref reads a reference to a text of a kind. That of the site before is given.
func (d *textReader) ref(k int, before uint32) uint32 {
	n := d.Value(&d.refs[k])
	list := d.texts[k]
	switch {
	case n == 0:
		d.texts[k] = append(list, d.text(list))
		return uint32(len(list))
	case n == 1:
		n = before
	default:
		n -= 2
	}
	if uint64(n) >= uint64(len(list)) {
		d.Fail()
	}
	return n
}

// text reads a text that comes behind others.
func (d *textReader) text(list []string) string {
	var b []byte
	common := int(d.Value(&d.common))
	if common > 0 {
		if len(list) == 0 || common > len(list[len(list)-1]) {
			d.Fail()
			return ""
		}
		b = append(b, list[len(list)-1][:common]...)
	}
	for !d.Bad {
		c := d.Value(&d.bytes)
		if c == 0 {
			break
		}
		b = append(b, byte(c))
	}
	return string(b)
}
