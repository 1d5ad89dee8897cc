package report

// This file says which taps report a part of their events only.

import (
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/wire"
)

// named is how many functions are named.
const named = 5

// tellPartial adds the facts about the taps that are wire.Tap.Partial, none if there are none.
func tellPartial(pkgs []*wire.Package, f *facts.List) {
	taps, all, funcs, names := 0, 0, 0, ""
	known := make(map[string]bool)
	for _, p := range pkgs {
		all += len(p.Taps)
		for i := range p.Taps {
			t := &p.Taps[i]
			if !t.Partial {
				continue
			}
			taps++
			if known[t.Func] {
				continue
			}
			known[t.Func] = true
			switch funcs++; {
			case funcs == 1:
				names = t.Func
			case funcs <= named:
				names += ", " + t.Func
			case funcs == named+1:
				names += ", …"
			}
		}
	}
	if taps > 0 {
		f.Set(facts.Taps, uint64(all))
		f.Set(facts.PartialTaps, uint64(taps))
		f.SetText(facts.PartialIn, names)
	}
}
