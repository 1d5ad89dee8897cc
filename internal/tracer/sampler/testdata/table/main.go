// Command table is sampled by tests. It looks up numbers in a small table for a second of
// CPU time, and then prints a checksum. It takes the values 11, 22, 33 and 44 in the
// proportions 4:2:1:1.
package main

import (
	"fmt"
	"os"
)

//go:noinline
func pick(i uint64) uint64 { return table[i&7] }

var table = [8]uint64{11, 11, 11, 11, 22, 22, 33, 44}

//go:noinline
func loop(n uint64) (sum uint64) {
	for i := uint64(0); i < n; i++ {
		sum += pick(i)
	}
	return sum
}

func main() {
	fmt.Println("ready")
	if len(os.Args) > 1 {
		for {
			loop(1 << 26)
		}
	}
	fmt.Println(loop(1 << 29))
}
