package main

import (
	"fmt"
	"os"
	"runtime"
)

//go:noinline
func pick(i uint64) uint64 { return table[i&7] }

var table = [8]uint64{11, 11, 11, 11, 22, 22, 33, 44}
var sum uint64

//go:noinline
func loop(n uint64) {
	s := sum
	for i := uint64(0); i < n; i++ {
		s += pick(i)
	}
	sum = s
}

func main() {
	runtime.GOMAXPROCS(1)
	fmt.Println("ready")
	for {
		if _, err := os.Stat("/nonexistent"); err == nil {
			return
		}
		loop(50000000)
	}
}
