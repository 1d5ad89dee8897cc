package core

// This file does the work of a tick. A tick comes whenever the process has used some CPU
// time, on all its threads together. There are two sources of ticks.
//
// In programs without C code of their own, a timer of the kernel sends a signal.
//
// In programs with C code and polls, a thread of the C library sleeps for CPU time, with signals
// blocked. A signal would cut short what C code waits for: the kernel sends it to any
// thread that has it unblocked, for example to one that sleeps in nanosleep, poll or
// epoll_wait, and these then return EINTR. Besides, C code could keep such ticks away
// by blocking the signal or by handling it itself.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sampler"
	"github.com/pepgo/pep/runtime/sys"
	"github.com/pepgo/pep/runtime/taps"
)

// tickSignal is a real-time signal that neither Go nor the C library uses. If a
// program does (SIGRTMAX-2), it gets those that our timer has not sent.
const tickSignal = 62

var (
	timerID int32 // the kernel's number; its address is what the timer's signals carry

	// The kernel's struct itimerspec: time between ticks, and CPU time of the next one. The
	// thread sleeps until the latter.
	timerSpec struct{ everySec, everyNsec, sec, nsec uint64 }

	calibrating uint32 // 1 while measureTick works

	byThread bool   // ticks are of the thread
	ticksOn  uint32 // 1 when the thread may start
)

// The timer's signal must reach the thread that was running when the timer expired, because its
// program counter says what the program was doing. If the thread blocks the signal, the kernel
// gives the signal to another thread of the process, mostly to one that sleeps in the Go runtime. Go's
// handlers block all signals, and two of their signals go to running threads at the moments at which
// timers expire: SIGURG, by which the runtime preempts goroutines, often waits for a
// thread together with our signal if the machine is busy; SIGPROF comes from
// a timer, too. The kernel enters the handlers of these signals first. So openHandlers takes our signal out of what
// their handlers block. Our handler then begins when theirs has yet to execute its first
// instruction, at goHandler, and takes the program counter from what the kernel passes to that.
var (
	goHandler uintptr
	opened    = [...]uintptr{sys.SigURG, sys.SigPROF, 0}
)

// denied is what the header's Denied becomes when sampling cannot go on.
var denied uint32

// scheduleTick sets timerSpec to when the next tick is due.
func scheduleTick() {
	next := tickPace.Last + tickPace.Interval
	timerSpec.everySec, timerSpec.everyNsec = tickPace.Interval/1e9, tickPace.Interval%1e9
	timerSpec.sec, timerSpec.nsec = next/1e9, next%1e9
}

// onInterrupted counts where the timer's signal has interrupted the program, n times if n ticks were due. Profiles say
// how many ticks were outside of instrumented functions. The thread does not know what it
// interrupts.
func onInterrupted(ctx *ucontext, n uint64) {
	if n == 0 || golink.Load32(&detached) != 0 || poll.Mode == poll.Exact && !taps.HasWords() {
		return
	}
	if ctx.rip == goHandler {
		if ctx = ctx.rdx; ctx.slept() {
			return
		}
	}
	at := uint32(pepfile.NoText)
	if off, ok := textOffset(ctx.rip); ok {
		at = off
	}
	if poll.Mode == poll.Exact {
		taps.CountTick(at)
		return
	}
	if at != pepfile.NoText && ctx.inCall() {
		at = pepfile.InCall
	}
	counts.AddTick(at, n)
}

// inCall reports whether a thread that is in Go code has been interrupted in a system call: at the instruction behind the
// call, or at the call itself if it is to be made again.
func (c *ucontext) inCall() bool {
	const syscall = 0x050f
	return *(*uint16)(golink.At(c.rip - 2)) == syscall || *(*uint16)(golink.At(c.rip)) == syscall
}

// slept reports whether a signal has woken the thread in a system call: the call
// returns EINTR, or the thread makes it again.
func (c *ucontext) slept() bool {
	const eintr, syscall = 4, 0x050f // syscall is the instruction
	_, inGo := textOffset(c.rip)
	return c.rax == -eintr || inGo && *(*uint16)(golink.At(c.rip)) == syscall
}

// onTick does what is due at a tick, in the handler of the timer's signal or in
// the thread. Its argument is the CPU time of the process in ns. It returns the time that the tick stands for, and how many
// ticks were due.
func onTick(now uint64) (stands, due uint64) {
	stands, due = keepPace(now)
	if stands > 0 { // otherwise another tick does it
		scheduleTick()
	}
	if d := golink.Load32(&denied); d != 0 {
		golink.Store32(&counts.Denied, d)
		golink.Store32(&counts.Stopped, 1)
		return 0, 0
	}
	if poll.Mode == poll.Windows {
		golink.Add64(&counts.Ticks, 1)
		return stands, due
	}
	if golink.Load32(&detached) != 0 {
		setFlag(sampler.ActDisarm)
		return stands, due
	}
	if taps.Turn() {
		taps.BeginBurst(now)
		return stands, due
	}
	taps.EndBurst(now)
	setFlag(counts.BeginBurst())
	return stands, due
}
