// The program forbids itself all system calls but those that a plain program makes from then on, and ends. Its arguments say what
// the kernel does about the others, when they are forbidden, and how the program ends. With a command behind them, the program
// executes that instead, under a filter that permits what a plain program calls, or under one that forbids userfaultfd alone.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// runtimeCalls are what package runtime calls of its own accord: to sleep, to wake threads and make new ones, for memory, and to
// preempt goroutines.
var runtimeCalls = []uint32{
	syscall.SYS_FUTEX, syscall.SYS_NANOSLEEP, syscall.SYS_SCHED_YIELD, syscall.SYS_EPOLL_PWAIT, syscall.SYS_TGKILL,
	syscall.SYS_GETPID, syscall.SYS_GETTID, syscall.SYS_MMAP, syscall.SYS_MUNMAP, syscall.SYS_MADVISE, syscall.SYS_SIGALTSTACK,
	syscall.SYS_RT_SIGPROCMASK, syscall.SYS_RT_SIGRETURN, syscall.SYS_EXIT, restartSyscall,
}

// callsOf are what the program calls besides to end in some way.
var callsOf = map[string][]uint32{
	"return": {syscall.SYS_WRITE, syscall.SYS_EXIT_GROUP},
	"exit":   {syscall.SYS_EXIT_GROUP},
	"panic":  {syscall.SYS_WRITE, syscall.SYS_EXIT_GROUP},
	"nil":    {syscall.SYS_WRITE, syscall.SYS_EXIT_GROUP},
	"fatal":  {syscall.SYS_WRITE, syscall.SYS_EXIT_GROUP},
	"wait":   {syscall.SYS_WRITE, syscall.SYS_RT_SIGACTION}, // until a signal comes: package runtime takes its own handler away
}

// startCalls are what a program calls besides until main begins, and to execute another one before.
var startCalls = []uint32{
	syscall.SYS_EXECVE, syscall.SYS_CLONE, syscall.SYS_ARCH_PRCTL, syscall.SYS_SCHED_GETAFFINITY, syscall.SYS_OPENAT, syscall.SYS_READ,
	syscall.SYS_CLOSE, syscall.SYS_RT_SIGACTION, syscall.SYS_FCNTL, syscall.SYS_PRLIMIT64, syscall.SYS_PRCTL,
	syscall.SYS_SETRLIMIT, syscall.SYS_PREAD64, syscall.SYS_NEWFSTATAT, syscall.SYS_READLINKAT,
	syscall.SYS_EPOLL_CREATE1, syscall.SYS_EPOLL_CTL, eventfd2, syscall.SYS_WRITE, syscall.SYS_EXIT_GROUP,
}

const restartSyscall, eventfd2, userfaultfd = 219, 290, 323

type instruction struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

// forbid forbids all but some system calls, to all threads or to this one. The kernel kills the process for others, or they fail.
func forbid(action string, everywhere bool, lists ...[]uint32) {
	const (
		load, equal, bits, ret = 0x20, 0x15, 0x45, 0x06
		allow, kill, fail      = 0x7fff0000, 0x80000000, 0x00050000
		number, firstArgument  = 0, 16
		thread                 = 0x10000 // CLONE_THREAD
	)
	deny := uint32(kill)
	if action == "errno" {
		deny = fail | uint32(syscall.EPERM)
	}
	program := []instruction{{code: load, k: number}}
	for _, list := range lists {
		for _, nr := range list {
			program = append(program, instruction{equal, 0, 1, nr}, instruction{ret, 0, 0, allow})
		}
	}
	program = append(program, instruction{equal, 0, 4, syscall.SYS_CLONE}, instruction{code: load, k: firstArgument},
		instruction{bits, 0, 1, thread}, instruction{ret, 0, 0, allow}, instruction{ret, 0, 0, deny}, instruction{ret, 0, 0, deny})
	if action == "userfaultfd" {
		program = []instruction{{code: load, k: number}, {equal, 0, 1, userfaultfd}, {ret, 0, 0, fail | uint32(syscall.EPERM)},
			{ret, 0, 0, allow}}
	}
	filter := struct {
		n uint16
		p *instruction
	}{uint16(len(program)), &program[0]}
	const seccomp, setFilter, allThreads, noNewPrivs = 317, 1, 1, 38
	flags := uintptr(0)
	if everywhere {
		flags = allThreads
	}
	syscall.RawSyscall6(syscall.SYS_PRCTL, noNewPrivs, 1, 0, 0, 0, 0)
	if _, _, e := syscall.RawSyscall(seccomp, setFilter, flags, uintptr(unsafe.Pointer(&filter))); e != 0 {
		fmt.Println("seccomp:", e)
		os.Exit(1)
	}
}

//go:noinline
func work(n int) (x int) {
	for i := range n * 1_000_000 {
		if i%3 == 0 {
			x++
		} else if i%5 == 0 {
			x += 2
		}
	}
	return x
}

// warmUp makes the threads that the program needs, and has package runtime collect no garbage.
func warmUp() {
	debug.SetGCPercent(-1)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			runtime.LockOSThread() // the thread ends with the goroutine, so others are made
			time.Sleep(time.Millisecond)
			runtime.UnlockOSThread()
		})
	}
	wg.Wait()
}

type node struct{ next *node }

//go:noinline
func (n *node) follow() *node { return n.next }

func main() {
	action, when, end := os.Args[1], os.Args[2], os.Args[3]
	if command := os.Args[4:]; len(command) > 0 {
		runtime.LockOSThread()
		forbid(action, true, runtimeCalls, startCalls)
		fmt.Println(syscall.Exec(command[0], command, os.Environ()))
		os.Exit(1)
	}
	warmUp()
	if when == "middle" {
		work(20)
	}
	switch when {
	case "none":
	case "thread":
		done := make(chan bool)
		go func() {
			runtime.LockOSThread()
			forbid(action, false, runtimeCalls, callsOf[end])
			work(30)
			done <- true
			if end != "return" && end != "exit" {
				finish(end)
			}
			select {}
		}()
		<-done
		if end != "return" && end != "exit" {
			time.Sleep(time.Hour)
		}
	default:
		runtime.LockOSThread()
		forbid(action, true, runtimeCalls, callsOf[end])
		runtime.UnlockOSThread()
	}
	work(30)
	finish(end)
}

func finish(end string) {
	switch end {
	case "exit":
		os.Exit(3)
	case "panic":
		panic("this is the end")
	case "nil":
		new(node).follow().follow()
	case "fatal":
		new(sync.Mutex).Unlock()
	case "wait":
		os.Stdout.WriteString("ready\n")
		for {
			work(1)
		}
	default:
		os.Stdout.WriteString("done\n")
	}
}
