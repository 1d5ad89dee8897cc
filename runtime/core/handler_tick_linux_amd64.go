package core

// This file does the work of a tick. A tick comes when the process has used some CPU time, on all its threads together:
// a timer of the kernel sends a signal whenever another time of the shortest interval is over. The timer is set once.
// So the program's time is how often it has expired, and if a tick is not due yet, its signal does nothing.
//
// In programs without C code of their own, and in those with windows, the thread gets the signal that the timer has
// interrupted.
//
// In programs with C code and polls, a thread of the C library sleeps for that time instead, with signals
// blocked. A signal would cut short what C code waits for: kernels send it to any
// thread that has it unblocked, for example to one that sleeps in nanosleep, poll or
// epoll_wait, and these then return EINTR. Besides, C code could keep such ticks away
// by blocking the signal or by handling it itself.

import (
	"github.com/pepgo/pep/runtime/callers"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pace"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sampler"
)

// tickSignal is SIGSETXID, by which the Go runtime, or the C library in programs with C code, has all threads make a
// system call. Programs cannot ignore it, block it or ask for it: package os/signal leaves it alone, the C library
// refuses it, and the Go runtime unblocks it in all threads. So ticks change nothing that a program or its children can
// see: plain programs have a handler for this signal, too. That one gets the signals that our timer has not sent.
const tickSignal = 33

var (
	timerID int32 // the kernel's number; its address is what the timer's signals carry

	// The kernel's struct itimerspec: time between ticks, and CPU time of the next one, until which the thread sleeps.
	timerSpec struct{ everySec, everyNsec, sec, nsec uint64 }

	calibrating uint32 // 1 while measureTick works

	expired uint64 // how often the timer has
	signals uint64 // how many it has sent: several expirations may have one

	byThread bool    // ticks are of the thread
	ticksOn  uint32  // 1 when the thread may start
	deniedAt *uint32 // where the thread notes that it may not sleep any more
)

// The timer's signal must reach the thread that was running when the timer expired, because its program counter says
// what the program was doing. If the thread blocks the signal, the kernel gives the signal to another thread of the
// process, mostly to one that sleeps in the Go runtime. Go's handlers block all signals, and two of their signals go to
// running threads at the moments at which timers expire: SIGURG, by which the runtime preempts goroutines, often waits
// for a thread together with our signal if the machine is busy; SIGPROF comes from a timer, too. The kernel enters the
// handlers of these signals first. So openHandlers (start_signals_linux_amd64.go) takes our signal out of what their
// handlers block. Our handler then begins when theirs has yet to execute its first instruction, at goHandler, and takes
// the program counter from what the kernel passes to that.
var goHandler uintptr

// onInterrupted counts where the timer's signal has interrupted the program, n times if n ticks were due, with the
// callers. The thread of programs with C code does not know what it interrupts. The g of the thread is 0 if the thread
// is of C.
func onInterrupted(ctx *ucontext, n uint64, g *goroutine) {
	if n == 0 || golink.Load32(&detached) != 0 {
		return
	}
	if ctx.rip == goHandler {
		if ctx = ctx.rdx; ctx.slept() {
			return
		}
	}
	at := uint32(pepfile.NoText)
	if off, ok := callers.Offset(ctx.rip); ok {
		at = off
	}
	k := pepfile.Key{Path: pepfile.TickPath, PC: at}
	if at != pepfile.NoText {
		if ctx.inCall() {
			k.Path = pepfile.CallPath
		}
		if g != nil && g.stackLo <= ctx.rsp && ctx.rsp < g.stackHi {
			sp := golink.At(ctx.rsp)
			followFrames(&k, *(*uintptr)(sp), framesAt((*uintptr)(sp), (*frame)(golink.At(ctx.rbp)), g))
		}
	}
	counts.AddTick(&k, n)
}

// inCall reports whether a thread has been interrupted in a system call: at the instruction behind the call, or at the
// call itself if it is to be made again. The instruction SYSCALL has left in RCX where the call returns to, and the
// flags in R11. The code is not looked at: it may be memory that can only be executed.
func (c *ucontext) inCall() bool { return c.r11 == c.flag && c.rcx == c.rip || c.again() }

// again reports whether the thread is about to make a system call again.
func (c *ucontext) again() bool {
	const size = 2 // of SYSCALL
	return c.r11 == c.flag && c.rcx == c.rip+size
}

// slept reports whether a signal has woken the thread in a system call: the call
// returns EINTR, or the thread makes it again.
func (c *ucontext) slept() bool {
	const eintr = 4
	return c.rax == -eintr || c.again()
}

// onTick does what is due when the timer has expired n times since its last signal. It returns the time that the tick
// stands for, 0 if none was due, and how many ticks were due.
func onTick(n uint64) (stands, due uint64) {
	all := golink.Add64(&expired, int64(n))
	if byThread {
		next := began + (all+1)*tickLength
		timerSpec.sec, timerSpec.nsec = next/1e9, next%1e9
	}
	golink.Add64(&signals, 1)
	golink.Add64(&spent, int64(tickCost))
	if golink.Load32(&counts.Stopped) != 0 {
		return 0, 0
	}
	now := began + all*tickLength
	stands, due = keepPace(now)
	if stands == 0 {
		return 0, 0
	}
	golink.Store64(&counts.TickTime, pace.Ns(golink.Load64(&signals)*tickCost))
	keepKilling()
	if poll.Interprets {
		golink.Add64(&counts.Ticks, 1)
		return stands, due
	}
	if golink.Load32(&detached) != 0 {
		setFlag(sampler.ActDisarm)
		return stands, due
	}
	setFlag(counts.BeginBurst())
	return stands, due
}

// A ucontext is the machine state that a signal interrupted: struct ucontext of
// linux/amd64 as far as it is needed.
type ucontext struct {
	_     [16]byte
	stack uintptr // the signal stack, unless flags say that there is none
	flags uint32
	_     [36]byte
	r11   uint64
	_     [48]byte
	rbp   uintptr
	_     [8]byte
	rdx   *ucontext
	rax   int64
	rcx   uintptr
	rsp   uintptr
	rip   uintptr
	flag  uint64 // RFLAGS
	_     [112]byte
	mask  uint64 // signals that were blocked
}
