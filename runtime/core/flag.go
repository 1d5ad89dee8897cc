package core

// This file holds the flag poll: core.Poll(number).

import "runtime"

// Flag is not 0 in a burst.
var Flag uint32

// Poll reports that the path with the given number within the package has
// ended.
func Poll(number uintptr) { free[0] = poll(number) }

func poll(number uintptr) none {
	if Flag != 0 {
		free[0] = pollInBurst(number)
	}
	return none{}
}

//go:noinline
func pollInBurst(number uintptr) none {
	if off {
		return none{}
	}
	take, act := counts.poll()
	if take {
		countCallers(number)
	}
	if act == actDisarm {
		store32(&Flag, 0)
	}
	return none{}
}

// countCallers is apart from pollInBurst because of its stack frame.
//
//go:noinline
func countCallers(number uintptr) {
	k := key{Path: uint32(number)}
	var pcs [maxCallers + 2]uintptr
	n := runtime.Callers(5, pcs[:]) // without Callers, countCallers, and the three above
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
