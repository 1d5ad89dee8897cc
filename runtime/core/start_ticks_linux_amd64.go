package core

// This file makes the source of ticks, a timer or a thread: see
// handler_tick_linux_amd64.go.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/libc"
	"github.com/pepgo/pep/runtime/sys"
)

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
	_, e := sys.Call(sys.NrTimerCreate, sys.ClockProcessCPUTime, uintptr(unsafe.Pointer(&ev)), uintptr(unsafe.Pointer(&timerID)), 0, 0, 0)
	if e != 0 {
		return "making a timer: timer_create: " + e.Error()
	}
	if e := setTimer(0); e != 0 {
		return "making a timer: timer_settime: " + e.Error()
	}
	return ""
}

func setTimer(ns uint64) sys.Errno {
	sec, nsec := ns/1e9, ns%1e9
	spec := [4]uint64{sec, nsec, sec, nsec}
	_, e := sys.Call(sys.NrTimerSettime, uintptr(timerID), 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
	return e
}

func readyThread(create uintptr) (problem string) {
	nextTick = [2]uint64{0, 1} // a time that has passed
	if _, e := sys.Call(sys.NrClockNanosleep, sys.ClockProcessCPUTime, sys.TimerAbstime, uintptr(unsafe.Pointer(&nextTick)), 0, 0, 0); e != 0 {
		return "sleeping for CPU time: clock_nanosleep: " + e.Error()
	}
	advanceCode = golink.CodeOf(advance)
	if e := sys.Errno(callC(create, [2]uintptr{tickThreadPC(), 0})); e != 0 {
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
	golink.Store32(&ticksOn, 1)
	sys.Call(sys.NrFutex, uintptr(unsafe.Pointer(&ticksOn)), sys.FutexWakePrivate, 1, 0, 0, 0)
}
