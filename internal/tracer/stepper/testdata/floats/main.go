// Command floats computes with the constants 0.5 and 1.25 in registers, for ever.
package main

import "fmt"

//go:noinline
func series(n int, half, step float64) (sum float64) {
	for range n {
		sum = sum*half + step
	}
	return sum
}

func main() {
	fmt.Println("ready")
	for series(1<<24, 0.5, 1.25) == 2.5 {
	}
}
