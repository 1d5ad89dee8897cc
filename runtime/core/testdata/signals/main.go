// The program changes what becomes of signals, and prints what it and its children see of that. Its first argument says
// what it does. It prints nothing that depends on chance.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

const signals = 64

func main() {
	switch what := os.Args[1]; what {
	case "ignoring", "blocking":
		launch(what, os.Args[2:])
	case "stages":
		stages()
	case "see":
		burn()
		see()
	case "delivery":
		signal.Ignore()
		send()
		receive()
	case "delivery of blocked":
		receive()
	case "panic":
		signal.Ignore()
		burn()
		println("all signals are ignored")
		panic("this is the end")
	case "fatal error":
		signal.Ignore()
		burn()
		new(sync.Mutex).Unlock()
	case "panic after Notify":
		signal.Ignore()
		signal.Notify(make(chan os.Signal, 1))
		burn()
		panic("this is the end")
	case "signal 33":
		burn()
		kill(33)
		burn()
	}
}

// launch executes a program that inherits all signals ignored, or blocked.
func launch(how string, args []string) {
	runtime.LockOSThread()
	for s := uintptr(1); s <= signals && how == "ignoring"; s++ {
		ignored := [4]uintptr{1}
		syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, s, uintptr(unsafe.Pointer(&ignored)), 0, 8, 0, 0)
	}
	if how == "blocking" {
		all := ^uint64(0)
		const setMask = 2
		syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&all)), 0, 8, 0, 0)
	}
	fmt.Println(syscall.Exec(args[0], args, os.Environ()))
}

// burn uses up 20 ms of CPU time: some ticks.
//
//go:noinline
func burn() (x int) {
	for start := cpuTime(); cpuTime()-start < 20*time.Millisecond; {
		for i := range 10_000 {
			if i%3 == 0 {
				x++
			} else if i%5 == 0 {
				x += 2
			}
		}
	}
	return x
}

func cpuTime() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func stages() {
	runtime.LockOSThread()
	c := make(chan os.Signal, 1)
	var odd, even []os.Signal
	for s := syscall.Signal(1); s <= signals; s += 2 {
		odd, even = append(odd, s), append(even, s+1)
	}
	for _, stage := range []struct {
		name string
		do   func()
	}{
		{"at the start", func() {}},
		{"Ignore()", func() { signal.Ignore() }},
		{"Notify()", func() { signal.Notify(c) }},
		{"Stop", func() { signal.Stop(c) }},
		{"Ignore(odd)", func() { signal.Ignore(odd...) }},
		{"Reset()", func() { signal.Reset() }},
		{"Notify(even)", func() { signal.Notify(c, even...) }},
		{"Ignore(even)", func() { signal.Ignore(even...) }},
	} {
		stage.do()
		burn()
		fmt.Println("---", stage.name)
		see()
		for name, make := range children() {
			fmt.Println("child of", name)
			make()
		}
	}
	fmt.Println("child of the program itself")
	self := exec.Command(os.Args[0], "see")
	self.Stdout, self.Stderr = os.Stdout, os.Stderr
	if err := self.Run(); err != nil {
		fmt.Println(err)
	}
	fmt.Println("in place of the program")
	fmt.Println(syscall.Exec(os.Args[0], []string{os.Args[0], "see"}, os.Environ()))
}

// see prints what the program sees.
func see() {
	status, err := os.ReadFile("/proc/thread-self/status")
	if err != nil {
		fmt.Println(err)
	}
	printSignals(status)
	var ignored []int
	for s := 1; s <= signals; s++ {
		if signal.Ignored(syscall.Signal(s)) {
			ignored = append(ignored, s)
		}
	}
	fmt.Println("ignored", ignored)
}

// printSignals prints what a status of a process says of signals, without those that wait.
func printSignals(status []byte) {
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "SigBlk") || strings.HasPrefix(line, "SigIgn") || strings.HasPrefix(line, "SigCgt") {
			fmt.Print(line)
		}
	}
}

var printer = []string{"/bin/grep", "-E", "^Sig(Blk|Ign|Cgt)", "/proc/self/status"}

