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
	take, act := counts.Poll()
	if take {
		countCallers(number)
	}
	if act == sampler.ActDisarm {
		golink.Store32(&armed, 0)
	}
	return none{}
}

// countCallers is apart from pollInBurst because of its stack frame.
//
//go:noinline
func countCallers(number uintptr) {
	k := pepfile.Key{Path: uint32(number)}
	var pcs [pepfile.MaxCallers + 2]uintptr
	n := runtime.Callers(5, pcs[:]) // without Callers, countCallers, and the three above
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
	k.Labels = counts.NumberOfLabels((*golink.Labels)(golink.ProfLabels()))
	counts.Add(&k)
}
