package enginetest

// This file has the first test engine: ranges, bursts of messages, snapshots and
// merges.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// Cells counts events in cells. A cell is a site and an aligned range of words. When an
// event needs a further cell and all slots are taken, the engine sends all cells: so one
// event has many messages.
//
//	cells(bits=4,slots=64)
var Cells = &hwsim.Kind{
	Name:   "cells",
	Params: []string{"bits", "slots"},
	Parse: func(a *hwsim.Args) hwsim.Spec {
		return cellsSpec{a.Uint("bits", 4, 0, 64), a.Uint("slots", 64, 1, 1<<16)}
	},
	Weighted: true,
	Ranges:   true,
	Examples: []string{"cells", "cells(0,7)", "cells(bits=64,slots=1)", "cells(slots=500)"},
}

type cellsSpec struct{ bits, slots uint64 }

func (s cellsSpec) String() string {
	return "cells(bits=" + digits.Uint(s.bits) + ",slots=" + digits.Uint(s.slots) + ")"
}
func (s cellsSpec) WithSeed(uint64) hwsim.Spec { return s }
func (s cellsSpec) New(hwsim.Instance) hwsim.Engine {
	return &cells{cellsSpec: s, full: make([]hwsim.Message, 0, s.slots)}
}

// Size is, for each cell, a word for the site, the bits of a word that are not free, and a
// counter of 32 bits.
func (s cellsSpec) Size(word int) []hwsim.Part {
	return []hwsim.Part{{Name: "cells", Entries: int(s.slots), Bits: 2*word - int(s.bits) + 32}}
}

type cells struct {
	cellsSpec
	full []hwsim.Message // the cells that have events
}

func (c *cells) Push(in []tuple.Tuple, out *hwsim.Out) {
	for _, t := range in {
		c.take(hwsim.Message{Tuple: t, Count: 1}, out)
	}
}

func (c *cells) PushWeighted(in []hwsim.Message, out *hwsim.Out) {
	for _, m := range in {
		c.take(m, out)
	}
}

func (c *cells) take(m hwsim.Message, out *hwsim.Out) {
	m.Free = uint8(c.bits)
	m.Tuple.W &^= 1<<c.bits - 1
	if c.add(m) {
		return
	}
	if len(c.full) >= int(c.slots) {
		c.Flush(out)
	}
	c.full = append(c.full, m)
}

// add adds m to its cell, if there is one.
func (c *cells) add(m hwsim.Message) (ok bool) {
	for i := range c.full {
		if x := &c.full[i]; x.Tuple == m.Tuple {
			x.Count += m.Count
			return true
		}
	}
	return false
}

func (c *cells) Snapshot(out *hwsim.Out) {
	for _, m := range c.full {
		out.Send(m)
	}
}

func (c *cells) Flush(out *hwsim.Out) {
	c.Snapshot(out)
	c.full = c.full[:0]
}

func (c *cells) Merge(from hwsim.Engine) (exact bool) {
	f := from.(*cells)
	for _, m := range f.full {
		if !c.add(m) {
			c.full = append(c.full, m) // maybe beyond what slots there are, until the next event
		}
	}
	f.full = f.full[:0]
	return true
}

func (c *cells) Balance() (b hwsim.Balance) {
	for _, m := range c.full {
		b.Held += int64(m.Count)
	}
	return b
}
