// Program hidden has hot ranges that are known by construction: a region of a table, a
// band of numbers, and a loop nest in a long function. Its goroutines do the same work,
// on several Ps.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// rounds is how often each goroutine does what it does.
const rounds = 20_000

// table has a hot region of 4096 bytes at an address that is a multiple of 4096.
var table [1 << 20]uint64

const regionLen = 4096 / 8

// region is the index of the hot region. It is some way into the table.
func region() int {
	first := uintptr(unsafe.Pointer(&table[0]))
	return int((-first)&4095)/8 + 300*regionLen
}

// The hot band: 0x5a000 to 0x5afff.
const (
	band    = 0x5a000
	bandLen = 0x1000
)

// random returns the next number of a generator.
func random(state *uint64) uint64 {
	*state = *state*6364136223846793005 + 1442695040888963407
	return *state >> 24
}

// read reads the table at an index: of three reads one is in the hot region.
func read(i int) uint64 { return table[i] }

// classify gets numbers: of three one is in the hot band, the others are any with 40 bits.
func classify(n int) bool { return n%3 == 0 }

// long is a long function with a hot loop nest in it.
func long(n uint64) (sum uint64) {
	if n%2 == 0 {
		sum += 1
	}
	if n%3 == 0 {
		sum += 2
	}
	if n%5 == 0 {
		sum += 3
	}
	if n%7 == 0 {
		sum += 4
	}
	if n%11 == 0 {
		sum += 5
	}
	if n%13 == 0 {
		sum += 6
	}
	for i := uint64(0); i < 16; i++ { // the nest begins
		for k := uint64(0); k < 2; k++ {
			x := n + i + k
			if x%2 == 0 {
				sum += 1
			}
			if x%3 == 0 {
				sum += 2
			}
			if x%5 == 0 {
				sum += 3
			}
			if x%7 == 0 {
				sum += 4
			}
			if x%9 == 0 {
				sum += 5
			}
			if x%11 == 0 {
				sum += 6
			}
			if x%13 == 0 {
				sum += 7
			}
			if x%15 == 0 {
				sum += 8
			}
		}
	} // the nest ends
	if n%17 == 0 {
		sum += 7
	}
	if n%19 == 0 {
		sum += 8
	}
	if n%23 == 0 {
		sum += 9
	}
	return sum
}

func work(g int) (sum uint64) {
	state, hot := uint64(g+1), region()
	for i := range rounds {
		r := random(&state)
		at, n := int(r%uint64(len(table))), int(random(&state)&(1<<40-1))
		if i%3 == 0 {
			at, n = hot+int(r%regionLen), band+int(r%bandLen)
		}
		sum += read(at)
		if classify(n) {
			sum++
		}
		if i%64 == 0 {
			sum += long(r)
		}
	}
	return sum
}

func main() {
	runtime.GOMAXPROCS(4)
	var wg sync.WaitGroup
	sums := make([]uint64, 4)
	for g := range sums {
		wg.Go(func() { sums[g] = work(g) })
	}
	wg.Wait()
	fmt.Printf("region %#x sums %x\n", &table[region()], sums)
}
