// Command known executes four loops, one after the other, whose rounds take about 4 ns, 500 ns,
// 10 µs and 1 ms. Each has two paths. It counts the rounds itself, and prints how many went
// either way.
package main

import (
	"crypto/sha256"
	"fmt"
)

// A count has the rounds of a loop by the outcome of its branch.
type count struct{ yes, no int }

//go:noinline
func ns4(n int, x uint64, c *count) {
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		if x&7 == 0 {
			c.yes++
		} else {
			c.no++
		}
	}
}

//go:noinline
func ns500(n int, buf []byte, c *count) {
	for i := range n {
		buf[i%64]++
		if sum := sha256.Sum256(buf); sum[0]&3 == 0 {
			c.yes++
		} else {
			c.no++
		}
	}
}

//go:noinline
func us10(n int, buf []byte, c *count) {
	for i := range n {
		buf[i%64]++
		if sum := sha256.Sum256(buf); sum[0]&3 == 0 {
			c.yes++
		} else {
			c.no++
		}
	}
}

//go:noinline
func ms1(n int, buf []byte, c *count) {
	for range n {
		buf[0]++
		if sum := sha256.Sum256(buf); sum[0]&1 == 0 {
			c.yes++
		} else {
			c.no++
		}
	}
}

func main() {
	var counts [4]count
	buf := make([]byte, 1_500_000)
	ns4(100_000_000, 1, &counts[0])
	ns500(800_000, buf[:600], &counts[1])
	us10(40_000, buf[:15_000], &counts[2])
	ms1(500, buf, &counts[3])
	for i, name := range []string{"main.ns4", "main.ns500", "main.us10", "main.ms1"} {
		fmt.Println(name, counts[i].yes, counts[i].no)
	}
}
