package core

// This file holds the flag poll: if core.Flag != 0 { core.Poll(number) }.

import "runtime"

// Flag is not 0 when polls are to report.
var Flag uint32

// Poll reports that the path with the given number within the package has
// ended. Instrumented code calls it when Flag is not 0.
//
//go:noinline
func Poll(number uintptr) {
	if off {
		return
	}
	take, act := counts.poll()
	if take {
		countCallers(number)
	}
	if act == actDisarm {
		store32(&Flag, 0)
	}
}

// countCallers is apart from Poll because of its stack frame.
//
//go:noinline
func countCallers(number uintptr) {
	k := key{Path: uint32(number)}
	var pcs [maxCallers + 2]uintptr
	n := runtime.Callers(3, pcs[:]) // without Callers, countCallers and Poll
	if n == len(pcs) {
		n--
		add64(&counts.Truncated, 1)
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
	counts.add(&k)
}

// setFlag does for the flag what mprotect does for the poll region.
func setFlag(act action) {
	switch act {
	case actArm:
		store32(&Flag, 1)
	case actDisarm:
		store32(&Flag, 0)
	}
}
