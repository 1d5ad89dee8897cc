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
	l, _ := note(&k, uintptr(p)+1, now, e)
	l.exit = exit
	golink.Add64(&spent, int64(exit-now))
	golink.ProcUnpin()
	return none{}
}

// countCallers finds where the poll is, and if take is true it counts k with its callers. It
// is apart from pollInBurst because of its stack frame.
//
//go:noinline
func countCallers(k *pepfile.Key, take bool) *pepfile.Entry {
	const skip = 5 // Callers, countCallers, and the three above
	var pcs [pepfile.MaxCallers + 1]uintptr
	wanted := 1
	if take {
		wanted = len(pcs)
	}
	n := runtime.Callers(skip, pcs[:wanted])
	if n > 0 {
		k.PC = uint32(pcs[0] - textBase)
	}
	if !take {
		return nil
	}
	list := callerList{Key: k, room: pepfile.MaxCallers}
	for i := 1; i < n; i++ {
		list.add(uint32(pcs[i] - textBase))
	}
	if n == len(pcs) {
		list.addOuter(skip + n)
	}
	list.finish()
	k.Labels = counts.NumberOfLabels((*golink.Labels)(golink.ProfLabels()))
	return counts.Add(k)
}

// maxWalkAgain is how many further callers of a deep stack are looked at. There are fewer than in
// the fault handler, because the goroutine's stack must have room for them, and because package
// runtime takes longer to walk it.
const maxWalkAgain = 512

// addOuter adds the callers of a deep stack that are behind those that countCallers has added.
//
//go:noinline
func (l *callerList) addOuter(skip int) {
	var pcs [maxWalkAgain]uintptr
	n := runtime.Callers(skip+1, pcs[:])
	for _, pc := range pcs[:n] {
		l.add(uint32(pc - textBase))
	}
	if n == len(pcs) {
		golink.Add64(&counts.Truncated, 1)
	}
}
