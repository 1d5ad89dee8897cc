// Command budget executes two loops by turns, for some milliseconds each. Rounds of both
// do the same, the second has three times as many, and its callers are 24 frames deep, so
// a sample in it costs more. The command counts the rounds and prints them.
package main

import (
	"crypto/sha256"
	"fmt"
)

var rounds [2]int

//go:noinline
func shallow(n int, buf []byte) {
	for i := range n {
		buf[i%64]++
		sha256.Sum256(buf)
	}
	rounds[0] += n
}

//go:noinline
func below(n int, buf []byte) {
	for i := range n {
		buf[i%64]++
		sha256.Sum256(buf)
	}
	rounds[1] += n
}

//go:noinline
func deep(n, frames int, buf []byte) {
	if frames > 0 {
		deep(n, frames-1, buf)
		return
	}
	below(n, buf)
}

func main() {
	buf := make([]byte, 1<<10)
	for range 100 {
		shallow(8000, buf)
		deep(24_000, 24, buf)
	}
	fmt.Println("shallow", rounds[0])
	fmt.Println("below", rounds[1])
}
