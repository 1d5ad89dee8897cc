// Command evicts walks over all lines of a first cache of 32 KB again and again, each load
// depending on the one before, and measures how long a walk takes. A walk with an interrupt in it takes
// much longer than usual. The walk behind that one is longer by the lines that the interrupt has
// evicted. It prints in nanoseconds: how long a walk takes usually, and after all lines have been
// evicted; then for each interrupt how much longer than usual the walk behind it was.
//
//	evicts WARM MEASURE
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"slices"
	"time"
)

const lines = 512

type line struct {
	next uint32
	_    [60]byte
}

var (
	cache  [lines]line
	others [8 * lines]line // 256 KB: in the second cache, and not in the first
)

// cycle links the lines of list to one cycle in random order, so that nothing is loaded ahead.
func cycle(list []line, seed int64) {
	order := rand.New(rand.NewSource(seed)).Perm(len(list))
	for i, at := range order {
		list[at].next = uint32(order[(i+1)%len(list)])
	}
}

//go:noinline
func walk(list []line, from uint32) uint32 {
	for range list {
		from = list[from].next
	}
	return from
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
	cycle(cache[:], 1)
	cycle(others[:], 2)
	at, other := uint32(0), uint32(0)
	timed := func() time.Duration {
		began := time.Now()
		at = walk(cache[:], at)
		return time.Since(began)
	}
	var usual, cold []time.Duration
	for began := time.Now(); time.Since(began) < warm || len(usual) < 2000; {
		usual = append(usual, timed())
	}
	for range 2000 {
		// One after the other, lines would not evict anything: newer processors (Zen 5) keep lines that
		// are read again and again, and not those of a long sequence.
		other = walk(others[:], other)
		cold = append(cold, timed())
	}
	slices.Sort(usual)
	slices.Sort(cold)
	median := usual[len(usual)/2]
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fmt.Fprintln(out, int64(median), int64(cold[len(cold)/2]))
	var behind []time.Duration
	interrupted := false
	for began := time.Now(); time.Since(began) < measure; {
		took := timed()
		isLong := took > median+2*time.Microsecond
		if interrupted && !isLong {
			behind = append(behind, took-median)
		}
		// A longer one is the turn of another program, which evicts lines, too.
		interrupted = isLong && took < median+100*time.Microsecond
	}
	for _, d := range behind {
		fmt.Fprintln(out, int64(d))
	}
	if at+other == 1<<31 { // the walks are needed
		fmt.Fprintln(out, at)
	}
}
