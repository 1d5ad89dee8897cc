package ops

import (
	"iter"
	"maps"
	"slices"
)

// maxLen is the length of the longest instruction in bytes.
const maxLen = 15

// Code reads the machine code of a program.
type Code interface {
	// ReadCode reads code at pc into buf and returns how many bytes it read. It reads
	// fewer than len(buf) only if no more can be read.
	ReadCode(pc uint64, buf []byte) int
}

// Bytes is Code in memory, from address Base on.
type Bytes struct {
	Base uint64
	Code []byte
}

// ReadCode implements [Code].
func (b Bytes) ReadCode(pc uint64, buf []byte) int {
	if pc < b.Base || pc-b.Base >= uint64(len(b.Code)) {
		return 0
	}
	return copy(buf, b.Code[pc-b.Base:])
}

// A Table holds the operations of the code of one address space. They refer to each other by index; 0 means that an
// operation is not there.
type Table struct {
	Ops []Op // Ops[0] is not used; the operations of an instruction follow each other
	d   Decoder
	at  map[uint64]uint32
	// from lists the ops that will refer to a PC once it is decoded.
	from map[uint64][]uint32
}

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{Ops: make([]Op, 1), at: map[uint64]uint32{}, from: map[uint64][]uint32{}}
}

// At returns the index of the first op of the instruction at pc, or 0.
func (t *Table) At(pc uint64) uint32 { return t.at[pc] }

// PCs returns the addresses of all instructions.
func (t *Table) PCs() iter.Seq[uint64] { return maps.Keys(t.at) }

// Instruction returns the ops of the instruction whose first op has the index i.
func (t *Table) Instruction(i uint32) []Op {
	end := i
	for t.Ops[end].Flags&Last == 0 {
		end++
	}
	return t.Ops[i : end+1]
}

// Add decodes what can be reached from pc by fallthrough, direct jumps and direct calls,
// nearest first, until there are budget new ops: the last instruction may exceed it by a few. It returns the index of
// the op at pc.
//
// No table of functions is needed: a sampled PC is the address of an instruction, and
// what is reached from it is, too. So data between functions are never decoded, and
// stripped programs and libraries are as good as any others.
//
// Indexes of ops stay as they are when ops are added. Fields L0 and L1 of older
// ops may change from 0 to the index of a new op; changed lists these older ops.
func (t *Table) Add(code Code, pc uint64, budget int) (index uint32, changed []uint32) {
	old := uint32(len(t.Ops))
	end := len(t.Ops) + budget
	work := []uint64{pc}
	for len(work) > 0 && len(t.Ops) < end {
		pc := work[0]
		work = work[1:]
		for len(t.Ops) < end && t.at[pc] == 0 {
			i := uint32(len(t.Ops))
			var buf [maxLen]byte
			t.Ops = t.d.Decode(t.Ops, buf[:code.ReadCode(pc, buf[:])], pc)
			t.at[pc] = i
			last := uint32(len(t.Ops) - 1)
			for j := i; j < last; j++ {
				t.Ops[j].L1 = j + 1
			}
			for _, from := range t.from[pc] {
				t.link(from, pc, i)
				if from < old {
					changed = append(changed, from)
				}
			}
			delete(t.from, pc)
			op := &t.Ops[last]
			if op.Direct() {
				t.refer(last, op.Target())
				work = append(work, op.Target())
			}
			if op.ends() {
				break
			}
			pc += uint64(op.Len)
			if op.next() != nil {
				*op.next() = 0
				t.refer(last, pc)
			}
		}
	}
	slices.Sort(changed)
	return t.at[pc], slices.Compact(changed)
}

// refer makes op i refer to pc, now or when pc is decoded.
func (t *Table) refer(i uint32, pc uint64) {
	if to := t.at[pc]; to != 0 {
		t.link(i, pc, to)
	} else {
		t.from[pc] = append(t.from[pc], i)
	}
}

// link sets the fields of op i that mean pc.
func (t *Table) link(i uint32, pc uint64, to uint32) {
	op := &t.Ops[i]
	if op.Direct() && op.Target() == pc {
		op.L1 = to
	}
	if n := op.next(); n != nil && op.PC+uint64(op.Len) == pc {
		*n = to
	}
}
