package core

// This file makes the source of ticks, a timer or a thread: see
// handler_tick_linux_amd64.go.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/libc"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sys"
)

// readyTicks makes a timer, or a thread, that waits for startTicks.
func readyTicks() (problem string) {
	// Windows need to know what a tick interrupts, as profiles of CPU time do, so C code is interrupted, too.
	if thread, _ := libc.Calls(); thread != 0 && !poll.Interprets {
		return readyThread(thread)
	}
	type sigevent struct {
		value         uintptr
		signo, notify int32
		_             [12]uint32
	}
	ev := sigevent{value: uintptr(unsafe.Pointer(&timerID)), signo: tickSignal}
	_, e := sys.Call(sys.NrTimerCreate, sys.ClockProcessCPUTime, uintptr(unsafe.Pointer(&ev)),
		uintptr(unsafe.Pointer(&timerID)), 0, 0, 0)
	if e != 0 {
		return "making a timer: timer_create: " + e.Error()
	}
	if e := setTimer(0); e != 0 { // timerSpec is zero
		return "making a timer: timer_settime: " + e.Error()
	}
	return ""
}

func setTimer(flags uintptr) sys.Errno {
	_, e := sys.Call(sys.NrTimerSettime, uintptr(timerID), flags, uintptr(unsafe.Pointer(&timerSpec)), 0, 0, 0)
	return e
}

func readyThread(create uintptr) (problem string) {
	timerSpec.nsec = 1 // a time that has passed
	if _, e := sys.Call(sys.NrClockNanosleep, sys.ClockProcessCPUTime, sys.TimerAbstime,
		uintptr(unsafe.Pointer(&timerSpec.sec)), 0, 0, 0); e != 0 {
		return "sleeping for CPU time: clock_nanosleep: " + e.Error()
	}
	byThread, deniedAt = true, &counts.Denied
	if e := sys.Errno(callC(create, [2]uintptr{tickThreadPC(), 0})); e != 0 {
		return "making a thread for ticks: pthread_create: " + e.Error()
	}
	return ""
}

// measureTick returns what a tick costs outside of its handler, in cycles: the kernel sends a signal, saves the
// thread's registers, and restores them. It sets the timer to a time that has passed, so that the signal comes at once,
// and the handler does nothing. What the kernel does at each of its own ticks to find out whether a timer is due is not
// in it, nor are cold caches.
func measureTick() uint64 {
	const rounds = 2 // the first one meets cold caches
	if byThread {
		return 0
	}
	least := [2]uint64{1<<64 - 1, 1<<64 - 1} // without a signal, and with one
	golink.Store32(&calibrating, 1)
	for i := range uint64(2 * rounds) {
		timerSpec.nsec = i % 2 // at 0 the timer is off
		start := golink.Cycles()
		setTimer(sys.TimerAbstime)
		least[i%2] = min(least[i%2], uint64(golink.Cycles()-start))
	}
	timerSpec.nsec = 0
	golink.Store32(&calibrating, 0)
	return max(least[1], least[0]) - least[0]
}

// startTicks lets ticks come from now on.
func startTicks() {
	next := began + tickLength
	timerSpec.sec, timerSpec.nsec = next/1e9, next%1e9
	timerSpec.everySec, timerSpec.everyNsec = tickLength/1e9, tickLength%1e9
	if !byThread {
		setTimer(sys.TimerAbstime) // readyTicks has shown that this is permitted
		return
	}
	golink.Store32(&ticksOn, 1)
	sys.Call(sys.NrFutex, uintptr(unsafe.Pointer(&ticksOn)), sys.FutexWakePrivate, 1, 0, 0, 0)
}
