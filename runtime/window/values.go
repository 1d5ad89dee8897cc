package window

// This file tells the interpreter which values the instructions of a program have.

import (
	"github.com/pepgo/pep/format/valuetable"
	"github.com/pepgo/pep/machine/interp"
)

// Values are the rows of a program's table of values.
//
//	values, err := window.NewValues(data, text, 1<<valuetable.Call|1<<valuetable.Type)
//	code.Actions = func(pc uint64, a *interp.Actions) bool {
//		values.Add(pc, a, rows)     // rows is memory of the machine that decodes
//		return true
//	}                                   // the site of a note is the number of a row: see valuetable.Table.Site
type Values struct {
	table *valuetable.Table
	text  uint64
	kinds uint32 // a bit for each kind that is noted

	// Addresses says that the addresses of loads are noted, at the sites of their rows with the bit valuetable.AddressOf.
	Addresses bool
}

// MaxValueRows is how many values a function has at most.
const MaxValueRows = 1 << 15

// ValueRows is the memory of a machine: it has the rows of the function whose instruction was decoded last.
type ValueRows struct {
	fn   int // 1 + its number; 0 if there is none
	n    int // rows
	rows [MaxValueRows]valuetable.Row
}

// NewValues returns the values of the program whose table of values is data, and whose text section begins at an
// address. Those of some kinds are noted: the bit 1<<Call stands for Call.
func NewValues(data []byte, text uint64, kinds uint32) (*Values, error) {
	t, err := valuetable.Open(data)
	if err != nil {
		return nil, err
	}
	if t.Most > MaxValueRows {
		return nil, Error("a function has too many values")
	}
	return &Values{table: t, text: text, kinds: kinds}, nil
}

// Has reports whether an instruction of the program has a value of a kind. It uses r.
func (v *Values) Has(kind valuetable.Kind, r *ValueRows) bool {
	r.fn = 0
	for fn := range v.table.Len() {
		n, _ := v.table.Decode(fn, r.rows[:])
		for _, row := range r.rows[:n] {
			if row.Kind == kind {
				return true
			}
		}
	}
	return false
}

// Add adds the values of an instruction to its actions. It does nothing that signal handlers must not.
func (v *Values) Add(pc uint64, a *interp.Actions, r *ValueRows) {
	t, at := v.table, pc-v.text
	if at >= 1<<32 {
		return
	}
	if !v.has(r, uint32(at)) {
		fn := t.Find(uint32(at))
		r.fn = 0 // if the file with the table cannot be read, a handler of faults leaves Decode
		n, ok := t.Decode(fn, r.rows[:])
		if !ok {
			return // in front of the first function
		}
		r.n, r.fn = n, fn+1
	}
	rows := r.rows[:]
	if r.n < 0 || r.n > len(rows) {
		return
	}
	rows = rows[:r.n]
	offset := uint32(at) - t.Addr(r.fn-1)
	lo, hi := 0, len(rows)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if m < 0 || m >= len(rows) {
			return
		}
		if rows[m].PC < offset {
			lo = m + 1
		} else {
			hi = m
		}
	}
	for i := lo; i >= 0 && i < len(rows) && rows[i].PC == offset; i++ {
		row := &rows[i]
		if v.kinds>>(row.Kind&31)&1 != 0 {
			a.Add(valueOf(row))
		}
		if v.Addresses && row.Kind == valuetable.Load {
			a.Add(interp.Value{Site: row.Site | valuetable.AddressOf, What: interp.Address})
		}
	}
}

// has reports whether r has the rows of the function at an address.
func (v *Values) has(r *ValueRows, at uint32) bool {
	fn := r.fn - 1
	return fn >= 0 && at >= v.table.Addr(fn) && (fn+1 >= v.table.Len() || at < v.table.Addr(fn+1))
}

// valueOf returns what a row has the interpreter note.
func valueOf(row *valuetable.Row) interp.Value {
	x := interp.Value{Site: row.Site, What: interp.Register, Reg: row.Reg, Width: row.Width}
	switch {
	case row.Kind == valuetable.Call:
		x.What = interp.Target
	case row.Kind == valuetable.Load, row.Reg == valuetable.InMemory:
		x.What = interp.Loaded
	}
	return x
}
