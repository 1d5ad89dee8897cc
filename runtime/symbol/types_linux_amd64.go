package symbol

// This file decides which type descriptors may be read.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/runtime/golink"
)

// Dynamic returns the type whose descriptor is at addr, or whose itab. What windows note there may be anything, so only
// what the linker has made is read.
func (n Names) Dynamic(addr uint64, itab bool) string {
	p, ok, what := n.here(addr), true, "type "
	if itab {
		what = "type of itab "
		p, ok = golink.ItabType(p)
	}
	if !ok || !golink.IsType(p) {
		return what + digits.Hex(addr)
	}
	return golink.TypeName(p)
}

// mayReadType reports whether there is a type descriptor at p in this process. A
// descriptor that another process made while it ran is not in this one. The process
// number alone does not tell them apart: in containers every process may have number
// 1. If the file is damaged, what is at p may be anything.
func (n Names) mayReadType(p uintptr) bool {
	own := n.process.Own
	ours := own != nil && n.of.Pid == own.Pid && n.of.Start == own.Start
	return ours || golink.IsType(p)
}
