// Command functions executes a loop of 100,000 rounds once.
package main

import "fmt"

//go:noinline
func rounds(n int, x uint64) (odd int) {
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		if x&1 != 0 {
			odd++
		}
	}
	return odd
}

func main() { fmt.Println(rounds(100_000, 1)) }
