// Command latencies has a loop with two loads in one basic block: of memory that is in no cache,
// and of memory that is in the first one. Another loop loads from memory of some kilobytes. It is in
// each of them for so many seconds of CPU time.
//
//	latencies KILOBYTES SECONDS
package main

import (
	"math/rand"
	"os"
	"strconv"
	"syscall"
)

var (
	large [1 << 24]uint64 // 128 MB
	small [256]uint64     // 2 KB
)

type line struct {
	next *line
	_    [56]byte
}

// loop loads n times at random, each load by other bits of x.
//
//go:noinline
func loop(n, x uint64) uint64 {
	for range n {
		sum := large[x>>40] // far
		sum ^= small[x>>56] // near
		x = x*6364136223846793005 + sum&1 + 1442695040888963407
	}
	return x
}

//go:noinline
func chase(n int, p *line) *line {
	for range n {
		p = p.next // middle
	}
	return p
}

// cycle links lines to one cycle in random order, so that nothing is loaded ahead.
func cycle(lines int) *line {
	list := make([]line, lines)
	order := rand.New(rand.NewSource(1)).Perm(lines)
	for i, at := range order {
		list[at].next = &list[order[(i+1)%lines]]
	}
	return &list[0]
}

func used() int64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return r.Utime.Nano() + r.Stime.Nano()
}

func number(arg int) int64 {
	n, err := strconv.ParseInt(os.Args[arg], 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func main() {
	p, x := cycle(int(number(1))<<10/64), uint64(1)
	for i := range large {
		large[i] = uint64(i)
	}
	for end := used() + number(2)*1e9; used() < end; {
		x = loop(1<<14, x)
	}
	for end := used() + number(2)*1e9; used() < end; {
		p = chase(1<<14, p)
	}
	if x == 0 || p == nil { // the loads are needed
		panic(x)
	}
}
