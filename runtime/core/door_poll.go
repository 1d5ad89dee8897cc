package core

// This file is the poll that instrumented code calls: core.Poll(number).

import (
	"runtime"

	"github.com/pepgo/pep/runtime/callers"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/sampler"
)

// A Number is the number of a path within its package. Path registers have this type, by which the compiler that
// pepbuild builds knows them.
type Number uint32

// Poll reports that a path has ended. The
// compiler that pepbuild builds for linux/amd64 makes something else of a call of Poll: see
// door_poll_linux_amd64.go.
func Poll(number Number) { uncharged[0] = pollArmed(number) }

func pollArmed(number Number) none {
	if armed != 0 {
		uncharged[0] = pollInBurst(number)
	}
	return none{}
}

//go:noinline
func pollInBurst(number Number) none {
	if withoutProfile {
		return none{}
	}
	began := golink.Cycles()
	take, act := counts.Poll()
	if take {
		k := pepfile.Key{Path: uint32(number)}
		logSample(countCallers(&k, 0, (*golink.Labels)(golink.ProfLabels())))
	}
	endPoll(act, began)
	return none{}
}

// logSample notes a sample in the log of bursts. The entry e is nil if there was no room for it.
func logSample(e *pepfile.Entry) {
	if e != nil {
		counts.LogSample(e)
	}
}

// endPoll ends the burst if act says so. The poll came at the time began, in cycles.
func endPoll(act sampler.Action, began int64) {
	if act == sampler.ActDisarm {
		golink.Store32(&armed, 0)
	}
	golink.Add64(&spent, min(golink.Cycles()-began, longSpend))
}

// framesOfCall is how many frames are in front of that of a poll: Callers, walk, the function
// that calls it, pollInBurst, pollArmed and Poll. framesOfStub are systemstack and flagPoll.
const (
	framesOfCall = 6
	framesOfStub = 2
)

// walk stores the return addresses of frames, as runtime.Callers does: those of the goroutine whose
// g is given and that waits in flagPoll, or if that is 0, those of the current one.
func walk(g uintptr, skip int, pcs []uintptr) int {
	if g != 0 {
		return golink.Callers(g, framesOfStub+skip, pcs)
	}
	return runtime.Callers(framesOfCall+skip, pcs)
}

// countCallers finds where the poll is and who called, and counts it. It is apart from
// pollInBurst because of its stack frame.
//
//go:noinline
func countCallers(k *pepfile.Key, g uintptr, labels *golink.Labels) *pepfile.Entry {
	var pcs [pepfile.MaxCallers + 1]uintptr
	n := walk(g, 0, pcs[:])
	if n > 0 {
		k.PC = uint32(pcs[0] - callers.Text.Base)
	}
	k.Leaf = pepfile.Logical
	list := callers.New(k, counts.Header)
	for i := 1; i < n; i++ {
		list.Add(uint32(pcs[i] - callers.Text.Base))
	}
	if n == len(pcs) {
		addOuter(&list, g, n)
	}
	list.Finish()
	k.Labels = counts.NumberOfLabels(labels)
	return counts.Add(k)
}

// maxWalkAgain is how many further callers of a deep stack are looked at. There are fewer than callers.MaxWalk,
// because the goroutine's stack must have room for them, and because package runtime takes longer to walk it.
const maxWalkAgain = 512

// addOuter adds the callers of a deep stack that are behind those that countCallers has added.
//
//go:noinline
func addOuter(list *callers.List, g uintptr, skip int) {
	if g == 0 {
		skip++ // addOuter
	}
	var pcs [maxWalkAgain]uintptr
	n := walk(g, skip, pcs[:])
	for _, pc := range pcs[:n] {
		list.Add(uint32(pc - callers.Text.Base))
	}
	if n == len(pcs) {
		golink.Add64(&counts.Truncated, 1)
	}
}
