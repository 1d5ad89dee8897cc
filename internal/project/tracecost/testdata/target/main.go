// Command target calls hit as often as each line of its standard input says, and prints how
// many nanoseconds a call took.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"time"
)

// hit has a branch, a call and two returns. The first return can be reached by interpreting
// from the branch.
//
//go:noinline
func hit(x int) int {
	if x%4 != 0 {
		return 6*x + 5
	}
	return next(x) + 5
}

//go:noinline
func next(x int) int { return 6 * x }

func main() {
	in := bufio.NewScanner(os.Stdin)
	for sum := 0; in.Scan(); {
		n, err := strconv.Atoi(in.Text())
		if err != nil {
			panic(err)
		}
		begin := time.Now()
		for i := range n {
			sum += hit(i)
		}
		fmt.Println(float64(time.Since(begin).Nanoseconds())/float64(n), sum)
	}
}
