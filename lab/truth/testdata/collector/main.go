// Command collector spends about 60 % of its CPU time in the garbage collector:
//
//	collector SECONDS LOOP...
//
// Only one goroutine works, and it waits for the collector.
package main

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"time"

	"truth/clock"
)

type node struct {
	left, right *node
	value       [4]uint64
}

var (
	tree *node
	sum  uint64
)

func grow(depth int) *node {
	if depth == 0 {
		return nil
	}
	return &node{left: grow(depth - 1), right: grow(depth - 1), value: [4]uint64{rand.Uint64()}}
}

//go:noinline
func compute(n int) {
	s := sum
	for range n {
		s += tree.walk(12)
	}
	sum = s
}

func (t *node) walk(depth int) uint64 {
	if t == nil || depth == 0 {
		return 1
	}
	return t.left.walk(depth-1)*3 + t.right.walk(depth-1) ^ t.value[0]
}

func collect(n int) {
	for range n {
		runtime.GC()
	}
}

func main() {
	debug.SetGCPercent(-1)
	tree = grow(18)
	clock.Alternate(20*time.Millisecond, clock.Loop{Name: "collector", Do: collect, Share: 6}, clock.Loop{Name: "compute", Do: compute, Share: 4})
}
