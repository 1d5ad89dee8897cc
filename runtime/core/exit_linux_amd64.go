package core

// This file is the normal end of a program: the exit hook, and the functions that end
// companion and timer. handler_death_linux_amd64.go has the other ends.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/sys"
	"github.com/pepgo/pep/runtime/taps"
	"github.com/pepgo/pep/runtime/write"
)

// finish writes the profile at a normal exit, or has it written if the program must not. It is an exit hook: other
// goroutines may still run. What ticks and taps have counted is in the file, whoever writes the profile.
func finish() {
	if !startEnd(byExit) {
		if startDying() {
			ask(write.AskWrite) // a thread dies, and the companion has the profile written
		}
		return
	}
	defer golink.Store32(&dying, isSeen)
	if ask(write.AskInspect) != write.AnswerWrite {
		return
	}
	pinned(func() {
		stopTicks()
		golink.Store32(&armed, 0)
		if golink.Load32(&detached) == 0 {
			taps.Finish()
		}
		taps.CloseTrace(program.EndOfTrace)
		program.Write(nil, func() bool { return ask(write.AskWrite) == write.AnswerDone })
	})
	stopCompanion()
}

// writeBeforeExec writes the profile, with the words that engines hold, when the program may be about to be replaced
// by another, which must not have a companion of this one.
func writeBeforeExec(held []report.Word) {
	if golink.Load32(&dying) == 0 && ask(write.AskInspect) == write.AnswerWrite {
		pinned(func() { program.Write(held, func() bool { return false }) })
		stopCompanion()
	}
}

// companionAgain makes another companion when exec has failed.
func companionAgain() { companion.Again() }

// stopCompanion ends the companion. The program must be permitted to make system calls.
func stopCompanion() {
	if companion.Asking != 0 {
		ask(write.AskEnd) // to kill it may need rights that the program has given up
		companion.Wait()
	}
}

// pinned runs f, which writes the profile, on a large stack and pinned to the P.
//
// Without that, f would take long among many goroutines that never wait: of 1,000
// such goroutines on two Ps each gets 10 ms of every 5 s. A pinned goroutine is not
// preempted, its allocations neither start a collection nor assist in one, and a
// collection that another goroutine starts waits for it. So f must not wait for
// another goroutine, unless that is pinned, too.
func pinned(f func()) {
	old := golink.SetMaxStack(1 << 30) // the program may have set it to less than is needed
	golink.ProcPin()
	f()
	golink.ProcUnpin()
	golink.SetMaxStack(old)
}

// stopTicks deletes the timer. Ticks that still come do nothing, since
// counts.Stopped is set. It notes if the program has taken the signal away, so that
// there were no ticks any more.
func stopTicks() {
	if !ticking || byThread {
		return
	}
	sys.Call(sys.NrTimerDelete, uintptr(timerID), 0, 0, 0, 0, 0)
	if sys.Action(tickSignal).Handler != tickEntryPC() {
		golink.Store32(&counts.Denied, pepfile.DeniedSignal<<16|tickSignal)
	}
}