// children yields ways to make a child that prints its status.
func children() func(yield func(name string, make func()) bool) {
	return func(yield func(string, func()) bool) {
		_ = yield("package os/exec", func() {
			cmd := exec.Command(printer[0], printer[1:]...)
			cmd.Stdout = os.Stdout
			cmd.Run()
		}) && yield("syscall.ForkExec", func() {
			pid, err := syscall.ForkExec(printer[0], printer, &syscall.ProcAttr{Files: []uintptr{0, 1, 2}})
			if err != nil {
				fmt.Println(err)
			}
			wait(pid)
		}) && yield("fork", fork) && ofC(yield)
	}
}

func wait(pid int) {
	for {
		if _, err := syscall.Wait4(pid, nil, 0, nil); err != syscall.EINTR {
			return
		}
	}
}

// fork makes a copy of the process.
func fork() {
	path, err := syscall.BytePtrFromString("/proc/self/status")
	if err != nil {
		fmt.Println(err)
	}
	var p [2]int
	if err := syscall.Pipe(p[:]); err != nil {
		fmt.Println(err)
	}
	status := make([]byte, 8192)
	pid := copyStatus(path, unsafe.SliceData(status), uintptr(len(status)), uintptr(p[1]))
	syscall.Close(p[1])
	var all bytes.Buffer
	for {
		n, err := syscall.Read(p[0], status)
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 {
			break
		}
		all.Write(status[:n])
	}
	syscall.Close(p[0])
	wait(int(pid))
	printSignals(all.Bytes())
}

// copyStatus has a copy of the process copy a file to fd.
//
//go:nosplit
//go:norace
func copyStatus(path, buf *byte, size, fd uintptr) (pid uintptr) {
	pid, _, _ = syscall.RawSyscall(syscall.SYS_FORK, 0, 0, 0)
	if pid != 0 {
		return pid
	}
	f, _, _ := syscall.RawSyscall(syscall.SYS_OPEN, uintptr(unsafe.Pointer(path)), 0, 0)
	n, _, _ := syscall.RawSyscall(syscall.SYS_READ, f, uintptr(unsafe.Pointer(buf)), size)
	syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Pointer(buf)), n)
	for {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
	}
}

func kill(s syscall.Signal) { syscall.Kill(os.Getpid(), s) }

// queue sends a signal as the C function sigqueue does.
func queue(s syscall.Signal) {
	info := [16]uint64{uint64(s)}
	*(*int32)(unsafe.Add(unsafe.Pointer(&info), 8)) = -1 // SI_QUEUE
	syscall.RawSyscall(syscall.SYS_RT_SIGQUEUEINFO, uintptr(os.Getpid()), uintptr(s), uintptr(unsafe.Pointer(&info)))
}

// Signals that package os/signal leaves alone, and of these those that programs can be notified of if others send them.
var (
	alone     = []syscall.Signal{4, 5, 7, 8, 9, 11, 16, 19, 27, 31, 32, 33, 34}
	notifying = []syscall.Signal{4, 5, 7, 8, 11, 16}
)

// send sends all signals that the program can ignore, and 33.
func send() {
	for s := syscall.Signal(1); s <= signals; s++ {
		if !slices.Contains(alone, s) || s == 33 {
			kill(s)
			queue(s)
		}
	}
}

// receive asks for all signals, sends those of which a program can be notified, and waits for them. It does not send
// SIGPIPE: in a program that has ignored it, the thread that gets SIGPIPE decides whether the program is notified.
func receive() {
	burn()
	c := make(chan os.Signal, 1000)
	signal.Notify(c)
	for s := syscall.Signal(1); s <= signals; s++ {
		if s == syscall.SIGPIPE {
			continue
		}
		isAlone := slices.Contains(alone, s)
		if !isAlone || slices.Contains(notifying, s) {
			kill(s)
			await(c, s)
		}
		if !isAlone {
			queue(s)
			await(c, s)
		}
	}
	kill(33)
	burn()
}

func await(c chan os.Signal, s syscall.Signal) {
	for late := time.After(time.Minute); ; {
		select {
		case got := <-c:
			if got == s {
				return
			}
			if got != syscall.SIGURG && got != syscall.SIGCHLD {
				fmt.Println(got, "came unasked")
			}
		case <-late:
			fmt.Println(s, "is lost")
			return
		}
	}
}
