// Program loop runs a loop with two paths per round, polled by hand as pepbuild
// would, and then does what its argument says.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"0pep/core"
)

// work has the paths 64 … 67: reach the loop, a round with a[i] > x, a round without, leave
// the loop. It is too small to have a frame of its own.
//
//go:noinline
func work(a []int, x int) int {
	r := core.Number(64)
	n := 0
	core.Poll(r)
	r = 65
	for i := 0; i < len(a); i++ {
		if a[i] > x {
			n++
		} else {
			r++
		}
		core.Poll(r)
		r = 65
	}
	r += 2
	core.Poll(r)
	return n
}

// small is paths 100 and 101, and inlined into caller.
func small(x int) int {
	r := core.Number(100)
	if x&1 == 0 {
		r++
		x += 3
	}
	core.Poll(r)
	return x
}

//go:noinline
func caller(n int) (sum int) {
	for i := range n {
		sum += small(i)
	}
	return sum
}

var array = func() []int {
	a := make([]int, 4096)
	for i := range a {
		a[i] = i * 7919 % 100
	}
	return a
}()

// burn uses up 2*d of CPU time in g goroutines.
func burn(g int, d time.Duration) {
	var wg sync.WaitGroup
	for range g {
		wg.Go(func() {
			for end := cpuTime() + 2*d; cpuTime() < end; {
				for range 10 {
					work(array, 30)
				}
				caller(30_000)
			}
		})
	}
	wg.Wait()
}

func cpuTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// count runs work and caller a known number of times.
func count() {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				work(array, 30)
				caller(1000)
			}
		})
	}
	wg.Wait()
}

type node struct{ next *node }

//go:noinline
func follow(p *node) *node { return p.next }

func recovers() (got string) {
	defer func() { got = fmt.Sprint(recover()) }()
	follow(nil)
	return "no panic"
}

// pause lets the test do something before anything is counted.
func pause() {
	fmt.Println("ready")
	os.Stdin.Read(make([]byte, 1))
}

func main() {
	what := os.Args[1]
	if what == "pause" {
		pause()
	} else if what != "count" && what != "quick" {
		burn(4, 60*time.Millisecond)
	}
	for _, how := range os.Args[2:] {
		confine(how)
	}
	switch what {
	case "pause":
		count()
		burn(4, 60*time.Millisecond)
	case "burn":
		burn(4, 900*time.Millisecond)
	case "count":
		count()
	case "exit":
		os.Exit(3)
	case "panic":
		panic("this is the end")
	case "nil":
		follow(nil)
	case "set traceback":
		debug.SetTraceback("all") // as package testing does when a test times out
		panic("this is the end")
	case "set traceback and deadlock":
		debug.SetTraceback("single")
		select {}
	case "system, then crash":
		debug.SetTraceback("system")
		burn(4, 60*time.Millisecond) // until the next tick
		debug.SetTraceback("crash")
		panic("this is the end")
	case "concurrent map writes":
		m := map[int]int{}
		for i := range 100 { // small maps have other messages, too
			m[i] = i
		}
		for range 4 {
			go func() {
				for {
					m[1]++
				}
			}()
		}
		select {}
	case "overflow":
		debug.SetMaxStack(1 << 16)
		deep(1_000_000)
	case "pipe":
		for {
			fmt.Println("ready")
		}
	case "deadlock":
		select {}
	case "recover":
		for range 20 {
			if s := recovers(); !strings.Contains(s, "nil pointer dereference") {
				fmt.Println(s)
			}
			burn(1, 5*time.Millisecond)
		}
	case "collect":
		m := map[int]string{}
		for i := range 100_000 {
			m[i%5000] = fmt.Sprint(i)
			if i%100 == 0 {
				go work(array, 30)
			}
			if i%10_000 == 0 {
				runtime.GC()
				deep(10_000)
			}
		}
	case "children":
		for range 20 {
			out, err := exec.Command(os.Args[0], "quick").CombinedOutput()
			if err != nil || string(out) != "done\n" {
				fmt.Printf("%s%v\n", out, err)
			}
			burn(1, 5*time.Millisecond)
		}
	case "wait":
		fmt.Println("ready")
		time.Sleep(time.Minute)
	case "notify":
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM, syscall.SIGQUIT)
		fmt.Println("ready")
		fmt.Println(<-c)
	}
	fmt.Println("done")
}

