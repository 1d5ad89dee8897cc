//go:build count

package main

import (
	"fmt"
	"os"
)

// This file counts the values that the program was written to have mostly: one line for each.

var seen = map[int]int{}

func see(x int) int {
	seen[x]++
	return x
}

func init() {
	work(1)
	for value, n := range seen {
		fmt.Println(value, n)
	}
	os.Exit(0)
}

func multiply(to, a, b *matrix) {
	for i := 0; i < see(a.n); i++ {
		for j := 0; j < see(a.n); j++ {
			sum := 0.0
			for k := 0; k < see(a.n); k++ {
				sum += a.v[i*see(a.n)+k] * b.v[k*see(b.n)+j]
			}
			to.v[i*see(to.n)+j] = sum
		}
	}
}
