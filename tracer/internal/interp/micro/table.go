package micro

import "slices"

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

// A Table holds the ops of the code of one address space. Ops refer to each other by
// index; 0 means that an op is not there.
type Table struct {
	Ops []Op // Ops[0] is not used
	at  map[uint64]uint32
	// from lists the ops that will refer to a PC once it is decoded.
	from map[uint64][]uint32
}

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{Ops: make([]Op, 1), at: map[uint64]uint32{}, from: map[uint64][]uint32{}}
}

// At returns the index of the op at pc, or 0.
func (t *Table) At(pc uint64) uint32 { return t.at[pc] }

// Add decodes what can be reached from pc by fallthrough, direct jumps and direct calls,
// nearest first, and stops after budget new ops. It returns the index of the op at pc.
//
// No table of functions is needed: a sampled PC is the address of an instruction, and
// what is reached from it is, too. So data between functions are never decoded, and
// stripped programs and libraries are as good as any others.
//
// Indexes of ops stay as they are when ops are added. Fields Next and Target of older
// ops may change from 0 to the index of a new op; changed lists these older ops.
func (t *Table) Add(code Code, pc uint64, budget int) (index uint32, changed []uint32) {
	old := uint32(len(t.Ops))
	work := []uint64{pc}
	for len(work) > 0 && budget > 0 {
		pc := work[0]
		work = work[1:]
		for budget > 0 && t.at[pc] == 0 {
			budget--
			i := t.decode(code, pc)
			for _, from := range t.from[pc] {
				t.link(from, pc, i)
				if from < old {
					changed = append(changed, from)
				}
			}
			delete(t.from, pc)
			op := &t.Ops[i]
			if op.Direct() {
				t.refer(i, op.Imm)
				work = append(work, op.Imm)
			}
			if op.Ends() {
				break
			}
			pc += uint64(op.Len)
			t.refer(i, pc)
		}
	}
	slices.Sort(changed)
	return t.at[pc], slices.Compact(changed)
}

// decode appends the op at pc.
func (t *Table) decode(code Code, pc uint64) uint32 {
	var buf [maxLen]byte
	op := Decode(buf[:code.ReadCode(pc, buf[:])], pc)
	i := uint32(len(t.Ops))
	t.Ops = append(t.Ops, op)
	t.at[pc] = i
	return i
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
	if op.Direct() && op.Imm == pc {
		op.Target = to
	}
	if !op.Ends() && op.PC+uint64(op.Len) == pc {
		op.Next = to
	}
}
