package host

// This file holds a host for programs that keep a table of PCs.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// Table is the host table. It shows what is in the arrays, so that a new program needs no host of its
// own. The keys of the associative array are PCs. The sub-arrays B1, B2 and B3, as far as
// the program sets them, have a word for each slot: the field value is a word that the
// program has found for the PC of the slot, such as a value or a stride, and the field
// total says how often. Each word of a valid slot whose total is not 0 is a message. B0 is
// the program's own. When the host has read the table, it invalidates all slots, clears
// the data array, and sets all index registers to 0, so that the table fills anew.
//
// The totals are what the program has counted. They need not add up to the number of
// events: those that are in no total are Held in the balance of the engine.

var Table = &Host{Name: "table", Check: checkTable, Read: readTable}

// tableBases returns which of B1 to B3 a program uses.
func tableBases(m *machine.Machine) (list []int) {
	for b := 1; b < machine.NumBases; b++ {
		if m.BaseBits(b) > 0 {
			list = append(list, b)
		}
	}
	return list
}

func checkTable(m *machine.Machine) error {
	if m.Config().KeyBits < 64 {
		return machine.Error("keys of " + digits.Int(int64(m.Config().KeyBits)) +
			" bits: the host table wants whole PCs as keys: add keybits=64")
	}
	bases := tableBases(m)
	if bases == nil {
		return machine.Error("B1, B2 and B3 are not set: the host table wants one of them, with a word for each slot")
	}
	for _, b := range bases {
		if n := 1 << m.BaseBits(b); n != m.Config().Slots {
			return machine.Error("B" + digits.Uint(uint64(b)) + " has " + digits.Int(int64(n)) +
				" words: the host table wants one for each of the " +
				digits.Int(int64(m.Config().Slots)) + " slots")
		}
	}
	return CheckFields(m, "table", machine.SelectPC)
}

func readTable(w *Window, _ bool, out *hwsim.Out) {
	m := w.Machine
	for i := range m.Config().Slots {
		if w.Load(machine.ValidWindow+i) == 0 {
			continue
		}
		pc := w.Load(machine.KeyWindow + i)
		for b := 1; b < machine.NumBases; b++ {
			if m.BaseBits(b) > 0 {
				word := w.word(b, i)
				w.count(pc, machine.FieldValue.Of(word), machine.FieldTotal.Of(word), out)
			}
		}
	}
	w.empty()
	for i := 1; i < machine.NumIndexes; i++ {
		w.Store(machine.IndexWindow+i, 0)
	}
}
