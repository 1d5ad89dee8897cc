package windows

// This file says which values of the program windows note. It brings what a window has noted into the form in which the
// log keeps it: each value of a site once, with how often the window had it. What is behind the normal length of the
// window does not count, because the weight of the window is that of the normal length.

import (
	"unsafe"

	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/runtime/callers"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/window"
)

const (
	maxNotes     = 8192 // that a window makes
	noteSlotBits = 12   // logarithm of the slots of the table: four times as many as the log keeps
)

// noted are the values of a window. The table finds a value among them. A slot has the index of a value, and it is of
// that value if the value says so, too: so nobody needs to clear the table.
type noted struct {
	n     int // values in list
	list  [pepfile.MostNotes]pepfile.NoteRecord
	home  [pepfile.MostNotes]uint16 // by value: its slot
	slots [1 << noteSlotBits]uint16

	memory [maxNotes]interp.Note // as the interpreter makes them
	rows   window.ValueRows
}

var (
	values     *window.Values // nil if the program has no table of values
	actsOffset uintptr        // of the actions in a taker
)

// addValues adds the values of an instruction to its actions. In a program without a table of values that is whom it
// calls, and its site is where it is in the text.
func addValues(pc uint64, a *interp.Actions) {
	if values != nil {
		t := (*Taker)(golink.At(uintptr(unsafe.Pointer(a)) - actsOffset))
		values.Add(pc, a, &t.noted.rows)
	} else if at, ok := callers.Offset(uintptr(pc)); ok {
		a.Add(interp.Value{Site: at, What: interp.Target})
	}
}

// sum adds up the first notes that the interpreter has made, and returns for how many there was no space.
func (x *noted) sum(made int) (missed uint32) {
	x.n = 0
	most := int(counts.Notes)
	for i := 0; i < made; i++ {
		if i >= len(x.memory) {
			return missed + uint32(made-i)
		}
		if !x.add(x.memory[i].Site, x.memory[i].Value, most) {
			missed++
		}
	}
	return missed
}

// add counts a value. It reports false if there is no space for it.
func (x *noted) add(site uint32, value uint64, most int) bool {
	n := x.n
	for at := hashNote(site, value); ; at++ {
		slot := at & (1<<noteSlotBits - 1)
		i := int(x.slots[slot])
		if i >= n || i >= len(x.list) || uint64(x.home[i]) != slot { // free
			if n < 0 || n >= len(x.list) || n >= most {
				return false
			}
			x.list[n] = pepfile.NoteRecord{Site: site, Count: 1, Value: value}
			x.home[n], x.slots[slot] = uint16(slot), uint16(n)
			x.n = n + 1
			return true
		}
		if r := &x.list[i]; r.Site == site && r.Value == value {
			r.Count++
			return true
		}
	}
}

func hashNote(site uint32, value uint64) uint64 {
	const odd = 0x9e3779b97f4a7c15
	return ((value^value>>32)*odd ^ uint64(site)) * odd >> (64 - noteSlotBits)
}

// records returns the values that have been summed.
func (x *noted) records() []pepfile.NoteRecord {
	n := x.n
	if n < 0 || n > len(x.list) {
		return nil
	}
	return x.list[:n]
}
