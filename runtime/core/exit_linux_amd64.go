package core

// This file is the normal end of a program: the exit hook, and what must be closed
// when the profile is written. handler_death_linux_amd64.go has the other ends.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sys"
	"github.com/pepgo/pep/runtime/trace"
)

// finish writes the profile at a normal exit. It runs as an exit hook, while
// other goroutines may go on.
func finish() {
	if !startDying() {
		return
	}
	alone(func() {
		stopTicks()
		if poll.Mode == poll.Page {
			sys.Call(sys.NrMprotect, poll.Base, poll.Size, sys.ProtRead, 0, 0, 0)
		}
		finishTaps()
		closeTrace()
		closeRing()
		writeHere()
	})
}

// writeBeforeExec writes the profile when the program may be about to be replaced
// by another.
func writeBeforeExec() {
	if golink.Load32(&dying) == 0 {
		alone(func() {
			loseName()
			writeHere()
		})
	}
}

// alone runs f, which writes the profile, on a large stack and pinned to the P:
// among 1,000 goroutines that do not wait for anything a goroutine that is not
// pinned gets 10 ms of every 5 s, if there are two Ps. While it is pinned it is not
// preempted, its allocations neither start a collection nor assist in one, and a
// collection that another goroutine starts waits for it. So nothing in f may wait
// for another goroutine, but for one that is pinned too.
func alone(f func()) {
	old := golink.SetMaxStack(1 << 30) // the program may have set it to less than is needed
	golink.ProcPin()
	f()
	golink.ProcUnpin()
	golink.SetMaxStack(old)
}

// closeTrace ends the trace with the names of types and functions in it, as far
// as they are in the profile, and the number of events.
func closeTrace() {
	if tracing.wrong != 0 {
		print("pep: writing ", tracing.name, ": ", tracing.wrong.Error(), "; the trace ends there\n")
	}
	if !golink.Cas32(&tracing.open, 1, 0) {
		return
	}
	var end trace.End
	var syms []trace.Symbol
	if area.WordsHeader != nil {
		c := counted{pepfile.File{Table: counts}}.taps()
		end.Tuples, end.Dropped = c.fed, c.dropped
		syms = c.symbols()
	}
	b := trace.AppendEnd(trace.AppendSymbols(nil, syms), end)
	if e := tracing.write(b); e != 0 {
		print("pep: writing ", tracing.name, ": ", e.Error(), "\n")
	}
	sys.Close(tracing.fd)
}

// closeRing lets the reader, who has it mapped, come to an end.
func closeRing() {
	if tapOptions.Deliver == options.DeliverRing && handoff.Header != nil {
		golink.Store32(&handoff.Closed, 1)
		sys.Unlink(ringName(tableName))
	}
}

// stopTicks ends what counts.Stopped has made harmless, and notes whether ticks
// have come to the end.
func stopTicks() {
	if !ticking() || advanceCode != 0 {
		return
	}
	sys.Call(sys.NrTimerDelete, uintptr(timerID), 0, 0, 0, 0, 0)
	if sys.Handler(tickSignal) != tickEntryPC() {
		golink.Store32(&counts.Denied, deniedSignal<<16)
	}
}

// loseName prepares for the removal of the .pep file while the program runs: a
// writer would find nothing.
func loseName() {
	exeIsOurs = false
	w := &writerMemory
	w.message = []byte("pep: there is no profile of what came after a call of exec that did not work\n")
	writer[3], writer[4] = uintptr(unsafe.Pointer(&w.message[0])), uintptr(len(w.message))
}
