// Command budget executes a loop for two callers by turns, for some milliseconds each. The second has seven
// times as many rounds, and its callers are 24 frames deep, so a sample for it costs more. The
// command counts the rounds and prints them.
package main

import (
	"crypto/sha256"
	"fmt"
)

//go:noinline
func work(n int, buf []byte) int {
	for i := range n {
		buf[i%64]++
		sha256.Sum256(buf)
	}
	return n
}

//go:noinline
func shallow(n int, buf []byte) int { return work(n, buf) }

//go:noinline
func deep(n, frames int, buf []byte) int {
	if frames > 0 {
		return deep(n, frames-1, buf)
	}
	return work(n, buf)
}

func main() {
	buf := make([]byte, 1<<10)
	rounds := [2]int{}
	for range 200 {
		rounds[0] += shallow(4000, buf)
		rounds[1] += deep(28_000, 24, buf)
	}
	fmt.Println("shallow", rounds[0])
	fmt.Println("deep", rounds[1])
}
