package actions

// This file writes the table of actions that goes into a program. Package actiontable has the format, and reads it.

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/register"
)

// unit is what addresses of functions are a multiple of, unless something else is.
const unit = 32

// Append appends the table to b, without the names and sizes of functions and the sources. The text section begins at
// an address.
func (t *Table) Append(b []byte, text uint64) ([]byte, error) {
	slices.SortFunc(t.Funcs, func(x, y Placed) int { return cmp.Compare(x.Addr, y.Addr) })
	count, paths := map[string]int{}, map[uint32]int{}
	most := actiontable.Size{}
	align := uint64(unit)
	for _, f := range t.Funcs {
		if f.Addr-text > math.MaxUint32 {
			return nil, fmt.Errorf("%s is at %#x, not in the 4 GB of code from %#x on", f.Name, f.Addr, text)
		}
		for (f.Addr-text)%align != 0 {
			align /= 2
		}
		ops := 0
		for rows := range places(f.Rows) {
			count[t.coded(&f, rows)]++
			for _, r := range rows {
				ops += len(t.Operations(r.Action))
			}
		}
		for _, x := range f.Firsts {
			paths[x] = 0
		}
		most = actiontable.Size{Registers: max(most.Registers, len(f.Firsts)), Rows: max(most.Rows, len(f.Rows)), Ops: max(most.Ops, ops)}
	}
	list := slices.SortedFunc(maps.Keys(count), func(x, y string) int { return cmp.Or(count[y]-count[x], strings.Compare(x, y)) })
	var rest []byte
	for _, n := range []int{int(align), most.Registers, most.Rows, most.Ops, len(list), len(paths), len(t.Funcs)} {
		rest = binary.AppendUvarint(rest, uint64(n))
	}
	first := uint32(0)
	for i, x := range slices.Sorted(maps.Keys(paths)) {
		paths[x] = i
		rest = binary.AppendUvarint(rest, uint64(x-first))
		first = x
	}
	index := map[string]int{}
	for i, a := range list {
		index[a] = i
		rest = append(rest, a...)
	}
	var all []byte // places
	addr := text
	for _, f := range t.Funcs {
		begin := len(all)
		all = binary.AppendUvarint(all, uint64(len(f.Firsts)))
		path := 0
		for _, x := range f.Firsts {
			all = binary.AppendVarint(all, int64(paths[x]-path))
			path = paths[x]
		}
		pc := uint32(0)
		for rows := range places(f.Rows) {
			all = binary.AppendUvarint(all, uint64(rows[0].PC-pc))
			all = binary.AppendUvarint(all, uint64(index[t.coded(&f, rows)]))
			pc = rows[0].PC
		}
		rest = binary.AppendUvarint(rest, (f.Addr-addr)/align)
		rest = binary.AppendUvarint(rest, uint64(len(all)-begin))
		addr = f.Addr
	}
	rest = append(rest, all...)
	return append(actiontable.AppendHeader(b, rest), rest...), nil
}

// Operations returns those of an action.
func (t *Table) Operations(action uint32) []register.Op {
	n := action
	for !t.Ops[n].Last {
		n++
	}
	return t.Ops[action : n+1]
}

// places returns the rows of each instruction.
func places(rows []actiontable.Row) iter.Seq[[]actiontable.Row] {
	return func(yield func([]actiontable.Row) bool) {
		for len(rows) > 0 {
			n := slices.IndexFunc(rows, func(r actiontable.Row) bool { return r.PC != rows[0].PC })
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
func (t *Table) coded(f *Placed, rows []actiontable.Row) string {
	b := binary.AppendUvarint(nil, uint64(len(rows)))
	for _, r := range rows {
		for i, op := range t.Operations(r.Action) {
			x := uint64(op.Slot)<<3 | uint64(op.Do)
			if op.Last {
				x |= 4
			}
			if i > 0 {
				b = binary.AppendUvarint(b, x)
			} else if b = binary.AppendUvarint(b, x<<2|uint64(r.Way)); r.Way == actiontable.Jump {
				b = binary.AppendUvarint(b, uint64(r.Index))
			}
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
