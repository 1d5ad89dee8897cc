package core

// This file maps the poll region.

import (
	"github.com/pepgo/pep/runtime/digits"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sys"
)

func mapRegion() (problem string) {
	p, e := sys.Mmap(poll.Base, poll.Size, sys.ProtRead, sys.MapPrivate|sys.MapAnonymous|sys.MapNoreserve|sys.MapFixedNoreplace, ^uintptr(0), 0)
	if problem := misplaced(uintptr(p), e); problem != "" {
		print("pep: mapping the poll region at ", digits.Hex(poll.Base), ": ", problem, "; rebuild with -peppoll=flag\n")
		sys.Exit(2)
	}
	// Small pages all map the one page of zeros, so that polls take up at most 64
	// cache lines wherever they are: 1.9 ns for polls all over 1 MB, 6.1 ns with
	// huge pages. In return mprotect is slower, 23 µs a burst instead of 2 µs for
	// as many; but hot paths are few and close together.
	sys.Call(sys.NrMadvise, poll.Base, poll.Size, sys.MadvNohugepage, 0, 0, 0)
	for _, prot := range [...]uintptr{sys.ProtNone, sys.ProtRead} {
		if _, e := sys.Call(sys.NrMprotect, poll.Base, poll.Size, prot, 0, 0, 0); e != 0 {
			return "arming polls: mprotect: " + e.Error() + " (programs built with -peppoll=flag do without)"
		}
	}
	return ""
}

// misplaced says why mmap, which has returned p and e, did not map the poll region at
// its address. Kernels before 4.17 do not know MAP_FIXED_NOREPLACE and take the
// address for a hint: if something else is there, they map the region elsewhere.
func misplaced(p uintptr, e sys.Errno) (problem string) {
	switch {
	case e != 0:
		return e.Error()
	case p != poll.Base:
		sys.Call(sys.NrMunmap, p, poll.Size, 0, 0, 0, 0)
		return "something else is there"
	}
	return ""
}
