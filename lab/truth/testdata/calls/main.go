// Command calls spends known shares of its CPU time in system calls:
//
//	calls SECONDS LOOP...
//
// Reads take long, and requests for the number of the process are short.
package main

import (
	"syscall"
	"time"

	"truth/clock"
)

var (
	buffer = make([]byte, 512<<10)
	sum    uint64
)

//go:noinline
func compute(n int) {
	x := sum | 1
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		if x&1023 == 0 {
			x++
		}
	}
	sum = x
}

// read reads zeros, which the kernel writes.
//
//go:noinline
func read(n int) {
	for range n {
		if _, err := syscall.Read(zero, buffer); err != nil {
			panic(err)
		}
	}
}

//go:noinline
func getppid(n int) {
	for range n {
		syscall.RawSyscall(syscall.SYS_GETPPID, 0, 0, 0)
	}
}

// moves is assembly, mostly.
//
//go:noinline
func moves(n int) {
	half := len(buffer) / 2
	for i := range n {
		copy(buffer[:half-i&7], buffer[half:])
	}
}

var zero int

func main() {
	var err error
	if zero, err = syscall.Open("/dev/zero", syscall.O_RDONLY, 0); err != nil {
		panic(err)
	}
	clock.Alternate(20*time.Millisecond, clock.Loop{Name: "read", Do: read, Share: 6}, clock.Loop{Name: "getppid", Do: getppid, Share: 6},
		clock.Loop{Name: "moves", Do: moves, Share: 2}, clock.Loop{Name: "compute", Do: compute, Share: 2})
}
