package core

// This file holds where ticks come from. A tick is due whenever the process has
// used some CPU time, on all threads together.
//
// In programs without C code of their own a timer of the kernel's sends a signal.
//
// In programs with it, a thread of the C library's sleeps for CPU time, with
// signals blocked. A signal would cut short what C code waits for: the kernel
// sends it to any thread that has it unblocked, one that is asleep in nanosleep,
// poll or epoll_wait among them, and these return EINTR. Nor can C code keep ticks
// away by blocking signals or by taking the signal for itself.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/digits"
	"github.com/pepgo/pep/runtime/libc"
)

// tickSignal is a real-time signal that neither Go nor the C library uses. If a
// program does (SIGRTMAX-2), it gets those that our timer has not sent.
const tickSignal = 62

var (
	timerID int32 // the kernel's number; its address is what the timer's signals carry

	// The rest is for the thread.
	ticksOn     uint32    // 1 when it may start
	tickLength  uint64    // ns
	nextTick    [2]uint64 // CPU time of the process, in s and ns
	cpuClock    [2]uint64 // the same, after a sleep
	advanceCode uintptr   // of advance
)

// denied is set when sampling cannot go on: what is denied << 16 | errno. A
// program may come to forbid system calls (seccomp), or put in a handler of its
// own, past package os/signal.
var denied uint32

const (
	deniedMprotect = 1
	deniedSleep    = 2
	deniedSignal   = 3
)

// ticking reports whether anything is sampled at ticks.
func ticking() bool { return mode != modeExact || tapOptions.taps == tapsBurst }

// readyTicks makes a timer, or a thread, that waits for startTicks.
func readyTicks() (problem string) {
	if thread, _ := libc.Calls(); thread != 0 {
		return readyThread(thread)
	}
	type sigevent struct {
		value         uintptr
		signo, notify int32
		_             [12]uint32
	}
	ev := sigevent{value: uintptr(unsafe.Pointer(&timerID)), signo: tickSignal}
	_, e := sys(sysTimerCreate, clockProcessCPUTime, uintptr(unsafe.Pointer(&ev)), uintptr(unsafe.Pointer(&timerID)), 0, 0, 0)
	if e != 0 {
		return "making a timer: timer_create: " + e.Error()
	}
	if e := setTimer(0); e != 0 {
		return "making a timer: timer_settime: " + e.Error()
	}
	return ""
}

func setTimer(ns uint64) errno {
	sec, nsec := ns/1e9, ns%1e9
	spec := [4]uint64{sec, nsec, sec, nsec}
	_, e := sys(sysTimerSettime, uintptr(timerID), 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
	return e
}

func readyThread(create uintptr) (problem string) {
	nextTick = [2]uint64{0, 1} // a time that has passed
	if _, e := sys(sysClockNanosleep, clockProcessCPUTime, timerAbstime, uintptr(unsafe.Pointer(&nextTick)), 0, 0, 0); e != 0 {
		return "sleeping for CPU time: clock_nanosleep: " + e.Error()
	}
	advanceCode = codeOf(advance)
	if e := errno(callC(create, [2]uintptr{tickThreadPC(), 0})); e != 0 {
		return "making a thread for ticks: pthread_create: " + e.Error()
	}
	return ""
}

// startTicks is a tick every ns of CPU time from now on.
func startTicks(ns uint64) {
	if advanceCode == 0 {
		setTimer(ns) // readyTicks has shown that this is permitted
		return
	}
	tickLength = ns
	nextTick = [2]uint64{ns / 1e9, ns % 1e9}
	store32(&ticksOn, 1)
	sys(sysFutex, uintptr(unsafe.Pointer(&ticksOn)), futexWakePrivate, 1, 0, 0, 0)
}

// stopTicks ends what counts.Stopped has made harmless, and notes whether ticks
// have come to the end.
func stopTicks() {
	if !ticking() || advanceCode != 0 {
		return
	}
	sys(sysTimerDelete, uintptr(timerID), 0, 0, 0, 0, 0)
	if handler(tickSignal) != tickEntryPC() {
		store32(&counts.Denied, deniedSignal<<16)
	}
}

// advance sets the time of the next tick: the first multiple of tickLength that
// has not passed, as the kernel does for timers.
func advance() {
	now, next := cpuClock[0]*1e9+cpuClock[1], nextTick[0]*1e9+nextTick[1]
	if tick := tickLength; now >= next && tick != 0 { // it is not, but the compiler would have us panic
		next += ((now-next)/tick + 1) * tick
	}
	nextTick[0], nextTick[1] = next/1e9, next%1e9
}

// onTick does what is due at a tick, in the handler of the timer's signal or in
// the thread. It gets the handler of SIGABRT: if C code has put one of its own
// there, a panic must not end in that signal. And it gets the CPU time of the
// process in ns.
func onTick(abort uintptr, now uint64) action {
	if abort == deathAction.handler {
		keepCrashing()
	} else {
		stopCrashing()
	}
	if d := load32(&denied); d != 0 {
		store32(&counts.Denied, d)
		store32(&counts.Stopped, 1)
		return actNone
	}
	if load32(&detached) != 0 {
		setFlag(actDisarm)
		return actDisarm
	}
	if tapsTurn() {
		tickTaps(now)
		return actNone
	}
	act := counts.tick()
	if mode == modePage {
		return act
	}
	setFlag(act)
	return actNone
}

// whyStopped says why sampling ended before the program did, "" if it has not.
func (h *header) whyStopped() string {
	what := ""
	switch h.Denied >> 16 {
	case 0:
		return ""
	case deniedMprotect:
		what = "mprotect"
	case deniedSleep:
		what = "clock_nanosleep"
	case deniedSignal:
		return "the program has its own handler for signal " + digits.Uint(tickSignal)
	}
	return what + ": " + errno(h.Denied&0xffff).Error()
}
