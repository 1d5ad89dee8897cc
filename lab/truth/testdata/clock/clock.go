// Package clock measures how much CPU time the parts of a program take.
package clock

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

// Parts are the times of the parts of a program, by name, in the order in which they came first.
type Parts struct {
	names []string
	ns    map[string]int64
	times map[string]int64
}

const process = 2 // the kernel's number of the clock

// Measure adds the CPU time that f takes to a part. The part has done something n times. The time is that of the
// process, so the main goroutine must be the only one that works, unless the others work for f.
func (p *Parts) Measure(name string, n int64, f func()) {
	if p.ns == nil {
		p.ns, p.times = map[string]int64{}, map[string]int64{}
	}
	if _, ok := p.ns[name]; !ok {
		p.names = append(p.names, name)
	}
	start := now(process)
	f()
	p.ns[name] += now(process) - start
	p.times[name] += n
}

// Print prints a line for each part: its name, its CPU time in ns, and how often it did something. The last line has the
// CPU time of the process, to which the start belongs, too.
func (p *Parts) Print() {
	for _, name := range p.names {
		fmt.Println(name, p.ns[name], p.times[name])
	}
	fmt.Println("process", now(process), 1)
}

// Process returns the CPU time of the process in ns.
func Process() int64 { return now(process) }

func now(clock uintptr) int64 {
	var t syscall.Timespec
	if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&t)), 0); e != 0 {
		panic(e)
	}
	runtime.KeepAlive(&t)
	return t.Nano()
}
