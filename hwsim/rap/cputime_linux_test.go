package rap

import (
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// perSecond runs f until b has enough, and reports how many millions of events
// there are in a second of the thread's CPU time: other processes on the machine
// do not count. Each run of f is n events.
func perSecond(b *testing.B, n int, f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(b.N)*float64(n)/(threadTime()-before).Seconds()/1e6, "Mevents/s")
	b.ReportMetric(0, "ns/op") // of wall-clock time
}

// threadTime returns the CPU time of the thread.
func threadTime() time.Duration {
	const clockThread = 3
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockThread, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}
