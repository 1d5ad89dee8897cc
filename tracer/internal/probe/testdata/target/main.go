// Command target makes known numbers of calls with known arguments. It begins when it reads
// a line, prints "done", and ends when its standard input does; at another line it begins again.
//
//	target calls GOROUTINES CALLS    known, pick and others; stacks grow, garbage is collected
//	target panics CALLS              every call of boom panics, and is recovered
//	target busy                      calls hot until standard input ends
//	target exec                      executes itself again, as target panics 0
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
)

type shape interface{ area() int }

type square struct{ side int }
type circle struct{ r int }

//go:noinline
func (s square) area() int { return s.side * s.side }

//go:noinline
func (c *circle) area() int { return 3 * c.r * c.r }

var errOdd = errors.New("odd")

// known gets x: 7 in 9 of 10 calls, else i%100; and a text: "secret" or "".
//
//go:noinline
func known(x int, text string, p *int, flag bool) (int, error) {
	if flag {
		*p += len(text)
	}
	if x%2 == 1 {
		return 3 * x, errOdd
	}
	return 3 * x, nil
}

// pick branches on i: 1 of 5 one way.
//
//go:noinline
func pick(i int) int {
	if i%5 == 0 {
		return other(i)
	}
	return i + 1
}

//go:noinline
func other(i int) int { return i * 2 }

// whole has a result that comes out of a floating-point register.
//
//go:noinline
func whole(x float64) int {
	if x < 0 {
		return 7
	}
	return int(x)
}

// deep makes the stack grow: it needs about 200 bytes per level.
//
//go:noinline
func deep(n int) int {
	var room [20]int
	room[n%20] = n
	if n == 0 {
		return room[7]
	}
	return deep(n-1) + room[n%20]
}

//go:noinline
func total(s shape) int { return s.area() }

// named gets area from its circle: the compiler makes a wrapper that jumps there.
type named struct {
	*circle
	name string
}

//go:noinline
func promoted(s shape) int { return s.area() }

// rounds has 40 rounds per call, and returns behind them.
//
//go:noinline
func rounds(b []byte) (sum int) {
	for _, c := range b {
		sum += int(c)
	}
	return sum
}

//go:noinline
func indirect(f func(int) int, i int) int { return f(i) }

func work(calls int) (sum int) {
	n := 0
	for i := range calls {
		x, text := 7, "secret"
		if i%10 == 0 {
			x, text = i%100, ""
		}
		v, _ := known(x, text, &n, i%2 == 0)
		sum += v + pick(i)
		if i%4 == 0 {
			sum += total(square{2})
		} else {
			sum += total(&circle{i})
		}
		sum += indirect(other, i) + whole(float64(i%3-1)) + promoted(&named{&circle{i}, "n"}) + rounds(forty)
		if i%100 == 0 {
			garbage = make([]byte, 10000)
			done := make(chan int)
			go func() { done <- deep(60) }() // on a new, small stack
			sum += <-done
		}
		if i%1000 == 0 {
			runtime.GC()
		}
	}
	return sum
}

var garbage []byte

var forty = make([]byte, 40)

//go:noinline
func boom(i int) (result int) {
	defer func() { result, _ = recover().(int) }()
	throw(i)
	return 0
}

//go:noinline
func throw(i int) int {
	if i >= 0 {
		panic(i)
	}
	return i
}

//go:noinline
func hot(i int) int { return i ^ pick(i) }

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}

func main() {
	in := bufio.NewReader(os.Stdin)
	fmt.Println("ready")
	in.ReadString('\n')
	for err := error(nil); err == nil; _, err = in.ReadString('\n') {
		do(os.Args[1])
		fmt.Println("done")
	}
}

func do(what string) {
	switch what {
	case "calls":
		goroutines, calls := number(2), number(3)
		var wg sync.WaitGroup
		for range goroutines {
			wg.Go(func() { work(calls) })
		}
		wg.Wait()
	case "panics":
		for i := range number(2) {
			if boom(i) != i {
				panic("recovered another value")
			}
		}
	case "busy":
		go func() {
			for i := 0; ; i++ {
				hot(i)
			}
		}()
	case "exec":
		fmt.Println(syscall.Exec(os.Args[0], []string{os.Args[0], "panics", "0"}, os.Environ()))
	}
}
