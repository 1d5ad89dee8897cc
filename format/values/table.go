// Package values writes the table of values that goes into a program.
//
//	t := &values.Table{Funcs: []values.Func{{Addr: text + 64, Rows: []values.Row{
//		{Row: valuetable.Row{PC: 3, Kind: valuetable.Call}, Site: valuetable.Site{File: "x.go", Line: 3, Col: 18, Expr: "s.area"}}}}}}
//	data, err := t.Append(nil, text)   // package valuetable has the format, and reads it
package values

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/bitcode"
	"github.com/pepgo/pep/format/huffman"
	"github.com/pepgo/pep/format/valuetable"
)

// A Table has the rows of a program.
type Table struct{ Funcs []Func }

// A Func is a function of the program.
type Func struct {
	Addr uint64
	Rows []Row // in order of PC
}

// A Row is one of the table. It has its site, whose PC and number follow from where the row is.
type Row struct {
	valuetable.Row
	Site valuetable.Site
}

// unit is what addresses of functions are a multiple of, unless something else is.
const unit = 32

// Append appends the table to b. The text section begins at an address.
func (t *Table) Append(b []byte, text uint64) ([]byte, error) {
	slices.SortFunc(t.Funcs, func(x, y Func) int { return cmp.Compare(x.Addr, y.Addr) })
	align, most := uint64(unit), 0
	for i := range t.Funcs {
		f := &t.Funcs[i]
		if f.Addr-text > math.MaxUint32 {
			return nil, fmt.Errorf("a function with values is at %#x, not in the 4 GB of code from %#x on", f.Addr, text)
		}
		for (f.Addr-text)%align != 0 {
			align /= 2
		}
		most = max(most, len(f.Rows))
		for _, r := range f.Rows {
			if s := &r.Site; strings.ContainsRune(s.File+s.Func+s.Type+s.Expr, 0) {
				return nil, fmt.Errorf("%s:%d:%d: a text has a zero byte: %q", s.File, s.Line, s.Col,
					[]string{s.Func, s.Type, s.Expr})
			}
		}
	}
	codes := newCodes()
	codes.table(t) // counts
	codes.count = false
	var rest []byte
	for _, n := range []int{int(align), most, len(t.Funcs)} {
		rest = binary.AppendUvarint(rest, uint64(n))
	}
	for i := range codes.list {
		c := &codes.list[i]
		c.code = huffman.New(c.counts)
		rest = c.code.Append(rest, huffman.Number.Symbol)
	}
	bits := codes.table(t)
	addr := text
	for i := range t.Funcs {
		f := &t.Funcs[i]
		for _, n := range []uint64{(f.Addr - addr) / align, uint64(len(f.Rows)), uint64(bits[i])} {
			rest = binary.AppendUvarint(rest, n)
		}
		addr = f.Addr
	}
	rest = append(rest, codes.Bytes...)
	return append(bitcode.AppendHeader(b, valuetable.Magic, rest), rest...), nil
}

// Alphabets, in the order of the table.
const (
	distances = iota
	whats
	lines
	columns
	files
	funcs
	types
	exprs
	bytes
	common
	alphabets
)

// codes writes numbers in their codes, or counts them, so that there can be codes.
type codes struct {
	huffman.Writer
	count bool
	list  [alphabets]struct {
		counts map[huffman.Number]int
		code   *huffman.Numbers
	}
}

func newCodes() *codes {
	c := &codes{count: true}
	for i := range c.list {
		c.list[i].counts = map[huffman.Number]int{}
	}
	return c
}

func (c *codes) put(alphabet int, n huffman.Number) {
	if c.count {
		c.list[alphabet].counts[n]++
		return
	}
	c.Number(c.list[alphabet].code, n)
}

// table writes rows and sites, and returns how many bits the rows of each function have.
func (c *codes) table(t *Table) (bits []int) {
	for i := range t.Funcs {
		pc, begin := uint32(0), c.Bits
		for _, r := range t.Funcs[i].Rows {
			c.put(distances, huffman.Number(r.PC-pc)+1)
			c.put(whats, huffman.Number(uint32(r.Kind)|uint32(r.Reg)<<3|uint32(r.Width)<<8)+1)
			pc = r.PC
		}
		bits = append(bits, c.Bits-begin)
	}
	w := &siteWriter{codes: c}
	for i := range t.Funcs {
		for _, r := range t.Funcs[i].Rows {
			w.site(&r.Site)
		}
	}
	return bits
}

type siteWriter struct {
	*codes
	texts [alphabets]texts
	line  int // of the site before
}

// texts are the texts of a kind so far.
type texts struct {
	index  map[string]int
	newest string // the text that was added to index last
	last   string // of the site before
}

func (w *siteWriter) site(s *valuetable.Site) {
	w.text(files, s.File)
	w.put(lines, huffman.Signed(s.Line-w.line))
	w.put(columns, huffman.Number(s.Col)+1)
	w.text(funcs, s.Func)
	w.text(types, string([]byte{byte(s.Form) + 1})+s.Type)
	w.text(exprs, s.Expr)
	w.line = s.Line
}

// text writes a reference to a text, and the text itself if it is new.
func (w *siteWriter) text(kind int, s string) {
	t := &w.texts[kind]
	i, old := t.index[s]
	switch {
	case old && s == t.last:
		w.put(kind, 1+1)
	case old:
		w.put(kind, huffman.Number(i)+2+1)
	default:
		w.put(kind, 0+1)
		n := 0
		for n < len(s) && n < len(t.newest) && s[n] == t.newest[n] {
			n++
		}
		w.put(common, huffman.Number(n)+1)
		for _, b := range []byte(s[n:]) {
			w.put(bytes, huffman.Number(b)+1)
		}
		w.put(bytes, 0+1)
		if t.index == nil {
			t.index = map[string]int{}
		}
		t.index[s], t.newest = len(t.index), s
	}
	t.last = s
}
