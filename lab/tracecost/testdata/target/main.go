// Command target calls hit, after or either as often as each line of its standard input says. It prints how
// many nanoseconds of CPU time, and on the clock, a call took.
package main

import (
	"bufio"
	"fmt"
	"os"
	"syscall"
	"time"
)

// hit has a branch and two returns, which can be reached by interpreting from the branch.
//
//go:noinline
func hit(x int) int {
	if x%4 != 0 {
		return 6*x + 5
	}
	return 7 * x
}

// after returns after a call: nothing leads to its return but the return of the other
// function.
//
//go:noinline
func after(x int) int { return hit(x) + 1 }

// either returns after a call in one of four calls.
//
//go:noinline
func either(x int) int {
	y := x
	if x%4 == 0 {
		y = hit(x) * 3
	}
	return y + 1
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	for sum := 0; in.Scan(); {
		var name string
		var n int
		if _, err := fmt.Sscan(in.Text(), &name, &n); err != nil {
			panic(err)
		}
		f := map[string]func(int) int{"hit": hit, "after": after, "either": either}[name]
		begin, cpu := time.Now(), cpuTime()
		for i := range n {
			sum += f(i)
		}
		fmt.Println(float64(cpuTime()-cpu)/float64(n), float64(time.Since(begin))/float64(n), sum)
	}
}

// cpuTime returns the user and system time of the process in ns.
func cpuTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
