package main

// This file has what the system offers.

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

//go:noinline
func twice(n int) int { return work(2*n) + 1 }

//go:noinline
func once(n int) int { return work(n) + 2 }

// profile takes a CPU profile, and says how much time the program has used.
func profile() {
	var b bytes.Buffer
	before := used()
	if err := pprof.StartCPUProfile(&b); err != nil {
		fmt.Println(err)
	}
	while(func() {}, func() {
		for range 300 {
			twice(1)
			once(1)
		}
	})
	pprof.StopCPUProfile()
	after := used()
	fmt.Println("profile", b.Len() > 0)
	if err := os.WriteFile(os.Getenv("CPUPROFILE"), b.Bytes(), 0o666); err != nil {
		fmt.Println(err)
	}
	os.WriteFile(os.Getenv("CPUPROFILE")+".used", fmt.Append(nil, (after-before).Nanoseconds()), 0o666)
}

// used returns the CPU time of the process.
func used() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// timer has the process ask for a SIGPROF each millisecond of CPU time itself.
func timer() {
	interval := [4]int64{0, 1000, 0, 1000}
	const itimerProf = 2
	syscall.RawSyscall(syscall.SYS_SETITIMER, itimerProf, uintptr(unsafe.Pointer(&interval)), 0)
	while(func() {}, faults)
	interval = [4]int64{}
	syscall.RawSyscall(syscall.SYS_SETITIMER, itimerProf, uintptr(unsafe.Pointer(&interval)), 0)
}

// mapped reads files that become shorter than the memory that they are mapped to.
func mapped() {
	debug.SetPanicOnFault(true)
	f, err := os.CreateTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(f.Name())
	page := os.Getpagesize()
	failed, sum := 0, 0
	for i := range 300 {
		f.Truncate(int64(4 * page))
		data, err := syscall.Mmap(int(f.Fd()), 0, 4*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		if err != nil {
			fmt.Println(err)
			return
		}
		f.Truncate(int64((i%4 + 1) * page))
		err = recovers(func() {
			for _, b := range data {
				if b == 0 {
					sum++
				}
			}
		})
		if err != nil {
			failed++
		}
		syscall.Munmap(data)
	}
	fmt.Println(failed, "faults", sum/page, "pages")
}

// userfault reads memory whose pages a goroutine provides, and counts how often it is asked for which.
func userfault() {
	const (
		create, api, register, copyPage = 323, 0xc018aa3f, 0xc020aa00, 0xc028aa03
		pages                           = 512
	)
	fd, _, e := syscall.Syscall(create, syscall.O_CLOEXEC, 0, 0)
	if e != 0 {
		fmt.Println("userfaultfd:", e)
		return
	}
	page := os.Getpagesize()
	ioctl := func(what uintptr, arg unsafe.Pointer) {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, fd, what, uintptr(arg)); e != 0 {
			fmt.Println(e)
		}
	}
	ioctl(api, unsafe.Pointer(&[3]uint64{0xaa}))
	data, err := syscall.Mmap(-1, 0, pages*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		fmt.Println(err)
		return
	}
	base := uint64(uintptr(unsafe.Pointer(&data[0])))
	ioctl(register, unsafe.Pointer(&[4]uint64{base, uint64(pages * page), 1}))
	asked := map[uint64]int{}
	go func() {
		runtime.LockOSThread()
		content := make([]byte, page)
		for i := range content {
			content[i] = 1
		}
		var message [32]byte
		for {
			if n, err := syscall.Read(int(fd), message[:]); n != len(message) || err != nil {
				fmt.Println(n, err)
				return
			}
			at := *(*uint64)(unsafe.Pointer(&message[16])) &^ uint64(page-1)
			asked[(at-base)/uint64(page)]++
			ioctl(copyPage, unsafe.Pointer(&[5]uint64{at, uint64(uintptr(unsafe.Pointer(&content[0]))), uint64(page)}))
		}
	}()
	sum := 0
	for _, b := range data {
		if b == 1 {
			sum++
		}
	}
	fmt.Println(sum, "bytes of", len(asked), "pages")
}

