// Package pclntab reads the table of functions that the Go linker puts into every
// program, stripped or not: names, source positions, frame sizes, inlined calls. The
// runtime needs the table for stack traces, so no tool can remove it.
//
//	t, err := pclntab.New(section, text, gofunc)
//	f, ok := t.Find(0x4a1c0e)
//	f.Name()              // "main.(*parser).next"
//	f.Frames(0x4a1c0e)    // main.isSpace at lex.go:12, inlined into main.(*parser).next at parse.go:88
//
// The package reads the tables of Go 1.20 and later for amd64. Package debug/gosym of std
// reads the same table; it does not read inlined calls, frame sizes and flags, makes
// objects for all functions at once, and finds errors by recovering from panics.
//
// # Format
//
// All numbers are little endian. The table begins with a header:
//
//	uint32  0xfffffff1
//	uint8   0, 0, 1, 8          padding, size of the smallest instruction, size of pointers
//	uint64  number of functions
//	uint64  number of files
//	uint64  start of the text (0 since Go 1.26, before relocation in PIE)
//	uint64  offsets from the header of: names, units, files, pc tables, functions
//
// Names and files are strings that end with 0. Units is an array of uint32: for each
// compiled package the offsets of the names of its files. Functions begins with an
// index, sorted by address: a pair for each function, of its entry, relative to the
// start of the text, and of the offset of its record, relative to functions. After the
// last pair the index has the end of the text. A record is
//
//	uint32  entry
//	int32   offset of the name
//	int32   bytes of arguments and results on the stack and of the spill area, or -0x80000000
//	uint32  deferreturn
//	uint32  pc tables: SP delta, file, line (offsets)
//	uint32  number of further pc tables
//	uint32  first index of its files in units
//	int32   line of the func keyword
//	uint8   kind of special function
//	uint8   flags: 1 top of stack, 2 writes SP, 4 assembly
//	uint8   0
//	uint8   number of funcdata
//	uint32  further pc tables (offsets; the third, if any, has the inlined calls)
//	uint32  funcdata (offsets from the symbol go:func.*, all ones for none; the fourth has the inline tree)
//
// A pc table gives a value to each address of a function. It begins with value -1 at the
// entry, and has steps of two varints: the change of the value, in zigzag code, and the
// length of the range of addresses that have the new value. A change of 0 ends it,
// except in the first step.
//
// The inline tree is an array of calls:
//
//	uint8   kind of special function, and three bytes of padding
//	int32   offset of the name of the called function
//	int32   address in the function, relative to its entry, whose position is that of the call
//	int32   line of the func keyword of the called function
//
// The third further pc table has, for each address, the index of the innermost inlined
// call, or -1. The position in pc tables of file and line is the innermost one. To get
// the position of the call, and the call around it, one looks the address of the call up
// in the same tables.
package pclntab

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"sort"
)

// Magic begins a table of Go 1.20 or later on a little-endian machine with 8-byte pointers
// and instructions of any length.
const Magic = "\xf1\xff\xff\xff\x00\x00\x01\x08"

// HeaderSize is how many bytes the header has.
const HeaderSize = 8 + 8*8

// ErrNotTable means that the data do not begin with [Magic].
var ErrNotTable = errors.New("no pclntab of Go 1.20 or later for amd64")

// older are the first words of tables before Go 1.20, for error messages.
var older = map[uint32]string{
	0xfffffffb: "Go 1.2 to 1.15",
	0xfffffffa: "Go 1.16 or 1.17",
	0xfffffff0: "Go 1.18 or 1.19",
}

// A Header is the beginning of a table.
type Header struct {
	Funcs     uint64 // number of functions
	Files     uint64 // number of file names
	TextStart uint64 // address of the text, or 0
	Names     uint64 // offsets of the parts of the table, in bytes from the header
	Units     uint64
	FileNames uint64
	PCTables  uint64
	Functions uint64
}

// ReadHeader reads the beginning of a table.
func ReadHeader(data []byte) (h Header, err error) {
	if len(data) < HeaderSize {
		return h, fmt.Errorf("pclntab: header needs %d bytes, have %d: %w", HeaderSize, len(data), ErrNotTable)
	}
	if string(data[:8]) != Magic {
		if version := older[binary.LittleEndian.Uint32(data)]; version != "" {
			return h, fmt.Errorf("pclntab: table of %s: %w", version, ErrNotTable)
		}
		return h, fmt.Errorf("pclntab: begins with % x: %w", data[:8], ErrNotTable)
	}
	for i, p := range []*uint64{&h.Funcs, &h.Files, &h.TextStart, &h.Names, &h.Units, &h.FileNames, &h.PCTables,
		&h.Functions} {
		*p = binary.LittleEndian.Uint64(data[8+8*i:])
	}
	return h, nil
}

// A Table is the function table of a program. Its methods may be called concurrently.
type Table struct {
	text   uint64 // address of the start of the text
	n      int    // number of functions
	names  []byte
	units  []byte
	files  []byte
	pctab  []byte
	funcs  []byte // index and records
	gofunc []byte // the data at go:func.*
}

