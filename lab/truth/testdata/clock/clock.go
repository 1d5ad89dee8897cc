// Package clock has programs do several things by turns, and measures how much CPU time each takes.
package clock

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// A Loop is something that a program does n times.
type Loop struct {
	Name  string
	Do    func(n int)
	Share int // of the time, in parts of all loops
}

// Alternate executes those of the loops by turns whose names are among the arguments of the program, until the process has had
// as many seconds of CPU time as the first argument says. The turns of a loop with the share 1 are as long as a phase, more or
// less at random. It prints a line for each loop: its name, its CPU time in ns, and
// how often it did something. The last line has the CPU time of the process, to which the start belongs, too.
//
// The time is that of the process, so the main goroutine must be the only one that works, unless the others work for a loop.
func Alternate(phase time.Duration, loops ...Loop) {
	seconds, err := strconv.ParseFloat(os.Args[1], 64)
	if err != nil {
		panic(err)
	}
	loops = slices.DeleteFunc(loops, func(l Loop) bool { return !slices.Contains(os.Args[2:], l.Name) })
	ns, times, part := make([]int64, len(loops)), make([]int, len(loops)), make([]int, len(loops))
	run := func(i int) int64 {
		start := now()
		loops[i].Do(part[i])
		took := now() - start
		ns[i] += took
		times[i] += part[i]
		return took
	}
	for i := range loops {
		for part[i] = 1; run(i) < int64(phase)/8; part[i] *= 2 {
		}
	}
	left := make([]int64, len(loops)) // of the turn
	for now() < int64(seconds*1e9) {
		turn := int64(phase)/2 + rand.Int64N(int64(phase)) // the same for all, so that shares of the time are as said
		for i, l := range loops {
			for left[i] += turn * int64(l.Share); left[i] > 0; {
				left[i] -= run(i)
			}
		}
	}
	for i, l := range loops {
		fmt.Println(l.Name, ns[i], times[i])
	}
	fmt.Println("process", now(), 1)
}

// now returns the CPU time of the process in ns.
func now() int64 {
	const process = 2 // the kernel's number of the clock
	var t syscall.Timespec
	if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, process, uintptr(unsafe.Pointer(&t)), 0); e != 0 {
		panic(e)
	}
	runtime.KeepAlive(&t)
	return t.Nano()
}
