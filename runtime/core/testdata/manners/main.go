// The program does what disturbs handlers of signals, or what they could disturb: its argument says which. It prints
// nothing that depends on chance.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

var does = map[string]func(){
	"sent SIGSEGV": func() { sent(syscall.SIGSEGV) },
	"sent SIGBUS":  func() { sent(syscall.SIGBUS) },
	"sent SIGURG":  func() { sent(syscall.SIGURG) },
	"faults":       func() { while(func() { runtime.GC() }, faults) },
	"profile":      profile,
	"timer":        timer,
	"mapped":       mapped,
	"userfaultfd":  userfault,
	"children":     func() { busy(children) },
	"vfork":        func() { busy(vforked) },
	"goroutines":   goroutines,
	"collections":  func() { debug.SetGCPercent(1); while(runtime.GC, func() { allocate(300) }) },
	"processors":   func() { while(processors, func() { allocate(300) }) },
	"recursion":    func() { while(runtime.GC, recursions) },
	"seccomp":      func() { confine(); while(runtime.GC, func() { allocate(300) }) },
	"blocked":      blocked,
	"replaced":     replaced,
	"never":        never,
}

func main() {
	f := does[os.Args[1]]
	if f == nil {
		fmt.Println("no such thing")
		os.Exit(1)
	}
	f()
	fmt.Println("done", work(20))
}

// work takes some 30 ms of CPU time.
//
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

// while calls disturb each millisecond, until f has returned in two goroutines.
func while(disturb, f func()) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(f)
	}
	ended := make(chan bool)
	go func() {
		wg.Wait()
		close(ended)
	}()
	for {
		select {
		case <-ended:
			return
		case <-time.After(time.Millisecond):
			disturb()
		}
	}
}

// sent has the process send signals to a thread of its own that computes.
func sent(sig syscall.Signal) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, sig)
	var stop atomic.Bool
	var wg sync.WaitGroup
	thread := make(chan int)
	wg.Go(func() {
		runtime.LockOSThread()
		thread <- syscall.Gettid()
		for !stop.Load() {
			work(1)
		}
	})
	tid := <-thread
	time.Sleep(20 * time.Millisecond)
	for i := range 3000 {
		syscall.Tgkill(os.Getpid(), tid, sig)
		select {
		case <-c:
		case <-time.After(time.Minute):
			fmt.Println("signal", i, "is lost")
		}
	}
	stop.Store(true)
	wg.Wait()
}

type node struct {
	next  *node
	value int
}

//go:noinline
func (n *node) sum() (x int) {
	for ; n != nil; n = n.next {
		x += n.value + n.next.value
	}
	return x
}

func recovers(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

// faulty returns a list that ends in memory which cannot be read.
func faulty() *node {
	debug.SetPanicOnFault(true)
	data, err := syscall.Mmap(-1, 0, os.Getpagesize(), syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		panic(err)
	}
	return &node{&node{(*node)(unsafe.Pointer(unsafe.SliceData(data))), 2}, 1}
}

// faults makes faults that become panics.
func faults() {
	list, n := faulty(), 0
	for range 100_000 {
		if recovers(func() { list.sum() }) != nil {
			n++
		}
	}
	if n != 100_000 {
		fmt.Println(n, "faults")
	}
}

type tree struct{ left, right *tree }

func grow(depth int) *tree {
	if depth == 0 {
		return nil
	}
	return &tree{grow(depth - 1), grow(depth - 1)}
}

func (t *tree) count() int {
	if t == nil {
		return 0
	}
	return 1 + t.left.count() + t.right.count()
}

func allocate(n int) {
	words := map[string]int{}
	for i := range n {
		if c := grow(12).count(); c != 1<<12-1 {
			fmt.Println(c, "nodes")
		}
		words[strings.Repeat("x", i%7)]++
	}
	if len(words) != min(n, 7) {
		fmt.Println(len(words), "words")
	}
}

func goroutines() {
	const n = 10_000
	var wg sync.WaitGroup
	in, out := make(chan int), make(chan int, 10)
	for range n {
		wg.Go(func() {
			for x := range in {
				out <- recursion(x % 50)
			}
		})
	}
	go func() {
		for i := range 20 * n {
			in <- i
		}
		close(in)
		wg.Wait()
		close(out)
	}()
	sum := 0
	for x := range out {
		sum += x
	}
	fmt.Println(sum)
}

//go:noinline
func recursion(n int) int {
	if n == 0 {
		return 0
	}
	var pad [16]int
	pad[n%16] = n
	return recursion(n-1) + pad[n%16] - n + 1
}

func recursions() {
	for range 100 {
		done := make(chan int)
		go func() { done <- recursion(50_000) }()
		if x := <-done; x != 50_000 {
			fmt.Println("depth", x)
		}
	}
}

func processors() { runtime.GOMAXPROCS(1 + time.Now().Nanosecond()/1000%5) }
