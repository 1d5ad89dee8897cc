// Command table is sampled by tests. It looks up numbers in a small table for a second of
// CPU time, and then prints a checksum. It takes the values 11, 22, 33 and 44 in the
// proportions 4:2:1:1. With an argument it goes on for ever; at SIGHUP it executes
// the program that is the second argument.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
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
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	fmt.Println("ready")
	fmt.Scanln() // a test may want to attach first
	if len(os.Args) > 1 {
		for len(hangup) == 0 {
			loop(1 << 16) // short, to see the signal soon even if a sampler stops the program most of the time
		}
		fmt.Println(syscall.Exec(os.Args[2], os.Args[:2], nil))
		return
	}
	fmt.Println(loop(1 << 29))
}
