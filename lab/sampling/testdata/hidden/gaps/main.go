// Command gaps computes on one processor, and reads the clock every half microsecond. A gap
// between two readings that is longer than usual is time that something else took from it: an
// interrupt, or another program. It warms up first, then measures, and prints how long it
// measured and how much longer than usual each gap of interest was, in nanoseconds.
//
//	gaps WARM MEASURE
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"
)

const shortest = 300 * time.Nanosecond // of the gaps that are printed

var table [256]uint64

// work has loads, stores, and branches both ways, as code of programs has.
//
//go:noinline
func work(x uint64, n int) uint64 {
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
		j := x >> 56
		table[j] += x & 7
		if table[j]&1 == 0 {
			x ^= table[j]
		}
	}
	return x
}

func main() {
	runtime.LockOSThread()
	warm, err := time.ParseDuration(os.Args[1])
	if err != nil {
		panic(err)
	}
	measure, err := time.ParseDuration(os.Args[2])
	if err != nil {
		panic(err)
	}
	// Reading i takes gap i. The first readings say what is usual.
	usual := make([]time.Duration, 10000)
	x := uint64(1)
	began, last := time.Now(), time.Duration(0)
	for i := 0; last < warm || i < len(usual); i++ {
		x = work(x, 100)
		now := time.Since(began)
		usual[i%len(usual)] = now - last
		last = now
	}
	slices.Sort(usual)
	median := usual[len(usual)/2]
	gaps := make([]time.Duration, 0, 1<<20)
	began, last = time.Now(), 0
	for last < measure {
		x = work(x, 100)
		now := time.Since(began)
		if gap := now - last - median; gap > shortest && len(gaps) < cap(gaps) {
			gaps = append(gaps, gap)
		}
		last = now
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fmt.Fprintln(out, int64(last))
	for _, gap := range gaps {
		fmt.Fprintln(out, int64(gap))
	}
	if x == 0 { // the work is needed
		fmt.Fprintln(out, -1)
	}
}
