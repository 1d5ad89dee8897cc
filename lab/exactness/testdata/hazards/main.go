// Hazards has code whose blocks and paths are hard to tell apart, and it leaves paths in all
// ways in which a path does not end.
package main

import (
	"fmt"
	"iter"
	"os"
	"runtime"
	"sync"
)

func main() {
	sum := 0
	for i := range 100 {
		sum += clause(i, i%3 == 0, i%5 == 0) + labels(i) + shortCircuit(i) + collect(upTo(i))
		sum += recovered(i) + outward(upTo(i), i%20)
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() { leave(i) })
	}
	wg.Wait()
	parked := make(chan bool)
	go park(parked)
	<-parked
	fmt.Println("hazards:", sum)
	os.Exit(0)
}

// clause ends its clauses in && and ||, whose blocks belong to them.
func clause(i int, a, b bool) int {
	ok := false
	switch i % 4 {
	case 0:
		ok = a || b
	case 1:
		ok = a && b
	case 2:
		if a {
			ok = a && (b || i > 50)
		}
	}
	if ok {
		return 1
	}
	return 0
}

func labels(i int) int {
	n := 0
again:
	n++
	if n < i%7 {
		goto again
	}
outer:
	for j := range 5 {
		switch {
		case j == i%5:
			continue outer
		case j > 3:
			break outer
		case j == 2:
			fallthrough
		default:
			n++
		}
	}
	return n
}

func shortCircuit(i int) int {
	n := 0
	for j := 0; j < i && (j < 10 || i%2 == 0); j++ {
		if j%2 == 0 && i%3 != 0 || j == 7 {
			n++
		} else if !(j > 5) || i > 90 {
			n += 2
		}
	}
	return n
}

func upTo(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// collect is left from within the body of a range-over-func loop.
func collect(s iter.Seq[int]) int {
	n := 0
	for x := range s {
		if x%2 == 0 {
			continue
		}
		if x > 40 {
			return n
		}
		n += x
	}
	return -n
}

// outward jumps out of the bodies of range-over-func loops, to labels of its own
// and of a body.
func outward(s iter.Seq[int], i int) (n int) {
outer:
	for j := 0; j < 3; j++ {
	middle:
		for x := range s {
			if x == i+j {
				continue outer
			}
			for y := range s {
				if y*x > 300+i {
					break outer
				}
				if y == 30 && x > 3 {
					continue middle
				}
				if x+y == 2*i+7 {
					goto end
				}
				n += y
			}
			if n%7 == 0 {
				continue outer
			}
			n++
		}
		n += 3
	}
	n *= 2
end:
	return n % 100
}

// recovered calls a function that may panic.
func recovered(i int) (n int) {
	defer func() {
		if recover() != nil {
			n = i
		}
	}()
	return thrower(i)
}

func thrower(i int) int {
	n := 0
	for j := range i % 10 {
		if j == 8 {
			panic(n)
		}
		n += divide(j, i%2)
	}
	return n
}

func divide(a, b int) int {
	if a > 5 {
		return a / b // panics
	}
	return a
}

// leave ends its goroutine, and with it all paths.
func leave(i int) {
	if i%2 == 0 {
		runtime.Goexit()
	}
	for range i {
		runtime.Gosched()
	}
}

// park is still running when the program ends.
func park(parked chan<- bool) {
	for i := 0; ; i++ {
		if i == 3 {
			parked <- true
			select {}
		}
	}
}
