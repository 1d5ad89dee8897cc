// Command callers is sampled by a test of all back ends. Two functions call the same two functions with
// different arguments: leaf has no frame, and framed has one. It ends after two minutes.
package main

import (
	"fmt"
	"time"
)

var sum uint64

//go:noinline
func leaf(x uint64) uint64 { return x * 1000003 }

//go:noinline
func framed(x uint64) uint64 {
	y := x * 1000033
	return y + leaf(7)
}

//go:noinline
func three() { sum += leaf(3) + framed(3) }

//go:noinline
func five() { sum += leaf(5) + framed(5) }

func main() {
	fmt.Println("ready")
	for began := time.Now(); time.Since(began) < 2*time.Minute; {
		for range 1 << 20 {
			three()
			five()
		}
	}
	fmt.Println(sum)
}
