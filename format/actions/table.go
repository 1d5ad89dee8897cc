package actions

// This file is the form of a table of actions that goes with a program.
//
// A number is an unsigned varint. A signed number is zigzag coded.
//
//	table     "pep actions 1\n", number of actions, actions, number of functions, functions
//	action    operations, the most frequent action first
//	operation register<<3 | last of the action<<2 | what it does; argument: of Set less the register's number of path 0, of Add signed
//	function  address less the end of the function before, size, number of registers, registers, number of rows, rows
//	register  number of path 0 of the function whose path it has, less that of the register before: signed
//	row       PC less that of the row before<<2 | way: 0 at, 1 taken, 2 not taken, 3 jump; index of a jump; index of the action

import (
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/register"
)

const magic = "pep actions 1\n"

const ways = string(branches.At) + string(branches.Taken) + string(branches.NotTaken) + string(branches.Jump)

// Append appends the table to b, without the names of functions and the sources. Functions are in order of their addresses.
func (t *Table) Append(b []byte) []byte {
	count := map[string]int{}
	for _, f := range t.Funcs {
		for _, r := range f.Rows {
			count[t.coded(&f, r.Action)]++
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
	end, first := uint64(0), uint32(0)
	for _, f := range t.Funcs {
		b = binary.AppendUvarint(b, f.Addr-end)
		b = binary.AppendUvarint(b, f.Size)
		end = f.Addr + f.Size
		b = binary.AppendUvarint(b, uint64(len(f.Firsts)))
		for _, x := range f.Firsts {
			b = binary.AppendVarint(b, int64(x)-int64(first))
			first = x
		}
		b = binary.AppendUvarint(b, uint64(len(f.Rows)))
		pc := uint64(0)
		for _, r := range f.Rows {
			b = binary.AppendUvarint(b, (r.PC-pc)<<2|uint64(strings.IndexByte(ways, byte(r.Way))))
			pc = r.PC
			if r.Way == branches.Jump {
				b = binary.AppendUvarint(b, uint64(r.Index))
			}
			b = binary.AppendUvarint(b, uint64(index[t.coded(&f, r.Action)]))
		}
	}
	return b
}

// coded returns an action of f as it is written.
func (t *Table) coded(f *Placed, action uint32) string {
	var b []byte
	for i := action; ; i++ {
		op := t.Ops[i]
		last := uint64(0)
		if op.Last {
			last = 1
		}
		b = binary.AppendUvarint(b, uint64(op.Slot)<<3|last<<2|uint64(op.Do))
		switch op.Do {
		case register.Set:
			b = binary.AppendUvarint(b, uint64(op.Arg-f.Firsts[op.Slot]))
		case register.Add:
			b = binary.AppendVarint(b, int64(int32(op.Arg)))
		}
		if op.Last {
			return string(b)
		}
	}
}

// ReadTable reads what Append has written.
func ReadTable(b []byte) (*Table, error) {
	rest, ok := strings.CutPrefix(string(b), magic)
	r := &reader{b: []byte(rest), bad: !ok}
	t := &Table{actions: map[string]uint32{}}
	var list [][]register.Op
	for range r.count() {
		list = append(list, r.action())
	}
	end, first := uint64(0), int64(0)
	for range r.count() {
		f := Placed{Addr: end + r.number(), Size: r.number()}
		end = f.Addr + f.Size
		for range r.count() {
			first += r.signed()
			f.Firsts = append(f.Firsts, uint32(first))
		}
		pc := uint64(0)
		for range r.count() {
			x := r.number()
			pc += x >> 2
			row := Row{PC: pc, Way: branches.Way(ways[x&3])}
			if row.Way == branches.Jump {
				row.Index = r.below(1 << 31)
			}
			var ops []register.Op
			if i := r.below(len(list)); i < len(list) {
				ops = slices.Clone(list[i])
			}
			for i, op := range ops {
				switch {
				case int(op.Slot) >= len(f.Firsts):
					r.bad = true
				case op.Do == register.Set:
					ops[i].Arg += f.Firsts[op.Slot]
				}
			}
			if r.bad {
				break
			}
			row.Action = t.action(ops)
			f.Rows = append(f.Rows, row)
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
