// Ends ends in the way that its argument names, after some work.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
)

var sink int

// work takes paths for some milliseconds of CPU time.
func work(n int) (sum int) {
	for i := range n {
		switch {
		case i%3 == 0:
			sum += i
		case i%5 == 1 && sum&1 == 0:
			sum ^= i
		default:
			sum--
		}
	}
	return sum
}

type custom struct{ code int }

func (c custom) Error() string { return fmt.Sprint("custom ", c.code) }

var ends = map[string]func(){
	"return": func() {},
	"exit 0": func() { os.Exit(0) },
	"exit 3": func() { os.Exit(3) },
	"panic":  func() { panic("on purpose") },
	"panic with an error": func() {
		panic(custom{7})
	},
	"panic with a value":   func() { panic(struct{ a, b int }{1, 2}) },
	"nil dereference":      func() { var p *custom; sink = p.code },
	"index out of range":   func() { var s []int; sink = s[len(os.Args)] },
	"division by zero":     func() { var zero int; sink = 1 / zero },
	"nil map":              func() { var m map[int]int; m[1] = 2 },
	"closed channel":       func() { c := make(chan int); close(c); c <- 1 },
	"type assertion":       func() { var x any = 1; _ = x.(string) },
	"panic in a goroutine": func() { go func() { panic("elsewhere") }(); select {} },
	"panic while panicking": func() {
		defer func() { panic("second") }()
		panic("first")
	},
	"panic after recover": func() {
		defer func() { panic(fmt.Sprint("again: ", recover())) }()
		panic("first")
	},
	"recovered": func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		panic("caught")
	},

	"goexit":   func() { runtime.Goexit() },
	"deadlock": func() { select {} },
	"deadlock of goroutines": func() {
		var wg sync.WaitGroup
		wg.Add(1)
		wg.Wait()
	},
	"unlock of unlocked":   func() { var mu sync.Mutex; mu.Unlock() },
	"concurrent map write": concurrent,
	"stack overflow":       func() { debug.SetMaxStack(1 << 20); sink = overflow(1) },
	"out of memory":        outOfMemory,
	"log.Fatal":            func() { log.SetFlags(0); log.Fatal("fatal") },
	"log.Panic":            func() { log.SetFlags(0); log.Panic("fatal") },
	"syscall.Exit":         func() { syscall.Exit(4) },
	"syscall.Exec": func() {
		fmt.Println(syscall.Exec("/bin/sh", []string{"sh", "-c", "echo another; exit 5"}, os.Environ()))
	},
	"kill by itself":  func() { raise(syscall.SIGKILL); time.Sleep(time.Minute) },
	"abort by itself": func() { raise(syscall.SIGABRT); time.Sleep(time.Minute) },
	"breakpoint":      func() { runtime.Breakpoint() },
	"ignored signal": func() {
		signal.Ignore(syscall.SIGTERM)
		raise(syscall.SIGTERM)
		time.Sleep(50 * time.Millisecond)
		fmt.Println("still here")
	},
	"notified signal": func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		raise(syscall.SIGTERM)
		fmt.Println(<-c)
	},
	"signal after reset": func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		raise(syscall.SIGTERM)
		fmt.Println(<-c)
		signal.Reset(syscall.SIGTERM)
		raise(syscall.SIGTERM)
		time.Sleep(time.Minute)
	},
	"wait for a signal": wait,
	"second interrupt": func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, os.Interrupt)
		fmt.Println("ready")
		fmt.Println(<-c)
		signal.Stop(c)
		wait()
	},
	"busy until a signal": func() {
		for range 20 {
			go func() {
				for {
					sink = work(1000)
				}
			}()
		}
		wait()
	},
}

func init() {
	if len(os.Args) > 1 && os.Args[1] == "panic in init" {
		sink = work(100_000)
		panic(errors.New("in init"))
	}
}

func main() {
	sink = work(3_000_000)
	f := ends[os.Args[1]]
	if f == nil {
		panic("no such end")
	}
	fmt.Println("working")
	f()
}

func raise(s syscall.Signal) {
	if err := syscall.Kill(os.Getpid(), s); err != nil {
		panic(err)
	}
}

// wait says that it is ready, and waits. Some signals do nothing.
func wait() {
	fmt.Println("ready")
	time.Sleep(2 * time.Second)
}

func overflow(n int) int {
	if n == 0 {
		return 0
	}
	return overflow(n+1) + n
}

// concurrent writes to one map until the runtime notices.
func concurrent() {
	m := map[int]int{}
	for range 4 {
		go func() {
			for i := 0; ; i++ {
				m[i&7] = i
			}
		}()
	}
	time.Sleep(time.Minute)
}

var kept [][]byte

// outOfMemory allocates until no memory is left. It runs with a limit.
func outOfMemory() {
	for {
		kept = append(kept, make([]byte, 1<<28))
	}
}
