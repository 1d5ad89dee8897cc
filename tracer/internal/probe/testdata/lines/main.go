// Command lines does known work: TestVariables does the same work again, and counts the
// values that variables have at the lines with a comment in capitals. It begins when it
// reads a line, prints "done", and ends when its standard input does.
//
//	lines ROUNDS
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
)

type point struct {
	x int
	y uint8
}

var (
	sink  int
	words = []string{"", "a", "bb", "ccc"}
)

//go:noinline
func use(n int) int {
	sink += n
	return sink & 3
}

// loop has variables of many types in a loop.
//
//go:noinline
func loop(rounds int) (total int) {
	list := make([]int, 0, 64)
	p := point{x: -5}
	for i := range rounds {
		text := words[i%4]
		odd := i%2 == 1
		small := int8(i)
		p.y++
		if i%8 == 0 {
			list = append(list, i)
		}
		use(i) // LOOP
		if odd {
			total += len(text)
		}
		use(total) // TOTAL
		p.x += int(small) + len(list)
		use(p.x + int(p.y)) // POINT
	}
	return total
}

// dead has a variable that nobody needs any more at the line.
//
//go:noinline
func dead(a, b int) int {
	gone := use(a * 3)
	if gone > 100 {
		panic("use returns 0 to 3")
	}
	n := use(b)
	n = n*2 + b
	sink++ // DEAD
	return n + 7
}

// half is inlined.
func half(n int) int {
	h := n / 2
	sink += h // HALF
	return h
}

//go:noinline
func halves(a, b int) int { return half(a) + half(b+1) }

// heap has a variable that is on the heap: a function literal that outlives the call
// changes it.
//
//go:noinline
func heap(n int) func() int {
	count := n
	label := words[n%4]
	next := func() int { count += 2; label += "x"; return count }
	next()
	use(n) // HEAP
	return next
}

// wait keeps variables over calls, so they are on the stack.
//
//go:noinline
func wait(a int, f float64, text string) int {
	b := use(a)
	c := use(b + 1)
	use(len(text)) // WAIT
	use(int(f))
	return a + b + c
}

// recovers has results that a deferred function may change.
//
//go:noinline
func recovers(n int) (result int, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("%v", x)
		}
	}()
	result = n + 1
	use(n) // RESULT
	if n%3 == 0 {
		panic(n)
	}
	return result * 2, nil
}

// branch reaches a line on one of two ways, behind a call on one of them.
//
//go:noinline
func branch(n int) int {
	m := n
	if n%2 == 0 {
		m = use(n) + 10
	}
	n = m * 2 // BRANCH
	return n + use(m)
}

//go:noinline
func generic[T int32 | int64](v T, list []T) T {
	for i, x := range list {
		v += x * T(i) // GENERIC
	}
	return v
}

// count is inlined. Its n has a location only behind the first instruction of the line.
func count(s string) (n int) {
	for range s {
		n++ // COUNT
		use(n)
	}
	return n
}

//go:noinline
func counts(s string) int { return count(s) + 1 }

type fields struct{ opening, closing, extra int }

// load has a variable that the compiler loads only behind the first instruction of the line.
//
//go:noinline
func load(f *fields, n int) int {
	left := f.opening
	right := f.closing
	more := use(n + right)                // LOAD
	return use(left+right+f.extra) + more // SAVED
}

// twins has variables with the names that the compiler gives to the parts of p. The address of py is taken, so it is
// on the stack.
//
//go:noinline
func twins(n int) int {
	px, p, py := n*7, point{n, uint8(n)}, n*5
	add(&py, use(px))
	p.x += use(py)
	px += use(p.x)
	add(&py, px)
	use(px + int(p.y)) // TWINS
	return px + p.x + py + int(p.y)
}

//go:noinline
func add(to *int, n int) { *to += n }

// either returns after a call in one of four calls.
//
//go:noinline
func either(n int) int {
	m := n
	if n%4 == 0 {
		m = use(n) * 3
	}
	return m + 1
}

func main() {
	rounds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	in := bufio.NewReader(os.Stdin)
	fmt.Println("ready")
	in.ReadString('\n')
	loop(rounds)
	for i := range rounds {
		dead(i, i+1)
		halves(i, i%10)
		heap(i)()
		wait(i, float64(i), words[i%4])
		recovers(i)
		branch(i)
		either(i)
		load(&fields{i, i + 1, i + 2}, i)
		twins(i)
		counts("é" + words[i%4])
		generic(int32(i), []int32{1, 2, 3})
		generic(int64(-i), []int64{4})
	}
	fmt.Println("done")
	in.ReadString('\n')
}
