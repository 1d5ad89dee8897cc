package core

// This file is the flag poll that instrumented code calls: core.Poll(number).

import (
	"runtime"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/sampler"
)

// Poll reports that the path with the given number within the package has
// ended.
func Poll(number uintptr) { uncharged[0] = pollArmed(number) }

func pollArmed(number uintptr) none {
	if armed != 0 {
		uncharged[0] = pollInBurst(number)
	}
	return none{}
}

//go:noinline
func pollInBurst(number uintptr) none {
	if withoutProfile {
		return none{}
	}
	now := uint64(golink.Cycles())
	k := pepfile.Key{Path: uint32(number)}
	take, act := counts.Poll()
	e := countCallers(&k, take)
	if act == sampler.ActDisarm {
		golink.Store32(&armed, 0)
	}
	// The gap is that of the P. It may be another goroutine's, but it is the program's.
	p := golink.ProcPin()
	exit := uint64(golink.Cycles())
	*note(&k, uintptr(p)+1, now, e) = exit
	golink.Add64(&spent, int64(exit-now))
	golink.ProcUnpin()
	return none{}
}

// countCallers finds where the poll is, and if take is true it counts k with its callers. It
// is apart from pollInBurst because of its stack frame.
//
//go:noinline
func countCallers(k *pepfile.Key, take bool) *pepfile.Entry {
	var pcs [pepfile.MaxCallers + 2]uintptr
	wanted := 1
	if take {
		wanted = len(pcs)
	}
	n := runtime.Callers(5, pcs[:wanted]) // without Callers, countCallers, and the three above
	if n == len(pcs) {
		n--
		golink.Add64(&counts.Truncated, 1)
	}
	for i, pc := range pcs[:n] {
		off := uint32(pc - textBase)
		if i == 0 {
			k.PC = off
		} else {
			k.Callers[i-1] = off
			k.N++
		}
	}
	if !take {
		return nil
	}
	k.Labels = counts.NumberOfLabels((*golink.Labels)(golink.ProfLabels()))
	return counts.Add(k)
}
