package report

// This file says which taps report a part of their events only.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/wire"
)

// partial returns a note about the taps that are wire.Tap.Partial, none if there are none.
//
//	pep: 3 of 20 taps see only some calls of their functions: main.(*counter).get, main.half. The compiler
//	inlines these functions, and -pepinline=less taps them in bursts where clones of their packages call
//	them. Their counts are too low, and shares are those of the events seen. Without -pepinline=less, or
//	without -peptapmode=burst, taps see all calls.
func partial(pkgs []*wire.Package) (notes []string) {
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
	if taps == 0 {
		return nil
	}
	return []string{"pep: " + digits.Int(int64(taps)) + " of " + digits.Int(int64(all)) + " taps see only some calls of their functions: " + names +
		". The compiler inlines these functions, and -pepinline=less taps them in bursts where clones of their packages call them. Their counts are too low, and shares are those of the events seen." +
		" Without -pepinline=less, or without -peptapmode=burst, taps see all calls."}
}