// rounds are those of goroutines that never wait.
var rounds = new(atomic.Uint64)

// confine changes the rights or the surroundings of the program.
func confine(how string) {
	how, arg, _ := strings.Cut(how, "=")
	var err error
	switch how {
	case "pause":
		pause()
	case "chroot":
		err = syscall.Chroot(arg)
	case "user":
		err = syscall.Setuid(65534)
	case "undumpable":
		err = call(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 0, 0)
	case "remove":
		err = os.RemoveAll(arg)
	case "landlock": // no file may be created, written, or removed
		const createRuleset, restrictSelf, noNewPrivs = 444, 446, 38
		const writeFile, removeDir, removeFile, makeReg = 1 << 1, 1 << 4, 1 << 5, 1 << 8
		rules := uint64(writeFile | removeDir | removeFile | makeReg)
		fd, _, e := syscall.RawSyscall(createRuleset, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules), 0)
		if e == 0 {
			_, _, e = syscall.AllThreadsSyscall(syscall.SYS_PRCTL, noNewPrivs, 1, 0)
		}
		if e == 0 {
			_, _, e = syscall.AllThreadsSyscall(restrictSelf, fd, 0, 0)
		}
		if e != 0 {
			err = e
		}
	case "seccomp": // no execve: the kernel returns EPERM, or kills
		action := uint32(0x50000 | syscall.EPERM)
		if arg == "kill" {
			action = 0x80000000
		}
		type filter struct {
			code   uint16
			jt, jf uint8
			k      uint32
		}
		program := []filter{{code: 0x20}, {0x15, 0, 1, syscall.SYS_EXECVE}, {6, 0, 0, action}, {6, 0, 0, 0x7fff0000}}
		fprog := struct {
			n      uint16
			filter *filter
		}{uint16(len(program)), &program[0]}
		const seccomp, setFilter, allThreads, noNewPrivs = 317, 1, 1, 38
		if err = call(syscall.SYS_PRCTL, noNewPrivs, 1, 0); err == nil {
			err = call(seccomp, setFilter, allThreads, uintptr(unsafe.Pointer(&fprog)))
		}
	case "busy": // 40 goroutines, which count their rounds in a file if there is one
		if arg != "" {
			fd, openErr := syscall.Open(arg, syscall.O_RDWR, 0)
			page, mapErr := syscall.Mmap(fd, 0, 8, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
			if err = errors.Join(openErr, mapErr); err != nil {
				break
			}
			rounds = (*atomic.Uint64)(unsafe.Pointer(&page[0]))
		}
		for range 40 {
			go func() {
				for {
					work(array, 30)
					rounds.Add(1)
				}
			}()
		}
	case "stamp":
		runtime.Gosched()      // begin with 10 ms until the next goroutine's turn; all others have had one
		println(rounds.Load()) // it does not give up the P, as a system call would
	case "stack":
		debug.SetMaxStack(1 << 14)
	case "close":
		for fd := range 3 {
			syscall.Close(fd)
		}
	default:
		err = errors.New("no such confinement")
	}
	if err != nil {
		fmt.Println(how, err)
		os.Exit(1)
	}
}

//go:uintptrescapes
func call(num, a, b, c uintptr) error {
	if _, _, e := syscall.RawSyscall6(num, a, b, c, 0, 0, 0); e != 0 {
		return e
	}
	return nil
}

// deep makes the stack move.
func deep(n int) int {
	if n == 0 {
		return work(array, 30)
	}
	return deep(n-1) + 1
}
