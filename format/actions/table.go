package actions

// This file is the form of a table of actions that goes with a program.
//
// A number is an unsigned varint. A signed number is zigzag coded.
//
//	table        "pep actions 1\n", number of instructions, instructions, number of functions, functions
//	instruction  number of rows, rows. The most frequent one is the first
//	row          way: 0 at, 1 taken, 2 not taken, 3 jump; index of a jump; operations
//	operation    register<<3 | last of the row<<2 | what it does; argument: of Set less the register's number of path 0, of Add signed
//	function     address less that of the function before, number of registers, registers, number of places, places
//	register     number of path 0 of the function whose path it has, less that of the register before: signed
//	place        PC less that of the place before, index of the instruction

import (
	"cmp"
	"encoding/binary"
	"errors"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/register"
)

const magic = "pep actions 1\n"

const ways = string(branches.At) + string(branches.Taken) + string(branches.NotTaken) + string(branches.Jump)

// Append appends the table to b, without the names and sizes of functions and the sources. Functions are in order of
// their addresses.
func (t *Table) Append(b []byte) []byte {
	count := map[string]int{}
	for _, f := range t.Funcs {
		for rows := range places(f.Rows) {
			count[t.coded(&f, rows)]++
		}
	}
	list := slices.SortedFunc(maps.Keys(count), func(x, y string) int { return cmp.Or(count[y]-count[x], strings.Compare(x, y)) })
	index := map[string]int{}
	b = binary.AppendUvarint(append(b, magic...), uint64(len(list)))
	for i, a := range list {
		index[a] = i
		b = append(b, a...)
	}
	b = binary.AppendUvarint(b, uint64(len(t.Funcs)))
	addr, first := uint64(0), uint32(0)
	for _, f := range t.Funcs {
		b = binary.AppendUvarint(b, f.Addr-addr)
		addr = f.Addr
		b = binary.AppendUvarint(b, uint64(len(f.Firsts)))
		for _, x := range f.Firsts {
			b = binary.AppendVarint(b, int64(x)-int64(first))
			first = x
		}
		n := 0
		for range places(f.Rows) {
			n++
		}
		b = binary.AppendUvarint(b, uint64(n))
		pc := uint64(0)
		for rows := range places(f.Rows) {
			b = binary.AppendUvarint(b, rows[0].PC-pc)
			pc = rows[0].PC
			b = binary.AppendUvarint(b, uint64(index[t.coded(&f, rows)]))
		}
	}
	return b
}

// places returns the rows of each instruction.
func places(rows []Row) iter.Seq[[]Row] {
	return func(yield func([]Row) bool) {
		for len(rows) > 0 {
			n := slices.IndexFunc(rows, func(r Row) bool { return r.PC != rows[0].PC })
			if n < 0 {
				n = len(rows)
			}
			if !yield(rows[:n]) {
				return
			}
			rows = rows[n:]
		}
	}
}

// coded returns the rows of an instruction of f as they are written.
func (t *Table) coded(f *Placed, rows []Row) string {
	b := binary.AppendUvarint(nil, uint64(len(rows)))
	for _, r := range rows {
		b = append(b, byte(strings.IndexByte(ways, byte(r.Way))))
		if r.Way == branches.Jump {
			b = binary.AppendUvarint(b, uint64(r.Index))
		}
		for i, last := r.Action, false; !last; i++ {
			op := t.Ops[i]
			x := uint64(op.Slot)<<3 | uint64(op.Do)
			if last = op.Last; last {
				x |= 4
			}
			b = binary.AppendUvarint(b, x)
			switch op.Do {
			case register.Set:
				b = binary.AppendUvarint(b, uint64(op.Arg-f.Firsts[op.Slot]))
			case register.Add:
				b = binary.AppendVarint(b, int64(int32(op.Arg)))
			}
		}
	}
	return string(b)
}

// ReadTable reads what Append has written.
func ReadTable(b []byte) (*Table, error) {
	rest, ok := strings.CutPrefix(string(b), magic)
	r := &reader{b: []byte(rest), bad: !ok}
	t := &Table{actions: map[string]uint32{}}
	type row struct {
		Row
		ops []register.Op
	}
	var list [][]row
	for range r.count() {
		var rows []row
		for range r.count() {
			x := row{Row: Row{Way: branches.Way(ways[r.below(len(ways))])}}
			if x.Way == branches.Jump {
				x.Index = r.below(1 << 31)
			}
			x.ops = r.action()
			rows = append(rows, x)
		}
		list = append(list, rows)
	}
	addr, first := uint64(0), int64(0)
	for range r.count() {
		addr += r.number()
		f := Placed{Addr: addr}
		for range r.count() {
			first += r.signed()
			f.Firsts = append(f.Firsts, uint32(first))
		}
		pc := uint64(0)
		for range r.count() {
			pc += r.number()
			i := r.below(len(list))
			if r.bad {
				break
			}
			for _, x := range list[i] {
				x.PC = pc
				ops := slices.Clone(x.ops)
				for i, op := range ops {
					switch {
					case int(op.Slot) >= len(f.Firsts):
						r.bad = true
					case op.Do == register.Set:
						ops[i].Arg += f.Firsts[op.Slot]
					}
				}
				if !r.bad {
					x.Action = t.action(ops)
					f.Rows = append(f.Rows, x.Row)
				}
			}
		}
		t.Funcs = append(t.Funcs, f)
	}
	if r.bad || len(r.b) > 0 {
		return nil, errors.New("the table of actions is damaged, or another version of pepbuild has written it")
	}
	return t, nil
}

func (r *reader) action() (ops []register.Op) {
	for !r.bad {
		x := r.number()
		op := register.Op{Do: register.Do(x & 3), Slot: uint16(x >> 3)}
		switch op.Do {
		case register.Set:
			op.Arg = uint32(r.number())
		case register.Add:
			op.Arg = uint32(r.signed())
		}
		r.bad = r.bad || !op.Do.Known() || x>>3 > math.MaxUint16
		ops = append(ops, op)
		if x&4 != 0 {
			return ops
		}
	}
	return nil
}

func (r *reader) number() uint64 {
	x, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return x
}

func (r *reader) signed() int64 {
	x := r.number()
	return int64(x>>1) ^ -int64(x&1)
}
