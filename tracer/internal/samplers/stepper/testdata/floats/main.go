// Command floats computes with the constants 0.5 and 1.25 in registers, and with an array of 0.25 and
// 0.75, for ever.
package main

import "fmt"

//go:noinline
func series(n int, half, step float64) (sum float64) {
	for range n {
		sum = sum*half + step
	}
	return sum
}

//go:noinline
func total(numbers []float64, n int) (sum float64) {
	for range n {
		for _, x := range numbers {
			sum += x * x
		}
	}
	return sum
}

func main() {
	fmt.Println("ready")
	numbers := make([]float64, 256)
	for i := range numbers {
		numbers[i] = 0.75
		if i%4 == 0 {
			numbers[i] = 0.25
		}
	}
	for series(1<<16, 0.5, 1.25) == 2.5 && total(numbers, 1<<8) > 0 {
	}
}
