// Command threads has goroutines that depend on each other, for a minute:
//
//	threads channel    pairs that send each other what they compute
//	threads mutex      all change the same map under a lock
package main

import (
	"os"
	"sync"
	"time"
)

const pairs = 4

func compute(x uint64, n int) uint64 {
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		if x&15 == 0 {
			x += 3
		}
	}
	return x
}

func main() {
	switch os.Args[1] {
	case "channel":
		for range pairs {
			there, back := make(chan uint64), make(chan uint64)
			go func() {
				for x := range there {
					back <- compute(x, 50)
				}
			}()
			go func() {
				for x := uint64(1); ; {
					there <- compute(x, 50)
					x = <-back
				}
			}()
		}
	case "mutex":
		var mu sync.Mutex
		sums := map[uint64]uint64{}
		for i := range uint64(2 * pairs) {
			go func() {
				for x := i + 1; ; {
					x = compute(x, 50)
					mu.Lock()
					sums[x&1023] += x
					mu.Unlock()
				}
			}()
		}
	}
	time.Sleep(time.Minute)
}
