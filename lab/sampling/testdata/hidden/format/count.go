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
	work(10)
	for value, n := range seen {
		fmt.Println(value, n)
	}
	os.Exit(0)
}

// number appends a number.
func (w *writer) number(n uint64) {
	var text [64]byte
	i := len(text)
	for {
		i--
		text[i&63] = digits[n%uint64(see(int(w.base)))]
		if n /= uint64(see(int(w.base))); n == 0 {
			break
		}
	}
	w.out = append(w.out, text[i&63:]...)
}
