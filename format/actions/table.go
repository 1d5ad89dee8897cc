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

	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/bitcode"
	"github.com/pepgo/pep/format/huffman"
	"github.com/pepgo/pep/format/register"
)

// unit is what addresses of functions are a multiple of, unless something else is.
const unit = 32

// Append appends the table to b, without the names and sizes of functions and the sources. The text section begins at
// an address.
func (t *Table) Append(b []byte, text uint64) ([]byte, error) {
	slices.SortFunc(t.Funcs, func(x, y Placed) int { return cmp.Compare(x.Addr, y.Addr) })
	w := &tableWriter{Table: t, paths: map[uint32]int{}}
	align := uint64(unit)
	for i := range t.Funcs {
		f := &t.Funcs[i]
		if f.Addr-text > math.MaxUint32 {
			return nil, fmt.Errorf("%s is at %#x, not in the 4 GB of code from %#x on", f.Name, f.Addr, text)
		}
		for (f.Addr-text)%align != 0 {
			align /= 2
		}
		for _, x := range f.Firsts {
			w.paths[x] = 0
		}
	}
	firsts := slices.Sorted(maps.Keys(w.paths))
	for i, x := range firsts {
		w.paths[x] = i
	}
	w.count()
	var rest []byte
	told := t.Told()
	for _, n := range []int{int(align), w.most.Registers, w.most.Rows, w.most.Ops, told.Functions, told.Partly,
		told.Untold,
		len(firsts), len(t.Funcs)} {
		rest = binary.AppendUvarint(rest, uint64(n))
	}
	first := uint32(0)
	for _, x := range firsts {
		rest = binary.AppendUvarint(rest, uint64(x-first))
		first = x
	}
	rest = w.instructions.Append(rest, func(s string) []byte { return []byte(cmp.Or(s, "\x00")) })
	for _, c := range []*huffman.Numbers{w.distances, w.counts, w.steps} {
		rest = c.Append(rest, huffman.Number.Symbol)
	}
	addr := text
	for i := range t.Funcs {
		f := &t.Funcs[i]
		begin := w.Bits
		w.places(f)
		rest = binary.AppendUvarint(rest, (f.Addr-addr)/align)
		rest = binary.AppendUvarint(rest, uint64(w.Bits-begin))
		addr = f.Addr
	}
	rest = append(rest, w.Bytes...)
	return append(bitcode.AppendHeader(b, actiontable.Magic, rest), rest...), nil
}

// A tableWriter writes the places of functions.
type tableWriter struct {
	*Table
	huffman.Writer
	most         actiontable.Size
	paths        map[uint32]int // numbers of path 0, in order
	instructions *huffman.Code[string]
	distances    *huffman.Numbers
	counts       *huffman.Numbers
	steps        *huffman.Numbers
}

// count counts what is in the places of functions, and makes the codes of that.
func (w *tableWriter) count() {
	instructions := map[string]int{}
	distances, counts, steps := map[huffman.Number]int{}, map[huffman.Number]int{}, map[huffman.Number]int{}
	for i := range w.Funcs {
		f := &w.Funcs[i]
		ops := 0
		for d, rows := range places(f.Rows) {
			distances[d]++
			instructions[w.coded(f, rows)]++
			for _, r := range rows {
				ops += len(w.Operations(r.Action))
			}
		}
		counts[huffman.Number(len(f.Firsts)+1)]++
		for x := range w.registers(f) {
			steps[x]++
		}
		w.most = actiontable.Size{Registers: max(w.most.Registers, len(f.Firsts)), Rows: max(w.most.Rows, len(f.Rows)),
			Ops: max(w.most.Ops, ops)}
	}
	w.instructions, w.distances = huffman.New(instructions), huffman.New(distances)
	w.counts, w.steps = huffman.New(counts), huffman.New(steps)
}

// places writes the places of a function.
func (w *tableWriter) places(f *Placed) {
	w.Number(w.counts, huffman.Number(len(f.Firsts)+1))
	for x := range w.registers(f) {
		w.Number(w.steps, x)
	}
	for d, rows := range places(f.Rows) {
		w.Number(w.distances, d)
		if s := w.coded(f, rows); !w.instructions.Value(&w.Writer, s) {
			w.Literal([]byte(s))
		}
	}
}

// registers returns how far the path of each register of f is from the one before.
func (w *tableWriter) registers(f *Placed) iter.Seq[huffman.Number] {
	return func(yield func(huffman.Number) bool) {
		path := 0
		for _, x := range f.Firsts {
			d := w.paths[x] - path
			if path = w.paths[x]; !yield(huffman.Signed(d)) {
				return
			}
		}
	}
}

// Told counts the functions of the source whose paths can be told.
func (t *Table) Told() (told actiontable.Told) {
	for _, s := range t.Sources {
		switch {
		case s.Places == 0:
			continue
		case s.Untold():
			told.Untold++
		case s.UntoldIn > 0, len(s.UntoldNodes) > 0:
			told.Partly++
		}
		told.Functions++
	}
	return told
}

// Operations returns those of an action.
func (t *Table) Operations(action uint32) []register.Op {
	n := action
	for !t.Ops[n].Last {
		n++
	}
	return t.Ops[action : n+1]
}

// places returns the rows of each instruction, and how far it is from the one before.
func places(rows []actiontable.Row) iter.Seq2[huffman.Number, []actiontable.Row] {
	return func(yield func(huffman.Number, []actiontable.Row) bool) {
		pc := uint32(0)
		for len(rows) > 0 {
			n := slices.IndexFunc(rows, func(r actiontable.Row) bool { return r.PC != rows[0].PC })
			if n < 0 {
				n = len(rows)
			}
			if !yield(huffman.Number(rows[0].PC-pc+1), rows[:n]) {
				return
			}
			pc, rows = rows[0].PC, rows[n:]
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
