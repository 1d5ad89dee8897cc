// Program signals changes the handling of signals or its own rights as its argument says,
// and burns CPU time.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"0pep/core"
)

// work is paths 64 … 67, as work of program loop.
//
//go:noinline
func work(n int) int {
	s := 0
	r := core.Number(65)
	for i := range n {
		if i&3 == 1 {
			s += i
		} else {
			s ^= i
			r++
		}
		core.Poll(r)
		r = 65
	}
	return s
}

// burn uses up 300 ms of CPU time.
func burn() {
	for start := cpuTime(); cpuTime()-start < 300*time.Millisecond; {
		work(10_000)
	}
}

func cpuTime() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

const sig = syscall.Signal(62)

// queue sends a signal with a value, as the C function sigqueue does.
func queue(s syscall.Signal) {
	info := [16]uint64{}
	*(*int32)(unsafe.Pointer(uintptr(unsafe.Pointer(&info)) + 8)) = -1 // SI_QUEUE
	*(*int32)(unsafe.Pointer(&info)) = int32(s)
	syscall.RawSyscall(syscall.SYS_RT_SIGQUEUEINFO, uintptr(os.Getpid()), uintptr(s), uintptr(unsafe.Pointer(&info)))
}

func kill(s syscall.Signal) { syscall.Kill(os.Getpid(), s) }

// wait prints the next signal from c.
func wait(c chan os.Signal) {
	select {
	case s := <-c:
		fmt.Println(s)
	case <-time.After(time.Minute):
		fmt.Println("no signal")
	}
}

// dieAside has another thread die of a signal, and returns soon after that one has begun to.
func dieAside() {
	burn()
	var dies atomic.Bool
	go func() {
		dies.Store(true)
		syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(syscall.Getpid()), uintptr(syscall.Gettid()), uintptr(syscall.SIGTERM))
	}()
	for !dies.Load() {
	}
	for start := time.Now(); time.Since(start) < 100*time.Microsecond; {
	}
}

func main() {
	c := make(chan os.Signal, 1)
	switch os.Args[1] {
	case "ignore all":
		signal.Ignore()
		burn()
	case "ignore and panic":
		burn()
		signal.Ignore()
		panic("this is the end")
	case "abort after ignore":
		signal.Ignore()
		kill(syscall.SIGABRT) // ignored
		burn()
		signal.Notify(c, syscall.SIGABRT)
		kill(syscall.SIGABRT)
		wait(c)
	case "terminate":
		signal.Ignore(syscall.SIGTERM)
		kill(syscall.SIGTERM) // ignored
		signal.Notify(c, syscall.SIGTERM)
		kill(syscall.SIGTERM)
		wait(c)
		signal.Stop(c)
		burn()
		kill(syscall.SIGTERM)
		time.Sleep(10 * time.Second)
	case "second timer":
		signal.Notify(c, sig)
		event := [8]uint64{0, uint64(sig)}
		var id int32
		syscall.RawSyscall(syscall.SYS_TIMER_CREATE, 1, uintptr(unsafe.Pointer(&event)), uintptr(unsafe.Pointer(&id)))
		times := [4]uint64{0, 0, 0, 10e6}
		syscall.RawSyscall6(syscall.SYS_TIMER_SETTIME, uintptr(id), 0, uintptr(unsafe.Pointer(&times)), 0, 0, 0)
		wait(c)
		burn()
	case "queued":
		signal.Ignore()
		signal.Notify(c, sig)
		queue(sig)
		wait(c)
		burn()
	case "queued abort":
		signal.Notify(c, syscall.SIGABRT)
		queue(syscall.SIGABRT)
		wait(c)
		burn()
	case "reset":
		signal.Notify(c, sig, syscall.SIGABRT)
		kill(sig)
		wait(c)
		signal.Reset()
		kill(sig) // nobody wants it
		burn()
	case "two deaths":
		dieAside()
		panic("this is the end, too")
	case "death and exit":
		dieAside()
		os.Exit(3)
	case "exit and death":
		burn()
		begun := time.Now()
		go func() {
			for wait := time.Duration(begun.Nanosecond()%3000) * time.Microsecond; time.Since(begun) < wait; {
			}
			syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(syscall.Getpid()), uintptr(syscall.Gettid()), uintptr(syscall.SIGTERM))
		}()
		os.Exit(3)
	case "take signal 33":
		burn()
		ignored := [4]uintptr{1} // SIG_IGN
		syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, 33, uintptr(unsafe.Pointer(&ignored)), 0, 8, 0, 0)
	}
	fmt.Println("done")
}
