// Command grow is sampled by tests. Many goroutines, each with a stack that grows to 200 frames,
// look up numbers in a small table; some allocate, and the collector runs again and again. It
// takes the values 11, 22, 33 and 44 in the proportions 4:2:1:1, and prints their sum.
package main

import (
	"fmt"
	"runtime"
	"sync"
)

var table = [8]uint64{11, 11, 11, 11, 22, 22, 33, 44}

//go:noinline
func pick(i uint64) uint64 { return table[i&7] }

//go:noinline
func deep(n int) (sum uint64) {
	var frame [64]uint64 // so that the stack grows
	frame[n&63] = uint64(n)
	if n > 0 {
		sum = deep(n - 1)
	}
	for i := range uint64(4096) {
		sum += pick(i)
	}
	return sum + frame[n&63] - uint64(n)
}

var kept [][]byte

func main() {
	fmt.Println("ready")
	fmt.Scanln() // a test may want to attach first
	var sum uint64
	for range 8 {
		var all sync.WaitGroup
		sums := make([]uint64, 64)
		for i := range sums {
			all.Go(func() { sums[i] = deep(200) })
		}
		for range 10 {
			kept = append(kept, make([]byte, 1<<16))
			runtime.GC()
		}
		all.Wait()
		for _, s := range sums {
			sum += s
		}
	}
	fmt.Println(sum)
}
