// Command loads has two loads in one basic block: the first is mostly of memory that is
// in no cache, the second of memory that is always there.
//
//	loads
package main

import "fmt"

var large [1 << 23]uint64 // 64 MB
var small [64]uint64

//go:noinline
func loop(n uint64) (sum uint64) {
	x := uint64(1)
	for range n {
		x = x*6364136223846793005 + sum
		far := large[x>>41]   // far
		near := small[far&63] // near
		sum += far ^ near
	}
	return sum & 0xffff
}

func main() {
	for i := range large {
		large[i] = uint64(i)
	}
	fmt.Println("ready")
	for {
		loop(1 << 22)
	}
}
