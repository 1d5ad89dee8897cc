// Command labels runs functions with taps in goroutines with labels of runtime/pprof, and prints
// how often goroutines with each set of labels loaded each value:
//
//	handler=a,step=inner 2 7
//
// Its arguments are how often each goroutine goes through its rings, and "kill" if it is to die at the end.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

type node struct {
	n    int
	next *node
}

// ring returns a ring of nodes with the numbers.
func ring(numbers ...int) *node {
	first := &node{n: numbers[0]}
	last := first
	for _, n := range numbers[1:] {
		last.next = &node{n: n}
		last = last.next
	}
	last.next = first
	return first
}

// walk loads the numbers of n nodes.
//
//go:noinline
func walk(p *node, n int) (sum int) {
	for range n {
		sum += p.n
		p = p.next
	}
	return sum
}

var (
	lock   sync.Mutex
	counts = map[string]int{} // by labels and number
)

// run walks through whole rings, and notes that goroutines with some labels did.
func run(labels string, rounds int, numbers ...int) {
	p := ring(numbers...)
	walk(p, rounds*len(numbers))
	lock.Lock()
	for _, n := range numbers {
		counts[labels+" "+strconv.Itoa(n)] += rounds
	}
	lock.Unlock()
}

func do(f func(context.Context), ctx context.Context, labels ...string) {
	pprof.Do(ctx, pprof.Labels(labels...), f)
}

// nested changes labels in the middle of a goroutine, and starts one that inherits them.
func nested(ctx context.Context, rounds int) {
	do(func(ctx context.Context) {
		run("handler=a", rounds, 1, 1, 1, 2)
		var wg sync.WaitGroup
		do(func(ctx context.Context) {
			run("handler=a,step=inner", rounds, 2)
			wg.Go(func() {
				run("handler=a,step=inner", rounds, 3)
				pprof.SetGoroutineLabels(pprof.WithLabels(ctx, pprof.Labels("handler", "b")))
				run("handler=b,step=inner", rounds, 2, 4)
				pprof.SetGoroutineLabels(context.Background())
				run("", rounds, 4)
			})
		}, ctx, "step", "inner")
		run("handler=a", rounds, 2)
		wg.Wait()
	}, ctx, "handler", "a")
	run("", rounds, 5)
}

// short starts goroutines with few taps, one after the other: they use the same memory.
func short(ctx context.Context, goroutines int) {
	for i := range goroutines {
		var wg sync.WaitGroup
		start := func(context.Context) { wg.Go(func() { run([]string{"", "handler=a", "handler=b"}[i%3], i%2+1, i%5) }) }
		switch i % 3 {
		case 0:
			start(ctx)
		case 1:
			do(start, ctx, "handler", "a")
		case 2:
			do(start, ctx, "handler", "b")
		}
		wg.Wait()
		if i%500 == 0 {
			runtime.GC()
		}
	}
}

func main() {
	debug.SetGCPercent(5) // memory of labels is used again soon
	rounds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	run("", rounds, 1)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 5 {
				nested(ctx, rounds)
			}
		})
		wg.Go(func() {
			do(func(context.Context) { run("handler=b", 4*rounds, 1, 2, 2, 2) }, ctx, "handler", "b")
		})
	}
	wg.Wait()
	short(ctx, 3000)
	do(func(context.Context) { run("", 10, 6) }, ctx, "long", strings.Repeat("x", 300)) // too long to be told
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		fmt.Println(key, counts[key])
	}
	if len(os.Args) > 2 {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
}
