// Program labels has goroutines with labels. Each reads one number from memory for ever:
// goroutine i of names reads 1000 + i.
package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strings"
)

// names are the labels of the goroutines. Package sampler's tests have the same list.
var names = [][]string{
	nil,
	{"handler", "/login"},
	{"handler", "/logout", "user", "bob"},
	{"long", strings.Repeat("é", 40)},
	{"a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6"},
	{"empty", ""},
}

var sink [6]uint64

//go:noinline
func read(p *uint64, n int) (sum uint64) {
	for range n {
		sum += *p
	}
	return sum
}

func main() {
	// One thread, so that each goroutine has its share of the interrupts; they are preempted.
	runtime.GOMAXPROCS(2)
	for i, list := range names {
		n := new(uint64)
		*n = 1000 + uint64(i)
		loop := func(context.Context) {
			for {
				sink[i] += read(n, 1e6)
				runtime.Gosched()
			}
		}
		if list == nil {
			go loop(nil)
			continue
		}
		go pprof.Do(context.Background(), pprof.Labels(list...), loop)
	}
	fmt.Println("ready")
	select {}
}
