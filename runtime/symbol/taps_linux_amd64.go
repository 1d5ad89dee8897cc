package symbol

// This file finds the taps in the code of this process.

import (
	"unsafe"

	"github.com/pepgo/pep/format/layout"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/sitetables"
)

// FindTaps calls found for each address at which code of a tap stands.
func FindTaps(found func(addr, pc uint64)) (ok bool) {
	all, _, err := sitetables.All()
	pkgs := wire.Packages(all)
	if err != nil || wire.Wrong(all) != nil {
		return false
	}
	byBase := map[uint64]*wire.Package{}
	for _, p := range pkgs {
		byBase[tuple.SiteBase(p.Path)] = p
	}
	known := func(pc uint64) bool {
		t := tuple.Tuple{PC: pc}
		i := t.Site() % tuple.MaxSites
		p := byBase[t.Site()-i]
		return p != nil && i < uint64(len(p.Taps)) && tuple.Tag(p.Taps[i].Tag) == t.Tag()
	}
	start := golink.TextStart()
	code := unsafe.Slice((*byte)(golink.At(start)), golink.TextEnd()-start)
	layout.Find(code, uint64(start), known, found)
	return true
}