// confine has the kernel kill the process if it calls what neither package runtime, nor handlers, nor the end of a profiled
// program need.
func confine() {
	const clone3, getrandom = 435, 318
	allowed := []uint32{
		syscall.SYS_READ, syscall.SYS_WRITE, syscall.SYS_CLOSE, syscall.SYS_LSEEK, syscall.SYS_MMAP,
		syscall.SYS_MPROTECT, syscall.SYS_MUNMAP, syscall.SYS_RT_SIGACTION, syscall.SYS_RT_SIGPROCMASK,
		syscall.SYS_RT_SIGRETURN, syscall.SYS_IOCTL, syscall.SYS_SCHED_YIELD, syscall.SYS_MADVISE,
		syscall.SYS_NANOSLEEP, syscall.SYS_GETPID, syscall.SYS_GETTID, syscall.SYS_EXIT,
		syscall.SYS_EXIT_GROUP, syscall.SYS_FCNTL, syscall.SYS_FTRUNCATE, syscall.SYS_GETCWD,
		syscall.SYS_RENAME, syscall.SYS_UNLINK, syscall.SYS_UNLINKAT, syscall.SYS_SIGALTSTACK,
		syscall.SYS_TGKILL, syscall.SYS_FUTEX, syscall.SYS_TIMER_SETTIME, syscall.SYS_CLOCK_GETTIME,
		syscall.SYS_CLONE, syscall.SYS_EPOLL_WAIT, syscall.SYS_EPOLL_PWAIT, syscall.SYS_OPENAT,
		syscall.SYS_NEWFSTATAT, syscall.SYS_FSTAT, syscall.SYS_PWRITE64, syscall.SYS_PREAD64, clone3,
		syscall.SYS_PRCTL, syscall.SYS_SCHED_GETAFFINITY, syscall.SYS_EPOLL_CREATE1, syscall.SYS_EPOLL_CTL,
		syscall.SYS_EVENTFD2, syscall.SYS_GETRUSAGE, syscall.SYS_RESTART_SYSCALL, syscall.SYS_TIMER_DELETE,
		syscall.SYS_PRLIMIT64, getrandom,
	}
	type instruction struct {
		code   uint16
		jt, jf uint8
		k      uint32
	}
	program := []instruction{{code: 0x20}}
	for _, nr := range allowed {
		program = append(program, instruction{0x15, 0, 1, nr}, instruction{6, 0, 0, 0x7fff0000})
	}
	program = append(program, instruction{6, 0, 0, 0x80000000})
	filter := struct {
		n uint16
		p *instruction
	}{uint16(len(program)), &program[0]}
	const seccomp, setFilter, allThreads, noNewPrivs = 317, 1, 1, 38
	runtime.LockOSThread()
	syscall.RawSyscall6(syscall.SYS_PRCTL, noNewPrivs, 1, 0, 0, 0, 0)
	if _, _, e := syscall.RawSyscall(seccomp, setFilter, allThreads, uintptr(unsafe.Pointer(&filter))); e != 0 {
		fmt.Println("seccomp:", e)
	}
	runtime.UnlockOSThread()
}

// blocked computes while its thread blocks faults.
func blocked() {
	runtime.LockOSThread()
	mask := uint64(1<<(syscall.SIGSEGV-1) | 1<<(syscall.SIGBUS-1))
	for how := range uintptr(2) { // block, unblock
		syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, how, uintptr(unsafe.Pointer(&mask)), 0, 8, 0, 0)
		work(100)
	}
}

// replaced computes while SIGSEGV has no handler.
func replaced() {
	var old, new [4]uint64
	for range 2 { // none, the old one
		syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(syscall.SIGSEGV),
			uintptr(unsafe.Pointer(&new)), uintptr(unsafe.Pointer(&old)), 8, 0, 0)
		work(100)
		new = old
	}
}

// never writes to memory that cannot be written to. What follows would be a fatal error.
func never() {
	debug.SetPanicOnFault(true)
	data, err := syscall.Mmap(-1, 0, os.Getpagesize(), syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		panic(err)
	}
	for range 100_000 {
		recovers(func() {
			data[0] = 1
			new(sync.Mutex).Unlock()
		})
	}
}
