// Command slow has a loop of about 30 instructions, one of which, a division, is slow, so that interrupts
// arrive at it or behind it. With the argument float, a jump on a comparison of floats, which cannot be
// interpreted, is in the loop, too.
package main

import (
	"fmt"
	"os"
)

//go:noinline
func loop(n, d uint64) (x uint64) {
	x = 1 << 63
	for i := uint64(0); i < n; i++ {
		x = x/d ^ i
		y := x<<13 ^ i
		y ^= x >> 7
		y += x << 17
		y ^= y >> 5
		y += x
		y ^= y << 9
		y += y >> 11
		x += y | 1<<62
	}
	return x
}

var counter uint64

//go:noinline
func floats(n, d uint64, limit float64) (x uint64) {
	x = 1 << 63
	for i := uint64(0); i < n; i++ {
		x = x/d ^ i
		y := x<<13 ^ i
		y ^= x >> 7
		y += x << 17
		x += y | 1<<62
		if float64(int64(x)) > limit {
			counter += x
		}
	}
	return x
}

func main() {
	fmt.Println("ready")
	for {
		if len(os.Args) > 1 {
			floats(1<<20, 3, 1<<62)
		} else {
			loop(1<<20, 3)
		}
	}
}
