package coptest

import (
	"syscall"
	"time"
	"unsafe"
)

// ThreadTime returns the CPU time of the thread: other processes on the machine do not
// count.
func ThreadTime() time.Duration {
	const clockThread = 3
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockThread, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}
