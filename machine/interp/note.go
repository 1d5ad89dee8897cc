package interp

// This file notes values: what registers have before an instruction, what it loads and from where, which function it
// calls. Notes are operations among the others, so instructions without values cost nothing more. They do not call
// anybody: a note is a store to memory that the caller gives, and the caller reads the notes when the window has ended.
//
//	code.Actions = func(pc uint64, a *interp.Actions) bool {
//		a.Add(interp.Value{Site: 7, What: interp.Target})           // if the instruction is CALL AX
//		return true
//	}
//	m.Notes = memory
//	m.Run(6000)
//	m.Notes[:min(m.Noted, len(m.Notes))]                                // {Value: 0x4a1c40, Site: 7}, …
//
// The target of a jump through a register is not noted. Go makes such jumps for switches only, from one part of a
// function to another; its wrappers of methods jump to symbols.

// maxValues is how many values an instruction may have: at the beginning of a function there are arguments in 9 integer
// registers and 15 vector registers, and the instruction may load something.
const maxValues = 32

// A What says which value of an instruction is noted.
type What uint8

// Values of What.
const (
	Register What = iota // what a register has before the instruction
	Loaded               // what the instruction loads: the first of its loads, before it is changed
	Target               // which address a call through a register or through memory goes to
	Address              // from where the instruction loads: the address of the first of its loads
)

// A Value is one that an instruction has. An instruction that does not have it, because it loads nothing for example,
// notes nothing.
type Value struct {
	Site uint32 // any number: the note has it
	What What
	// of Register: the number of the register; from VectorRegister on, of a vector register, of which the low word counts
	Reg   uint8
	Width uint8 // how many of the low bytes count, 0 for all 8: registers have anything above what is in them
}

// VectorRegister is the number of X0 in a Value.
const VectorRegister = 16

// A Note is a value that an instruction had.
type Note struct {
	Value uint64
	Site  uint32
}

// Add has a value noted. It reports false if the instruction has too many.
func (a *Actions) Add(v Value) bool {
	i := a.n
	if i < 0 || i >= len(a.values) {
		return false
	}
	a.values[i] = v
	a.n = i + 1
	return true
}

// Values returns the values that are noted.
func (a *Actions) Values() []Value {
	if n := a.n; n >= 0 && n < len(a.values) {
		return a.values[:n]
	}
	return a.values[:]
}

// begin forgets the actions of the instruction before.
func (a *Actions) begin(changed bool) {
	a.At, a.Index, a.Taken, a.NotTaken, a.Changed, a.n = 0, 0, 0, 0, changed, 0
}

// note is what kNote, kNoteV and kNoteA do.
func (m *Machine) note(o *op, v uint64) {
	if notes, i := m.Notes, m.Noted; i >= 0 && i < len(notes) {
		notes[i] = Note{v, uint32(o.imm)}
	}
	m.Noted++
}

// set makes an operation of a value that is in a register.
func (v *Value) set(o *op, vector bool, reg uint8) {
	*o = op{k: kNote, d: rZero, s: reg, b: rZero, i: rZero, sh: 1, imm: uint64(v.Site), disp: -1}
	if vector {
		o.k = kNoteV
	}
	if v.Width > 0 && v.Width < 8 {
		o.disp = 1<<(8*v.Width&63) - 1
	}
}

// setAddress makes an operation of the address of a load, to stand before it: it may change its base.
func (v *Value) setAddress(o, load *op) {
	*o = op{k: kNoteA, d: rZero, s: rZero, b: load.b, i: load.i, sh: load.sh, imm: uint64(v.Site), disp: load.disp}
}

// noteRegisters emits the notes of registers, before an instruction.
func (d *decoder) noteRegisters() {
	list := d.acts.Values()
	for i := range list {
		v := &list[i]
		if v.What != Register {
			continue
		}
		if v.Reg >= VectorRegister {
			v.set(d.emit(kNoteV), true, v.Reg-VectorRegister)
		} else {
			v.set(d.emit(kNote), false, v.Reg)
		}
	}
}

// noteTarget emits the notes of what a call calls, which is in a register.
func (d *decoder) noteTarget(reg uint8) {
	list := d.acts.Values()
	for i := range list {
		if v := &list[i]; v.What == Target {
			v.set(d.emit(kNote), false, reg)
		}
	}
}

// noteLoads inserts the notes of the first load among the operations of an instruction, those of its address before it.
func (d *decoder) noteLoads(first uint64) {
	list := d.acts.Values()
	for i := len(list) - 1; i >= 0; i-- { // each before those that have been inserted
		v := &list[i]
		if v.What != Loaded && v.What != Address {
			continue
		}
		for at := first; at < d.op; at += opSize64 {
			load := opAt(at)
			if !load.isLoad() {
				continue
			}
			note := at // where the note comes to be
			if v.What == Loaded {
				note += opSize64
			}
			for to := d.op; to > note; to -= opSize64 {
				*opAt(to) = *opAt(to - opSize64)
			}
			d.op += opSize64
			if v.What == Loaded {
				v.set(opAt(note), load.k >= kVector, load.d)
			} else {
				v.setAddress(opAt(note), opAt(note+opSize64))
			}
			break
		}
	}
}
