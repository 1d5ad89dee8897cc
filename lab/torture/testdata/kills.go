// Kills counts its own events in a file, which its argument names. The process that kills
// it reads this file. Each goroutine has a counter of its own in the file, and adds to it
// just before the event.
package main

import (
	"os"
	"syscall"
	"unsafe"
)

const goroutines = 4

var sink [goroutines]int

func main() {
	f, err := os.OpenFile(os.Args[1], os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	counters := (*[goroutines][8]uint64)(unsafe.Pointer(&data[0]))
	for i := range goroutines {
		go run(i, &counters[i][0])
	}
	select {}
}

func run(g int, counter *uint64) {
	for i := 0; ; i++ {
		*counter++
		sink[g] += event(i & 7)
		if i&1023 == 0 {
			allocate(i)
		}
	}
}

// event is what is counted: the number of its calls is the number of its paths that were
// taken, and the number of values of its argument.
//
//go:noinline
func event(x int) int {
	if x > 3 {
		return x - 1
	}
	return x
}

var kept [][]byte

// allocate keeps the collector busy.
func allocate(i int) {
	b := make([][]byte, 8)
	for j := range b {
		b[j] = make([]byte, 512+i&255)
	}
	kept = b
}
