// Program taps reports words by hand, as instrumented code does, and then ends as its
// argument says.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"0pep/core"
)

const base = uint64(0xea90e208) << 24 // tuple.SiteBase("main")

const (
	arg  = 1<<56 | base     // n int
	load = 3<<56 | base + 1 // b bool
	flt  = 3<<56 | base + 2 // f float64
	typ  = 6<<56 | base + 3 // r fmt.Stringer
	call = 5<<56 | base + 4 // fn
	meth = 5<<56 | base + 5 // r.String
)

type myString string

func (s myString) String() string { return string(s) }

type myInt int

func (i *myInt) String() string { return "" }

//go:noinline
func double(x int) int { return 2 * x }

//go:noinline
func triple(x int) int { return 3 * x }

// work reports 100,000 values of n, 90 % of them 7, and values of the other sites.
func work() {
	var i7 myInt
	for i := range 100_000 {
		n := -7
		if i%10 == 0 {
			n = i / 10 % 100
		}
		core.Tap(arg, uint64(n))
		core.Tap(load, core.BoolWord(n == -7))
		if i%4 == 0 {
			core.Tap(flt, core.F64Word(float64(i%8)/8))
			var r fmt.Stringer = myString("")
			if i%16 == 0 {
				r = &i7
			} else if i%20 == 0 {
				r = nil
			}
			core.Tap(typ, core.TypeWord(r))
			core.Tap(meth, core.TypeWord(r))
			fn := double
			if i%8 == 0 {
				fn = triple
			}
			core.Tap(call, core.FuncWord(fn))
		}
	}
}

func main() {
	if os.Args[1] == "pause" {
		fmt.Println("ready") // the test does something before anything is tapped
		os.Stdin.Read(make([]byte, 1))
	}
	var wg sync.WaitGroup
	for range 8 {
		if os.Args[1] == "in turn" {
			// Not in goroutines: one that is preempted after it is done, before it ends, keeps its chunk. The
			// next one gets a new chunk, and engines see the tuples in another order.
			work()
			continue
		}
		wg.Go(work)
	}
	wg.Wait()
	switch os.Args[1] {
	case "count", "in turn", "pause":
	case "panic":
		panic("over")
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
		select {}
	case "exit":
		os.Exit(3)
	case "spin": // other goroutines go on reporting while the program ends
		for range runtime.GOMAXPROCS(0) * 2 {
			go func() {
				for {
					core.Tap(arg, 7)
				}
			}()
		}
		time.Sleep(20 * time.Millisecond)
	case "bench":
		bench()
	}
	fmt.Println("done")
}

//go:noinline
func empty(pc, w uint64) {}

// bench prints ns per call of a tap, and of a call of a function that does nothing.
func bench() {
	const n = 100_000_000
	start := time.Now()
	for i := range uint64(n) {
		empty(arg, i&63)
	}
	none := time.Since(start)
	start = time.Now()
	for i := range uint64(n) {
		core.Tap(arg, i&63)
	}
	fmt.Printf("%.2f %.2f\n", float64(time.Since(start))/n, float64(none)/n)
}
