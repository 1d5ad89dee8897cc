// Command foreign spends known shares of its CPU time in C code:
//
//	foreign SECONDS LOOP...
package main

/*
static unsigned long burn(unsigned long x, long n) {
	for (long i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}
*/
import "C"

import (
	"time"

	"truth/clock"
)

var sum uint64 = 1

//go:noinline
func inC(n int) {
	sum = uint64(C.burn(C.ulong(sum), C.long(n)))
}

// short calls C code that returns at once, so most of its time is that of the call.
//
//go:noinline
func short(n int) {
	for range n {
		sum = uint64(C.burn(C.ulong(sum), 1))
	}
}

//go:noinline
func compute(n int) {
	x := sum | 1
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		if x&1023 == 0 {
			x++
		}
	}
	sum = x
}

func main() {
	clock.Alternate(20*time.Millisecond, clock.Loop{Name: "inC", Do: inC, Share: 4}, clock.Loop{Name: "short", Do: short, Share: 4}, clock.Loop{Name: "compute", Do: compute, Share: 4})
}
