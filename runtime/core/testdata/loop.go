// Program loop runs a loop with two paths per round, polled by hand as pepbuild
// would, and then does what its argument says.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	_ "0pep/core"
)

const base = 0x6000_0000

// work is paths 64 … 67: reach the loop, a round with a[i] > x, one without,
// leave the loop. It is too small to have a frame of its own.
//
//go:noinline
func work(a []int, x int) int {
	r := uintptr(base + 64)
	n := 0
	_ = *(*unsafe.Pointer)(unsafe.Pointer(r))
	r = base + 65
	for i := 0; i < len(a); i++ {
		if a[i] > x {
			n++
		} else {
			r++
		}
		_ = *(*unsafe.Pointer)(unsafe.Pointer(r))
		r = base + 65
	}
	r += 2
	_ = *(*unsafe.Pointer)(unsafe.Pointer(r))
	return n
}

// small is paths 100 and 101, and inlined into caller.
func small(x int) int {
	r := uintptr(base + 100)
	if x&1 == 0 {
		r++
		x += 3
	}
	_ = *(*unsafe.Pointer)(unsafe.Pointer(r))
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

// burn uses up about a second of CPU time in g goroutines.
func burn(g int) (total int) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range g {
		wg.Go(func() {
			n := 0
			for end := time.Now().Add(time.Second / 4); time.Now().Before(end); {
				for range 10 {
					n += work(array, 30)
				}
				n += caller(1000)
			}
			mu.Lock()
			total += n
			mu.Unlock()
		})
	}
	wg.Wait()
	return total
}

type node struct{ next *node }

//go:noinline
func follow(p *node) *node { return p.next }

func recovers() (got string) {
	defer func() { got = fmt.Sprint(recover()) }()
	follow(nil)
	return "no panic"
}

func main() {
	what := "return"
	if len(os.Args) > 1 {
		what = os.Args[1]
	}
	debug.SetGCPercent(debug.SetGCPercent(-1))
	if what != "quick" {
		burn(4)
	}
	switch what {
	case "exit":
		os.Exit(3)
	case "panic":
		panic("this is the end")
	case "nil":
		follow(nil)
	case "throw":
		m := map[int]int{}
		go func() {
			for {
				m[1]++
			}
		}()
		for {
			m[2]++
		}
	case "deadlock":
		select {}
	case "recover":
		for range 100 {
			if s := recovers(); !strings.Contains(s, "nil pointer dereference") {
				fmt.Println(s)
			}
			burn(1)
		}
	case "gc":
		m := map[int]string{}
		for i := range 300_000 {
			m[i%5000] = fmt.Sprint(i)
			if i%100 == 0 {
				work(array, 30)
			}
			if i%10_000 == 0 {
				runtime.GC()
				deep(10_000)
			}
		}
	case "wait":
		fmt.Println("ready")
		time.Sleep(time.Minute)
	case "notify":
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		fmt.Println("ready")
		fmt.Println(<-c)
	}
	fmt.Println("done")
}

// deep makes the stack move.
func deep(n int) int {
	if n == 0 {
		return work(array, 30)
	}
	return deep(n-1) + 1
}