// New makes a table of data, which begin with the header and may be longer than the
// table. The argument text is the address of the start of the text, which is that of
// the symbol runtime.text; gofunc are the data from the symbol go:func.* on, nil if they
// are unknown. Without them functions have no inlined calls.
//
// New checks the header and the index of functions, and reads no record. The table keeps
// data and gofunc.
func New(data []byte, text uint64, gofunc []byte) (*Table, error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, err
	}
	t := &Table{text: text, gofunc: gofunc}
	size := uint64(len(data))
	for _, part := range []struct {
		name string
		off  uint64
		to   *[]byte
	}{
		{"names", h.Names, &t.names}, {"units", h.Units, &t.units}, {"files", h.FileNames, &t.files},
		{"pc tables", h.PCTables, &t.pctab}, {"functions", h.Functions, &t.funcs},
	} {
		if part.off < HeaderSize || part.off > size {
			return nil, fmt.Errorf("pclntab: %s are at %d of %d bytes", part.name, part.off, size)
		}
		*part.to = data[part.off:]
	}
	// The parts follow each other, so each ends where the next begins.
	for _, end := range []struct {
		part *[]byte
		off  uint64
	}{{&t.names, h.Units}, {&t.units, h.FileNames}, {&t.files, h.PCTables}, {&t.pctab, h.Functions}} {
		n := uint64(len(*end.part))
		start := size - n
		if end.off < start {
			return nil, fmt.Errorf("pclntab: parts are not in order: one begins at %d, the next at %d", start, end.off)
		}
		*end.part = (*end.part)[: end.off-start : end.off-start]
	}
	if h.Funcs == 0 || h.Funcs > (uint64(len(t.funcs))-4)/8 || len(t.funcs) < 4 {
		return nil, fmt.Errorf("pclntab: %d functions in %d bytes", h.Funcs, len(t.funcs))
	}
	t.n = int(h.Funcs)
	for i := range t.n {
		if t.entry(i) >= t.entry(i+1) {
			return nil, fmt.Errorf("pclntab: function %d begins at %#x, the next at %#x", i, t.entry(i), t.entry(i+1))
		}
	}
	return t, nil
}

// Len returns the number of functions.
func (t *Table) Len() int { return t.n }

// Text returns the addresses between which functions are.
func (t *Table) Text() (start, end uint64) { return t.entry(0), t.entry(t.n) }

// entry returns the address of a function; entry(Len()) is the end of the last one.
func (t *Table) entry(i int) uint64 {
	return t.text + uint64(binary.LittleEndian.Uint32(t.funcs[8*i:]))
}

// Find returns the function whose code, with the padding after it, contains pc.
func (t *Table) Find(pc uint64) (Func, bool) {
	if pc < t.entry(0) || pc >= t.entry(t.n) {
		return Func{}, false
	}
	i := sort.Search(t.n, func(i int) bool { return t.entry(i) > pc }) - 1
	return t.Func(i)
}

// All returns the functions in the order of their addresses. It leaves out those whose
// records are damaged.
func (t *Table) All() iter.Seq[Func] {
	return func(yield func(Func) bool) {
		for i := range t.n {
			if f, ok := t.Func(i); ok && !yield(f) {
				return
			}
		}
	}
}

// recordSize is the size of the fixed part of a record.
const recordSize = 44

// Func returns the function with an index below [Table.Len]. It returns false if the
// record of the function is damaged.
func (t *Table) Func(i int) (Func, bool) {
	off := uint64(binary.LittleEndian.Uint32(t.funcs[8*i+4:]))
	if off > uint64(len(t.funcs)) || uint64(len(t.funcs))-off < recordSize {
		return Func{}, false
	}
	r := t.funcs[off:]
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(r[4*i:]) }
	f := Func{
		t: t, Entry: t.entry(i), Next: t.entry(i + 1), Index: i,
		name: word(1), Args: int32(word(2)), Deferreturn: word(3),
		pcsp: word(4), pcfile: word(5), pcln: word(6), unit: word(8),
		StartLine: int(int32(word(9))), ID: r[40], Flags: Flags(r[41]),
	}
	npcdata, nfuncdata := uint64(word(7)), uint64(r[43])
	if 4*npcdata+4*nfuncdata > uint64(len(r)-recordSize) {
		return Func{}, false
	}
	if npcdata > pcdataInline {
		f.pcinline = word(recordSize/4 + pcdataInline)
	}
	f.tree = none
	if nfuncdata > funcdataInline {
		f.tree = word(recordSize/4 + int(npcdata) + funcdataInline)
	}
	return f, f.Entry == t.text+uint64(word(0))
}

// Indices of tables in the record of a function, from internal/abi of std.
const (
	pcdataInline   = 2
	funcdataInline = 3
	none           = ^uint32(0)
)

// str returns the string at an offset of data.
func str(data []byte, off uint32) string {
	if uint64(off) >= uint64(len(data)) {
		return ""
	}
	n := bytes.IndexByte(data[off:], 0)
	if n < 0 {
		return ""
	}
	return string(data[off:][:n])
}
